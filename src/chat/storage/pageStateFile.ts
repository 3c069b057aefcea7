import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SerialQueue } from '../../base/async.ts';
import { removeOldFiles, replaceFile } from '../../base/files.ts';
import type { WindowState } from '../model/shownConversation.ts';

/** The key in the state of a window without a folder that holds the name of its file. */
const WINDOW_KEY = 'errand.window';

/** Files of windows in which nothing was typed for this long are removed, in milliseconds. */
const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60_000;

/**
 * Returns the file of a window without a folder, for which the editor provides no storage. `folder` holds the files of
 * all such windows.
 */
export function windowFile(folder: string, state: WindowState): string {
	const kept = state.get(WINDOW_KEY);
	const isKept = typeof kept === 'string' && /^[\da-f-]{36}$/.test(kept);
	const name = isKept ? kept : randomUUID();
	if (!isKept) {
		void state.update(WINDOW_KEY, name);
	}
	void removeOldFiles(folder, FORGOTTEN_AFTER_MS);
	return path.join(folder, `${name}.json`);
}

/**
 * Stores the page's own state (a draft, a message being edited) in a file of the workspace or the window. The editor
 * stores it too, but a served editor writes it only every few seconds, so a reload in between would lose typed text.
 */
export class PageStateFile {
	private readonly file: string;
	private waiting: string | undefined;
	private readonly writes = new SerialQueue();

	constructor(file: string) {
		this.file = file;
	}

	/** Identifies the location of the file without revealing it. */
	get place(): string {
		return createHash('sha256').update(this.file).digest('hex').slice(0, 16);
	}

	/** Resolves to the last written text, or to undefined if there is none that can be read. */
	read(): Promise<string | undefined> {
		return readFile(this.file, 'utf8').catch(() => undefined);
	}

	/** Writes the text; the newest one wins. A disk error costs only this copy. */
	write(text: string): void {
		this.waiting = text;
		void this.writes.run(async () => {
			const newest = this.waiting;
			this.waiting = undefined;
			await (newest !== undefined && replaceFile(this.file, newest).catch(() => {}));
		});
	}

	/** Resolves when no more writes are pending. */
	settled(): Promise<void> {
		return this.writes.run(() => {});
	}
}
