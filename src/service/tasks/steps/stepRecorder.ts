import type { ToolCall } from '../../../agents/session/events.ts';
import { append } from '../../../base/append.ts';
import { SerialQueue } from '../../../base/async.ts';
import { describeError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/plainText.ts';
import type { ExecutionRecord, TaskRecord } from '../../store/taskRecord.ts';
import type { TaskStore } from '../../store/taskStore.ts';
import type { Checkout } from '../checkout.ts';
import type { LogPlace, TaskLog } from '../taskLog.ts';
import { type NotKept, StepChain } from './stepChain.ts';
import { changesBetween } from './stepContent.ts';

const MAXIMUM_TITLE = 200;
const MAXIMUM_STEPS = 5_000;
const MAXIMUM_PATHS = 100;
/** Looks may take this share of the time that the agent has worked, and this time in any case. */
const SHARE_OF_TIME = 0.05;
const FREE_MS = 2_000;
/** The kinds of calls that change no file. What something else has changed meanwhile is found after the next call. */
const QUIET: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode', 'compact', 'notice']);

export interface StepRun {
	checkout: Checkout;
	/** The folder of the execution. */
	folder: string;
	task: TaskRecord;
	execution: ExecutionRecord;
	store: TaskStore;
	log: TaskLog;
}

interface NotedCall {
	tool: string;
	title: string;
	place: LogPlace | undefined;
	/** The files that the call says it is about, relative to the tree. */
	paths: string[];
	moment: bigint;
}

/** Returns the prefix of the references of a task's states. */
export const stepsPrefix = (taskId: string) => `refs/errand/steps/${taskId}`;

/** Writes the state of the files after each tool call of one run that has changed some. A failure ends only that. */
export class StepRecorder {
	private readonly run: StepRun;
	private readonly chain: StepChain;
	private readonly began = performance.now();
	private readonly completing = new SerialQueue();
	private waiting: NotedCall[] = [];
	private looking: Promise<void> | undefined;
	private spentMs = 0;
	private count: number;
	private hasEnded = false;
	/** What could not be kept since the last step. */
	private missing: NotKept = [];

	private constructor(run: StepRun, chain: StepChain) {
		this.run = run;
		this.chain = chain;
		this.count = run.store.steps.count(run.task);
	}

	/** Begins before the agent gets its prompt. Resolves with undefined if the states cannot be kept, which the log says. */
	static async begin(run: StepRun): Promise<StepRecorder | undefined> {
		const { checkout, folder, task, execution, log } = run;
		try {
			const name = { prefix: stepsPrefix(task.id), name: `${execution.position}-${task.turn}` };
			return new StepRecorder(run, await StepChain.begin(checkout, folder, name));
		} catch (error) {
			notKept(log, error);
			return undefined;
		}
	}

	/** Called when a tool call is over, with its entry in the log. `tree` is the folder as the agent sees it. */
	add({ kind, title, locations, diffs }: ToolCall, place: LogPlace | undefined, tree: string): void {
		if (this.hasEnded || QUIET.has(kind)) {
			return;
		}
		const paths = [...locations, ...diffs]
			.slice(0, MAXIMUM_PATHS)
			.map(({ path }) => (path.startsWith(`${tree}/`) ? path.slice(tree.length + 1) : path));
		const shown = oneLine(title.replaceAll(`${tree}/`, ''), MAXIMUM_TITLE);
		const call = { tool: kind, title: shown || kind, place, paths };
		this.waiting.push({ ...call, moment: this.chain.mark() });
		// Whatever is not looked at now is part of a later step.
		if (this.spentMs < FREE_MS + SHARE_OF_TIME * (performance.now() - this.began)) {
			this.look();
		}
	}

	/** Resolves when the states of all calls so far are written. */
	async settled(): Promise<void> {
		await this.looking;
	}

	/** Looks for the last time, when nothing of the agent is left running. Never rejects. */
	async end(): Promise<void> {
		await this.looking;
		if (!this.hasEnded) {
			const moment = this.chain.mark();
			if (this.waiting.length === 0) {
				this.waiting.push({ tool: 'end', title: 'After the last tool call', place: undefined, paths: [], moment });
			}
			this.look();
			await this.looking;
		}
		this.hasEnded = true;
		await this.completing.run(() => {});
	}

	private look(): void {
		this.looking ??= this.lookAtAll().finally(() => {
			this.looking = undefined;
		});
	}

	private async lookAtAll(): Promise<void> {
		while (this.waiting.length > 0 && !this.hasEnded) {
			const calls = this.waiting.splice(0);
			const began = performance.now();
			try {
				await this.lookAfter(calls);
			} catch (error) {
				this.fail(error);
			}
			this.spentMs += performance.now() - began;
		}
	}

	private async lookAfter(calls: readonly NotedCall[]): Promise<void> {
		const { task, execution, store, folder } = this.run;
		const { tool, title, place, moment } = calls.at(-1) as NotedCall;
		const { isLater, notKept } = await this.chain.look(moment);
		const ignored = await this.chain.ignoredOf(calls.flatMap(call => call.paths));
		append(this.missing, notKept);
		if (ignored.length > 0) {
			this.missing.push({ reason: 'ignored', names: ignored });
		}
		const state = await this.chain.keep(title);
		if (state === undefined) {
			return;
		}
		if (++this.count > MAXIMUM_STEPS) {
			throw new Error(`a task has at most ${MAXIMUM_STEPS}`);
		}
		const missing = this.missing.splice(0);
		// The agent need not wait for what is only told of the state.
		this.completing
			.run(async () => {
				const changes = await changesBetween(folder, state);
				await this.chain.complete(state);
				const step = place?.index ?? Math.max(0, store.entryCount(task) - 1);
				const facts = { step, agent: execution.position, tool, title, tree: state.commit, ...changes };
				const approximate = isLater || calls.length > 1;
				store.steps.add(task, { ...facts, approximate, ...(missing.length > 0 && { notKept: missing }) });
			})
			.catch(error => this.fail(error));
	}

	private fail(error: unknown): void {
		if (!this.hasEnded) {
			this.hasEnded = true;
			notKept(this.run.log, error);
		}
	}
}

function notKept(log: TaskLog, error: unknown): void {
	const why = describeError(error).slice(0, 300);
	log.said('agent_tool', `The states of the files after further steps are not kept (${why}).`, 'warning');
}
