// The repository's instructions are sent with messages, and to agents that do not read them themselves.
import { saysNothing } from '../../base/instructionFiles.ts';
import { type Attachment, inlineCode, shorten } from './attachment.ts';

/** The limit for the files of one message together, in UTF-16 code units. */
export const MAXIMUM_INSTRUCTIONS = 40_000;

export interface InstructionFile {
	/** The path relative to the workspace folder, with slashes. */
	readonly path: string;
	readonly uri: string;
	readonly text: string;
	/** Identifies the file after links are resolved. */
	readonly place: string;
}

/**
 * Returns the files to send, the nearest last. A file that occurs twice, through a link or as a copy, is sent once,
 * where it is nearest. If the files are too long together, the nearest ones keep most.
 */
export function chosenInstructions(found: readonly InstructionFile[]): Attachment[] {
	const seen = new Set<string>();
	const chosen: Attachment[] = [];
	let room = MAXIMUM_INSTRUCTIONS;
	for (const { path, uri, text, place } of found.toReversed()) {
		const content = text.trim();
		if (saysNothing(content) || seen.has(content) || seen.has(place)) {
			continue;
		}
		seen.add(content).add(place);
		const { text: kept, omitted } = shorten(text, room, 'start');
		room -= kept.length;
		const file = { kind: 'file' as const, label: path, path, uri, text: kept, language: 'markdown' };
		chosen.unshift(omitted > 0 ? { ...file, omitted } : file);
	}
	return chosen;
}

/** These texts are sent to the model and never shown. */
const INTRODUCTION =
	'The people who work on this repository have written down how to work on it. Follow it wherever it applies.';
const NEAREST = 'Where they contradict each other, the later file wins.';
const OWN = 'The user’s own instructions, which win over those files:';

/** Returns the instructions that precede a conversation: those of the files, then the user's own for every model. */
export function withInstructionFiles(files: readonly Attachment[] = [], own: string): string {
	if (files.length === 0) {
		return own;
	}
	const parts = files.map(({ label, text, omitted }) => {
		const left = omitted === undefined ? '' : `\n\n(${omitted} more characters of this file are left out.)`;
		return `From ${inlineCode(label)}:\n\n${text.trim()}${left}`;
	});
	return [
		files.length === 1 ? INTRODUCTION : `${INTRODUCTION} ${NEAREST}`,
		...parts,
		...(own.trim() === '' ? [] : [`${OWN}\n\n${own}`]),
	].join('\n\n');
}
