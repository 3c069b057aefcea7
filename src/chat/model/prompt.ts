// Prompts that a message can begin with, which are files of a folder or of the user, and how typed text is filled into
// them. A file is hostile input: nothing in it is obeyed except the mode of the message.
import { defined } from '../../base/defined.ts';
import { oneLine, plainText } from '../../base/plainText.ts';
import { TURN_MODES, type TurnMode } from './mode.ts';

const MAXIMUM_DESCRIPTION = 200;
const MAXIMUM_HINT = 60;
/** The maximum number of files to offer of those that a prompt names. */
const MAXIMUM_REFERENCES = 20;

/** The fields that other programs obey and that are shown as ignored. */
const UNUSED = ['model', 'tools', 'allowed-tools'];

export interface Prompt {
	readonly description?: string;
	/** A hint about the text to type after the name. */
	readonly hint?: string;
	/** The mode of the message, which overrides the conversation's. */
	readonly mode?: TurnMode;
	/** The names of fields that are ignored. */
	readonly unused: readonly string[];
	/** True if the text has a command that other programs would run. */
	readonly hasCommand: boolean;
	/** The paths of files that the text names, as it writes them. */
	readonly references: readonly string[];
	readonly text: string;
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/;
/** All line breaks that `.` does not match: a line with one would be searched again from each of its blanks. */
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;
const FIELD = /^([A-Za-z][\w-]*):(?:[ \t](.*))?$/;
const COMMAND = /!`[^`\n]+`|^```!/m;

/** Parses a prompt file. In its front matter, only lines of the form `key: value` count. */
export function parsePrompt(file: string): Prompt {
	const [head = '', lines = ''] = FRONT_MATTER.exec(file) ?? [];
	const fields = new Map<string, string>();
	for (const line of lines.split(LINE_BREAK)) {
		const [, key, value = ''] = FIELD.exec(line.trimEnd()) ?? [];
		if (key !== undefined) {
			fields.set(key.toLowerCase(), unquoted(value.trim()));
		}
	}
	const text = plainText(file.slice(head.length)).trim();
	const chosen = fields.get('agent') ?? fields.get('mode');
	const mode = chosen === 'ask' ? 'chat' : TURN_MODES.find(known => known === chosen?.toLowerCase());
	const isUnknownMode = chosen !== undefined && mode === undefined;
	const unused = UNUSED.filter(name => fields.has(name));
	return {
		...defined({
			description: oneLine(fields.get('description') ?? '', MAXIMUM_DESCRIPTION) || undefined,
			hint: oneLine(fields.get('argument-hint') ?? '', MAXIMUM_HINT) || undefined,
			mode,
		}),
		unused: isUnknownMode ? [...unused, fields.has('agent') ? 'agent' : 'mode'] : unused,
		hasCommand: COMMAND.test(text),
		references: referencesIn(text),
		text,
	};
}

function unquoted(value: string): string {
	const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')[ \t]*(?:#.*)?$/.exec(value) ?? [];
	return (
		double?.replace(/\\(.)/g, '$1') ?? single?.replaceAll("''", "'") ?? value.replace(/(?:^|[ \t])#.*$/, '').trim()
	);
}

/** Returns the paths after `#file:`, and those after `@` that can only be paths. */
function referencesIn(text: string): string[] {
	const found = new Set<string>();
	for (const [, named, mentioned] of text.matchAll(/#file:([^\s`'"()<>]{1,300})|(?<![\w@`])@([^\s`'"()<>@]{1,300})/g)) {
		const path = (named ?? mentioned ?? '').replace(/[.,:;!?]+$/, '');
		if (named !== undefined || /[./]/.test(path)) {
			found.add(path);
		}
	}
	return [...found].filter(path => path !== '').slice(0, MAXIMUM_REFERENCES);
}

/** `$ARGUMENTS`, `$1` to `$9`, `${input:name}` with or without a placeholder, and the selection. */
const PLACEHOLDER =
	/\$ARGUMENTS\b|\$([1-9])(?!\d)|\$\{input:([^:}\n]{1,60})(?::[^}\n]{0,200})?\}|\$\{(selection|selectedText)\}/g;

/** Replaces the selection in a prompt: the selection itself is sent as context, which the user sees. */
const SELECTION = 'the attached context';

/**
 * Fills the text typed after a prompt's name into the prompt, as plain text: placeholders in it are not filled again.
 * Typed text without a placeholder goes to the end. If nothing was typed for some inputs, returns their names instead.
 */
export function fillPrompt(text: string, typed: string): { text: string } | { missing: string[] } {
	const places = [...text.matchAll(PLACEHOLDER)];
	const inputs = [...new Set(places.flatMap(([, , name]) => name ?? []))];
	const words = [...typed.matchAll(/"([^"]*)"|\S+/g)];
	const word = (at: number) => words[at]?.[1] ?? words[at]?.[0] ?? '';
	/** The last input takes the whole rest, so that a single input needs no quotation marks. */
	const input = (at: number) => (at < inputs.length - 1 ? word(at) : typed.slice(words[at]?.index ?? typed.length));
	const missing = inputs.filter((_, at) => input(at) === '');
	if (missing.length > 0) {
		return { missing: missing.map(name => oneLine(name, MAXIMUM_HINT)) };
	}
	const isForSelection = places.every(([, , , selection]) => selection !== undefined);
	const filled = text.replace(PLACEHOLDER, (_, at?: string, name?: string, selection?: string) => {
		if (at !== undefined) {
			return word(Number(at) - 1);
		}
		if (name !== undefined) {
			return input(inputs.indexOf(name));
		}
		return selection === undefined || (isForSelection && typed !== '') ? typed : SELECTION;
	});
	return { text: places.length === 0 && typed !== '' ? `${filled}\n\n${typed}` : filled };
}
