import { type Disposable, toDisposable } from './disposable.ts';

/** Subscribes a listener. The type has the same shape as vscode's Event, so that either can replace the other. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Calls the listeners in the order of their subscription. A listener that throws does not prevent the others from being
 * called.
 */
export class Emitter<T> implements Disposable {
	private readonly listeners = new Set<{ listener: (value: T) => void }>();
	private disposed = false;

	readonly event: Event<T> = listener => {
		if (this.disposed) {
			return toDisposable(() => {});
		}
		// Each subscription has its own entry, as the same function may be subscribed twice.
		const entry = { listener };
		this.listeners.add(entry);
		return toDisposable(() => this.listeners.delete(entry));
	};

	fire(value: T): void {
		for (const entry of [...this.listeners]) {
			if (!this.listeners.has(entry)) {
				// An earlier listener has unsubscribed this one.
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

/** Checks a condition now and after each event. Resolves with false if it does not become true within `timeoutMs`. */
export function waitUntil(isTrue: () => boolean, event: Event<unknown>, timeoutMs: number): Promise<boolean> {
	if (isTrue()) {
		return Promise.resolve(true);
	}
	return new Promise(resolve => {
		const done = (outcome: boolean) => {
			clearTimeout(timer);
			listener.dispose();
			resolve(outcome);
		};
		const timer = setTimeout(() => done(false), timeoutMs);
		const listener = event(() => {
			if (isTrue()) {
				done(true);
			}
		});
	});
}

/**
 * Calls the listener only after events that changed the value of `read`, compared as JSON. It is meant for sources that
 * do not always say what has changed.
 */
export function onDidChangeValue(event: Event<unknown>, read: () => unknown, listener: () => void): Disposable {
	const current = () => JSON.stringify(read());
	let known: string | undefined;
	// The first read is deferred: reading a setting for the first time takes the editor milliseconds, and would delay the
	// window's start. An event that fires before it counts as a change.
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
