import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { readSearchPlan, searchSteps } from '../../../../src/client/local/taskSteps.ts';
import type { StepSearchEvent, StepSearchRequest } from '../../../../src/contract/stepSearch.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { STEPPING_SERVICES, useStepping } from './useStepping.ts';

type Served = ReturnType<ReturnType<typeof useStepping>['serve']>;

describe('the search for the step of a task that broke something', () => {
	const { local, agent, serve, stepsOf, begin } = useStepping();
	const servers: http.Server[] = [];

	afterEach(() => {
		for (const server of servers.splice(0)) {
			server.closeAllConnections();
			server.close();
		}
	});

	const testedWith = async (command: string) => {
		await local.repository.write('AGENTS.md', `Run the tests with \`${command}\`.\n`);
		await local.repository.commitAll('Say how it is tested');
	};
	/** Makes a task with a step for each number. */
	const counted = async (served: Served, count: number) => {
		const id = begin(
			served,
			Array.from({ length: count }, (_, at) => `echo ${at + 1} > count.txt`),
		);
		await local.completed(id);
		return id;
	};
	const listening = async ({ app }: Served): Promise<string> => {
		const server = http.createServer(getRequestListener(app.fetch));
		servers.push(server);
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	};
	const post = async (served: Served, id: string, body: object, what = 'steps/search') =>
		fetch(`${await listening(served)}/api/tasks/${id}/${what}`, { method: 'POST', body: JSON.stringify(body) });
	/** Calls `onEvent` for each event as it comes, and resolves with all of them. */
	const search = async (
		served: Served,
		id: string,
		request: StepSearchRequest = {},
		onEvent = (_: StepSearchEvent) => {},
		signal = new AbortController().signal,
	): Promise<StepSearchEvent[]> => {
		const events: StepSearchEvent[] = [];
		const service = { address: await listening(served), token: '' };
		await searchSteps(
			service,
			id,
			request,
			event => {
				events.push(event);
				onEvent(event);
			},
			signal,
		);
		return events;
	};
	const linesOf = (events: readonly StepSearchEvent[]) =>
		events.flatMap(event => (event.type === 'output' ? event.lines : []));
	const runsOf = (events: readonly StepSearchEvent[]) =>
		events.flatMap(event => (event.type === 'end' ? [`${event.index} ${event.outcome}`] : []));
	const copyOf = (id: string) => path.join(local.folder, 'work', `${id}-0`, 'tests');
	const planOf = async (served: Served, id: string) =>
		readSearchPlan({ address: await listening(served), token: '' }, id, undefined);

	it('finds it with the repository’s tests, each run with its log, and leaves nothing', async () => {
		await testedWith('sh check.sh now');
		await local.repository.write('check.sh', 'echo "looked at $(cat count.txt)"; test "$(cat count.txt)" -lt 7');
		await local.repository.write('count.txt', '0\n');
		await local.repository.commitAll('Check');
		const served = serve();
		const id = await counted(served, 10);
		const branches = await local.repository.git('for-each-ref');
		// Where the machine is slow, several calls are one step.
		const steps = await stepsOf(served, id);
		const broken = steps.findIndex(({ title }) => Number(/\d+/.exec(title)) >= 7);
		const plan = await planOf(served, id);
		assert.deepEqual(plan, {
			command: 'sh check.sh now',
			steps: steps.length,
			runs: Math.ceil(Math.log2(steps.length)) + 1,
			isSandboxed: false,
		});
		const events = await search(served, id);
		const end = events.at(-1);
		assert.ok(end?.type === 'found' && end.runs <= plan.runs);
		assert.deepEqual([end.index, end.outcome], [broken, 'failed']);
		assert.deepEqual(linesOf(events.slice(0, 4)), ['looked at 10', '"sh check.sh now" ended with exit code 1.']);
		const runs = runsOf(events);
		assert.ok(runs.includes(`${broken} failed`) && runs.includes(`${broken - 1} passed`));
		assert.equal(existsSync(copyOf(id)), false);
		assert.equal(await local.repository.git('for-each-ref'), branches);
		assert.equal(await local.repository.git('status', '--porcelain'), '');
	});

	it('says why there is none: the command passes in the end, fails before the first, or cannot be run', async () => {
		const served = serve();
		const id = await counted(served, 3);
		const end = async (command: string) => (await search(served, id, { command })).at(-1);
		assert.deepEqual(await end('test -f count.txt'), { type: 'none', reason: 'passes', index: 2, runs: 2 });
		assert.deepEqual(await end('test ! -f README.md'), { type: 'none', reason: 'fails-before', index: -1, runs: 3 });
		assert.deepEqual(await end('no-such-command'), { type: 'none', reason: 'not-run', index: -1, runs: 3 });
		assert.deepEqual(await end('test ! -f count.txt'), {
			type: 'found',
			index: 0,
			before: -1,
			outcome: 'failed',
			runs: 3,
		});
	});

	it('runs a single step on both sides, and takes a command that cannot be run any more as broken', async () => {
		await local.repository.write('tool.sh', 'exit 0\n');
		await local.repository.commitAll('A tool');
		const served = serve();
		const id = begin(served, ['mkdir -p other; mv tool.sh other']);
		await local.completed(id);
		const events = await search(served, id, { command: 'test -f tool.sh || exit 127' });
		assert.deepEqual(runsOf(events), ['0 not-run', '-1 passed']);
		assert.deepEqual(events.at(-1), { type: 'found', index: 0, before: -1, outcome: 'not-run', runs: 2 });
	});

	it('runs the package scripts of before the task for its tests, and those of each state for a command of the user', async () => {
		await local.repository.write('package.json', '{"scripts":{"test":"test ! -f two.txt"}}');
		await local.repository.commitAll('Say how it is tested');
		const served = serve();
		const id = begin(served, [
			`echo '{"scripts":{"test":"true","more":"test ! -f three.txt"}}' > package.json`,
			'touch two.txt',
			'touch three.txt',
		]);
		await local.completed(id);
		const tests = await search(served, id);
		assert.deepEqual(tests.at(-1), { type: 'found', index: 1, before: 0, outcome: 'failed', runs: 3 });
		assert.match(linesOf(tests).join('\n'), /changed the scripts of package\.json/);
		const own = await search(served, id, { command: 'npm run more' });
		assert.deepEqual(own.at(-1), { type: 'found', index: 2, before: 1, outcome: 'failed', runs: 3 });
	});

	it('runs a state again that ends differently, and says so', async () => {
		const served = serve();
		const id = await counted(served, 5);
		const folder = path.join(local.folder, 'runs');
		/** Fails on the last state, but for its second run, or but for all after its first. */
		const command = (condition: string) =>
			`test "$(cat count.txt)" != 5 || { n=$(ls ${folder} | wc -l); touch ${folder}/$n; test $n ${condition}; }`;
		await mkdir(folder);
		const stable = await search(served, id, { command: command('= 1') });
		assert.deepEqual(runsOf(stable), ['4 failed', '1 passed', '3 passed', '4 passed', '4 failed']);
		assert.deepEqual(
			stable.flatMap(event => (event.type === 'unstable' ? [event.index] : [])),
			[4],
		);
		assert.deepEqual(
			stable.flatMap(event => (event.type === 'run' ? [event.repeats] : [])),
			[undefined, undefined, undefined, 'check', 'unstable'],
		);
		assert.deepEqual(stable.at(-1), { type: 'found', index: 4, before: 3, outcome: 'failed', runs: 5 });
		const folderAgain = (await readdir(folder)).length;
		const unstable = await search(served, id, { command: command(`-gt ${folderAgain}`) });
		assert.deepEqual(unstable.at(-1), { type: 'none', reason: 'unstable', index: 4, runs: 5 });
	});

	it('ends with its connection, and takes its copy and what runs there away', async () => {
		const served = serve();
		const id = await counted(served, 3);
		const gone = new AbortController();
		const pid = path.join(local.folder, 'pid');
		const command = `echo $$ > ${pid}; sleep 300`;
		const searched = assert.rejects(search(served, id, { command }, undefined, gone.signal), { name: 'AbortError' });
		await waitFor('the command', () => existsSync(pid));
		for (const request of [
			() => post(served, id, { command: 'true' }),
			() => post(served, id, { currentPrompt: 'true' }, 'continue'),
		]) {
			const refused = await request();
			assert.deepEqual([refused.status, /just being searched/.test(await refused.text())], [409, true]);
		}
		await assert.rejects(served.runner.keepWork(local.store.get(id) ?? assert.fail(), gone.signal), /being searched/);
		gone.abort();
		await searched;
		await waitFor('the end of the search', () => served.runner.useOf(id) === undefined);
		assert.equal(existsSync(copyOf(id)), false);
		assert.deepEqual((await search(served, id, { command: 'true' })).at(-1)?.type, 'none');
	});

	it('ends with the service, and says so', async () => {
		const served = serve();
		const id = await counted(served, 3);
		const begun = Promise.withResolvers<void>();
		const ended = search(served, id, { command: 'echo begun; sleep 300' }, event => {
			if (event.type === 'output') {
				begun.resolve();
			}
		});
		await begun.promise;
		await served.runner.shutdown();
		assert.equal(existsSync(copyOf(id)), false);
		assert.deepEqual((await ended).at(-1), {
			type: 'error',
			error: 'The search was ended, because the local service is stopping.',
		});
	});

	it('counts a command as failed that does not end in time, and tells only a part of much output', async () => {
		const served = serve({ searchRunMs: 700 });
		const id = await counted(served, 1);
		const events = await search(served, id, { command: 'test ! -f count.txt || sleep 300' });
		assert.deepEqual(events.at(-1), { type: 'found', index: 0, before: -1, outcome: 'failed', runs: 2 });
		assert.match(linesOf(events).join('\n'), /did not end within .* and was stopped/);
		const flood = await search(serve(), id, {
			command: 'seq 1 300000; head -c 3000000 /dev/zero; echo; seq 1 9; false',
		});
		const lines = linesOf(
			flood.slice(
				0,
				flood.findIndex(({ type }) => type === 'end'),
			),
		);
		assert.equal(lines[0], '1');
		assert.ok(lines.length < 800 && lines.join('').length < 400_000, `${lines.length} lines`);
		assert.ok(lines.some(line => /^… \d+ lines are left out …$/.test(line)));
		assert.deepEqual(lines.slice(-2), ['9', lines.at(-1)]);
		assert.match(lines.at(-1) ?? '', /ended with exit code 1/);
	});

	it('follows the steps that lead to the last state, without those that a run did not go on from', async () => {
		const served = serve();
		const id = await counted(served, 4);
		const prompt = 'echo 5 > five.txt\necho 6 > six.txt';
		served.runner.continue(id, { prompt, agent: 'stepping', model: 'none', fromStep: 1 }, agent);
		await local.completed(id);
		assert.equal((await planOf(served, id)).steps, 4);
		const events = await search(served, id, { command: 'test ! -f five.txt' });
		assert.deepEqual(runsOf(events), ['1 passed', '5 failed', '4 failed']);
		assert.deepEqual(events.at(-1), { type: 'found', index: 4, before: 1, outcome: 'failed', runs: 3 });
		served.runner.continue(id, { prompt: 'echo 7 > seven.txt', agent: 'stepping', model: 'none' }, agent);
		await local.completed(id);
		assert.equal((await planOf(served, id)).steps, 5);
	});

	it('is among the steps of one of several agents', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'echo 2 > two.txt'], 2);
		assert.equal((await local.final(id)).status, 'completed');
		assert.equal((await served.get(`/api/tasks/${id}/steps/search`)).status, 400);
		assert.equal((await served.get(`/api/tasks/${id}/steps/search?agent=2`)).status, 400);
		const events = await search(served, id, { command: 'test ! -f two.txt', agent: 1 });
		const found = events.at(-1);
		assert.equal(found?.type, 'found');
		const task = local.store.get(id) ?? assert.fail();
		const step = local.store.steps.get(task, found.type === 'found' ? found.index : -1);
		assert.deepEqual([step?.agent, step?.title], [1, 'echo 2 > two.txt']);
	});

	it('is refused where it cannot be: no task, no steps, one at work, no command, no sandbox', async () => {
		const served = serve();
		const refused = async (id: string, body: object) => {
			const reply = await post(served, id, body);
			return `${reply.status} ${((await reply.json()) as { error: string }).error}`;
		};
		assert.match(await refused('other', {}), /^404 Task not found/);
		const waiting = begin(served, ['echo 1 > one.txt', 'sleep 100']);
		assert.match(await refused(waiting, {}), /^409 The task is still at work/);
		await served.runner.stop(waiting);
		const none = begin(served, ['true']);
		await local.final(none);
		assert.match(await refused(none, {}), /^404 The task has no steps/);
		const id = await counted(served, 1);
		assert.deepEqual(await planOf(served, id), { command: null, steps: 1, runs: 2, isSandboxed: false });
		assert.match(await refused(id, {}), /^400 command: the repository does not say how it is tested/);
		for (const command of ['', '  ', 'x'.repeat(2_001), 'a\0b', 5]) {
			assert.match(await refused(id, { command }), /^400 command/);
		}
		assert.match(await refused(id, { commands: 'true' }), /^400 /);
		assert.match(await refused(id, { command: 'true', agent: 1 }), /^400 agent: the task has no such agent/);
		const closed = serve({}, { ...STEPPING_SERVICES, allowsUnsandboxed: async () => false });
		const reply = await closed.get(`/api/tasks/${id}/steps/search`);
		assert.match(`${reply.status} ${await reply.text()}`, /^409 .*There is no sandbox for agents on this machine/);
	});
});
