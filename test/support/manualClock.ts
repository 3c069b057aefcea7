import { type Clock, sleepOn } from '../../src/base/async.ts';
import { waitFor } from './waitFor.ts';

interface Sleeper {
	milliseconds: number;
	until: number;
	wake(): void;
}

/** A clock that stands still until a test advances it. Sleeps that `passesAtOnce` selects pass at once. */
export class ManualClock implements Clock {
	/** The sleeps that passed at once, in order. */
	readonly waits: number[] = [];
	private readonly passesAtOnce: (milliseconds: number) => boolean;
	private time: number;
	/** How far the wall clock has been set forward. */
	private setBy = 0;
	private sleepers: Sleeper[] = [];

	constructor({ start = Date.UTC(2026, 10, 20), passesAtOnce = (_milliseconds: number): boolean => false } = {}) {
		this.time = start;
		this.passesAtOnce = passesAtOnce;
	}

	now(): number {
		return this.time + this.setBy;
	}

	elapsed(): number {
		return this.time;
	}

	/** Sets the wall clock forward, or back, in which no time passes. */
	set(milliseconds: number): void {
		this.setBy += milliseconds;
	}

	after(milliseconds: number, run: () => void): () => void {
		if (this.passesAtOnce(milliseconds)) {
			this.waits.push(milliseconds);
			this.time += milliseconds;
			const turn = setImmediate(run);
			return () => clearImmediate(turn);
		}
		const sleeper = { milliseconds, until: this.time + milliseconds, wake: run };
		this.sleepers.push(sleeper);
		return () => {
			this.sleepers = this.sleepers.filter(other => other !== sleeper);
		};
	}

	sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		return sleepOn(this, milliseconds, signal);
	}

	/** The number of pending sleeps, by which a test sees that the timer it waits for has been set up. */
	get sleeping(): number {
		return this.sleepers.length;
	}

	/** Returns the number of pending sleeps of this length. */
	running(milliseconds: number): number {
		return this.sleepers.filter(sleeper => sleeper.milliseconds === milliseconds).length;
	}

	/** Advances the time, wakes each sleeper at its own time, and lets everything that follows happen. */
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

	/** Advances the time without waking any sleeper. */
	pass(milliseconds: number): void {
		this.time += milliseconds;
	}

	/** Wakes the sleepers of this length as soon as there is one. */
	async wake(milliseconds: number): Promise<void> {
		await waitFor(`a sleep of ${milliseconds} ms`, () => this.running(milliseconds) > 0);
		const due = this.sleepers.filter(sleeper => sleeper.milliseconds === milliseconds);
		this.sleepers = this.sleepers.filter(sleeper => sleeper.milliseconds !== milliseconds);
		for (const { wake } of due) {
			wake();
		}
	}

	/** Lets a sleep of this length end at its own time, as soon as there is one. */
	async expire(milliseconds: number): Promise<void> {
		await waitFor(`a sleep of ${milliseconds} ms`, () => this.running(milliseconds) > 0);
		this.pass(milliseconds);
		await this.wake(milliseconds);
	}
}

/** Lets all promises settle that depend on neither time nor I/O. */
export async function settle(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) {
		await new Promise(resolve => setImmediate(resolve));
	}
}
