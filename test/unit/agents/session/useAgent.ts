import assert from 'node:assert/strict';
import os from 'node:os';
import { AgentFailure, type AgentFailureCode } from '../../../../src/agents/session/agentFailure.ts';
import type { AgentSession, AgentSessionOptions } from '../../../../src/agents/session/agentSession.ts';
import type { AgentEvent } from '../../../../src/agents/session/events.ts';
import { openAgentSession } from '../../../../src/agents/session/openAgentSession.ts';
import { childEnvironment } from '../../../../src/base/childEnvironment.ts';
import { type RunningChild, startChild } from '../../../../src/base/childProcess.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { COMPILE_CACHE } from '../../../support/programs.ts';
import { type Script, type Step, scriptedAgentArguments } from '../../../support/scriptedAgent.ts';

/** The folder that the scripted agent is told to work in. It does nothing in it. */
export const FOLDER = '/srv/clone';

/** Starts agents in processes of their own and ends them after each test of the `describe` that it is called in. */
export function useAgent() {
	const children: RunningChild[] = [];
	let events: AgentEvent[] = [];
	let printed: unknown[][] = [];
	const { error, warn } = console;

	beforeEach(() => {
		events = [];
		printed = [];
		const record = (...words: unknown[]) => void printed.push(words);
		Object.assign(console, { error: record, warn: record });
	});
	afterEach(async () => {
		Object.assign(console, { error, warn });
		await Promise.all(children.splice(0).map(child => child.end()));
		assert.deepEqual(printed, [], 'something was printed to the console');
	});

	/** Starts a program of Node as an agent. */
	function start(args: readonly string[], cwd = os.tmpdir()): RunningChild {
		const { signal } = new AbortController();
		const env = childEnvironment(process.env, COMPILE_CACHE);
		const child = startChild({ command: process.execPath, args, cwd, env, signal, graceMs: 500 });
		children.push(child);
		return child;
	}

	/** Opens a session with a scripted agent. All events are kept, and no permission is given. */
	async function open(script: Script = {}, options: Partial<AgentSessionOptions> = {}): Promise<AgentSession> {
		return await openAgentSession({
			child: options.child ?? start(scriptedAgentArguments(script)),
			folder: FOLDER,
			decide: () => ({ option: undefined }),
			onEvent: event => void events.push(event),
			signal: new AbortController().signal,
			logger: nullLogger,
			...options,
		});
	}

	/** Opens a session and prompts it with steps. Resolves with the reason why it stopped. */
	async function play(steps: Step[], options: Partial<AgentSessionOptions> = {}, script: Script = {}): Promise<string> {
		const session = await open(script, options);
		return await session.prompt(JSON.stringify(steps));
	}

	/** Expects a failure with this code and words in its sentence, and that the agent has ended by then. */
	async function fails(
		running: Promise<unknown>,
		code: AgentFailureCode,
		words: RegExp,
		ended = true,
	): Promise<AgentFailure> {
		const failure = await running.then(
			() => assert.fail('It did not fail.'),
			thrown => thrown,
		);
		assert.ok(failure instanceof AgentFailure, `It failed with ${failure}`);
		assert.match(failure.message, words);
		assert.equal(failure.code, code);
		if (ended) {
			await children.at(-1)?.ended;
		}
		return failure;
	}

	/** The messages of the agent, each parsed as JSON. */
	const told = () => events.flatMap(event => (event.type === 'message' ? [JSON.parse(event.text)] : []));

	return {
		start,
		open,
		play,
		fails,
		told,
		get events() {
			return events;
		},
	};
}
