// Serves a long list of tasks by pages to the contenders, from a process of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { parameters } from './contender.ts';

const { tasks: count } = parameters<{ tasks: number }>();
const START = Date.UTC(2026, 10, 21);
const STATES = ['completed', 'completed', 'completed', 'error', 'stopped'];

/** The newest first, a few of each day. */
function taskAt(index: number): object {
	const created = new Date(START - index * 3_600_000).toISOString();
	return {
		id: `task_${String(count - index).padStart(6, '0')}`,
		userId: 'user_1',
		prompt: `Task ${index}: make the upload of large files more robust, and say so in the documents`,
		repoUrl: `https://host.example/acme/widgets-${index % 7}`,
		selectedAgent: 'agent-a',
		selectedModel: 'vendor/large-model',
		status: STATES[index % STATES.length],
		progress: 100,
		selectedBranch: 'main',
		branchName: `errand/upload-${index}`,
		error: null,
		diffStats: { totalLinesAdded: index % 300, totalLinesRemoved: index % 40, totalFilesChanged: 1 + (index % 9) },
		createdAt: created,
		updatedAt: created,
		completedAt: created,
		prNumber: index % 3 === 0 ? index : null,
	};
}

const server = createServer((request, response) => {
	const { searchParams } = new URL(request.url ?? '/', 'http://server.invalid');
	const limit = Number(searchParams.get('limit') ?? 50);
	const offset = Number(searchParams.get('offset') ?? 0);
	const end = Math.min(count, offset + limit);
	const tasks = Array.from({ length: Math.max(0, end - offset) }, (_, index) => taskAt(offset + index));
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify({ tasks, hasMore: end < count, offset, limit }));
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
