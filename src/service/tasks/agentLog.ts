import {
	type AgentCost,
	type AgentEvent,
	type FormRefusal,
	isOver,
	type PermissionAnswer,
	type PermissionRequest,
	type PlanEntry,
	type ToolCall,
} from '../../agents/session/events.ts';
import { cut, oneLine } from '../../base/plainText.ts';
import type { LogPlace, TaskLog } from './taskLog.ts';

/** All lengths here are in UTF-16 code units. A longer line of a message becomes several entries. */
const MAXIMUM_LINE = 8_000;
const MAXIMUM_TITLE = 400;
const MAXIMUM_THOUGHT = 4_000;
const MAXIMUM_OUTPUT = 400;
const MAXIMUM_COMMAND = 2_000;
const MAXIMUM_END = 1_000;
const MAXIMUM_END_LINES = 8;
const MAXIMUM_PLAN_ENTRIES = 50;

const FORM_REFUSALS: Readonly<Record<FormRefusal, string>> = {
	nobody: 'Not answered, as nobody is there to be asked:',
	secret: 'Not answered, as it asks for a key or password:',
	address: 'Not answered, as it wants an address opened:',
	unreadable: 'Not answered, as it asks for what cannot be shown:',
};

const PLAN_MARKS: Readonly<Record<PlanEntry['status'], string>> = { pending: ' ', in_progress: '>', completed: 'x' };

/**
 * Converts the events of an agent into entries of a task's log. A message is appended line by line while it arrives, a
 * thought as a whole. A tool call has an entry when it begins, with its exact command, and one with its changes, its
 * failure or the end of its output.
 */
export class AgentLog {
	private readonly log: TaskLog;
	private readonly tree: string;
	private message = '';
	private thought = '';
	private plan = '';
	private cost: AgentCost | undefined;
	/** The calls that are not in the log yet. The session limits their number. */
	private readonly unnamed = new Set<string>();
	/** The entries with which the calls in progress have begun. */
	private readonly begun = new Map<string, LogPlace>();

	/** `tree` is the folder of the repository, as the agent sees it. */
	constructor(log: TaskLog, tree: string) {
		this.log = log;
		this.tree = tree;
	}

	/** Returns the place of its first entry for a tool call that is over. */
	add(event: AgentEvent): LogPlace | undefined {
		if (event.type !== 'message') {
			this.endMessage();
		}
		if (event.type !== 'thought') {
			this.endThought();
		}
		switch (event.type) {
			case 'message':
				this.addMessage(event.text);
				break;
			case 'thought':
				this.thought = (this.thought + event.text).slice(0, MAXIMUM_THOUGHT);
				break;
			case 'plan':
				this.addPlan(event.entries);
				break;
			case 'tool':
				return this.addCall(event);
			case 'permission':
				this.addPermission(event.request, event.answer);
				break;
			case 'form-refused':
				this.log.said(
					'agent_permission',
					`${FORM_REFUSALS[event.refusal]} ${oneLine(event.form.message, MAXIMUM_TITLE)}`,
					'warning',
				);
				break;
			case 'usage':
				this.cost = event.cost ?? this.cost;
				break;
			default:
				break;
		}
		return undefined;
	}

	/** Appends what has arrived of an unfinished message or thought. */
	end(): void {
		this.endMessage();
		this.endThought();
		if (this.cost !== undefined) {
			const { amount, currency } = this.cost;
			this.log.said('agent_usage', `The agent says that its session has cost ${amount} ${currency} so far.`);
			this.cost = undefined;
		}
	}

	private addMessage(text: string): void {
		this.message += text;
		for (let end = this.message.indexOf('\n'); end >= 0 || this.message.length > MAXIMUM_LINE; ) {
			const length = end >= 0 && end <= MAXIMUM_LINE ? end : MAXIMUM_LINE;
			this.sayMessage(this.message.slice(0, length));
			this.message = this.message.slice(length === end ? length + 1 : length);
			end = this.message.indexOf('\n');
		}
	}

	private endMessage(): void {
		this.sayMessage(this.message);
		this.message = '';
	}

	private sayMessage(line: string): void {
		if (line.trim() !== '') {
			this.log.said('agent_message', line.trimEnd(), 'info', 'agentResponse');
		}
	}

	private endThought(): void {
		if (this.thought.trim() !== '') {
			this.log.said('agent_thought', this.thought.trim());
		}
		this.thought = '';
	}

	private addPlan(entries: readonly PlanEntry[]): void {
		const shown = entries.slice(0, MAXIMUM_PLAN_ENTRIES);
		const text = shown
			.map(({ status, content }) => `[${PLAN_MARKS[status]}] ${oneLine(content, MAXIMUM_TITLE)}`)
			.join('\n');
		if (text !== '' && text !== this.plan) {
			this.plan = text;
			this.log.said('agent_plan', text);
		}
	}

	/** Many agents describe a call only in a later update, so it is logged when it begins or ends, not when announced. */
	private addCall({ call, isNew, changed }: Extract<AgentEvent, { type: 'tool' }>): LogPlace | undefined {
		const hasEnded = changed.includes('status') && isOver(call);
		if (isNew) {
			this.unnamed.add(call.id);
		}
		const hasBegun = call.status === 'in_progress' && (call.title !== '' || call.locations.length > 0);
		if ((hasBegun || hasEnded) && this.unnamed.delete(call.id)) {
			this.begun.set(
				call.id,
				this.log.said('agent_tool', [this.titleOf(call), commandOf(call)].filter(Boolean).join('\n')),
			);
		}
		if (!hasEnded) {
			return undefined;
		}
		const place = this.begun.get(call.id);
		this.begun.delete(call.id);
		for (const { path, oldText, newText } of call.diffs) {
			const diff = shortDiff(oldText ?? '', newText);
			if (diff !== '') {
				this.log.said('agent_tool', `${this.shownPath(path)}\n${diff}`, 'info', 'ansi');
			}
		}
		if (call.kind === 'notice' && call.output.trim() !== '') {
			this.log.said('agent_tool', call.output, call.status === 'failed' ? 'warning' : 'info');
		} else if (call.status === 'failed') {
			const output = oneLine(call.output, MAXIMUM_OUTPUT);
			this.log.said('agent_tool', `${this.titleOf(call)} failed${output === '' ? '.' : `: ${output}`}`, 'warning');
		} else if (call.command !== undefined && call.output.trim() !== '') {
			this.log.said('agent_tool', endOf(call.output));
		} else if (call.kind === 'think' && call.output.trim() !== '') {
			this.log.said('agent_thought', cut(call.output.trim(), MAXIMUM_THOUGHT));
		}
		return place;
	}

	private addPermission({ call, options }: PermissionRequest, { option, reason }: PermissionAnswer): void {
		const kind = options.find(({ id }) => id === option)?.kind;
		if (kind === undefined) {
			// The task has ended.
			return;
		}
		const isAllowed = kind === 'allow_once' || kind === 'allow_always';
		const why = reason === undefined ? '' : ` (${reason})`;
		const what = [`${this.titleOf(call)}${why}`, commandOf(call)].filter(Boolean).join('\n');
		const message = `${isAllowed ? 'Allowed' : 'Refused'}: ${what}`;
		this.log.said('agent_permission', message, isAllowed ? 'info' : 'warning');
	}

	/** Returns the title of a call, with its path if the title seems to be only the tool's name. */
	private titleOf({ title, kind, locations }: ToolCall): string {
		const text = oneLine(title, MAXIMUM_TITLE) || (kind === 'compact' ? 'The agent shortens its context.' : kind);
		const path = locations[0]?.path;
		return path === undefined || text.includes(path) || /[\s/\\.]/.test(text)
			? text
			: `${text} ${this.shownPath(path)}`;
	}

	/** Returns a path as the user knows it: relative to the repository if it lies inside. */
	private shownPath(path: string): string {
		const shown = path.startsWith(`${this.tree}/`) ? path.slice(this.tree.length + 1) : path;
		return oneLine(shown, MAXIMUM_TITLE);
	}
}

/** Returns a call's exact command, as titles are the agent's own words. The log makes hidden characters visible. */
function commandOf({ command, title }: ToolCall): string {
	return command === undefined || command === title ? '' : `$ ${cut(command, MAXIMUM_COMMAND)}`;
}

/** Returns the end of a command's output, which says how the command ended. */
function endOf(output: string): string {
	const lines = output.trimEnd().slice(-MAXIMUM_END).split('\n').slice(-MAXIMUM_END_LINES);
	const end = lines.join('\n');
	return end.length < output.trimEnd().length ? `…\n${end}` : end;
}

const MAXIMUM_CHANGES = 40;
const MAXIMUM_CHANGED_LINE = 300;

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
/** Makes escape characters visible, as a change can contain escape sequences of its own. */
const plain = (text: string) => text.replaceAll('\u001b', '\u241b');

/**
 * Returns the lines between the common beginning and the common end of two texts, coloured for a log; empty if the
 * texts are equal.
 */
export function shortDiff(before: string, after: string): string {
	const [old, now] = [linesOf(before), linesOf(after)];
	let begin = 0;
	while (begin < old.length && begin < now.length && old[begin] === now[begin]) {
		begin++;
	}
	let end = 0;
	while (
		end < old.length - begin &&
		end < now.length - begin &&
		old[old.length - 1 - end] === now[now.length - 1 - end]
	) {
		end++;
	}
	const removed = old.slice(begin, old.length - end).map(line => ({ mark: '-', line, colour: red }));
	const added = now.slice(begin, now.length - end).map(line => ({ mark: '+', line, colour: green }));
	const changes = [...removed, ...added];
	const shown = changes
		.slice(0, MAXIMUM_CHANGES)
		.map(({ mark, line, colour }) =>
			colour(`${mark} ${plain(line.length > MAXIMUM_CHANGED_LINE ? `${line.slice(0, MAXIMUM_CHANGED_LINE)}…` : line)}`),
		);
	if (changes.length > MAXIMUM_CHANGES) {
		shown.push(`… and ${changes.length - MAXIMUM_CHANGES} more lines`);
	}
	return shown.join('\n');
}

function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	if (lines.at(-1) === '') {
		lines.pop();
	}
	return lines;
}
