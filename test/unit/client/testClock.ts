import type { Clock } from '../../../src/base/async.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import { waitFor } from '../../support/waitFor.ts';

/** Waits of the client's own between tries pass at once; these are limits, and pass only when a test says so. */
const LIMIT_VALUES: ReadonlySet<number> = new Set([...Object.values(LIMITS), 1000, 5000]);

/** Time that passes by the client's own waits, without waiting, and by limits that a test lets run out. */
export class TestClock implements Clock {
	/** The waits between tries, in order. */
	readonly waits: number[] = [];
	private time = Date.UTC(2026, 10, 20);
	private held: { milliseconds: number; wake: () => void }[] = [];

	now(): number {
		return this.time;
	}

	sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			if (signal?.aborted) {
				reject(signal.reason);
				return;
			}
			if (!LIMIT_VALUES.has(milliseconds)) {
				this.waits.push(milliseconds);
				this.time += milliseconds;
				setImmediate(resolve);
				return;
			}
			const sleeper = { milliseconds, wake: resolve };
			this.held.push(sleeper);
			const onAbort = () => {
				this.held = this.held.filter(other => other !== sleeper);
				reject(signal?.reason);
			};
			signal?.addEventListener('abort', onAbort, { once: true });
		});
	}

	/** How many limits of this length are running. */
	running(milliseconds: number): number {
		return this.held.filter(sleeper => sleeper.milliseconds === milliseconds).length;
	}

	/** Moves on; what runs out by it is not told until it is woken. */
	pass(milliseconds: number): void {
		this.time += milliseconds;
	}

	/** Wakes who sleeps for this long, as soon as somebody does. */
	async wake(milliseconds: number): Promise<void> {
		await waitFor(`a limit of ${milliseconds} ms`, () => this.running(milliseconds) > 0);
		const due = this.held.filter(sleeper => sleeper.milliseconds === milliseconds);
		this.held = this.held.filter(sleeper => sleeper.milliseconds !== milliseconds);
		for (const { wake } of due) {
			wake();
		}
	}

	/** Lets a limit of this length run out, as soon as one is running. */
	async expire(milliseconds: number): Promise<void> {
		await waitFor(`a limit of ${milliseconds} ms`, () => this.running(milliseconds) > 0);
		this.pass(milliseconds);
		await this.wake(milliseconds);
	}
}
