import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * What the page keeps for itself (a draft, a message being changed), in a file of the workspace. The editor keeps it too,
 * but a served editor writes that down every few seconds only: a reload in between would lose what was typed.
 */
export class PageStateFile {
	private readonly file: string;
	private waiting: string | undefined;
	private writing: Promise<void> | undefined;

	constructor(file: string) {
		this.file = file;
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
			const temporary = `${this.file}.${randomUUID()}.tmp`;
			try {
				await mkdir(path.dirname(this.file), { recursive: true });
				await writeFile(temporary, text, { mode: 0o600 });
				await rename(temporary, this.file);
			} catch {
				await rm(temporary, { force: true }).catch(() => {});
			}
		}
		this.writing = undefined;
	}

	private take(): string | undefined {
		const { waiting } = this;
		this.waiting = undefined;
		return waiting;
	}
}
