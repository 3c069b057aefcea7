import { type Disposable, toDisposable } from '../../base/disposable.ts';

/** Those who wait for changes of tasks, by the ids of the tasks. */
export class TaskWatchers {
	private readonly listeners = new Map<string, Set<() => void>>();

	/** Calls `listener` whenever the task is told of, until disposed. */
	watch(id: string, listener: () => void): Disposable {
		const listeners = this.listeners.get(id) ?? new Set();
		this.listeners.set(id, listeners);
		// A new function is created because the same listener may watch twice.
		const entry = () => listener();
		listeners.add(entry);
		return toDisposable(() => {
			listeners.delete(entry);
			if (listeners.size === 0 && this.listeners.get(id) === listeners) {
				this.listeners.delete(id);
			}
		});
	}

	tell(id: string): void {
		for (const listener of [...(this.listeners.get(id) ?? [])]) {
			listener();
		}
	}

	tellAll(): void {
		for (const id of [...this.listeners.keys()]) {
			this.tell(id);
		}
	}
}
