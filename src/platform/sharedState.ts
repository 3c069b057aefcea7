import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Memento } from 'vscode';
import { describeError } from '../base/errors.ts';
import { replaceFileSync } from '../base/files.ts';
import type { Logger } from '../base/logger.ts';
import { hashedName } from './hashedName.ts';

/**
 * What this window's workspace keeps. The editor's own state is read once by each window and written back whole, so that
 * of two windows on one folder the later one undoes what the other has written, also under other keys. `folder`: the
 * address of the workspace's first folder; without one no other window is on the same workspace, and the editor's serves.
 */
export function openWorkspaceState(
	globalStorage: string,
	folder: string | undefined,
	editors: Memento,
	logger: Logger,
): Memento {
	return folder === undefined
		? editors
		: new SharedState(path.join(globalStorage, 'workspaces', hashedName(folder)), logger);
}

/**
 * A state that several windows have at once: each key is a file, read when it is asked for and written in one step. The
 * files are small and read while the editor waits for an answer, hence the calls that block.
 */
export class SharedState implements Memento {
	private readonly folder: string;
	private readonly logger: Logger;
	/** Logged once for a fault that lasts: some of it is written every second. */
	private isFailing = false;

	constructor(folder: string, logger: Logger) {
		this.folder = folder;
		this.logger = logger;
	}

	keys(): readonly string[] {
		let names: string[];
		try {
			names = readdirSync(this.folder);
		} catch {
			return [];
		}
		return names
			.filter(name => name.endsWith('.json'))
			.flatMap(name => readStored(path.join(this.folder, name))?.key ?? []);
	}

	get<T>(key: string, fallback?: T): T | undefined {
		const stored = readStored(this.file(key));
		return stored === undefined ? fallback : (stored.value as T);
	}

	/** `value`: what JSON can hold; undefined removes the key. Rejects with the system's errors, which are logged. */
	async update(key: string, value: unknown): Promise<void> {
		try {
			this.write(key, value);
			this.isFailing = false;
		} catch (error) {
			if (!this.isFailing) {
				this.isFailing = true;
				this.logger.log('error', 'what the workspace keeps cannot be written', { reason: describeError(error) });
			}
			throw error;
		}
	}

	private write(key: string, value: unknown): void {
		const file = this.file(key);
		if (value === undefined) {
			rmSync(file, { force: true });
			return;
		}
		replaceFileSync(file, JSON.stringify({ key, value }));
	}

	private file(key: string): string {
		return path.join(this.folder, `${hashedName(key)}.json`);
	}
}

/** What cannot be read is not there: it was removed meanwhile, or another program wrote it. */
function readStored(file: string): { key: string; value: unknown } | undefined {
	try {
		const stored = JSON.parse(readFileSync(file, 'utf8'));
		return typeof stored?.key === 'string' && 'value' in stored ? stored : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Values of one kind in a state, each under a key of its own, so that two windows that each add or remove one undo nothing
 * of each other.
 */
export class StateEntries<T> {
	private readonly state: Memento;
	private readonly prefix: string;
	private readonly isEntry: (value: unknown) => value is T;

	/** What does not fit `isEntry` was written by another version and is left out. */
	constructor(state: Memento, prefix: string, isEntry: (value: unknown) => value is T) {
		this.state = state;
		this.prefix = prefix;
		this.isEntry = isEntry;
	}

	/** In no particular order. */
	values(): T[] {
		return this.state
			.keys()
			.filter(key => isEntryKey(key, this.prefix))
			.map(key => this.state.get<unknown>(key))
			.filter(this.isEntry);
	}

	get(id: string): T | undefined {
		const value = this.state.get<unknown>(this.keyOf(id));
		return this.isEntry(value) ? value : undefined;
	}

	async set(id: string, value: T): Promise<void> {
		await this.state.update(this.keyOf(id), value);
	}

	async delete(id: string): Promise<void> {
		await this.state.update(this.keyOf(id), undefined);
	}

	/** For what only the next window misses: as `set`, or without a value as `delete`. Nobody hears of a failure. */
	note(id: string, value?: T): void {
		(value === undefined ? this.delete(id) : this.set(id, value)).catch(() => {});
	}

	private keyOf(id: string): string {
		return `${this.prefix}/${hashedName(id)}`;
	}
}

/** Whether the key is that of an entry by that prefix. */
export function isEntryKey(key: string, prefix: string): boolean {
	return key.startsWith(`${prefix}/`);
}
