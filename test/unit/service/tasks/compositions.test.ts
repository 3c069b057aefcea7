import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Composition } from '../../../../src/contract/compositions.ts';
import { type TaskStep, taskStepsSchema } from '../../../../src/contract/taskSteps.ts';
import { type Task, taskReplySchema } from '../../../../src/contract/tasks.ts';
import { createApp } from '../../../../src/service/server.ts';
import type { RunServices } from '../../../../src/service/tasks/runServices.ts';
import { registerTaskRoutes } from '../../../../src/service/tasks/taskRoutes.ts';
import { NO_SERVICES } from './shellTaskAgent.ts';
import { useTaskRunner } from './useTaskRunner.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(line => `${line}\r\n`);
const AGENTS = 'Run the tests with `sh test.sh`.\n';

describe('a composition of the work of several agents', () => {
	const local = useTaskRunner();
	const { final, logOf } = local;
	const servers: Server[] = [];
	afterEach(() => {
		for (const server of servers.splice(0)) {
			server.close();
			server.closeAllConnections();
		}
	});
	const git = (...command: string[]) => local.repository.git(...command);

	/** Two agents change both ends of a file, and do something else each. */
	const ONE = `printf '${LINES.join('').replace('one', 'ONE').replaceAll('\r\n', '\\r\\n')}' > lines.txt; mv README.md docs.md; printf '\\0\\1' > binary`;
	const OTHER = `printf '${LINES.join('').replace('seven', 'SEVEN').replaceAll('\r\n', '\\r\\n')}' > lines.txt; chmod +x test.sh; echo new > ignored; printf 'x' > .gitattributes`;

	const serve = (services: Partial<RunServices> = {}) => {
		const runner = local.runnerOf({ services: { ...NO_SERVICES, allowsUnsandboxed: async () => true, ...services } });
		const app = createApp(nullLogger);
		const folder = path.join(local.folder, 'work');
		registerTaskRoutes(app, { store: local.store, runner, agents: async () => [], folder, logger: nullLogger });
		const server = createServer(getRequestListener(app.fetch));
		servers.push(server);
		const ask = async (address: string, more: RequestInit = {}) => {
			if (!server.listening) {
				await once(server.listen(0, '127.0.0.1'), 'listening');
			}
			return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${address}`, more);
		};
		const send = (id: string, body: object) =>
			ask(`/api/tasks/${id}/compositions`, { method: 'POST', body: JSON.stringify(body) });
		return { runner, send, get: (address: string) => ask(address) };
	};
	type Served = ReturnType<typeof serve>;

	const taskOf = async ({ get }: Served, id: string): Promise<Task> =>
		taskReplySchema.parse(await (await get(`/api/tasks/${id}`)).json());

	async function race({ runner }: Served, lines = [ONE, OTHER]): Promise<string> {
		await local.repository.write('lines.txt', LINES.join(''));
		await local.repository.write('AGENTS.md', AGENTS);
		await local.repository.write('test.sh', 'grep -q ONE lines.txt && grep -q SEVEN lines.txt\n');
		await local.repository.write('.gitignore', 'ignored\n');
		await local.repository.commitAll('Base');
		const agents = lines.map((line, at) => local.shell(line, `agent-${at}`));
		const choices = agents.map(({ id: agent }) => ({ agent, model: 'none' })) as [{ agent: string; model: string }];
		const { id } = runner.create(local.task('Make it loud', choices), agents);
		assert.equal((await final(id)).status, 'completed');
		return id;
	}

	async function choiceOf(id: string, files: Composition['files']): Promise<Composition> {
		const task = local.store.get(id) ?? assert.fail();
		const results = await Promise.all(
			local.store.executions(task).map(async ({ position, branchName }) => {
				return { agent: position, commit: (await git('rev-parse', branchName ?? '')).trim() };
			}),
		);
		return { base: (await git('rev-parse', 'main')).trim(), results, files };
	}

	const line = (at: number, ...agents: number[]) => {
		const origins = agents.map(agent => ({ agent, start: at, count: 1 }));
		return { start: at, count: 1, origins };
	};
	const BOTH: Composition['files'] = [
		{ path: 'lines.txt', hunks: [line(0, 0), line(6, 1)] },
		{ paths: ['README.md', 'docs.md'], agents: [0] },
		{ paths: ['test.sh'], agents: [1] },
	];

	it('is a further result of the task with its branch, tests, origins and state', async () => {
		const served = serve();
		const id = await race(served);
		const reply = await served.send(id, await choiceOf(id, BOTH));
		assert.equal(reply.status, 200);
		const accepted = taskReplySchema.parse(await reply.json());
		assert.deepEqual(
			accepted.agentExecutions?.map(({ agent }) => agent),
			['agent-0', 'agent-1', 'composition'],
		);
		await final(id);

		const task = await taskOf(served, id);
		const made = task.agentExecutions?.[2];
		assert.equal(made?.status, 'completed', logOf(local.store.get(id) ?? assert.fail()).join('\n'));
		assert.deepEqual([made.errand?.tests, made.errand?.composedOf], ['passed', [0, 1]]);
		assert.deepEqual(
			task.selectedAgents?.map(({ agent }) => agent),
			['agent-0', 'agent-1'],
		);
		const branch = made.branchName ?? assert.fail();
		assert.equal(
			await git('show', `${branch}:lines.txt`),
			LINES.join('').replace('one', 'ONE').replace('seven', 'SEVEN'),
		);
		assert.equal(await git('rev-parse', `${branch}^`), await git('rev-parse', 'main'));
		assert.deepEqual((await git('diff', '--name-status', '--no-renames', 'main', branch)).trim().split('\n'), [
			...['D\tREADME.md', 'A\tdocs.md', 'M\tlines.txt', 'M\ttest.sh'],
		]);
		assert.match(await git('ls-tree', branch, 'test.sh'), /^100755/);
		assert.equal(
			(await git('log', '-1', '--format=%B', branch)).trim(),
			[
				...['Make it loud', '', 'Composed of the work of several agents:'],
				`agent-0 (${task.agentExecutions?.[0]?.branchName}): lines.txt (1 of 2 changes), docs.md`,
				`agent-1 (${task.agentExecutions?.[1]?.branchName}): lines.txt (1 of 2 changes), test.sh`,
				...['', 'Errand-Agent: agent-0', 'Errand-Agent: agent-1'],
			].join('\n'),
		);

		const { steps } = taskStepsSchema.parse(await (await served.get(`/api/tasks/${id}/steps`)).json());
		const step: TaskStep = steps[0] ?? assert.fail();
		assert.deepEqual([steps.length, step.agent, step.fileCount], [1, 2, 3]);
		assert.equal(step.tree, (await git('rev-parse', branch)).trim());
		assert.match(logOf(local.store.get(id) ?? assert.fail())[step.step] ?? '', /^\[3\] Composed of the work/);
		const file = await served.get(`/api/tasks/${id}/steps/0/files?path=docs.md`);
		assert.equal(await file.text(), await git('show', 'main:README.md'));
	});

	it('of all that one agent has done is its tree, byte for byte', async () => {
		const served = serve();
		const id = await race(served);
		const files: Composition['files'] = [
			{ path: 'lines.txt', hunks: [line(6, 1)] },
			{ paths: ['test.sh'], agents: [1] },
			{ paths: ['.gitattributes'], agents: [1] },
		];
		assert.equal((await served.send(id, await choiceOf(id, files))).status, 200);
		await final(id);
		const [, own, made] = local.store.executions(local.store.get(id) ?? assert.fail());
		assert.equal(made?.tests, 'failed');
		assert.equal(
			await git('rev-parse', `${made?.branchName}^{tree}`),
			await git('rev-parse', `${own?.branchName}^{tree}`),
		);
	});

	it('is made without its tests where they may not run', async () => {
		const served = serve({ allowsUnsandboxed: async () => false });
		const id = await race(served);
		await served.send(id, await choiceOf(id, BOTH));
		await final(id);
		const task = local.store.get(id) ?? assert.fail();
		const made = local.store.executions(task)[2];
		assert.deepEqual([made?.status, made?.tests], ['completed', null]);
		assert.match(
			logOf(task).join('\n'),
			/The tests are not run\. There is no sandbox for agents on this machine: Errand knows none/,
		);
	});

	it('is refused where it is not what the agents have left, and then leaves no branch', async () => {
		const served = serve();
		const id = await race(served, [`${ONE}; rm test.sh; mkdir test.sh; echo x > test.sh/inner`, OTHER]);
		const task = local.store.get(id) ?? assert.fail();
		const [first] = local.store.executions(task);
		const choice = await choiceOf(id, BOTH);
		const branches = await git('branch', '--list');
		const reply = await served.send(id, { ...choice, files: [{ paths: ['test.sh/inner'], agents: [0] }] });
		assert.equal(reply.status, 200);
		await final(id);
		const made = local.store.executions(task).at(-1);
		assert.deepEqual([made?.status, made?.branchName], ['error', null]);
		assert.match(made?.error ?? '', /^"test.sh" would be both a file and a folder\. Compare again/);
		assert.equal(await git('branch', '--list'), branches);

		const refusal = async (body: object) => {
			const reply = await served.send(id, body);
			return `${reply.status} ${((await reply.json()) as { error: string }).error}`;
		};
		const { base, results } = choice;
		const [one] = results;
		assert.match(await refusal({ ...choice, base: one?.commit }), /^409 The branch .* did not begin at this commit/);
		assert.match(await refusal({ ...choice, results: [{ agent: 3, commit: base }] }), /^400 results: agent 3 is none/);
		assert.match(await refusal({ ...choice, results: [{ agent: 0, commit: '--all' }] }), /^400 results\[0\]\.commit/);
		for (const name of ['../x', '/x', 'a//b', 'x\0', '']) {
			assert.match(await refusal({ ...choice, files: [{ paths: [name], agents: [0] }] }), /^400 files\[0\]/);
		}
		await git('branch', '--force', first?.branchName ?? '', 'main');
		assert.match(await refusal(choice), /^409 The branch .* was moved or deleted since the choice was made/);
		assert.equal((await served.send('none', choice)).status, 404);
	});

	it('goes on after a restart, and there are only so many of them', async () => {
		const served = serve();
		const id = await race(served);
		const choice = await choiceOf(id, BOTH);
		await served.runner.shutdown();
		const [entry = assert.fail()] = local.store.entries(local.store.get(id) ?? assert.fail(), 0, 1);
		local.store.addComposition(id, 'composition', choice, entry);
		const later = serve();
		await later.runner.recover();
		later.runner.start();
		await final(id);
		const made = local.store.executions(local.store.get(id) ?? assert.fail());
		assert.deepEqual([made.length, made[2]?.status, made[2]?.tests], [3, 'completed', 'passed']);
		for (let more = 0; more < 3; more++) {
			local.store.addComposition(id, 'composition', choice, entry);
		}
		assert.equal((await later.send(id, choice)).status, 409);
	});
});
