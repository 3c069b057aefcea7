// The data that a list shows about each conversation, without opening all of them. The index is derived from the files
// and rebuilt wherever it is missing, stale or damaged.

import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { inParallel } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { replaceFile, TEMPORARY_EXTENSION } from '../../base/files.ts';
import type { Immutable } from '../../base/immutable.ts';
import { parseBeginningOfJson } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import { cut, oneLine } from '../../base/plainText.ts';
import type { Turn } from '../model/conversation.ts';
import { DamagedFileError, isEncrypted, NewerFileError, parseHeader, parseTurn } from '../model/conversationFile.ts';
import { workspaceSchema } from '../model/conversationSchema.ts';
import { titleOf } from '../model/title.ts';
import { FILE_EXTENSION, LOCK_EXTENSION } from './conversationWriter.ts';

export const INDEX_FILE = 'index.json';
const INDEX_VERSION = 1;

/** Large enough for the header and the first turns of nearly every conversation. */
const HEAD_BYTES = 64 * 1024;

/** The length of the first messages that is stored for searching, in characters. */
const EXCERPT_LENGTH = 600;
const EXCERPT_TURNS = 4;

/** The number of files that are read concurrently. */
const WIDTH = 32;

/**
 * A lock or a temporary file of this age was left behind by a window that crashed, because both normally exist for well
 * under a second.
 */
const LEFTOVER_AGE_MS = 60_000;

const entrySchema = z.object({
	id: z.string(),
	/** Absent for a conversation without a title and without a message. */
	title: z.string().exactOptional(),
	/** The first messages on one line. */
	text: z.string(),
	workspace: workspaceSchema,
	createdAt: z.number(),
	/** The time of the last write, in milliseconds since the epoch. */
	updatedAt: z.number(),
	turnCount: z.number(),
	encrypted: z.literal(true).exactOptional(),
	/** Identifies the file that the entry was read from. Each write makes a new file. */
	file: z.object({ size: z.number(), modified: z.number(), inode: z.number() }),
});
type Entry = Immutable<z.output<typeof entrySchema>>;
type FileStamp = Entry['file'];
export type ConversationSummary = Omit<Entry, 'file'>;

export interface Listing {
	/** The order is unspecified. */
	readonly conversations: readonly ConversationSummary[];
	/** The names of files whose first line is not a header. */
	readonly damaged: readonly string[];
	/** The names of files that the system refused to read. */
	readonly unreadable: readonly string[];
	/** The number of files that a later version wrote. */
	readonly newer: number;
}

const indexSchema = z.object({ version: z.literal(INDEX_VERSION), entries: z.array(entrySchema) });

export class ConversationIndex {
	private readonly folder: string;
	private readonly logger: Logger;
	private entries: ReadonlyMap<string, Entry> | undefined;

	constructor(folder: string, logger: Logger) {
		this.folder = folder;
		this.logger = logger;
	}

	/**
	 * Lists all conversations as their files are now. `now` is used to recognise leftovers of a crash. Rejects when the
	 * folder cannot be listed.
	 */
	async list(now: number): Promise<Listing> {
		const before = this.entries ?? (await this.readIndex());
		const entries = new Map<string, Entry>();
		const damaged: string[] = [];
		const unreadable: string[] = [];
		let newer = 0;
		let changed = false;
		await inParallel(await this.fileNames(now), WIDTH, undefined, async name => {
			const id = path.basename(name, FILE_EXTENSION);
			const file = path.join(this.folder, name);
			try {
				const stamp = await stampOf(file);
				const known = before.get(id);
				if (known && sameStamp(known.file, stamp)) {
					entries.set(id, known);
				} else {
					changed = true;
					entries.set(id, { ...(await readSummary(file, id)), file: stamp });
				}
			} catch (error) {
				if (error instanceof DamagedFileError) {
					damaged.push(name);
				} else if (error instanceof NewerFileError) {
					newer++;
				} else if (systemErrorCode(error) !== 'ENOENT') {
					this.logger.log('warn', 'A conversation cannot be read', { reason: describeError(error) });
					unreadable.push(name);
				}
			}
		});
		this.entries = entries;
		if (changed || entries.size !== before.size) {
			await this.writeIndex(entries);
		}
		const conversations = [...entries.values()].map(({ file: _, ...summary }) => summary);
		return { conversations, damaged, unreadable, newer };
	}

	/** Returns the names of the conversation files, and removes the leftovers of a crash. */
	private async fileNames(now: number): Promise<string[]> {
		let names: string[];
		try {
			names = await readdir(this.folder);
		} catch (error) {
			if (systemErrorCode(error) === 'ENOENT') {
				return [];
			}
			throw error;
		}
		for (const name of names.filter(other => other.endsWith(LOCK_EXTENSION) || other.endsWith(TEMPORARY_EXTENSION))) {
			const file = path.join(this.folder, name);
			const stamp = await stampOf(file).catch(() => undefined);
			if (stamp && now - stamp.modified > LEFTOVER_AGE_MS) {
				await rm(file, { force: true }).catch(() => {});
			}
		}
		return names.filter(name => name.endsWith(FILE_EXTENSION));
	}

	private async readIndex(): Promise<ReadonlyMap<string, Entry>> {
		try {
			const index = indexSchema.parse(JSON.parse(await readFile(path.join(this.folder, INDEX_FILE), 'utf8')));
			return new Map(index.entries.map(entry => [entry.id, entry]));
		} catch {
			return new Map();
		}
	}

	/** A failure to write only costs time at the next start. */
	private async writeIndex(entries: ReadonlyMap<string, Entry>): Promise<void> {
		try {
			const index = { version: INDEX_VERSION, entries: [...entries.values()] };
			await replaceFile(path.join(this.folder, INDEX_FILE), JSON.stringify(index));
		} catch (error) {
			this.logger.log('warn', 'The index of conversations cannot be written', { reason: describeError(error) });
		}
	}
}

async function readSummary(file: string, id: string): Promise<ConversationSummary> {
	const bytes = Buffer.allocUnsafe(HEAD_BYTES);
	const handle = await open(file, 'r');
	let text: string;
	try {
		const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
		text = bytes.toString('utf8', 0, bytesRead);
	} finally {
		await handle.close();
	}
	const lines = text.split('\n');
	// The last line is incomplete or empty.
	const rest = lines.pop() ?? '';
	const [first, ...turnLines] = lines;
	if (first === undefined) {
		throw new DamagedFileError('The file has no header.');
	}
	const header = parseHeader(first);
	if (header.id !== id) {
		throw new DamagedFileError('The header is that of another file.');
	}
	const turns = turnLines
		.slice(0, EXCERPT_TURNS)
		.map(parseTurn)
		.filter(turn => turn !== undefined);
	const { createdAt, updatedAt, workspace, turnCount } = header;
	const { title: given, titleReply } = header;
	const named = titleOf({ turns, ...defined({ title: given, titleReply }) });
	const title = named ?? (turns[0] ? undefined : beginOfQuestion(rest));
	return {
		id,
		...defined({ title }),
		text: excerpt(turns),
		workspace,
		createdAt,
		updatedAt,
		turnCount,
		...defined({ encrypted: isEncrypted(header) ? (true as const) : undefined }),
	};
}

function excerpt(turns: readonly Turn[]): string {
	const texts = turns.flatMap(({ question, replies }) => [question, replies.at(-1)?.text ?? '']);
	const pieces = texts.map(text => oneLine(text.slice(0, EXCERPT_LENGTH))).filter(text => text !== '');
	return cut(pieces.join(' · '), EXCERPT_LENGTH);
}

/** Returns a title made from the first question, for a first turn that is longer than what was read. */
function beginOfQuestion(line: string): string | undefined {
	const turn = parseBeginningOfJson(line);
	const question = isFields(turn) ? turn['question'] : undefined;
	return typeof question === 'string' ? titleOf({ turns: [{ question }] }) : undefined;
}

async function stampOf(file: string): Promise<FileStamp> {
	const { size, mtimeMs, ino } = await stat(file);
	return { size, modified: mtimeMs, inode: ino };
}

function sameStamp(one: FileStamp, other: FileStamp): boolean {
	return one.size === other.size && one.modified === other.modified && one.inode === other.inode;
}
