import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../base/async.ts';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import {
	ConversationWriter,
	FILE_EXTENSION,
	fileIdentity,
	LOCK_EXTENSION,
	TEMPORARY_EXTENSION,
} from './conversationWriter.ts';
import { type Conversation, markCutOff } from './model/conversation.ts';
import {
	type ConversationHeader,
	DamagedFileError,
	NewerFileError,
	parseConversationFile,
	parseHeader,
} from './model/conversationFile.ts';

/** A header is a few hundred bytes; a first line longer than this is none of ours. */
const MAXIMUM_HEADER_BYTES = 256 * 1024;

/** A lock or a temporary file of this age was left by a window that crashed: both live for well under a second. */
const LEFTOVER_AGE_MS = 60_000;

export interface OpenedConversation {
	readonly conversation: Conversation;
	readonly writer: ConversationWriter;
}

export interface OpenOutcome {
	readonly opened?: OpenedConversation;
	/** Names of files that could not be read and now have other names, for telling the user. */
	readonly setAside: readonly string[];
	/** Names of files that the system would not let us read; they stand where they were. */
	readonly unreadable: readonly string[];
}

/** The conversations of all workspaces: one file each, in one folder. */
export class ConversationStore {
	private readonly folder: string;
	private readonly logger: Logger;
	private readonly clock: Clock;

	constructor(folder: string, logger: Logger, clock: Clock = systemClock) {
		this.folder = folder;
		this.logger = logger;
		this.clock = clock;
	}

	/** A writer for a conversation that has no file yet. The file comes with the first save. */
	create(conversation: Conversation): ConversationWriter {
		return new ConversationWriter(this.folder, conversation, undefined, this.clock);
	}

	/** The conversation of these workspace folders that was written last. Rejects when the folder cannot be listed. */
	async openNewest(folders: readonly string[]): Promise<OpenOutcome> {
		const setAside: string[] = [];
		const unreadable: string[] = [];
		for (const name of await this.listNewestFirst()) {
			const file = path.join(this.folder, name);
			try {
				const opened = await this.openIfTagged(file, folders);
				if (opened) {
					return { opened, setAside, unreadable };
				}
			} catch (error) {
				if (error instanceof NewerFileError || systemErrorCode(error) === 'ENOENT') {
					continue;
				}
				this.logger.log('warn', 'A conversation cannot be read', { reason: describeError(error) });
				if (error instanceof DamagedFileError && (await this.setAside(file))) {
					setAside.push(name);
				} else {
					unreadable.push(name);
				}
			}
		}
		return { setAside, unreadable };
	}

	private async openIfTagged(file: string, folders: readonly string[]): Promise<OpenedConversation | undefined> {
		const handle = await open(file, 'r');
		try {
			const header = await readHeader(handle);
			if (header.id !== path.basename(file, FILE_EXTENSION)) {
				throw new DamagedFileError('The header is that of another file.');
			}
			if (!sameFolders(header.workspace.folders, folders)) {
				return undefined;
			}
			// Through the open handle: a rename by another window meanwhile changes neither the bytes nor the identity.
			const identity = fileIdentity(await handle.stat({ bigint: true }));
			const { conversation, revision } = parseConversationFile(await handle.readFile('utf8'));
			return {
				conversation: markCutOff(conversation),
				writer: new ConversationWriter(this.folder, conversation, { identity, revision }, this.clock),
			};
		} finally {
			await handle.close();
		}
	}

	private async listNewestFirst(): Promise<string[]> {
		let names: string[];
		try {
			names = await readdir(this.folder);
		} catch (error) {
			if (systemErrorCode(error) === 'ENOENT') {
				return [];
			}
			throw error;
		}
		const files: { name: string; modified: number }[] = [];
		for (const name of names) {
			const modified = await modifiedAt(path.join(this.folder, name));
			if (modified === undefined) {
				continue;
			}
			if (name.endsWith(FILE_EXTENSION)) {
				files.push({ name, modified });
			} else if (
				(name.endsWith(LOCK_EXTENSION) || name.endsWith(TEMPORARY_EXTENSION)) &&
				this.clock.now() - modified > LEFTOVER_AGE_MS
			) {
				await rm(path.join(this.folder, name), { force: true }).catch(() => {});
			}
		}
		return files.sort((one, other) => other.modified - one.modified).map(file => file.name);
	}

	private async setAside(file: string): Promise<boolean> {
		const time = new Date(this.clock.now()).toISOString().replace(/[-:]/g, '');
		try {
			await rename(file, `${file}.damaged-${time}`);
			return true;
		} catch (error) {
			this.logger.log('warn', 'A damaged conversation cannot be set aside', { reason: describeError(error) });
			return false;
		}
	}
}

async function readHeader(handle: FileHandle): Promise<ConversationHeader> {
	const bytes = Buffer.alloc(MAXIMUM_HEADER_BYTES);
	// At an explicit position, so that the handle still stands at the start for reading the whole file.
	const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
	const end = bytes.subarray(0, bytesRead).indexOf(0x0a);
	if (end < 0) {
		throw new DamagedFileError('The file has no header.');
	}
	return parseHeader(bytes.toString('utf8', 0, end));
}

async function modifiedAt(file: string): Promise<number | undefined> {
	try {
		return (await stat(file)).mtimeMs;
	} catch (error) {
		// Another window renames and removes files while this one lists them.
		if (systemErrorCode(error) === 'ENOENT') {
			return undefined;
		}
		throw error;
	}
}

function sameFolders(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && [...one].sort().join('\n') === [...other].sort().join('\n');
}
