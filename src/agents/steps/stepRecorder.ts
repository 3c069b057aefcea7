import { append } from '../../base/append.ts';
import { SerialQueue } from '../../base/async.ts';
import { describeError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import type { TaskStep } from '../../contract/taskSteps.ts';
import type { ToolCall } from '../session/events.ts';
import { type ChainName, type NotKept, StepChain, type WorkedTree } from './stepChain.ts';
import { changesBetween } from './stepContent.ts';

const MAXIMUM_TITLE = 200;
const MAXIMUM_STEPS = 5_000;
const MAXIMUM_PATHS = 100;
/** Looks may take this share of the time that the agent has worked, and this time in any case. */
const SHARE_OF_TIME = 0.05;
const FREE_MS = 2_000;
/** The kinds of calls that change no file. What something else has changed meanwhile is found after the next call. */
const QUIET: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode', 'compact', 'notice']);

/** A state that has been written, and the place of the last call before it. There is none for what no call reported. */
export interface KeptStep<Place> extends Omit<TaskStep, 'index' | 'step' | 'agent'> {
	place: Place | undefined;
	/** The commit of the state before. */
	before: string;
}

/** One run of an agent. Whoever records it identifies its tool calls by places, such as those in a log. */
export interface StepRun<Place> {
	checkout: WorkedTree;
	/** A folder that the agent cannot reach. */
	folder: string;
	chain: ChainName;
	/** The number of steps before. */
	count: number;
	onStep(step: KeptStep<Place>): void;
	/** Called with the calls that are over, once the state that they have left is kept. */
	onCalls?(calls: readonly ToolCall[]): Promise<void>;
	/** Called once if the states of further steps are not kept. */
	onFailure(why: string): void;
}

interface NotedCall<Place> {
	tool: string;
	title: string;
	place: Place | undefined;
	/** The files that the call says it is about, relative to the tree. */
	paths: string[];
	moment: bigint;
	call: ToolCall | undefined;
}

/** Writes the state of the files after each tool call of one run that has changed some. A failure ends only that. */
export class StepRecorder<Place> {
	private readonly run: StepRun<Place>;
	private readonly chain: StepChain;
	private readonly began = performance.now();
	private readonly completing = new SerialQueue();
	private waiting: NotedCall<Place>[] = [];
	private looking: Promise<void> | undefined;
	private spentMs = 0;
	private lastMs = 0;
	private count: number;
	private hasEnded = false;
	/** What could not be kept since the last step. */
	private missing: NotKept = [];

	private constructor(run: StepRun<Place>, chain: StepChain) {
		this.run = run;
		this.chain = chain;
		this.count = run.count;
	}

	/** Begins before the agent gets its prompt. Resolves with undefined if the states cannot be kept, which it reports. */
	static async begin<Place>(run: StepRun<Place>): Promise<StepRecorder<Place> | undefined> {
		const { checkout, folder, chain } = run;
		try {
			return new StepRecorder(run, await StepChain.begin(checkout, folder, chain));
		} catch (error) {
			run.onFailure(describeError(error));
			return undefined;
		}
	}

	/** Called when a tool call is over, with its place. `tree` is the folder as the agent sees it. */
	add(call: ToolCall, place: Place | undefined, tree: string): void {
		const { kind, title, locations, diffs } = call;
		if (this.hasEnded || QUIET.has(kind)) {
			return;
		}
		const paths = [...locations, ...diffs]
			.slice(0, MAXIMUM_PATHS)
			.map(({ path }) => (path.startsWith(`${tree}/`) ? path.slice(tree.length + 1) : path));
		const shown = oneLine(title.replaceAll(`${tree}/`, ''), MAXIMUM_TITLE);
		this.waiting.push({ tool: kind, title: shown || kind, place, paths, moment: this.chain.mark(), call });
		// Whatever is not looked at now is part of a later step.
		const limit = Math.max(FREE_MS, SHARE_OF_TIME * (performance.now() - this.began));
		if (this.spentMs + this.lastMs < limit) {
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
				const title = 'After the last tool call';
				this.waiting.push({ tool: 'end', title, place: undefined, paths: [], moment, call: undefined });
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
			this.lastMs = performance.now() - began;
			this.spentMs += this.lastMs;
		}
	}

	private async lookAfter(calls: readonly NotedCall<Place>[]): Promise<void> {
		const { checkout, folder, onStep, onCalls } = this.run;
		const report = async () => onCalls?.(calls.flatMap(({ call }) => call ?? []));
		const { tool, title, place, moment } = calls.at(-1) as NotedCall<Place>;
		const { isLater, notKept } = await this.chain.look(moment);
		const ignored = await this.chain.ignoredOf(calls.flatMap(call => call.paths));
		append(this.missing, notKept);
		if (ignored.length > 0) {
			this.missing.push({ reason: 'ignored', names: ignored });
		}
		const state = await this.chain.keep(title);
		if (state === undefined) {
			this.tell(report);
			return;
		}
		if (++this.count > MAXIMUM_STEPS) {
			throw new Error(`a task has at most ${MAXIMUM_STEPS}`);
		}
		const missing = this.missing.splice(0);
		this.tell(async () => {
			const changes = await changesBetween(folder, state, checkout);
			await this.chain.complete(state);
			const facts = { place, tool, title, before: state.before, tree: state.commit, ...changes };
			const approximate = isLater || calls.length > 1;
			onStep({ ...facts, approximate, ...(missing.length > 0 && { notKept: missing }) });
			await report();
		});
	}

	/** The agent need not wait for what is only told of a state. */
	private tell(work: () => Promise<void>): void {
		this.completing.run(work).catch(error => this.fail(error));
	}

	private fail(error: unknown): void {
		if (!this.hasEnded) {
			this.hasEnded = true;
			this.run.onFailure(describeError(error));
		}
	}
}
