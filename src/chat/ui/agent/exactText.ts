import { css, html, type TemplateResult } from 'lit';
import { codePointName, replaceInvisible } from '../../../base/invisible.ts';

/** Surrounds the name of a hidden character. It is hidden itself, so one in the text is replaced by its own name. */
const MARK = '\u0001';

const CONTROL_SEQUENCE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with a control character.
	/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-Za-z])/g;

/** Returns a text unchanged, except that each hidden character is replaced by an element with its name. */
export function exactText(text: string): (string | TemplateResult)[] {
	return exactParts(text).map(part =>
		typeof part === 'string' ? part : html`<span class="control">${part.name}</span>`,
	);
}

/** Splits a text at its hidden characters and returns their names in between. */
export function exactParts(text: string): (string | { name: string })[] {
	const marked = replaceInvisible(text, character => `${MARK}${codePointName(character)}${MARK}`);
	return marked
		.split(MARK)
		.map((part, index) => (index % 2 === 0 ? part : { name: part }))
		.filter(part => part !== '');
}

/** Returns the output of a command as a terminal finally shows it: without colours, and with overwritten text gone. */
export function terminalText(output: string): string {
	return output
		.replace(CONTROL_SEQUENCE, '')
		.replaceAll('\r\n', '\n')
		.replace(/^.*\r(?=.)/gm, '')
		.replaceAll('\r', '');
}

/** A text that stands exactly as it is: a command, its output, or what a tool is called with. */
export const exactTextStyles = css`
	pre {
		padding: 4px 8px;
		border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
		border-radius: 4px;
		background: var(--vscode-textCodeBlock-background);
		color: var(--vscode-editor-foreground);
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: var(--vscode-editor-font-size, 12px);
		line-height: 1.4;
		tab-size: 4;
		white-space: pre-wrap;
		overflow-wrap: anywhere;
	}
`;
