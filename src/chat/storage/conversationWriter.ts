import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { whileLocked } from '../../base/fileLock.ts';
import { temporaryName } from '../../base/files.ts';
import { type Conversation, type Reply, withFields } from '../model/conversation.ts';
import { formatConversationFile, parseHeader } from '../model/conversationFile.ts';

export const FILE_EXTENSION = '.jsonl';
export const LOCK_EXTENSION = '.lock';

/** Files are written in pieces of about this many characters. */
const PIECE_LENGTH = 1_000_000;

/** Distinguishes one write of a file from another: every write makes a new file and renames it into place. */
export interface FileIdentity {
	readonly inode: bigint;
	readonly size: bigint;
	readonly modifiedNs: bigint;
}

export function fileIdentity(stats: { ino: bigint; size: bigint; mtimeNs: bigint }): FileIdentity {
	return { inode: stats.ino, size: stats.size, modifiedNs: stats.mtimeNs };
}

/** The facts that a writer knows about the file that it continues. */
export interface KnownFile {
	readonly identity: FileIdentity;
	readonly revision: number;
	/** The digest of its turns, made by `turnsDigest`. */
	readonly turns: string;
	readonly title: string | undefined;
}

/** Returns a digest of the turns of a file, which are all its lines except the header. */
export function turnsDigest(lines: Iterable<string>): string {
	const hash = createHash('sha256');
	for (const line of lines) {
		hash.update(line);
	}
	return hash.digest('base64');
}

/** The part of a writer that a chat needs. */
export type Writer = Pick<ConversationWriter, 'onDidBranch' | 'onDidRename' | 'save' | 'isStale' | 'settled'>;

/** The title that the user gave, and the reply to the request for one. */
export interface Names {
	title: string | undefined;
	titleReply: Reply | undefined;
}

/** Another window has written the file, so replacing it would lose that window's changes. */
class ForeignWriteError extends Error {
	override readonly name = 'ForeignWriteError';
}

/**
 * Writes one conversation: whole files, atomically, one write at a time, the newest value last. If another window has
 * added to the file in between, the conversation continues in a new file; if it has only changed the title, or had one
 * generated, that title is kept.
 */
export class ConversationWriter {
	private readonly branched = new Emitter<{ id: string; branchedFrom: string }>();
	/** The conversation continues in a new file under a new id, because another window added to the old one. */
	readonly onDidBranch = this.branched.event;
	private readonly renamed = new Emitter<Names>();
	/** Another window gave the conversation these titles, which are already in its file. */
	readonly onDidRename = this.renamed.event;

	private readonly folder: string;
	private readonly clock: Clock;
	private known: KnownFile | undefined;
	private identity: { id: string; branchedFrom?: string };
	private latest: Conversation;
	private scheduled: Promise<void> | undefined;
	private running: Promise<void> = Promise.resolve();

	/** `known` is the file that `conversation` was read from; a new conversation has none. */
	constructor(folder: string, conversation: Conversation, known?: KnownFile, clock: Clock = systemClock) {
		this.folder = folder;
		this.clock = clock;
		this.known = known;
		this.latest = conversation;
		this.identity = {
			id: conversation.id,
			...defined({ branchedFrom: conversation.branchedFrom }),
		};
	}

	/**
	 * Resolves when this value or a newer one is on disk. Rejects with the system's error when it could not be written.
	 */
	save(conversation: Conversation): Promise<void> {
		this.latest = conversation;
		if (!this.scheduled) {
			this.scheduled = this.running.then(() => {
				this.scheduled = undefined;
				return this.write();
			});
			this.running = this.scheduled.catch(() => {});
		}
		return this.scheduled;
	}

	/**
	 * Resolves to whether another window has added to the file since this one read or wrote it. Rejects with the system's
	 * error.
	 */
	async isStale(): Promise<boolean> {
		await this.settled();
		const target = path.join(this.folder, this.identity.id + FILE_EXTENSION);
		const current = await identityOf(target);
		if (!current || (this.known && sameFile(current, this.known.identity))) {
			return false;
		}
		const text = await readFile(target, 'utf8');
		return turnsDigest([text.slice(text.indexOf('\n') + 1)]) !== this.known?.turns;
	}

	/** Resolves when every requested save has succeeded or failed. */
	settled(): Promise<void> {
		return this.running;
	}

	private async write(): Promise<void> {
		try {
			await this.replaceFile();
		} catch (error) {
			if (!(error instanceof ForeignWriteError)) {
				throw error;
			}
			const { identity, known } = this;
			const branch = { id: randomUUID(), branchedFrom: identity.id };
			this.identity = branch;
			this.known = undefined;
			try {
				await this.replaceFile();
			} catch (failure) {
				// The branch was not written, so the next save tries again and fires the event.
				this.identity = identity;
				this.known = known;
				throw failure;
			}
			this.branched.fire(branch);
		}
	}

	private async replaceFile(): Promise<void> {
		await mkdir(this.folder, { recursive: true, mode: 0o700 });
		const target = path.join(this.folder, this.identity.id + FILE_EXTENSION);
		const written = await this.writeTemporary();
		try {
			let foreign: Names | undefined;
			await whileLocked(path.join(this.folder, this.identity.id + LOCK_EXTENSION), this.clock, async () => {
				const current = await identityOf(target);
				// A missing file is not a write by another window: this window has all there is.
				if (current && !(this.known && sameFile(current, this.known.identity))) {
					foreign = await this.adopt(target, current);
					return;
				}
				await rename(written.file, target);
				this.known = written;
			});
			if (foreign) {
				await rm(written.file, { force: true });
				if (foreign.title !== this.latest.title || foreign.titleReply !== this.latest.titleReply) {
					this.latest = withFields(this.latest, foreign);
					this.renamed.fire(foreign);
				}
				return this.replaceFile();
			}
			await syncFolder(this.folder);
		} catch (error) {
			await rm(written.file, { force: true }).catch(() => {});
			throw error;
		}
	}

	private async writeTemporary(): Promise<KnownFile & { file: string }> {
		const file = temporaryName(path.join(this.folder, this.identity.id));
		const revision = (this.known?.revision ?? 0) + 1;
		const { title } = this.latest;
		const lines = await formatConversationFile({ ...this.latest, ...this.identity }, revision, this.clock.now());
		try {
			const identity = await writeAndSync(file, lines);
			return { file, identity, revision, turns: turnsDigest(lines.slice(1)), title };
		} catch (error) {
			await rm(file, { force: true }).catch(() => {});
			throw error;
		}
	}

	/**
	 * Continues from a file that was not written by this writer but has the same turns: either only its title has
	 * changed, or it was restored from a copy. Resolves to the titles to keep. Throws a ForeignWriteError if the turns
	 * differ.
	 */
	private async adopt(target: string, identity: FileIdentity): Promise<Names> {
		const text = await readFile(target, 'utf8');
		const end = text.indexOf('\n') + 1;
		const turns = turnsDigest([text.slice(end)]);
		if (turns !== this.known?.turns) {
			throw new ForeignWriteError('Another window wrote to the conversation.');
		}
		const { revision, title, titleReply } = parseHeader(text.slice(0, Math.max(end - 1, 0)));
		// A title that this window has just set takes precedence over an older one in the file.
		const own = this.latest.title !== this.known.title;
		this.known = { identity, revision, turns, title };
		return { title: own ? this.latest.title : title, titleReply: this.latest.titleReply ?? titleReply };
	}
}

/**
 * Sets the title of a conversation that is not open in this window; undefined restores the title from its first
 * message. The turns stay byte for byte the same, so a window that has it open can continue. Rejects with the system's
 * error or a DamagedFileError.
 */
export async function writeTitle(folder: string, id: string, title: string | undefined, clock: Clock): Promise<void> {
	const target = path.join(folder, id + FILE_EXTENSION);
	const temporary = temporaryName(path.join(folder, id));
	try {
		await whileLocked(path.join(folder, id + LOCK_EXTENSION), clock, async () => {
			const text = await readFile(target, 'utf8');
			const end = text.indexOf('\n') + 1;
			const { title: _, ...header } = parseHeader(text.slice(0, Math.max(end - 1, 0)));
			const changed = { ...header, revision: header.revision + 1, ...defined({ title }) };
			await writeAndSync(temporary, [`${JSON.stringify(changed)}\n`, text.slice(end)]);
			await rename(temporary, target);
		});
		await syncFolder(folder);
	} catch (error) {
		await rm(temporary, { force: true }).catch(() => {});
		throw error;
	}
}

async function writeAndSync(file: string, lines: readonly string[]): Promise<FileIdentity> {
	const handle = await open(file, 'wx', 0o600);
	try {
		for (const piece of pieces(lines)) {
			await handle.writeFile(piece);
		}
		await handle.sync();
		return fileIdentity(await handle.stat({ bigint: true }));
	} finally {
		await handle.close();
	}
}

export async function identityOf(file: string): Promise<FileIdentity | undefined> {
	try {
		return fileIdentity(await stat(file, { bigint: true }));
	} catch (error) {
		if (systemErrorCode(error) === 'ENOENT') {
			return undefined;
		}
		throw error;
	}
}

function sameFile(one: FileIdentity, other: FileIdentity): boolean {
	return one.inode === other.inode && one.size === other.size && one.modifiedNs === other.modifiedNs;
}

/** Makes the rename itself survive a power failure. Windows cannot open a folder for this and does not need it. */
async function syncFolder(folder: string): Promise<void> {
	if (process.platform === 'win32') {
		return;
	}
	const handle = await open(folder, constants.O_RDONLY);
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

function* pieces(lines: readonly string[]): Generator<string> {
	let piece = '';
	for (const line of lines) {
		piece += line;
		if (piece.length >= PIECE_LENGTH) {
			yield piece;
			piece = '';
		}
	}
	yield piece;
}

/** The writer of a conversation that is not kept. It writes nothing. */
export class MemoryWriter implements Writer {
	readonly onDidBranch = new Emitter<{ id: string; branchedFrom: string }>().event;
	readonly onDidRename = new Emitter<Names>().event;

	async save(): Promise<void> {}

	async isStale(): Promise<boolean> {
		return false;
	}

	async settled(): Promise<void> {}
}
