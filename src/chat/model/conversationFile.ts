// The format of a conversation on disk: lines of JSON. The first line is a header, so that a list of conversations
// reads only the start of each file. It is followed by one line for each turn.
//
// An encrypted conversation has a version of its own, so that a reader that does not know about encryption refuses the
// file and never sends it unencrypted. Its header and its turns are marked as well, so that any of its lines identifies
// a damaged file as encrypted.

import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { parseJson } from '../../base/json.ts';
import { pauses } from '../../base/pauses.ts';
import { time } from './agentWorkSchema.ts';
import type { Conversation, Turn } from './conversation.ts';
import { modeSchema, replySchema, turnSchema, workspaceSchema } from './conversationSchema.ts';
import { type Encryption, encryptionSchema } from './encryption.ts';
import { conversationSettingsSchema } from './settings.ts';

const CLEAR_VERSION = 3;
const ENCRYPTED_VERSION = 4;

/** Returns the version of the format that a conversation is written in. */
export function fileVersionOf({ encryption }: Pick<Conversation, 'encryption'>): 3 | 4 {
	return encryption ? ENCRYPTED_VERSION : CLEAR_VERSION;
}

const headerSchema = z.object({
	version: z.literal([CLEAR_VERSION, ENCRYPTED_VERSION]),
	id: z.uuid(),
	/** Incremented with each write. */
	revision: z.int().positive(),
	createdAt: time,
	updatedAt: time,
	workspace: workspaceSchema,
	title: z.string().exactOptional(),
	/** If it cannot be read, only the title is lost. */
	titleReply: replySchema.optional().catch(undefined),
	mode: modeSchema,
	branchedFrom: z.uuid().exactOptional(),
	settings: conversationSettingsSchema,
	encryption: encryptionSchema.exactOptional(),
	head: z.uuid().exactOptional(),
	turnCount: z.int().nonnegative(),
});
export type ConversationHeader = z.output<typeof headerSchema>;

/** The fields that every header and every turn has. A line with these, but of another form, is from a later version. */
const laterHeaderSchema = headerSchema.pick({ version: true, id: true, revision: true, turnCount: true });
const laterTurnSchema = z.object({ id: z.uuid(), question: z.string(), replies: z.array(z.unknown()).min(1) });

/** The file is not a conversation file, or it is incomplete. */
export class DamagedFileError extends Error {
	override readonly name = 'DamagedFileError';
}

/** The file was written by a later version of the extension. It is not damaged and must not be touched. */
export class NewerFileError extends Error {
	override readonly name = 'NewerFileError';
}

/**
 * A turn never changes in place, so its line is built only once, however often the conversation is written. The line of
 * a turn that was read stays as it was, with fields that only a later version knows.
 */
const turnLines = new WeakMap<Turn, string>();

/**
 * Returns the lines of a file, each with its line break. Yields to the event loop between slices of a long
 * conversation.
 */
export async function formatConversationFile(
	conversation: Conversation,
	revision: number,
	updatedAt: number,
): Promise<string[]> {
	const { turns } = conversation;
	const version = fileVersionOf(conversation);
	const header = headerSchema.parse({ ...conversation, version, revision, updatedAt, turnCount: turns.length });
	const lines = [`${JSON.stringify(header)}\n`];
	const pause = pauses();
	for (const turn of turns) {
		let line = turnLines.get(turn);
		if (line === undefined) {
			await pause();
			line = `${JSON.stringify(inFileOrder(turn))}\n`;
			turnLines.set(turn, line);
		}
		lines.push(line);
	}
	return lines;
}

/** The same turn gives the same bytes in every window, so that windows can tell when nothing was added. */
function inFileOrder(turn: Turn): unknown {
	const parsed = turnSchema.safeParse(turn);
	return parsed.success ? parsed.data : turn;
}

/** Returns whether a conversation is encrypted, by its first line. */
export function isEncrypted({ encryption, version }: Pick<ConversationHeader, 'encryption' | 'version'>): boolean {
	return encryption !== undefined || version === ENCRYPTED_VERSION;
}

/** @throws DamagedFileError, NewerFileError */
export function parseHeader(line: string): ConversationHeader {
	const json = parseJson(line);
	const version = z.looseObject({ version: z.int() }).safeParse(json);
	if (version.success && version.data.version > ENCRYPTED_VERSION) {
		throw new NewerFileError('The conversation was written by a later version.');
	}
	const header = headerSchema.safeParse(json);
	if (!header.success) {
		if (laterHeaderSchema.safeParse(json).success) {
			throw new NewerFileError('The header has something that only a later version knows.');
		}
		throw new DamagedFileError('The first line is no header.');
	}
	return header.data;
}

/** @throws DamagedFileError, NewerFileError */
export async function parseConversationFile(text: string): Promise<{ conversation: Conversation; revision: number }> {
	const { header, turns, damaged } = await readLines(text);
	if (damaged || header === undefined || turns.length !== header.turnCount || !isTree(turns, header.head)) {
		throw new DamagedFileError('The file does not have the turns that its header counts.');
	}
	const { head = turns.at(-1)?.id, revision } = header;
	return { conversation: toConversation(header, turns, head), revision };
}

/** The readable part of a damaged file. */
export interface Rescue {
	readonly conversation: Conversation;
	/** The number of turns that the file had, if its header still says so. */
	readonly expected: number | undefined;
}

/**
 * Returns the intact turns of a damaged file, or undefined if there are none. `id` and `createdAt` are used for a file
 * without a header. A turn whose predecessor is lost follows the one before it in the file.
 */
export async function rescueConversationFile(
	text: string,
	{ id, createdAt }: { id: string; createdAt: number },
): Promise<Rescue | undefined> {
	const { header, turns: found } = await readLines(text);
	const turns: Turn[] = [];
	const ids = new Set<string>();
	for (const turn of found) {
		if (!ids.has(turn.id)) {
			const { previous, ...others } = turn;
			const before = previous !== undefined && !ids.has(previous) ? turns.at(-1)?.id : previous;
			turns.push(before === undefined ? others : { ...others, previous: before });
			ids.add(turn.id);
		}
	}
	if (turns.length === 0) {
		return undefined;
	}
	const head = header?.head !== undefined && ids.has(header.head) ? header.head : turns.at(-1)?.id;
	const base = header ?? { createdAt, workspace: { folders: [] } };
	return { conversation: toConversation({ ...base, id }, turns, head), expected: header?.turnCount };
}

async function readLines(
	text: string,
): Promise<{ header: ConversationHeader | undefined; turns: Turn[]; damaged: boolean }> {
	const lines = text.split('\n');
	let header: ConversationHeader | undefined;
	try {
		header = parseHeader(lines[0] ?? '');
	} catch (error) {
		if (error instanceof NewerFileError) {
			throw error;
		}
	}
	const found: Turn[] = [];
	// A complete file ends with a line break, so the last piece is empty.
	const end = lines.at(-1) === '' ? -1 : lines.length;
	let damaged = header === undefined || end !== -1;
	const pause = pauses();
	for (const line of lines.slice(header === undefined ? 0 : 1, end)) {
		await pause();
		const json = parseJson(line);
		if (json === undefined) {
			damaged = true;
			continue;
		}
		const turn = turnSchema.safeParse(json).data;
		if (turn) {
			turnLines.set(turn, `${line}\n`);
			found.push(turn);
		} else if (laterTurnSchema.safeParse(json).success) {
			throw new NewerFileError('A turn has something that only a later version knows.');
		} else {
			damaged = true;
		}
	}
	return { header, turns: found, damaged };
}

export function parseTurn(line: string): Turn | undefined {
	return turnSchema.safeParse(parseJson(line)).data;
}

/**
 * Checks that every turn occurs once and after the one that it follows, so that there is no cycle, and that the head is
 * one of them.
 */
function isTree(turns: readonly Turn[], head: string | undefined): boolean {
	const ids = new Set<string>();
	for (const { id, previous } of turns) {
		if (ids.has(id) || (previous !== undefined && !ids.has(previous))) {
			return false;
		}
		ids.add(id);
	}
	return head === undefined || ids.has(head);
}

type Header = Omit<Conversation, 'turns' | 'head' | 'settings' | 'titleReply'> &
	Partial<Pick<ConversationHeader, 'settings' | 'titleReply' | 'version'>>;

function toConversation(header: Header, turns: Turn[], head: string | undefined): Conversation {
	const { id, createdAt, workspace, title, titleReply, mode, branchedFrom, settings } = header;
	const encryption = encryptionOf(header, turns);
	return {
		id,
		createdAt,
		workspace,
		...defined({ title, titleReply, mode, branchedFrom, settings, encryption, head }),
		turns,
	};
}

/** A conversation that is marked as encrypted, but has lost its connection, can be read but not continued. */
function encryptionOf(
	{ encryption, version }: Pick<Header, 'encryption' | 'version'>,
	turns: readonly Turn[],
): Encryption | undefined {
	const isMarked = version === ENCRYPTED_VERSION || turns.some(turn => turn.encrypted);
	return encryption ?? (isMarked ? {} : undefined);
}
