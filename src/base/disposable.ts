/** Something that holds a resource until it is disposed. Disposing it twice is harmless. */
export interface Disposable {
	dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
	let done = false;
	return {
		dispose() {
			if (!done) {
				done = true;
				dispose();
			}
		},
	};
}

/**
 * Owns disposables and disposes them together in reverse order of their addition. An item that is added afterwards is
 * disposed at once.
 */
export class DisposableStore implements Disposable {
	private readonly items = new Set<Disposable>();
	private disposed = false;

	get isDisposed(): boolean {
		return this.disposed;
	}

	add<T extends Disposable>(item: T): T {
		if (this.disposed) {
			item.dispose();
		} else {
			this.items.add(item);
		}
		return item;
	}

	/**
	 * Disposes all items; the store stays usable. An item that throws does not prevent the others from being disposed;
	 * the first error is rethrown.
	 */
	clear(): void {
		const items = [...this.items].reverse();
		this.items.clear();
		const failures: unknown[] = [];
		for (const item of items) {
			try {
				item.dispose();
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) {
			throw failures[0];
		}
	}

	dispose(): void {
		this.disposed = true;
		this.clear();
	}
}

/** Owns disposables, which are disposed of with it. */
export abstract class DisposableOwner implements Disposable {
	protected readonly disposables = new DisposableStore();

	dispose(): void {
		this.disposables.dispose();
	}
}

/** Holds one disposable at a time; setting a new one disposes the previous one. */
export class MutableDisposable<T extends Disposable> implements Disposable {
	private current: T | undefined;
	private disposed = false;

	get value(): T | undefined {
		return this.current;
	}

	set value(next: T | undefined) {
		if (next === this.current) {
			return;
		}
		this.current?.dispose();
		this.current = undefined;
		if (this.disposed) {
			next?.dispose();
		} else {
			this.current = next;
		}
	}

	dispose(): void {
		this.disposed = true;
		this.value = undefined;
	}
}
