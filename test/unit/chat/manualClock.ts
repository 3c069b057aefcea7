import type { Clock } from '../../../src/base/async.ts';

/** A clock that stands still until it is told how much time has passed. */
export class ManualClock implements Clock {
	private time: number;
	private sleepers: { until: number; wake: () => void }[] = [];

	constructor(start = Date.UTC(2026, 10, 20)) {
		this.time = start;
	}

	now(): number {
		return this.time;
	}

	sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			if (signal?.aborted) {
				reject(signal.reason);
				return;
			}
			const sleeper = { until: this.time + milliseconds, wake: resolve };
			this.sleepers.push(sleeper);
			signal?.addEventListener(
				'abort',
				() => {
					this.sleepers = this.sleepers.filter(other => other !== sleeper);
					reject(signal.reason);
				},
				{ once: true },
			);
		});
	}

	/** How many are asleep: with this a test sees that what it waits for has been set up. */
	get sleeping(): number {
		return this.sleepers.length;
	}

	/** Moves on, waking each sleeper at its own time, and lets all that follows from it happen. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		for (;;) {
			await settle();
			const next = this.sleepers.filter(({ until }) => until <= end).sort((one, other) => one.until - other.until)[0];
			if (!next) {
				break;
			}
			this.sleepers = this.sleepers.filter(other => other !== next);
			this.time = next.until;
			next.wake();
		}
		this.time = end;
		await settle();
	}
}

/** Lets every promise that can go on without time or input or output do so. */
export async function settle(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) {
		await new Promise(resolve => setImmediate(resolve));
	}
}
