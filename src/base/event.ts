import { type Disposable, toDisposable } from './disposable.ts';

/** Subscribes a listener; the same shape as vscode's Event, so that either can stand in for the other. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Fires to every listener in the order they came. A listener that throws does not keep the others from hearing. */
export class Emitter<T> implements Disposable {
	private readonly listeners = new Set<{ listener: (value: T) => void }>();
	private disposed = false;

	readonly event: Event<T> = listener => {
		if (this.disposed) {
			return toDisposable(() => {});
		}
		// One entry for each subscription: the same function may listen twice.
		const entry = { listener };
		this.listeners.add(entry);
		return toDisposable(() => this.listeners.delete(entry));
	};

	fire(value: T): void {
		for (const entry of [...this.listeners]) {
			if (!this.listeners.has(entry)) {
				// An earlier listener let it go.
				continue;
			}
			try {
				entry.listener(value);
			} catch (error) {
				queueMicrotask(() => {
					throw error;
				});
			}
		}
	}

	dispose(): void {
		this.disposed = true;
		this.listeners.clear();
	}
}

/**
 * Calls the listener at those events after which `read` gives something else than before. Compared as JSON. For sources
 * that do not always name what has changed.
 */
export function onDidChangeValue(event: Event<unknown>, read: () => unknown, listener: () => void): Disposable {
	const current = () => JSON.stringify(read());
	let known: string | undefined;
	// In a later turn: the first look at a setting takes the editor milliseconds, and a window waits for its start. An
	// event that comes before that counts as a change.
	const first = setTimeout(() => {
		known ??= current();
	});
	const subscription = event(() => {
		const now = current();
		if (now !== known) {
			known = now;
			listener();
		}
	});
	return toDisposable(() => {
		clearTimeout(first);
		subscription.dispose();
	});
}
