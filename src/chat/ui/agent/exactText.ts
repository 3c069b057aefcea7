import { html, type TemplateResult } from 'lit';
import { codePointName, replaceInvisible } from '../../../base/invisible.ts';

/** Stands before and after the name of a hidden character. It is one itself, so wherever the text has it, it is named. */
const MARK = '\u0001';

const CONTROL_SEQUENCE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with a control character.
	/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-Za-z])/g;

/** Returns a text as it is, with the name of each hidden character in its place as an element. */
export function exactText(text: string): (string | TemplateResult)[] {
	return exactParts(text).map(part =>
		typeof part === 'string' ? part : html`<span class="control">${part.name}</span>`,
	);
}

/** Cuts a text at its hidden characters, of which it returns the names. */
export function exactParts(text: string): (string | { name: string })[] {
	const marked = replaceInvisible(text, character => `${MARK}${codePointName(character)}${MARK}`);
	return marked
		.split(MARK)
		.map((part, index) => (index % 2 === 0 ? part : { name: part }))
		.filter(part => part !== '');
}

/** Returns the output of a command as a terminal shows it in the end: without colours, and each line as it was left. */
export function terminalText(output: string): string {
	return output
		.replace(CONTROL_SEQUENCE, '')
		.replaceAll('\r\n', '\n')
		.replace(/^.*\r(?=.)/gm, '')
		.replaceAll('\r', '');
}
