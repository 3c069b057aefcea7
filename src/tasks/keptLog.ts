import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { SerialQueue } from '../base/async.ts';
import { replaceFile } from '../base/files.ts';
import { hashedName } from '../platform/hashedName.ts';

/** Lines of a log, in order, each with the index of its entry, and the index of the entry that comes after them. */
export interface KeptLines {
	lines: readonly string[];
	indexes: readonly number[];
	next: number;
}

const EXTENSION = '.jsonl';

/** The files that hold what the channels of followed tasks show, so that a reload of the window reads none of it twice. */
export class KeptLogs {
	private readonly folder: string;

	constructor(folder: string) {
		this.folder = folder;
	}

	/** `key` tells logs apart. */
	of(key: string): KeptLog {
		return new KeptLog(path.join(this.folder, fileName(key)));
	}

	/** Removes the files of all other logs. Never rejects. */
	async prune(keys: Iterable<string>): Promise<void> {
		const kept = new Set(Array.from(keys, fileName));
		const files = await readdir(this.folder).catch(() => []);
		const others = files.filter(file => file.includes(EXTENSION) && !kept.has(file));
		await Promise.all(others.map(file => rm(path.join(this.folder, file), { force: true }).catch(() => {})));
	}
}

/** Task ids are the service's text, and no names of files. */
function fileName(key: string): string {
	return `${hashedName(key)}${EXTENSION}`;
}

/**
 * One of them. Each line of the file is a batch: the entry that came next before it, the one that comes next after it, the
 * indexes and the lines. A fault of the disk costs reading a log again, nothing else: writing then ends.
 */
export class KeptLog {
	private readonly file: string;
	private readonly queue = new SerialQueue();
	/** Of what the file holds; undefined before this window has written it whole. */
	private next: number | undefined;
	private isBroken = false;

	constructor(file: string) {
		this.file = file;
	}

	/** The file has what was shown so far: what comes next can be put behind it. */
	get isWhole(): boolean {
		return this.next !== undefined;
	}

	/** What the file holds up to the first batch that is torn or does not follow. Undefined: nothing. */
	async read(): Promise<KeptLines | undefined> {
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

	append({ lines, indexes, next }: KeptLines): void {
		const batch = JSON.stringify([this.next ?? 0, next, indexes, lines]);
		this.next = next;
		this.write(() => appendFile(this.file, `${batch}\n`, { mode: 0o600 }));
	}

	/** In place of all that the file holds. */
	replace({ lines, indexes, next }: KeptLines): void {
		const batch = JSON.stringify([0, next, indexes, lines]);
		this.next = next;
		this.write(() => replaceFile(this.file, `${batch}\n`));
	}

	/** Resolves when the file is gone. The next lines make a new one. */
	async remove(): Promise<void> {
		this.next = undefined;
		await this.queue.run(() => rm(this.file, { force: true }).catch(() => {}));
	}

	/** Resolves when everything is written. */
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

function readBatch(row: string): (KeptLines & { from: number }) | undefined {
	try {
		const [from, next, indexes, lines] = JSON.parse(row) as unknown[];
		const isBatch =
			Number.isSafeInteger(from) &&
			Number.isSafeInteger(next) &&
			Array.isArray(indexes) &&
			Array.isArray(lines) &&
			indexes.every(Number.isSafeInteger) &&
			lines.every(line => typeof line === 'string');
		return isBatch ? { from: from as number, next: next as number, indexes, lines } : undefined;
	} catch {
		return undefined;
	}
}
