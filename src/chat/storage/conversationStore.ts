import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { type Clock, systemClock } from '../../base/async.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import { type Conversation, markCutOff } from '../model/conversation.ts';
import {
	DamagedFileError,
	NewerFileError,
	parseConversationFile,
	rescueConversationFile,
} from '../model/conversationFile.ts';
import { ConversationIndex, type ConversationSummary } from './conversationIndex.ts';
import {
	ConversationWriter,
	FILE_EXTENSION,
	fileIdentity,
	identityOf,
	turnsDigest,
	type Writer,
	writeTitle,
} from './conversationWriter.ts';
import { imagesOf, moveImages } from './imageStore.ts';

/** The folder that keeps deleted conversations for a while. */
const TRASH_FOLDER = 'trash';
const TRASH_DAYS = 30;
/** The file that counts the days for which each conversation has been in the trash. */
const TRASH_DAYS_FILE = 'trash.json';
/** The extension of the folder with the images of a conversation in the trash, beside its file. */
const TRASHED_IMAGES = '.images';

const NANOSECONDS_PER_MS = 1_000_000n;

const CONVERSATION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export interface OpenedConversation {
	readonly conversation: Conversation;
	readonly writer: Writer;
}

/** The outcome of repairing a damaged file. */
export interface Repair {
	/** `kept` is the number of turns that could be read. `expected` is the number that there were, if known. */
	readonly kept: number;
	readonly expected: number | undefined;
}

export type OpenOutcome =
	| (OpenedConversation & { readonly kind: 'opened'; readonly repair?: Repair })
	| { readonly kind: 'missing' }
	/** A later version of the extension wrote the conversation. */
	| { readonly kind: 'newer' }
	/** Nothing of the file could be read. It is kept unchanged under another name. */
	| { readonly kind: 'set-aside' }
	/** `code` is the system's error code. The file is still in its place. */
	| { readonly kind: 'unreadable'; readonly code: string | undefined };

export interface ConversationList {
	/** Sorted by the time of the last write, newest first. */
	readonly conversations: readonly ConversationSummary[];
	readonly repairs: readonly Repair[];
	readonly unreadable: number;
	/** The number of conversations that a later version of the extension wrote. Their files stay as they are. */
	readonly newer: number;
}

/** A conversation in the trash, which can be restored. */
export interface TrashedConversation {
	readonly id: string;
	readonly file: string;
}

/** The conversations of all workspaces, one file each in one folder. */
export class ConversationStore {
	private readonly folder: string;
	private readonly logger: Logger;
	private readonly clock: Clock;
	private readonly onGone: (id: string) => void;
	private readonly index: ConversationIndex;

	/** `onGone` is called with the id of a conversation that can no longer be restored. */
	constructor(folder: string, logger: Logger, clock: Clock = systemClock, onGone: (id: string) => void = () => {}) {
		this.folder = folder;
		this.logger = logger;
		this.clock = clock;
		this.onGone = onGone;
		this.index = new ConversationIndex(folder, logger);
	}

	/** Returns a writer for a conversation that has no file yet. The first save creates the file. */
	create(conversation: Conversation): ConversationWriter {
		return new ConversationWriter(this.folder, conversation, undefined, this.clock);
	}

	/** Rejects with the system's error when the folder cannot be listed. */
	async list(): Promise<ConversationList> {
		await this.emptyTrash();
		let listing = await this.index.list(this.clock.now());
		const repairs: Repair[] = [];
		let unreadable = listing.unreadable.length;
		for (const name of listing.damaged) {
			const outcome = await this.repair(path.join(this.folder, name));
			if (outcome.kind === 'unreadable') {
				unreadable++;
			} else {
				repairs.push(outcome.kind === 'opened' && outcome.repair ? outcome.repair : { kept: 0, expected: undefined });
			}
		}
		if (repairs.length > 0) {
			listing = await this.index.list(this.clock.now());
		}
		const conversations = listing.conversations.toSorted((one, other) => other.updatedAt - one.updatedAt);
		return { conversations, repairs, unreadable, newer: listing.newer };
	}

	/** Opens a conversation to continue it. A damaged file is repaired as far as possible. Never rejects. */
	async open(id: string): Promise<OpenOutcome> {
		const file = this.fileOf(id);
		if (file === undefined) {
			return { kind: 'missing' };
		}
		try {
			return { kind: 'opened', ...(await this.read(file, id)) };
		} catch (error) {
			if (error instanceof DamagedFileError) {
				return this.repair(file);
			}
			return this.failure(error);
		}
	}

	/**
	 * Changes the title of a conversation that is not open in this window; undefined removes it. Rejects with the
	 * system's error.
	 */
	rename(id: string, title: string | undefined): Promise<void> {
		return writeTitle(this.folder, id, title, this.clock);
	}

	/**
	 * Moves a conversation to the trash, where it stays for at least a month. Resolves to undefined if it has no file.
	 * Rejects with the system's error.
	 */
	async remove(id: string): Promise<TrashedConversation | undefined> {
		const file = this.fileOf(id);
		if (file === undefined) {
			return undefined;
		}
		const trash = path.join(this.folder, TRASH_FOLDER);
		await mkdir(trash, { recursive: true, mode: 0o700 });
		await this.emptyTrash();
		const trashed = path.join(trash, `${id}.${this.clock.now()}${FILE_EXTENSION}`);
		try {
			await rename(file, trashed);
		} catch (error) {
			if (systemErrorCode(error) === 'ENOENT') {
				return undefined;
			}
			throw error;
		}
		await moveImages(imagesOf(this.folder, id), trashed + TRASHED_IMAGES);
		return { id, file: trashed };
	}

	/**
	 * Restores a conversation from the trash. Resolves to its id, which is a new one if another window has written the
	 * conversation again.
	 */
	async restore({ id, file }: TrashedConversation): Promise<string> {
		const target = path.join(this.folder, id + FILE_EXTENSION);
		if (!(await identityOf(target))) {
			await rename(file, target);
			await moveImages(file + TRASHED_IMAGES, imagesOf(this.folder, id));
			return id;
		}
		const { conversation } = await this.read(file, id);
		const copy = { ...conversation, id: randomUUID(), branchedFrom: id };
		await this.create(copy).save(copy);
		await rm(file);
		await moveImages(file + TRASHED_IMAGES, imagesOf(this.folder, copy.id));
		return copy.id;
	}

	/**
	 * Permanently removes conversations after a month in the trash. Never rejects: those that cannot be examined stay.
	 */
	private async emptyTrash(): Promise<void> {
		const trash = path.join(this.folder, TRASH_FOLDER);
		try {
			const names = (await readdir(trash).catch(() => [])).filter(name => name.endsWith(FILE_EXTENSION));
			if (names.length === 0) {
				return;
			}
			for (const name of await expiredTrash(
				TRASH_DAYS,
				path.join(this.folder, TRASH_DAYS_FILE),
				names,
				this.clock.now(),
			)) {
				await rm(path.join(trash, name), { force: true });
				await rm(path.join(trash, name + TRASHED_IMAGES), { recursive: true, force: true }).catch(() => {});
				const [id = ''] = name.split('.', 1);
				if (!(await identityOf(path.join(this.folder, id + FILE_EXTENSION)))) {
					this.onGone(id);
				}
			}
		} catch (error) {
			this.logger.log('warn', 'The trash of conversations cannot be emptied', { reason: describeError(error) });
		}
	}

	private async read(file: string, id: string): Promise<OpenedConversation> {
		const { text, identity } = await contentOf(file);
		const { conversation, revision } = await parseConversationFile(text);
		if (conversation.id !== id) {
			throw new DamagedFileError('The header is that of another file.');
		}
		const turns = turnsDigest([text.slice(text.indexOf('\n') + 1)]);
		const known = { identity, revision, turns, title: conversation.title };
		return {
			conversation: markCutOff(conversation),
			writer: new ConversationWriter(this.folder, conversation, known, this.clock),
		};
	}

	/** Keeps the damaged file unchanged under another name, and its readable part under its own name. */
	private async repair(file: string): Promise<OpenOutcome> {
		const time = new Date(this.clock.now()).toISOString().replace(/[-:]/g, '');
		const aside = `${file}.damaged-${time}`;
		const id = path.basename(file, FILE_EXTENSION);
		try {
			const { text, identity } = await contentOf(file);
			const createdAt = Number(identity.modifiedNs / NANOSECONDS_PER_MS);
			const rescue = CONVERSATION_ID.test(id) ? await rescueConversationFile(text, { id, createdAt }) : undefined;
			if (!rescue) {
				await rename(file, aside);
				return { kind: 'set-aside' };
			}
			await copyFile(file, aside);
			const conversation = markCutOff(rescue.conversation);
			const known = { identity, revision: 1, turns: '', title: conversation.title };
			const writer = new ConversationWriter(this.folder, conversation, known, this.clock);
			await writer.save(conversation);
			const repair = { kept: conversation.turns.length, expected: rescue.expected };
			return { kind: 'opened', conversation, writer, repair };
		} catch (error) {
			return this.failure(error);
		}
	}

	private failure(error: unknown): OpenOutcome {
		if (error instanceof NewerFileError) {
			return { kind: 'newer' };
		}
		const code = systemErrorCode(error);
		if (code === 'ENOENT') {
			return { kind: 'missing' };
		}
		this.logger.log('warn', 'A conversation cannot be read', { reason: describeError(error) });
		return { kind: 'unreadable', code };
	}

	private fileOf(id: string): string | undefined {
		return CONVERSATION_ID.test(id) ? path.join(this.folder, id + FILE_EXTENSION) : undefined;
	}
}

/** Reads through one handle, so that a rename by another window affects neither the bytes nor the identity. */
async function contentOf(file: string) {
	const handle = await open(file, 'r');
	try {
		const identity = fileIdentity(await handle.stat({ bigint: true }));
		return { text: await handle.readFile('utf8'), identity };
	} finally {
		await handle.close();
	}
}

const DAY_MS = 24 * 60 * 60 * 1000;

const countSchema = z.object({
	/** The time of the last examination, in milliseconds since the epoch. */
	lookedAt: z.number(),
	/** The number of days that have passed between examinations. */
	days: z.number(),
	/** That number when each name was first seen. */
	since: z.record(z.string(), z.number()),
});

/**
 * Measures how long things have been in the trash, in days on which the trash was examined: a clock that is wrong for a
 * while, or was wrong when something was deleted, would otherwise remove it at once or never.
 *
 * Records in `file` that the trash is examined now and contains these names. Returns those that have been there for at
 * least `days` days. Each examination adds the time since the previous one, but at most a day. Rejects with the
 * system's error if nothing can be recorded, and then nothing may be removed.
 */
export async function expiredTrash(
	days: number,
	file: string,
	names: readonly string[],
	now: number,
): Promise<string[]> {
	const before = countSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
	const passed = before === undefined ? 0 : Math.min(Math.max(0, now - before.lookedAt), DAY_MS) / DAY_MS;
	const count = (before?.days ?? 0) + passed;
	const since = Object.fromEntries(names.map(name => [name, before?.since[name] ?? count]));
	await replaceFile(file, JSON.stringify({ lookedAt: now, days: count, since } satisfies z.output<typeof countSchema>));
	return names.filter(name => count - (since[name] ?? count) >= days);
}
