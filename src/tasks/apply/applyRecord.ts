import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../../base/files.ts';
import { isProcessGone } from '../../base/processFamily.ts';
import type { FileVersion } from '../model/changedFile.ts';
import { LAST_APPLY_FILE, RUNNING_APPLY_FILE } from '../model/storageKeys.ts';
import type { AppliedFile } from './applyChanges.ts';
import type { Change, FileContent } from './change.ts';
import { type Contents, knownContents, objectName } from './contents.ts';

/** The maximum size of the contents in a record, in bytes. */
export const MAXIMUM_RECORD = 64 * 1024 * 1024;

/** The changes of the last application, for undo. */
export interface ApplyRecord {
	/** The repository's top folder. */
	directory: string;
	/** The name of any object of the repository, which shows its hash algorithm. */
	like: string;
	files: readonly AppliedFile[];
}

/** An application, or the undoing of one, that is in progress or was interrupted. */
export interface Running extends Omit<ApplyRecord, 'files'> {
	/** The number of files to be changed. */
	count: number;
	isUndo: boolean;
}

export interface Interrupted extends Running, ApplyRecord {
	/** True if the process that began it is gone. */
	isOver: boolean;
	/** True if `files` has every file that was reached. The list is empty if the files were too large to be kept. */
	isRecorded: boolean;
}

/**
 * Returns the changes that take an application back, the last file first. They are merged into the files as they are
 * now. `fileOf` maps each change to the file that it takes back.
 */
export function undoing({ files, like }: ApplyRecord): {
	changes: Change[];
	fileOf: ReadonlyMap<Change, AppliedFile>;
	contents: Contents;
} {
	const known = new Map<string, Buffer>();
	const versionOf = (file: FileContent | undefined): FileVersion | undefined => {
		if (!file) {
			return undefined;
		}
		const object = objectName(file.content, like);
		known.set(object, file.content);
		return { path: file.path, object, kind: file.isExecutable ? 'executable' : 'file' };
	};
	const fileOf = new Map<Change, AppliedFile>();
	for (const file of files.toReversed()) {
		fileOf.set({ before: versionOf(file.after), after: versionOf(file.before), hasUnreadableName: false }, file);
	}
	return { changes: [...fileOf.keys()], fileOf, contents: knownContents(known) };
}

/**
 * The file with the record of the last application, and another one beside it for the application in progress. Each
 * begins with a line that describes it. Then follows, for each file, a line that describes it and then its contents.
 */
export class ApplyRecordFile {
	private readonly file: string;
	private readonly runningFile: string;

	/** `folder` is the workspace's own storage. */
	constructor(folder: string) {
		this.file = path.join(folder, LAST_APPLY_FILE);
		this.runningFile = path.join(folder, RUNNING_APPLY_FILE);
	}

	/** Rejects with the system's error. */
	async write({ directory, like, files }: ApplyRecord): Promise<void> {
		const heading = { directory, like, count: files.length };
		await replaceFile(this.file, Buffer.concat([lineOf(heading), ...files.map(encode)]));
	}

	/** Resolves with undefined if there is no record, or none that can be read. */
	async read(): Promise<ApplyRecord | undefined> {
		const read = await decode(this.file);
		return read && read.files.length === read.heading['count']
			? { ...placeOf(read.heading), files: read.files }
			: undefined;
	}

	/** Rejects with the system's error. */
	async remove(): Promise<void> {
		await rm(this.file, { force: true });
	}

	/** Records that an application begins. Rejects with the system's error. */
	async begin(running: Running): Promise<void> {
		await mkdir(path.dirname(this.runningFile), { recursive: true, mode: 0o700 });
		await writeFile(this.runningFile, lineOf({ ...running, ...THIS_PROCESS }), { mode: 0o600 });
	}

	/**
	 * Records a file that is about to be changed; undefined if it is too large to be kept. Rejects with the system's
	 * error.
	 */
	async add(file: AppliedFile | undefined): Promise<void> {
		await appendFile(this.runningFile, file ? encode(file) : lineOf(null));
	}

	/** Records that the application has ended. Rejects with the system's error. */
	async end(): Promise<void> {
		await rm(this.runningFile, { force: true });
	}

	/**
	 * Resolves with the application that has begun but not ended, if there is one, and with the files that it reached.
	 */
	async readRunning(): Promise<Interrupted | undefined> {
		const read = await decode(this.runningFile);
		if (!read) {
			return undefined;
		}
		const { heading, files, isRecorded } = read;
		const { count, isUndo } = heading;
		const isOver = !isRunning(heading);
		return { ...placeOf(heading), files, count: Number(count), isUndo: isUndo === true, isOver, isRecorded };
	}
}

/** In a container, processes get the same few ids after each start, so the start time counts too. */
const THIS_PROCESS = { process: process.pid, since: performance.timeOrigin };

function isRunning({ process: owner, since }: Record<string, unknown>): boolean {
	return owner === THIS_PROCESS.process
		? since === THIS_PROCESS.since
		: typeof owner === 'number' && !isProcessGone(owner);
}

interface Heading extends Record<string, unknown> {
	directory: string;
	like: string;
}

const placeOf = ({ directory, like }: Heading) => ({ directory, like });

const lineOf = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

function encode({ before, after }: AppliedFile): Buffer {
	const describe = (file: FileContent | undefined) =>
		file ? { path: file.path, isExecutable: file.isExecutable, length: file.content.length } : null;
	const contents = [before, after].flatMap(file => (file ? [file.content] : []));
	return Buffer.concat([lineOf([describe(before), describe(after)]), ...contents]);
}

/** Returns the parts of a file up to the first that is damaged or missing; undefined if that is the heading. */
async function decode(
	file: string,
): Promise<{ heading: Heading; files: AppliedFile[]; isRecorded: boolean } | undefined> {
	const bytes = await readFile(file).catch(() => Buffer.of());
	let position = 0;
	const line = (): unknown => {
		const end = bytes.indexOf(0x0a, position);
		if (end < 0) {
			throw new Error('the record ends early');
		}
		const value: unknown = JSON.parse(bytes.toString('utf8', position, end));
		position = end + 1;
		return value;
	};
	const content = (described: unknown): FileContent | undefined => {
		if (described === null) {
			return undefined;
		}
		const { path: name, isExecutable, length } = described as Record<string, unknown>;
		const isLength = typeof length === 'number' && length >= 0 && position + length <= bytes.length;
		if (typeof name !== 'string' || !isLength) {
			throw new Error('the record is damaged');
		}
		position += length;
		return { path: name, content: bytes.subarray(position - length, position), isExecutable: isExecutable === true };
	};
	const files: AppliedFile[] = [];
	let heading: Heading | undefined;
	try {
		const first = line() as Heading;
		if (typeof first.directory !== 'string' || typeof first.like !== 'string') {
			return undefined;
		}
		heading = first;
		while (position < bytes.length) {
			const described = line();
			if (described === null) {
				return { heading, files: [], isRecorded: false };
			}
			const [before, after] = described as [unknown, unknown];
			files.push({ before: content(before), after: content(after) });
		}
	} catch {
		// The last part was still being written when the window closed.
	}
	return heading && { heading, files, isRecorded: true };
}
