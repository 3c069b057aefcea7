import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { SerialQueue } from '../../base/async.ts';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import { hashedName } from '../../platform/sharedState.ts';

/** The lines of a log in order, each with the index of its entry, and the index of the next entry. */
export interface LogBatch {
	lines: readonly string[];
	indexes: readonly number[];
	next: number;
}

const EXTENSION = '.jsonl';

const batchSchema = z.tuple([z.int(), z.int(), z.array(z.int()), z.array(z.string())]);

/**
 * The files with the contents of the output channels of followed tasks, so that a reload of the window reads none of
 * them from the service again.
 */
export class LogFiles {
	private readonly folder: string;

	constructor(folder: string) {
		this.folder = folder;
	}

	/** `key` identifies the log. */
	of(key: string): LogFile {
		return new LogFile(path.join(this.folder, fileName(key)));
	}

	/** Removes the files of all other logs. Never rejects. */
	async prune(keys: Iterable<string>): Promise<void> {
		const kept = new Set(Array.from(keys, fileName));
		const files = await readdir(this.folder).catch(() => []);
		const others = files.filter(file => file.includes(EXTENSION) && !kept.has(file));
		await Promise.all(others.map(file => rm(path.join(this.folder, file), { force: true }).catch(() => {})));
	}
}

/** Task ids come from the service and cannot be used as file names. */
function fileName(key: string): string {
	return `${hashedName(key)}${EXTENSION}`;
}

/**
 * The file of one log. Each of its lines is a batch: the index of the next entry before it, the index of the next entry
 * after it, the indexes and the lines. A disk error ends the writing; then the log only has to be read again.
 */
export class LogFile {
	private readonly file: string;
	private readonly queue = new SerialQueue();
	/** The index of the next entry after those in the file; undefined until this window has written the whole file. */
	private next: number | undefined;
	private isBroken = false;

	constructor(file: string) {
		this.file = file;
	}

	/** True if the file holds everything that was shown so far, so that new lines can be appended. */
	get isWhole(): boolean {
		return this.next !== undefined;
	}

	/**
	 * Reads the file up to the first batch that is incomplete or out of sequence. Resolves with undefined if there is
	 * none.
	 */
	async read(): Promise<LogBatch | undefined> {
		const text = await readFile(this.file, 'utf8').catch(() => '');
		const lines: string[] = [];
		const indexes: number[] = [];
		let next: number | undefined;
		for (const row of text.split('\n')) {
			const batch = readBatch(row);
			if (!batch || (next !== undefined && batch.from !== next)) {
				break;
			}
			next = batch.next;
			for (const [at, line] of batch.lines.entries()) {
				lines.push(line);
				indexes.push(batch.indexes[at] ?? next);
			}
		}
		return next === undefined ? undefined : { lines, indexes, next };
	}

	append({ lines, indexes, next }: LogBatch): void {
		const batch = JSON.stringify([this.next ?? 0, next, indexes, lines]);
		this.next = next;
		this.write(() => appendFile(this.file, `${batch}\n`, { mode: 0o600 }));
	}

	/** Replaces the whole content of the file. */
	replace({ lines, indexes, next }: LogBatch): void {
		const batch = JSON.stringify([0, next, indexes, lines]);
		this.next = next;
		this.write(() => replaceFile(this.file, `${batch}\n`));
	}

	/** Resolves when the file is gone. The next lines create a new one. */
	async remove(): Promise<void> {
		this.next = undefined;
		await this.queue.run(() => rm(this.file, { force: true }).catch(() => {}));
	}

	/** Resolves when all writes have finished. */
	written(): Promise<void> {
		return this.queue.run(() => {});
	}

	private write(run: () => Promise<void>): void {
		if (!this.isBroken) {
			this.queue.run(run).catch(() => {
				this.isBroken = true;
			});
		}
	}
}

function readBatch(row: string): (LogBatch & { from: number }) | undefined {
	const batch = batchSchema.safeParse(parseJson(row)).data;
	return batch && { from: batch[0], next: batch[1], indexes: batch[2], lines: batch[3] };
}
