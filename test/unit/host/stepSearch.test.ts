import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { StepSearchEvent, StepSearchRequest } from '../../../src/contract/stepSearch.ts';
import { taskStepSchema } from '../../../src/contract/taskSteps.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import type { Choice } from '../../../src/platform/pick.ts';
import { StepSearches } from '../../../src/tasks/branches/stepSearch.ts';
import { TaskSteps } from '../../../src/tasks/results/taskSteps.ts';
import { readTask } from '../../support/readTask.ts';

const step = (index: number, agent = 0) =>
	taskStepSchema.parse({
		...{ index, agent, step: 10 + index, tool: 'edit', title: `Write ${index + 1}.txt`, tree: 'a'.repeat(40) },
		...{ files: [], fileCount: 1, linesAdded: 3, linesRemoved: 1, approximate: false },
	});

describe('the search for the step that broke something, as the user sees it', () => {
	let task: Task;
	let plan: { command: string | null; steps: number; runs: number; isSandboxed: boolean };
	/** What the service tells; a search without an end waits until it is cancelled. */
	let events: StepSearchEvent[];
	/** The user's answers: the command, and the button. */
	let command: string | undefined;
	let button: string | undefined;
	let isCancelled: boolean;
	let seen: string[];
	let requests: StepSearchRequest[];
	let reports: string[];
	let written: string;
	let problems: Error[];
	let searches: StepSearches;
	const trust = (isTrusted: boolean) =>
		Object.defineProperty(vscode.workspace, 'isTrusted', { value: isTrusted, configurable: true });

	beforeEach(() => {
		trust(true);
		const errand = { steps: 3 } as Task['errand'];
		task = readTask({ id: 'task-1', prompt: 'Mend it', status: 'completed', errand });
		plan = { command: 'npm test', steps: 3, runs: 3, isSandboxed: true };
		[events, seen, requests, reports, problems] = [[], [], [], [], []];
		[command, button, isCancelled, written] = ['npm test', undefined, false, ''];
		const steps = new TaskSteps({
			isLocal: () => true,
			task: () => task,
			read: async () => ({ steps: [step(0), step(1), step(2, 1)], nextIndex: null }),
			explain: String,
		});
		searches = new StepSearches({
			store: { get: () => task },
			steps,
			dialogs: {
				choose: async <T>(_: string, items: readonly Choice<T>[]) => {
					seen.push(`agents: ${items.map(({ label }) => label).join(', ')}`);
					return items.at(-1)?.value;
				},
				input: async (title, prompt, value, problem) => {
					seen.push(`${title} ${prompt} [${value}]`);
					assert.ok(problem(' ') && problem('x'.repeat(2_001)) && problem('make') === undefined);
					return command;
				},
				tell: async (_, message, ...buttons) => {
					seen.push([message, ...buttons].join(' | '));
					return button;
				},
			},
			service: {
				readSearchPlan: async () => plan,
				searchSteps: async (_, request, onEvent, signal) => {
					requests.push(request);
					events.forEach(onEvent);
					await new Promise<void>((resolve, reject) => {
						if (events.some(({ type }) => type === 'found' || type === 'none' || type === 'error')) {
							resolve();
						}
						signal.addEventListener('abort', () => reject(signal.reason));
					});
				},
			},
			withProgress: async (_, run) => {
				const stopped = new AbortController();
				const running = run(stopped.signal, message => reports.push(message));
				if (isCancelled) {
					stopped.abort();
				}
				return running;
			},
			openLog: () => ({
				clear: () => {
					written = '';
				},
				append: text => {
					written += text;
				},
				show: () => seen.push('the log is shown'),
			}),
			runStepAction: async (action, { index }) => void seen.push(`${action} ${index}`),
			explain: error => problems.push(error as Error),
		});
	});

	afterEach(() => trust(true));

	it('names it with its runs, each with its log, and leads to its changes and to the state before it', async () => {
		events = [
			{ type: 'run', run: 1, of: 3, index: 2 },
			{ type: 'output', lines: ['\u001b[31mone\u001b[0m', 'two\u0007'] },
			{ type: 'end', run: 1, index: 2, outcome: 'failed' },
			{ type: 'run', run: 2, of: 3, index: -1 },
			{ type: 'end', run: 2, index: -1, outcome: 'passed' },
			{ type: 'found', index: 1, before: 0, outcome: 'failed', runs: 2 },
		];
		button = 'Continue from Before…';
		await searches.run('task-1');
		assert.deepEqual(problems, []);
		assert.match(seen[0] ?? '', /^Which Step Broke It\? .* at most 3 times in the sandbox.* \[npm test\]$/);
		assert.deepEqual(seen.slice(1), [
			'Step 2 (Write 2.txt) broke it: “npm test” passes before it, and fails after it. | Show Changes | Continue from Before… | Show Log',
			'continue 0',
		]);
		assert.deepEqual(reports, ['Run 1 of at most 3: after step 3', 'Run 2 of at most 3: before the first step']);
		assert.equal(
			written,
			'Run 1 of at most 3: after step 3 (Write 3.txt)\n  one\n  two␇\nFailed.\n\nRun 2 of at most 3: before the first step\nPassed.\n',
		);
		// The tests run as they do after an agent, a command of the user as it is.
		assert.deepEqual(requests, [{}]);
		[command, button] = ['make  ', 'Show Changes'];
		await searches.run('task-1');
		assert.deepEqual(requests[1], { command: 'make' });
		assert.equal(seen.at(-1), 'changes 1');
	});

	it('offers no continuation from before the first step, nor in a task of several agents, of which one is chosen', async () => {
		events = [{ type: 'found', index: 0, before: -1, outcome: 'not-run', runs: 2 }];
		button = 'Show Log';
		await searches.run('task-1');
		assert.match(seen.at(-2) ?? '', /passes before it, and can’t be run after it\. \| Show Changes \| Show Log$/);
		assert.equal(seen.at(-1), 'the log is shown');
		const agents = ['one', 'two', 'three'].map(agent => ({ agent })) as never;
		task = readTask({ ...task, multiLaunch: true, agentExecutions: agents, selectedAgents: agents });
		events = [{ type: 'found', index: 2, before: 1, outcome: 'failed', runs: 2 }];
		await searches.run('task-1');
		assert.ok(seen.includes('agents: one, two'), seen.join('\n'));
		assert.equal(requests.at(-1)?.agent, 1);
		assert.match(seen.at(-2) ?? '', /^Step 3 .* \| Show Changes \| Show Log$/);
	});

	it('says why there is none, and that results differed', async () => {
		const said = async (...told: StepSearchEvent[]) => {
			events = told;
			await searches.run('task-1');
			return seen.at(-1);
		};
		assert.match(
			(await said({ type: 'none', reason: 'passes', index: 2, runs: 2 })) ?? '',
			/passes after the last step/,
		);
		const differed = { type: 'unstable', index: 1 } as const;
		assert.match(
			(await said(differed, { type: 'none', reason: 'fails-before', index: -1, runs: 3 })) ?? '',
			/fails already before the first step.*results differed after step 2/,
		);
		assert.match((await said({ type: 'none', reason: 'not-run', index: -1, runs: 3 })) ?? '', /can’t be run before/);
		assert.match((await said({ type: 'none', reason: 'unstable', index: 1, runs: 4 })) ?? '', /can’t be found/);
		plan = { ...plan, command: null, isSandboxed: false };
		command = undefined;
		assert.match((await said()) ?? '', /without a sandbox.* \[\]$/);
		assert.deepEqual(problems, []);
	});

	it('ends when it is cancelled or fails, and begins in no workspace that is not trusted', async () => {
		isCancelled = true;
		events = [{ type: 'run', run: 1, of: 3, index: 2 }];
		await searches.run('task-1');
		assert.deepEqual([seen.length, problems.length], [1, 0]);
		assert.match(written, /Canceled\.\n$/);
		isCancelled = false;
		events = [{ type: 'error', error: 'The disk is full.' }];
		await searches.run('task-1');
		assert.match(JSON.stringify(problems[0]), /The disk is full\./);
		assert.match(written, /The disk is full\.\n$/);
		trust(false);
		await searches.run('task-1');
		assert.match(problems[1]?.message ?? '', /requires a trusted workspace/);
		await searches.run({ kind: 'steps' });
		assert.equal(problems.length, 2);
	});
});
