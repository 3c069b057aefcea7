import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { removeOldFiles, replaceFile } from '../../base/files.ts';

/** In the state of a window without a folder: the name of its file. */
const WINDOW_KEY = 'errand.window';

/** Files of windows that nobody has typed in for so long are removed. Milliseconds. */
const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60_000;

/** Of a window. */
export interface WindowState {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

/** The file of a window without a folder, which the editor gives no storage. `folder` holds those of all such windows. */
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
 * What the page keeps for itself (a draft, a message being changed), in a file of the workspace or the window. The editor keeps it too,
 * but a served editor writes that down every few seconds only: a reload in between would lose what was typed.
 */
export class PageStateFile {
	private readonly file: string;
	private waiting: string | undefined;
	private writing: Promise<void> | undefined;

	constructor(file: string) {
		this.file = file;
	}

	/** Tells the places of these files apart, and nothing else. */
	get place(): string {
		return createHash('sha256').update(this.file).digest('hex').slice(0, 16);
	}

	/** As it was written last; undefined where there is none that can be read. */
	read(): Promise<string | undefined> {
		return readFile(this.file, 'utf8').catch(() => undefined);
	}

	/** The newest text is the one that stays. A fault of the disk costs this copy and nothing else. */
	write(text: string): void {
		this.waiting = text;
		this.writing ??= this.run();
	}

	/** Resolves when nothing more is about to be written. */
	async settled(): Promise<void> {
		await this.writing;
	}

	private async run(): Promise<void> {
		for (let text = this.take(); text !== undefined; text = this.take()) {
			await replaceFile(this.file, text).catch(() => {});
		}
		this.writing = undefined;
	}

	private take(): string | undefined {
		const { waiting } = this;
		this.waiting = undefined;
		return waiting;
	}
}
