import type { LogEntry } from '../../contract/tasks.ts';
import { oneLine, plainText } from './plainText.ts';

/** The words that mark a level, in the editor's language. An `info` entry carries none. */
export interface EntryWords {
	error: string;
	warning: string;
	success: string;
}

/** `HH:MM:SS` and two blanks, the source, three characters for the agent's mark. */
const TIME_WIDTH = 10;
const SOURCE_WIDTH = 15;
const TEXT_COLUMN = TIME_WIDTH + SOURCE_WIDTH + 3;
const INDENT = ' '.repeat(TEXT_COLUMN);

/** A longer line is continued below: the editor stops to draw a line somewhere above this. */
const MAXIMUM_LINE = 2000;

/** Steps and agents of a log are few; a service that makes up new ones all the time must not fill the memory. */
const MAXIMUM_SOURCES = 200;

export type EntryFormatter = (entry: LogEntry, sentAt: string | undefined) => string[];

/**
 * Makes the lines of log entries: time, step (with the agent's name), level where it is not `info`, and the message
 * (contract: cloud-tasks.md, Log entry). An entry without step and agent has its level in the step's place.
 * Further lines of a message stand under its text. `sentAt` (ISO 8601) stands in for a missing time of the entry.
 * One for each log: it remembers what entries that follow each other have in common.
 */
export function createEntryFormatter(words: EntryWords): EntryFormatter {
	const sources = new Map<string, string>();
	let second = '';
	let secondText = '';

	const sourceOf = (step: string | undefined, type: string | undefined): string => {
		const text = step || type || '';
		let source = sources.get(text);
		if (source === undefined) {
			if (sources.size >= MAXIMUM_SOURCES) {
				sources.clear();
			}
			source = oneLine(text, SOURCE_WIDTH).padEnd(SOURCE_WIDTH);
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
		const step = stepOf(entry);
		const head = `${timeOf(entry.timestamp ?? sentAt)}  ${sourceOf(step, entry.type)}${mark}`;
		const text = (step ? level(entry, words) : '') + plainText(entry.message ?? '').trimEnd();
		return text.length <= MAXIMUM_LINE && !text.includes('\n') ? [(head + text).trimEnd()] : wrap(head, text);
	};
}

function wrap(head: string, text: string): string[] {
	const lines: string[] = [];
	for (const line of text.split('\n')) {
		for (let start = 0; start === 0 || start < line.length; ) {
			const end = cut(line, start + MAXIMUM_LINE);
			lines.push(((lines.length === 0 ? head : INDENT) + line.slice(start, end)).trimEnd());
			start = Math.max(end, start + 1);
		}
	}
	return lines;
}

/** `end`, or one less where it would part a surrogate pair. */
function cut(line: string, end: number): number {
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

/** `git_cloning` reads `git cloning`; in `agent_executing` the agent's own name stands for `agent`. */
function stepOf({ step, agent }: LogEntry): string | undefined {
	const words = step?.replaceAll('_', ' ');
	if (!agent || words === undefined) {
		return words ?? agent;
	}
	return words === 'agent' || words.startsWith('agent ') ? agent + words.slice('agent'.length) : words;
}

function level(entry: LogEntry, words: EntryWords): string {
	switch (entry.type) {
		case 'error':
			return `${words.error}: `;
		case 'warning':
			return `${words.warning}: `;
		case 'success':
			return `${words.success}: `;
		case 'info':
		case 'system':
		case undefined:
			return '';
		default:
			return `${oneLine(entry.type, SOURCE_WIDTH)}: `;
	}
}
