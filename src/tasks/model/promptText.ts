// The beginnings of prompts that are made from a place in a file.
import { fenceOf } from '../../base/fence.ts';
import { replaceHidden } from '../../base/invisible.ts';

export interface PromptSource {
	/** The path of the file in the workspace, with forward slashes. */
	file: string;
	/** Line numbers count from 1. */
	firstLine: number;
	lastLine: number;
	/** The language's id; empty if there is none. */
	language: string;
	/** The text of those lines, or of the selection in them. */
	text: string;
}

/** A prompt about a selection: the file, its lines, the text in a fence, and room to write. */
export function selectionPrompt(source: PromptSource): string {
	return `${placeOf(source)}:\n\n${fenced(source)}\n\n`;
}

/** A prompt about a problem that a tool reports at the place. */
export function problemPrompt(source: PromptSource, fixThis: string, message: string): string {
	return `${fixThis} ${placeOf(source)}:\n\n> ${message.trim().replaceAll('\n', '\n> ')}\n\n${fenced(source)}\n`;
}

export function todoPrompt(source: PromptSource, doThis: string): string {
	return `${doThis} ${placeOf(source)}:\n\n${fenced(source)}\n`;
}

/** Returns the text in a fence. The fence is longer than any run of backticks in the text, so that the text cannot end it. */
export function fenced({ language, text }: Pick<PromptSource, 'language' | 'text'>): string {
	const fence = fenceOf(text);
	return `${fence}${/^[\w+#.-]*$/.test(language) ? language : ''}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** Returns the name of the place: the file and its lines, as inline code. */
export function placeOf({ file, firstLine, lastLine }: Omit<PromptSource, 'text' | 'language'>): string {
	const name = replaceHidden(file.replace(/[\p{Cc}`]/gu, ''), () => '');
	return `\`${name}:${firstLine === lastLine ? firstLine : `${firstLine}-${lastLine}`}\``;
}

/**
 * Returns the text of a line from its TODO or FIXME on, or undefined if it has none. Adjacent letters make it a
 * different word.
 */
export function findTodo(line: string): string | undefined {
	return /(?<![\p{L}\p{N}_])(?:TODO|FIXME)(?![\p{L}\p{N}_]).*$/u.exec(line.slice(0, 2_000))?.[0].trim();
}
