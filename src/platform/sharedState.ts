// State that several windows share. The editor reads a workspace's state once per window and writes it back whole, so
// that a second window on the same folder would undo what the first one wrote. It is therefore kept in files below the
// global storage, one per key, and lists have a key per entry. What belongs to the user and not to a workspace is in
// the editor's own state.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Memento } from 'vscode';
import { describeError, UserFacingError } from '../base/errors.ts';
import { replaceFileSync } from '../base/files.ts';
import type { Logger } from '../base/logger.ts';

/**
 * Opens the state of this window's workspace. Each window reads the editor's own state once and writes it back whole,
 * so of two windows on one folder, the later one undoes what the other has written, even under other keys. `folder` is
 * the address of the workspace's first folder. Without one, no other window has the same workspace, and the editor's
 * state is used.
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
 * A state that several windows share: each key is a file, which is read on demand and written atomically. The files are
 * small and read while the editor waits for an answer, hence the synchronous calls.
 */
export class SharedState implements Memento {
	private readonly folder: string;
	private readonly logger: Logger;
	/** A lasting error is logged only once, because some of the state is written every second. */
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

	/**
	 * `value` is anything that JSON can represent; undefined removes the key. Rejects with the system's errors, which are
	 * logged.
	 */
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

/**
 * Returns a file name for a text that must not be used as one. It is short, always the same for the same text, and
 * reveals nothing about it.
 */
export function hashedName(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A file that cannot be read counts as missing: it was removed meanwhile, or another program wrote it. */
function readStored(file: string): { key: string; value: unknown } | undefined {
	try {
		const stored = JSON.parse(readFileSync(file, 'utf8'));
		return typeof stored?.key === 'string' && 'value' in stored ? stored : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Values of one kind in a state, each under its own key, so that two windows that add or remove values do not undo each
 * other's changes.
 */
export class StateEntries<T> {
	private readonly state: Memento;
	private readonly prefix: string;
	private readonly isEntry: (value: unknown) => value is T;

	/** Values that do not satisfy `isEntry` were written by another version and are ignored. */
	constructor(state: Memento, prefix: string, isEntry: (value: unknown) => value is T) {
		this.state = state;
		this.prefix = prefix;
		this.isEntry = isEntry;
	}

	/** The order is unspecified. */
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

	/** Throws a UserFacingError if a value of another version is there, which stays. Rejects with the state's errors. */
	async set(id: string, value: T): Promise<void> {
		const key = this.keyOf(id);
		const present = this.state.get<unknown>(key);
		if (present !== undefined && !this.isEntry(present)) {
			throw new UserFacingError(
				l10n.t('Errand didn’t save this, because another version of it has saved something here. Update Errand.'),
			);
		}
		await this.state.update(key, value);
	}

	async delete(id: string): Promise<void> {
		await this.state.update(this.keyOf(id), undefined);
	}

	/**
	 * Sets the value, or deletes it if it is undefined, and ignores errors. This is for values that only the next window
	 * would miss.
	 */
	note(id: string, value?: T): void {
		(value === undefined ? this.delete(id) : this.set(id, value)).catch(() => {});
	}

	private keyOf(id: string): string {
		return `${this.prefix}/${hashedName(id)}`;
	}
}

/** Returns whether the key belongs to an entry with this prefix. */
export function isEntryKey(key: string, prefix: string): boolean {
	return key.startsWith(`${prefix}/`);
}
