import os from 'node:os';

/** All processors of the machine, in quarters of one. */
export const WHOLE_MACHINE = 4 * os.availableParallelism();

/** Shares the machine among test processes, also of different stages that run at the same time. */
export class Processors {
	private free: number;
	/** The largest shares come first, because small ones fit into what is left. */
	private readonly waiting: { quarters: number; begin: () => void }[] = [];

	constructor(quarters = WHOLE_MACHINE) {
		this.free = quarters;
	}

	/** Does `work` once so many quarters of a processor are free, which it occupies until its end. */
	async use<T>(quarters: number, work: () => Promise<T>): Promise<T> {
		await new Promise<void>(begin => {
			const behind = this.waiting.findIndex(other => other.quarters < quarters);
			this.waiting.splice(behind === -1 ? this.waiting.length : behind, 0, { quarters, begin });
			this.beginNext();
		});
		try {
			return await work();
		} finally {
			// The caller comes first with what it does next; otherwise, many small needs would take turns at what is left.
			setImmediate(() => {
				this.free += quarters;
				this.beginNext();
			});
		}
	}

	private beginNext(): void {
		for (let [next] = this.waiting; next !== undefined && next.quarters <= this.free; [next] = this.waiting) {
			this.waiting.shift();
			this.free -= next.quarters;
			next.begin();
		}
	}
}

/** The processors of this machine. */
export const processors = new Processors();
