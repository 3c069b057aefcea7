// The form of a conversation on disk: lines of JSON. The first is a header, so that a list of conversations reads only
// the start of each file; then one line for each turn.
import * as z from 'zod';
import { type CommandId, commands } from '../../platform/ids.ts';
import type { Conversation } from './conversation.ts';

const FILE_VERSION = 1;

const commandIds: ReadonlySet<string> = new Set(Object.values(commands));

const workspaceSchema = z.object({
	name: z.string().exactOptional(),
	folders: z.array(z.string()),
	remote: z.string().exactOptional(),
});

const headerSchema = z.object({
	version: z.literal(FILE_VERSION),
	id: z.uuid(),
	/** Grows by one with each write. */
	revision: z.int().positive(),
	createdAt: z.number(),
	updatedAt: z.number(),
	workspace: workspaceSchema,
	branchedFrom: z.uuid().exactOptional(),
	turnCount: z.int().nonnegative(),
});
export type ConversationHeader = z.output<typeof headerSchema>;

/** A command of a later version is no button here, and no reason to refuse the file. */
const explanationSchema = z
	.object({
		message: z.string(),
		action: z.object({ label: z.string(), command: z.string() }).exactOptional(),
	})
	.transform(({ message, action }) =>
		action && commandIds.has(action.command)
			? { message, action: { label: action.label, command: action.command as CommandId } }
			: { message },
	);

const replySchema = z.object({
	state: z.enum(['streaming', 'done', 'stopped', 'cutOff', 'failed']),
	startedAt: z.number(),
	endedAt: z.number().exactOptional(),
	text: z.string(),
	reasoning: z.string().exactOptional(),
	model: z.string().exactOptional(),
	provider: z.string().exactOptional(),
	usage: z
		.object({
			prompt: z.number().exactOptional(),
			cached: z.number().exactOptional(),
			completion: z.number().exactOptional(),
		})
		.exactOptional(),
	explanation: explanationSchema.exactOptional(),
});

const turnSchema = z.object({
	id: z.uuid(),
	askedAt: z.number(),
	question: z.string(),
	replies: z.tuple([replySchema], replySchema),
});

/** The file is not one of ours, or not whole. */
export class DamagedFileError extends Error {
	override readonly name = 'DamagedFileError';
}

/** The file is of a later version of the extension: not damaged, not to be touched. */
export class NewerFileError extends Error {
	override readonly name = 'NewerFileError';
}

export function formatConversationFile(conversation: Conversation, revision: number, updatedAt: number): string {
	const header: ConversationHeader = {
		version: FILE_VERSION,
		id: conversation.id,
		revision,
		createdAt: conversation.createdAt,
		updatedAt,
		workspace: { ...conversation.workspace, folders: [...conversation.workspace.folders] },
		...(conversation.branchedFrom === undefined ? {} : { branchedFrom: conversation.branchedFrom }),
		turnCount: conversation.turns.length,
	};
	return `${[header, ...conversation.turns].map(line => JSON.stringify(line)).join('\n')}\n`;
}

/** @throws DamagedFileError, NewerFileError */
export function parseHeader(line: string): ConversationHeader {
	const json = parseLine(line);
	const version = z.looseObject({ version: z.int() }).safeParse(json);
	if (version.success && version.data.version > FILE_VERSION) {
		throw new NewerFileError('The conversation was written by a later version.');
	}
	const header = headerSchema.safeParse(json);
	if (!header.success) {
		throw new DamagedFileError('The first line is no header.');
	}
	return header.data;
}

/** @throws DamagedFileError, NewerFileError */
export function parseConversationFile(text: string): { conversation: Conversation; revision: number } {
	const lines = text.split('\n');
	const header = parseHeader(lines[0] ?? '');
	// A whole file ends with a line break, so the last piece is empty.
	const turnLines = lines.slice(1, -1);
	if (turnLines.length !== header.turnCount || lines.at(-1) !== '') {
		throw new DamagedFileError('The file does not have the turns that its header counts.');
	}
	const turns = turnLines.map(line => {
		const turn = turnSchema.safeParse(parseLine(line));
		if (!turn.success) {
			throw new DamagedFileError('A line is no turn.');
		}
		return turn.data;
	});
	const { id, createdAt, workspace, branchedFrom, revision } = header;
	return {
		conversation: { id, createdAt, workspace, ...(branchedFrom === undefined ? {} : { branchedFrom }), turns },
		revision,
	};
}

function parseLine(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch (error) {
		throw new DamagedFileError('A line is not JSON.', { cause: error });
	}
}
