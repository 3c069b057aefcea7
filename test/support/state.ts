import type * as vscode from 'vscode';

/** A memento that outlives its user, as the editor's survives a reload. */
export class State implements vscode.Memento {
	private readonly values = new Map<string, unknown>();

	keys(): readonly string[] {
		return [...this.values.keys()];
	}

	/** Returns a copy that later changes to the original do not affect. */
	copy(): State {
		const copy = new State();
		for (const [key, value] of this.values) {
			copy.values.set(key, value);
		}
		return copy;
	}

	get<T>(key: string, fallback?: T): T | undefined {
		return (this.values.get(key) as T | undefined) ?? fallback;
	}

	async update(key: string, value: unknown): Promise<void> {
		if (value === undefined) {
			this.values.delete(key);
		} else {
			this.values.set(key, structuredClone(value));
		}
	}
}
