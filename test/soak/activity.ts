/** What the soak promises. Each finding breaks one of these. */
export const PROMISES = {
	kept: 'nothing is lost: each message is there with its whole reply or an honest error',
	logs: 'each log has every entry once and in order',
	final: 'each task has one final state',
	tree: 'the tree tells the truth in time',
	alive: 'nothing hangs once the faults are over',
	memory: 'memory stays flat',
	left: 'nothing is left behind',
} as const;

export type PromiseName = keyof typeof PROMISES;

export interface Finding {
	promise: PromiseName;
	/** What is wrong, and where to look. */
	what: string;
}

/** What a user does again and again. */
export interface Activity {
	readonly name: string;
	/** Does it once. It may fail as long as there are faults. */
	step(): Promise<void>;
	/** Judges everything so far. There are no faults meanwhile, and what they have left has its time to end. */
	check(): Promise<Finding[]>;
	/** Counts how everything has ended, for the report. */
	outcomes?(): Promise<Record<string, number>>;
}

/** Counts what has happened, by name. */
export class Tally {
	readonly counts = new Map<string, number>();

	count(what: string): void {
		this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
	}
}

/** Draws with a seed, so that a run has the same faults in the same order as another. */
export class Dice {
	private readonly random: () => number;

	constructor(random: () => number) {
		this.random = random;
	}

	between(least: number, most: number): number {
		return least + this.random() * (most - least);
	}

	chance(share: number): boolean {
		return this.random() < share;
	}

	anyOf<T>(items: readonly [T, ...T[]]): T;
	anyOf<T>(items: readonly T[]): T | undefined;
	anyOf<T>(items: readonly T[]): T | undefined {
		return items[Math.floor(this.random() * items.length)];
	}

	shuffled<T>(items: Iterable<T>): T[] {
		const drawn = [...items].map(item => ({ item, at: this.random() }));
		return drawn.sort((one, other) => one.at - other.at).map(({ item }) => item);
	}
}
