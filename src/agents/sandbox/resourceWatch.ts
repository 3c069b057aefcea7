import { type Clock, systemClock } from '../../base/async.ts';
import type { Disposable } from '../../base/disposable.ts';
import { DiskUse, PAUSE_FACTOR } from './diskUse.ts';
import { inGigabytes, type SandboxLimits } from './limits.ts';
import { descendantsUse } from './processes.ts';

const INTERVAL_MS = 1_000;

export interface ResourceWatchOptions {
	/** The process that `wrap`'s command was started as. */
	pid: number;
	/** The host's paths of the tree and the home folder. */
	folders: readonly string[];
	limits: SandboxLimits;
	/** Called once, with a sentence for the user that says which limit was passed. The caller ends the sandbox. */
	onOver(sentence: string): void;
	clock?: Clock;
}

/**
 * Watches what all processes of a sandbox use together. bubblewrap limits none of it, and the kernel limits only single
 * processes. It starts at once and ends when it is disposed or a limit has been passed.
 */
export class ResourceWatch implements Disposable {
	private readonly options: ResourceWatchOptions;
	private readonly clock: Clock;
	private readonly ended = new AbortController();
	private readonly disk: DiskUse;

	constructor(options: ResourceWatchOptions) {
		this.options = options;
		this.clock = options.clock ?? systemClock;
		this.disk = new DiskUse(options.folders, options.limits.disk, this.clock);
		void this.repeat(() => this.disk.problem(this.ended.signal));
		void this.repeat(() => this.processProblem());
	}

	dispose(): void {
		this.ended.abort();
	}

	private async repeat(measure: () => Promise<string | undefined>): Promise<void> {
		while (!this.ended.signal.aborted) {
			const started = this.clock.now();
			// A folder that changes while it is measured is simply measured again later.
			const problem = await measure().catch(() => undefined);
			if (problem !== undefined && !this.ended.signal.aborted) {
				this.ended.abort();
				this.options.onOver(problem);
			}
			const pause = Math.max(INTERVAL_MS, PAUSE_FACTOR * (this.clock.now() - started));
			await this.clock.sleep(pause, this.ended.signal).catch(() => {});
		}
	}

	private async processProblem(): Promise<string | undefined> {
		const { limits, pid } = this.options;
		const use = await descendantsUse(pid);
		if (use.processes > limits.processes) {
			return `The agent was stopped because it ran more than ${limits.processes} programs at the same time. Ask it to do less at once.`;
		}
		if (use.memory > limits.memory) {
			return `The agent was stopped because its programs took more than ${inGigabytes(limits.memory)} of memory together. Ask it to do less at once.`;
		}
		return undefined;
	}
}
