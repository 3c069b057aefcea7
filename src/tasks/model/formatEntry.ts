import * as l10n from '@vscode/l10n';
import { cut, oneLine } from '../../base/plainText.ts';
import { AGENT_LOG_STEPS, type LogEntry } from '../../contract/tasks.ts';
import { type ColourRun, readColours, visibleText } from './visibleText.ts';

/** A log consists of entries by index, and of notes that Errand adds. */
export type LogRecord =
	| { index: number; entry: LogEntry; sentAt: string | undefined }
	/** A note before the entry `index`. `next` is the index at which the log continues. */
	| { index: number; note: string; next: number };

/** A line begins with `HH:MM:SS` and two blanks, the source, and three characters for the agent's mark. */
const TIME_WIDTH = 10;
const SOURCE_WIDTH = 15;
export const TEXT_COLUMN = TIME_WIDTH + SOURCE_WIDTH + 3;
const INDENT = ' '.repeat(TEXT_COLUMN);

/**
 * The indent of further lines in a document that the editor wraps. The editor indents wrapped text by the line's
 * leading blanks plus one tab stop, which is as wide as the text's column. The no-break space at the end is not a blank
 * for the editor, so the leading blanks end before the first tab stop.
 */
const WRAPPED_INDENT = `${' '.repeat(TEXT_COLUMN - 1)}\u00a0`;

/** Replaces tabs, because a tab stop in the document is as wide as everything before the text. */
const TAB = '    ';

/**
 * A longer line is continued on the next one, because the editor stops rendering a line somewhere above this length.
 */
const MAXIMUM_LINE = 2000;

/** Formatters that cut entries cut them after this many lines. */
const MAXIMUM_LINES = 100;

/** A log has few steps and agents; a service that keeps inventing new ones must not fill the memory. */
const MAXIMUM_SOURCES = 200;

/** The minimum number of characters by which an agent's name can be distinguished from others. */
const MINIMUM_NAME = 4;

/** The prefix of the steps of the local service's agents, and shorter words for some of them. */
const AGENT = 'agent ';
const AGENT_WORDS: ReadonlyMap<string, string> = new Map([
	['message', ''],
	['thought', 'thinks'],
	['permission', 'asks'],
	['refused', 'denied'],
]);
const AGENT_STEPS: ReadonlySet<string> = new Set(AGENT_LOG_STEPS);

export type EntryFormatter = (entry: LogEntry, sentAt: string | undefined) => string[];

interface StyledLine {
	text: string;
	colours: ColourRun[];
}

/**
 * Creates the formatter for the entries of one log: time, step (with the agent's name), level unless it is `info`, and
 * the message (contract: cloud-tasks.md, Log entry). An entry without step and agent has its level in place of the
 * step. Further lines of a message are indented to its text. `sentAt` (ISO 8601) replaces a missing time of the entry.
 * Each log needs its own formatter, because it caches the parts that consecutive entries share.
 */
export function createEntryFormatter(): EntryFormatter {
	const head = createHeads();
	return (entry, sentAt) => {
		const start = head(entry, sentAt);
		const text = levelOf(entry) + visibleText(entry.message ?? '').trimEnd();
		return text.length <= MAXIMUM_LINE && !text.includes('\n')
			? [(start + text).trimEnd()]
			: layOut(text).map(({ from, to }, line) => ((line === 0 ? start : INDENT) + text.slice(from, to)).trimEnd());
	};
}

/**
 * Creates the formatter for the same lines in a document, with the colours of their messages and with long messages
 * cut. Their indents let the editor align wrapped text: see the defaults for the language in package.json.
 * `maximumMessage` is the length of the longest message that is shown in full, in UTF-16 code units; `cut` returns the
 * text that replaces the rest of a longer one.
 */
export function createStyledFormatter(maximumMessage: number, cut: (characters: number) => string) {
	const head = createHeads();
	return (entry: LogEntry, sentAt: string | undefined): StyledLine[] => {
		const start = head(entry, sentAt);
		const message = entry.message ?? '';
		const end = message.length <= maximumMessage ? message.length : wholeCharacters(message, maximumMessage);
		const level = levelOf(entry);
		const { text: shown, runs } = readColours(message.slice(0, end).replaceAll('\t', TAB));
		const text = level + shown.trimEnd() + (end < message.length ? cut(message.length - end) : '');
		const lines = layOut(text);
		const rest = lines[MAXIMUM_LINES];
		const note = rest && { text: WRAPPED_INDENT + cut(text.length - rest.from).trimStart(), colours: [] };
		const shownLines = lines.slice(0, MAXIMUM_LINES).map(({ from, to }, line) => {
			const part = text.slice(from, to).trimEnd();
			return {
				text: ((line === 0 ? start : WRAPPED_INDENT) + part).trimEnd(),
				colours: runs.flatMap(run => {
					const first = Math.max(run.start + level.length, from);
					const last = Math.min(run.end + level.length, from + part.length);
					const shift = TEXT_COLUMN - from;
					return first < last ? [{ start: first + shift, end: last + shift, style: run.style }] : [];
				}),
			};
		});
		return note ? [...shownLines, note] : shownLines;
	};
}

/** Returns a function that formats the part of a line before the text. */
function createHeads(): (entry: LogEntry, sentAt: string | undefined) => string {
	const sources = new Map<string, string>();
	let second = '';
	let secondText = '';

	const sourceOf = (entry: LogEntry): string => {
		const text = stepOf(entry) || entry.type || '';
		let source = sources.get(text);
		if (source === undefined) {
			if (sources.size >= MAXIMUM_SOURCES) {
				sources.clear();
			}
			source = shortSource(text, entry.agent).padEnd(SOURCE_WIDTH);
			sources.set(text, source);
		}
		return source;
	};
	const timeOf = (timestamp: string | undefined): string => {
		// Times in UTC with the same first 19 characters (`2026-11-21T10:42:07`) are in the same second.
		if (timestamp === undefined || !timestamp.endsWith('Z')) {
			return time(timestamp);
		}
		if (!timestamp.startsWith(second) || second === '') {
			second = timestamp.slice(0, 19);
			secondText = time(timestamp);
		}
		return secondText;
	};
	return (entry, sentAt) => {
		const mark = entry.contentType === 'agentResponse' ? ' › ' : '   ';
		return `${timeOf(entry.timestamp ?? sentAt)}  ${sourceOf(entry)}${mark}`;
	};
}

/** Splits a text into lines, breaking long ones. Returns offsets with an exclusive end. */
function layOut(text: string): { from: number; to: number }[] {
	const lines: { from: number; to: number }[] = [];
	for (let start = 0; start <= text.length; ) {
		const newline = text.indexOf('\n', start);
		const end = newline === -1 ? text.length : newline;
		let from = start;
		do {
			const to = Math.min(end, wholeCharacters(text, from + MAXIMUM_LINE));
			lines.push({ from, to });
			from = to;
		} while (from < end);
		start = end + 1;
	}
	return lines;
}

/** Returns `end`, or one less if it would split a surrogate pair. */
function wholeCharacters(line: string, end: number): number {
	if (end >= line.length) {
		return line.length;
	}
	const code = line.charCodeAt(end);
	return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end;
}

function time(timestamp: string | undefined): string {
	const date = new Date(timestamp ?? Number.NaN);
	if (Number.isNaN(date.getTime())) {
		return '--:--:--';
	}
	const part = (value: number) => String(value).padStart(2, '0');
	return `${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}`;
}

/** Shortens a source to its column. In an agent's step only the agent's name is cut, as the rest names the action. */
function shortSource(text: string, agent = ''): string {
	const whole = oneLine(text);
	const did = agent !== '' && text.startsWith(`${agent} `) ? oneLine(text.slice(agent.length)) : '';
	const left = SOURCE_WIDTH - did.length - 1;
	return did !== '' && whole.length > SOURCE_WIDTH && left >= MINIMUM_NAME
		? `${cut(oneLine(agent), left)} ${did}`
		: cut(whole, SOURCE_WIDTH);
}

/**
 * Formats `git_cloning` as `git cloning`. In `agent_executing`, the agent's own name replaces `agent`, and a message
 * has only that name.
 */
export function stepOf({ step, agent }: LogEntry): string | undefined {
	const words = step?.replaceAll('_', ' ');
	if (!agent || words === undefined) {
		return words ?? agent;
	}
	if (words !== 'agent' && !words.startsWith(AGENT)) {
		return words;
	}
	const did = words.slice(AGENT.length);
	const shown = AGENT_WORDS.get(did) ?? did;
	return shown === '' ? agent : `${agent} ${shown}`;
}

/**
 * The part of an entry in an agent's turn: a message begins the turn, and the actions that follow belong to it.
 * Undefined for entries that are not the agent's.
 */
export function turnPartOf({ step }: LogEntry): 'message' | 'work' | undefined {
	if (step === 'agent_message') {
		return 'message';
	}
	return step !== undefined && AGENT_STEPS.has(step) ? 'work' : undefined;
}

/** Returns whether the entry is only a detail for those who look closely: the agent's thoughts, and their cost. */
export function isAside(entry: LogEntry): boolean {
	return entry.step === 'agent_thought' || isAccount(entry);
}

/** Returns whether the entry only counts the cost of the agent's models, between entries of the agent's work. */
export function isAccount({ step }: LogEntry): boolean {
	return step === 'agent_usage' || step === 'agent_model';
}

/** An `info` entry has no word for its level. */
function levelOf(entry: LogEntry): string {
	if (!stepOf(entry)) {
		return '';
	}
	switch (entry.type) {
		case 'error':
			return `${l10n.t('error')}: `;
		case 'warning':
			return `${l10n.t('warning')}: `;
		case 'success':
			return `${l10n.t('success')}: `;
		case 'info':
		case 'debug':
		case 'system':
		case undefined:
			return '';
		default:
			return `${oneLine(entry.type, SOURCE_WIDTH)}: `;
	}
}
