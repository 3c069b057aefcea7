// Texts for agents beside the user's words. Only agents read them, so they are in English.
import type { PromptResource } from '../../agents/session/agentSession.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import type { StepDiff } from '../model/agentWork.ts';
import type { Attachment } from '../model/attachment.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { turnsUpTo } from '../model/conversation.ts';
import { withInstructionFiles } from '../model/instructions.ts';
import { lineDiff } from '../model/lineDiff.ts';

const SIGNS = { same: ' ', added: '+', removed: '-', gap: '', broken: '\\', unbroken: '\\' } as const;

/** The session of a turn, and the instruction files that its agent reads itself. */
export interface KnownInstructions {
	session: { id: string; how: string };
	/** The files that the agent reads itself, by their paths in its working folder. */
	reads: readonly (string | undefined)[];
	/** Returns the agent's path of a file, if the agent has it. */
	pathOf(uri: string): string | undefined;
}

/**
 * Gives the repository's instructions and the user's own, except those that the agent reads itself or was given before.
 */
export function instructionNotice(
	{ conversation, turnId, instructions }: AgentTurn,
	{ session: { id, how }, reads, pathOf }: KnownInstructions,
): PromptResource[] {
	const isNew = how === 'new';
	const path = turnsUpTo(conversation, turnId);
	const before = isNew ? [] : path.filter(({ replies }) => replies.some(({ work }) => work?.session === id));
	const isRead = (at: string | undefined) => at !== undefined && reads.includes(at);
	const isKnown = ({ uri, text }: Attachment) =>
		isRead(uri && pathOf(uri)) ||
		before.some(turn => turn.instructions?.some(file => file.uri === uri && file.text === text));
	const files = (path.at(-1)?.instructions ?? []).filter(file => !isKnown(file));
	const text = withInstructionFiles(files, isNew ? instructions : '');
	return text.trim() === '' ? [] : [{ uri: 'instructions', text }];
}

/** Describes the folder of a new session: its repositories, if there are several, and the files behind a filter. */
export function placeNotices(checkpoints: readonly Checkpoint[], filtered: readonly string[]): PromptResource[] {
	return [...folderNotice(checkpoints), ...filteredFilesNotice(filtered)];
}

function folderNotice(checkpoints: readonly Checkpoint[]): PromptResource[] {
	const folders = checkpoints.flatMap(({ at }) => at ?? []);
	if (folders.length === 0) {
		return [];
	}
	const text = `The working folder has ${folders.length} repositories, each in a folder of its own: ${folders.join(', ')}. Nothing can be written beside these folders. Where a folder has a file of instructions for agents, such as AGENTS.md or CLAUDE.md, read it before you work there.`;
	return [{ uri: 'the folders', text }];
}

/** Says that a plan is wanted. */
export function planNotice(isPlan: boolean): PromptResource[] {
	const text =
		'The user wants a plan and no changes: the files cannot be written in this turn. Read and search, and run what changes nothing. Ask what is unclear. End with the plan in Markdown: the steps in their order, each with the files that it changes, how it is checked, and what is left open.';
	return isPlan ? [{ uri: 'what this turn is for', text }] : [];
}

/** Tells an agent about the images that it does not get. */
export function imageNotice(count: number, { takesImages }: { takesImages: boolean }): PromptResource[] {
	const text = `The message has ${count === 1 ? 'an image' : `${count} images`}, which you are not given, as you take none. Say so.`;
	return count === 0 || takesImages ? [] : [{ uri: 'the images', text }];
}

/** The maximum number of file names to list. */
const MAXIMUM_TOLD = 20;

/** Lists the files behind a filter: it may not have run, and their changes are not written to the user's files. */
function filteredFilesNotice(names: readonly string[]): PromptResource[] {
	if (names.length === 0) {
		return [];
	}
	const rest = names.length > MAXIMUM_TOLD ? ` and ${names.length - MAXIMUM_TOLD} more` : '';
	const text = `A filter such as Git LFS keeps some files. In the working folder they may hold a pointer in place of their content, and what is written to them does not reach the user's files: ${names.slice(0, MAXIMUM_TOLD).join(', ')}${rest}.`;
	return [{ uri: 'the files that a filter keeps', text }];
}

/** Lists the hunks of an agent's edits that the user has refused. */
export function refusedHunksNotice(refused: readonly StepDiff[]): string {
	const hunks = refused.map(({ path, before, after }) => {
		const lines = lineDiff(before, after)?.lines ?? [];
		return [path, ...lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)].join('\n');
	});
	return [
		'The user refused these parts of your edits and allowed the rest. The user’s files do not have them. Your own folder still has them for now: leave them alone there, do not build on them, and do not make them again. If something else has to be different without them, change that; otherwise say in a sentence what this means.',
		...hunks,
	].join('\n\n');
}
