// The local service with a long list of tasks in its database, in a process of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { openDatabase, transaction } from '../src/service/store/database.ts';
import { ServiceProcess } from '../test/support/serviceProcess.ts';
import { parameters } from './contender.ts';

export interface TaskListServer {
	address: string;
	token: string;
}

const { tasks: count } = parameters<{ tasks: number }>();
const START = Date.UTC(2026, 10, 21);
const STATES = ['completed', 'completed', 'completed', 'error', 'stopped'];

/** Inserts the tasks, one for each hour, the newest last. */
function fill(file: string): void {
	const database = openDatabase(file);
	const insert = database.prepare(
		`INSERT INTO tasks (id, prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, installDependencies, maxDuration,
			status, progress, branchName, linesAdded, linesRemoved, filesChanged, createdAt, updatedAt, completedAt)
		VALUES (?, ?, ?, 'main', 'agent-a', 'vendor/large-model', 0, 1800, ?, 100, ?, ?, ?, ?, ?, ?, ?)`,
	);
	transaction(database, () => {
		for (let index = count - 1; index >= 0; index--) {
			const time = new Date(START - index * 3_600_000).toISOString();
			insert.run(
				`task_${String(count - index).padStart(6, '0')}`,
				`Task ${index}: make the upload of large files more robust, and say so in the documents`,
				`https://host.example/acme/widgets-${index % 7}`,
				STATES[index % STATES.length] ?? '',
				`errand/upload-${index}`,
				...[index % 300, index % 40, 1 + (index % 9)],
				...[time, time, time],
			);
		}
	});
	database.close();
}

const stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-bench-'));
fill(path.join(stateFolder, 'state.sqlite'));
const { address, token, child } = await ServiceProcess.start({ stateFolder, idleSeconds: 3600 });
process.once('SIGTERM', async () => {
	child.kill('SIGKILL');
	await rm(stateFolder, { recursive: true, force: true, maxRetries: 3 });
	process.exit();
});
process.send?.({ address, token } satisfies TaskListServer);
