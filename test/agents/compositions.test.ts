import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks, type AgentTaskView } from '../support/agentTasks.ts';

type RaceView = AgentTaskView & {
	agentExecutions: { agent: string; branchName: string; errand: { tests?: string; sandboxed?: boolean } }[];
};

describe('a composition of what two agents have done', () => {
	let tasks: AgentTasks;

	before(async () => {
		const scripts = {
			differ: [
				{ do: 'write', path: 'src/same.js', content: 'export const same = true;\n' },
				{ do: 'run', command: 'echo "// $(cat /proc/sys/kernel/random/uuid)" > src/own.js' },
				{ do: 'say', text: 'Done.' },
			] as never,
		};
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms(), scripts });
	});
	after(() => tasks?.stop());

	it('is tested in a sandbox, where its tests see the composition and reach nothing else', async () => {
		const { repository, service, model } = tasks;
		const planted = path.join(repository.path, 'planted.txt');
		const { port } = new URL(service.address);
		await repository.write(
			'check.sh',
			[
				'cat src/same.js src/own.js',
				`echo planted > ${planted}`,
				`ls ${service.stateFolder} && echo reached the service`,
				`node -e "require('net').connect(${port}, '127.0.0.1').on('connect', () => { console.log('reached the network'); process.exit(); }).on('error', () => {})"`,
				'test -f src/same.js && node --check src/own.js',
			].join('\n'),
		);
		await repository.write('AGENTS.md', 'Run the tests with `sh check.sh`.\n');
		await repository.commitAll('Check');
		const agents = [0, 1].map(() => ({ agent: 'errand', model: model.name }));
		const { selectedAgent: _, selectedModel: __, ...request } = tasks.request('differ') as Record<string, unknown>;
		const created = await service.fetch('/api/tasks', { json: { ...request, selectedAgents: agents } });
		const { id } = ((await created.json()) as { task: { id: string } }).task;
		const race = (await tasks.final(id)) as unknown as RaceView;
		assert.equal(race.status, 'completed', race.error ?? '');
		const branches = race.agentExecutions.map(({ branchName }) => branchName);
		const commits = await Promise.all(branches.map(async name => (await repository.git('rev-parse', name)).trim()));
		const own = await repository.git('show', `${branches[1]}:src/own.js`);
		assert.notEqual(own, await repository.git('show', `${branches[0]}:src/own.js`));
		const composition = {
			base: (await repository.git('rev-parse', 'main')).trim(),
			results: commits.map((commit, agent) => ({ agent, commit })),
			files: [
				{ paths: ['src/same.js'], agents: [0, 1] },
				{ paths: ['src/own.js'], agents: [1] },
			],
		};
		const composed = await service.fetch(`/api/tasks/${id}/compositions`, { json: composition });
		assert.equal(composed.status, 200);
		const after = (await tasks.final(id)) as unknown as RaceView;
		const result = after.agentExecutions.at(-1);
		const output = (await tasks.messagesOf(id, 'running_tests')).join('\n');
		assert.deepEqual(
			{ tests: result?.errand.tests, sandboxed: result?.errand.sandboxed },
			{ tests: 'passed', sandboxed: true },
			output,
		);
		assert.equal(await repository.git('show', `${result?.branchName}:src/own.js`), own);
		assert.ok(output.includes(own.trim()), output);
		assert.doesNotMatch(output, /reached/);
		assert.ok(!existsSync(planted));
		assert.equal(await repository.git('status', '--porcelain'), '');
	});
});
