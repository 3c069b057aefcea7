import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../../../src/agents/catalogue/knownAgents.ts';
import { type AgentLaunch, agentLaunch } from '../../../../src/agents/run/agentLaunch.ts';
import { type AgentRunOptions, type RunningAgent, runAgent } from '../../../../src/agents/run/agentRun.ts';
import { recordStarted } from '../../../../src/agents/run/leftPrograms.ts';
import type { RunPlace } from '../../../../src/agents/run/runPlace.ts';
import { childEnvironment } from '../../../../src/base/childEnvironment.ts';
import { UserFacingError } from '../../../../src/base/errors.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { markedEnvironment } from '../../../../src/base/processFamily.ts';
import { COMPILE_CACHE } from '../../../support/programs.ts';
import { scriptedAgentArguments } from '../../../support/scriptedAgent.ts';
import { shellAgentArguments } from '../../../support/shellAgent.ts';
import { isAlive } from '../../../support/waitFor.ts';
import { placeIn } from './placeIn.ts';

/** The words of a program for a newer Node under an older one, and its exit. */
const OLD_NODE = 'echo "SyntaxError: Invalid regular expression flags" >&2; exit 1';

const launchOf = (args: readonly string[]): AgentLaunch => ({
	command: process.execPath,
	args,
	programs: [],
	env: childEnvironment(process.env, COMPILE_CACHE),
	files: {},
	modes: [],
	usesAccount: false,
});

describe('a run of an agent', () => {
	let folder: string;
	let said: string;

	before(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
	});
	beforeEach(() => {
		folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-agent-run-')));
		said = '';
		mkdirSync(path.join(folder, 'tree'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	/** Runs an agent that has a shell run its prompts, or one of `args`. */
	function run<Result>(
		options: Partial<AgentRunOptions>,
		work: (agent: RunningAgent) => Promise<Result>,
		args = shellAgentArguments(),
	): Promise<Result> {
		return runAgent(
			{
				label: 'Shell',
				place: placeIn(folder),
				relay: undefined,
				launch: async () => launchOf(args),
				model: 'small',
				signal: new AbortController().signal,
				onEvent: event => {
					said += event.type === 'message' ? event.text : '';
				},
				logger: nullLogger,
				...options,
			},
			work,
		);
	}

	it('has an account for itself, until it ends, and takes over what a process that is gone has left', async () => {
		const home = path.join(folder, 'home');
		const own = { launch: async () => ({ ...launchOf(shellAgentArguments()), usesAccount: true }) };
		writeFileSync(`${home}.lock`, JSON.stringify({ pid: process.pid, start: 'before the last boot' }));
		await run(own, async ({ place }) => {
			assert.equal(place.home, home);
			await assert.rejects(
				run(own, () => assert.fail('it ran')),
				/^UserFacingError: Shell is already at work in another conversation or task\./,
			);
			await run({}, async () => {});
		});
		await run(own, async () => {});
		assert.ok(!existsSync(`${home}.lock`));
	});

	it('has relay and home before its place is made ready, starts after that, and leaves nothing', async () => {
		const order: string[] = [];
		const call = ({ relay }: Pick<RunPlace, 'relay'>) =>
			fetch(`${relay?.url}/v1/models`, { headers: { authorization: `Bearer ${relay?.token}` } });
		const place = await run(
			{
				relay: { handle: (_, response) => response.end('{}'), allowsHost: () => false, onRefused: () => {} },
				provide: async opened => {
					order.push('ready');
					assert.equal((await call(opened)).status, 200);
					assert.equal(statSync(opened.home).mode & 0o077, 0);
					return { lent: [], variables: { INSTALLED: 'packages' } };
				},
				launch: async ({ token, relayUrl }) => {
					order.push('started');
					assert.notEqual(token, '');
					assert.match(relayUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
					return launchOf(shellAgentArguments());
				},
			},
			async agent => {
				order.push('working');
				await agent.prompt('echo $PPID $INSTALLED');
				return agent.place;
			},
		);
		assert.deepEqual(order, ['ready', 'started', 'working']);
		const [, pid = '', installed] = /^(\d+) (.*)\n$/.exec(said) ?? [];
		assert.equal(installed, 'packages');
		assert.equal(await isAlive(Number(pid)), false);
		await assert.rejects(call(place));
	});

	it('ends the agent when what it is used for fails, and fails the same way', async () => {
		const failure = new Error('The disk is full.');
		const running = run({}, async agent => {
			await agent.prompt('echo $PPID');
			throw failure;
		});
		await assert.rejects(running, failure);
		assert.equal(await isAlive(Number(said)), false);
	});

	it('lets an agent that is stopped end its turn, and ends one that does not', async () => {
		const endings: (readonly [string, string[]])[] = [
			['echo at work; sleep 60', shellAgentArguments()],
			[
				JSON.stringify([
					{ update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'at work' } } },
				]),
				scriptedAgentArguments(),
			],
		];
		for (const [words, args] of endings) {
			const stopping = new AbortController();
			const reason = new UserFacingError('You have stopped it.');
			const onEvent = () => stopping.abort(reason);
			const running = run({ signal: stopping.signal, graceMs: 300, onEvent }, agent => agent.prompt(words), args);
			await assert.rejects(running, reason);
		}
	});

	it('ends first what a killed process has left of an earlier one without a sandbox', async () => {
		const { marker } = placeIn(folder);
		const env = { ...childEnvironment(process.env, {}), ...markedEnvironment(marker) };
		const left = spawn('/bin/sh', ['-c', 'sleep 100'], { env, detached: true, stdio: 'ignore' });
		const pid = left.pid ?? assert.fail('it was not started');
		await recordStarted(folder, pid);
		await run({}, async () => assert.equal(await isAlive(pid), false));
	});

	it('does not begin once it is stopped', async () => {
		const signal = AbortSignal.abort(new UserFacingError('You have stopped it.'));
		await assert.rejects(
			run({ signal, launch: () => assert.fail('it was started') }, () => assert.fail('it has begun')),
			/You have stopped it/,
		);
	});

	it('fails with a sentence that names the agent when the agent ends its turn early', async () => {
		for (const [reason, sentence] of [
			['max_tokens', /^Shell stopped because its model’s reply reached .* Select a model with longer replies/],
			['max_turn_requests', /^Shell stopped because it reached the limit of model requests/],
			['refusal', /^Shell stopped because its model declined/],
			['cancelled', /^Shell ended its turn as if it had been stopped/],
		] as const) {
			const steps = JSON.stringify([{ stop: reason }]);
			await assert.rejects(
				run({}, agent => agent.prompt(steps), scriptedAgentArguments()),
				(error: unknown) => error instanceof UserFacingError && sentence.test(error.message),
			);
		}
	});

	it('tells the agent that somebody is there to answer it, where that is so', async () => {
		for (const decide of [() => ({ option: undefined }), undefined]) {
			const told: unknown[] = [];
			const launch = async (seen: object) => {
				told.push('isAttended' in seen ? seen.isAttended : 'not told');
				throw new Error('enough');
			};
			await assert.rejects(
				run({ launch, ...(decide && { decide }) }, async () => {}),
				/enough/,
			);
			assert.deepEqual(told, [decide ? true : 'not told']);
		}
	});

	describe('that ends at once', () => {
		/** Starts an agent of the catalogue, whose program is a script of shell. */
		async function failure(id: string): Promise<string> {
			const definition = knownAgents.find(known => known.id === id) ?? assert.fail();
			const program = path.join(folder, definition.command);
			writeFileSync(program, `#!/bin/sh\n${OLD_NODE}\n`, { mode: 0o755 });
			const found: FoundAgent = {
				definition,
				source: 'path',
				programs: { [definition.command]: program, pi: program },
				location: program,
				version: undefined,
			};
			return run({ launch: async seen => agentLaunch(found, seen) }, async () => {}).then(
				() => assert.fail('it has started'),
				(error: Error) => error.message,
			);
		}

		it('names the Node that it needs, where it is known to need one', async () => {
			assert.match(
				await failure('pi'),
				/exit code 1[\s\S]*Invalid regular[\s\S]* pi needs Node 22\.19 or newer, and runs with the "node" that PATH names first\.$/,
			);
		});

		it('says nothing of Node for any other', async () => {
			const message = await failure('opencode');
			assert.match(message, /exit code 1/);
			assert.doesNotMatch(message, /Node/);
		});
	});
});
