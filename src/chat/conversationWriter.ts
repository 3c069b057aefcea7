import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../base/async.ts';
import { systemErrorCode } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Conversation } from './model/conversation.ts';
import { formatConversationFile } from './model/conversationFile.ts';

export const FILE_EXTENSION = '.jsonl';
export const LOCK_EXTENSION = '.lock';
export const TEMPORARY_EXTENSION = '.tmp';

const LOCK_WAIT_MS = 1_000;
const LOCK_RETRY_MS = 20;

/** Tells one write of a file from another: every write makes a new file and renames it into place. */
export interface FileIdentity {
	readonly inode: bigint;
	readonly size: bigint;
	readonly modifiedNs: bigint;
}

export function fileIdentity(stats: { ino: bigint; size: bigint; mtimeNs: bigint }): FileIdentity {
	return { inode: stats.ino, size: stats.size, modifiedNs: stats.mtimeNs };
}

/** What a writer knows of the file that it goes on from. */
export interface KnownFile {
	readonly identity: FileIdentity;
	readonly revision: number;
}

/** The file is held or was written by another window: writing it would lose what stands there. */
class ForeignWriteError extends Error {
	override readonly name = 'ForeignWriteError';
}

/**
 * Writes one conversation: whole, atomically, one write at a time, the newest value last. Where another window wrote to
 * the file in between, the conversation goes on in a file of its own.
 */
export class ConversationWriter {
	private readonly branched = new Emitter<void>();
	/** The conversation went on in a new file because another window wrote to the old one. */
	readonly onDidBranch = this.branched.event;

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
			...(conversation.branchedFrom === undefined ? {} : { branchedFrom: conversation.branchedFrom }),
		};
	}

	/** Resolves when this value, or a newer one, is on disk. Rejects with the system's error when it could not be written. */
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

	/** Resolves when every save that was asked for has ended, one way or the other. */
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
			this.identity = { id: randomUUID(), branchedFrom: identity.id };
			this.known = undefined;
			try {
				await this.replaceFile();
			} catch (failure) {
				// Not branched yet: the next save tries again, and tells.
				this.identity = identity;
				this.known = known;
				throw failure;
			}
			this.branched.fire();
		}
	}

	private async replaceFile(): Promise<void> {
		await mkdir(this.folder, { recursive: true, mode: 0o700 });
		const target = path.join(this.folder, this.identity.id + FILE_EXTENSION);
		const temporary = path.join(this.folder, `${this.identity.id}.${randomUUID()}${TEMPORARY_EXTENSION}`);
		const revision = (this.known?.revision ?? 0) + 1;
		const text = formatConversationFile({ ...this.latest, ...this.identity }, revision, this.clock.now());
		try {
			const identity = await writeAndSync(temporary, text);
			await this.whileLocked(async () => {
				const current = await identityOf(target);
				// A missing file is no foreign write: what this window holds is all there is.
				if (current && !(this.known && sameFile(current, this.known.identity))) {
					throw new ForeignWriteError('Another window wrote to the conversation.');
				}
				await rename(temporary, target);
				this.known = { identity, revision };
			});
			await syncFolder(this.folder);
		} catch (error) {
			await rm(temporary, { force: true }).catch(() => {});
			throw error;
		}
	}

	/** The lock closes the gap between looking at the file and renaming over it. It is held for a few system calls. */
	private async whileLocked(run: () => Promise<void>): Promise<void> {
		const lock = path.join(this.folder, this.identity.id + LOCK_EXTENSION);
		const deadline = this.clock.now() + LOCK_WAIT_MS;
		for (;;) {
			try {
				await (await open(lock, 'wx', 0o600)).close();
				break;
			} catch (error) {
				if (systemErrorCode(error) !== 'EEXIST') {
					throw error;
				}
				if (this.clock.now() >= deadline) {
					throw new ForeignWriteError('Another window holds the conversation.');
				}
				await this.clock.sleep(LOCK_RETRY_MS);
			}
		}
		try {
			await run();
		} finally {
			await rm(lock, { force: true });
		}
	}
}

async function writeAndSync(file: string, text: string): Promise<FileIdentity> {
	const handle = await open(file, 'wx', 0o600);
	try {
		await handle.writeFile(text);
		await handle.sync();
		return fileIdentity(await handle.stat({ bigint: true }));
	} finally {
		await handle.close();
	}
}

async function identityOf(file: string): Promise<FileIdentity | undefined> {
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

/** Makes the rename itself last through a power cut. Windows cannot open a folder for this and does not need it. */
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
