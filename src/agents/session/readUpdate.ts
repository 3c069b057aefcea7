import { randomUUID } from 'node:crypto';
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { oneLine } from '../../base/plainText.ts';
import { cutText } from './cutText.ts';
import {
	type AgentCommand,
	type AgentCost,
	type AgentEvent,
	PLAN_STATUSES,
	type PlanEntry,
	type ToolStatus,
} from './events.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_ID, MAXIMUM_TEXT, MAXIMUM_TITLE } from './limits.ts';
import { oneOf, readList, textOfBlock } from './read.ts';
import { readToolCall } from './toolCallFields.ts';
import type { ToolCalls } from './toolCalls.ts';

/** The length to which the names of unknown kinds of updates, of commands and of currencies are cut. */
const MAXIMUM_KIND = 100;
/** The length to which an unknown update is cut. */
const MAXIMUM_OTHER = 2_000;

/** The updates about the session rather than a prompt. They may arrive before the first prompt. */
export const SESSION_UPDATES: ReadonlySet<unknown> = new Set([
	'available_commands_update',
	'config_option_update',
	'current_mode_update',
	'session_info_update',
]);

/**
 * Returns the event for the `update` of a `session/update`, or undefined if nothing in it is new or can be read. Tool
 * calls are remembered in `calls`.
 */
export function readUpdate(update: unknown, calls: ToolCalls): AgentEvent | undefined {
	if (!isFields(update) || typeof update['sessionUpdate'] !== 'string') {
		return undefined;
	}
	const kind = update['sessionUpdate'];
	switch (kind) {
		case 'agent_message_chunk':
		case 'agent_thought_chunk': {
			const { content } = update;
			const text = textOfBlock(content);
			if (text === undefined && isFields(content) && content['type'] !== 'text') {
				return otherUpdate(kind, update);
			}
			return text ? { type: kind === 'agent_message_chunk' ? 'message' : 'thought', text } : undefined;
		}
		case 'tool_call':
		case 'tool_call_update': {
			const told = readToolCall(update);
			return told && calls.tell(told);
		}
		case 'plan': {
			const plan = readList(update['entries'], MAXIMUM_ENTRIES, readPlanEntry);
			return plan && { type: 'plan', entries: plan.entries };
		}
		case 'usage_update': {
			const { used, size, cost } = update;
			return isCount(used) && isCount(size)
				? { type: 'usage', used, size, ...defined({ cost: readCost(cost) }) }
				: undefined;
		}
		case 'available_commands_update': {
			const commands = readList(update['availableCommands'], MAXIMUM_ENTRIES, readCommand);
			return commands && { type: 'commands', commands: commands.entries };
		}
		case 'session_info_update': {
			const { title } = update;
			return typeof title === 'string' ? { type: 'title', title: oneLine(title, MAXIMUM_TITLE) } : undefined;
		}
		case 'notice':
			return readNotice(update, calls);
		case 'compaction_update':
		case 'compaction_summary_chunk':
			return readCompaction(update, calls);
		// The session reads these itself, and the user's own message is known.
		case 'current_mode_update':
		case 'config_option_update':
		case 'user_message_chunk':
			return undefined;
		default:
			return otherUpdate(kind, update);
	}
}

function otherUpdate(kind: string, update: Record<string, unknown>): AgentEvent {
	return { type: 'other', kind: oneLine(kind, MAXIMUM_KIND), text: cutText(JSON.stringify(update), MAXIMUM_OTHER) };
}

/** A notice is reported as a finished call without a tool. */
function readNotice({ severity, title, description }: Record<string, unknown>, calls: ToolCalls) {
	const output = typeof description === 'string' ? cutText(description, MAXIMUM_TEXT) : '';
	return typeof title === 'string'
		? calls.tell({
				id: `notice ${randomUUID()}`,
				fields: {
					title: oneLine(title, MAXIMUM_TITLE),
					kind: 'notice',
					status: severity === 'error' ? 'failed' : 'completed',
					output,
				},
				complete: true,
			})
		: undefined;
}

/** So is a compaction, whose output is its summary, or the reason why it failed. */
function readCompaction(update: Record<string, unknown>, calls: ToolCalls) {
	const { compactionId, status, summary, content, error } = update;
	if (typeof compactionId !== 'string' || compactionId.length > MAXIMUM_ID) {
		return undefined;
	}
	const told = { id: `compaction ${compactionId}`, fields: { kind: 'compact' as const }, complete: true };
	const whole = readList(summary, MAXIMUM_ENTRIES, textOfBlock)?.entries.join('\n');
	const more = textOfBlock(content);
	const output =
		(typeof error === 'string' ? error : whole) ?? (more === undefined ? undefined : calls.merged(told).output + more);
	const state: ToolStatus =
		status === 'completed' ? status : status === 'failed' || status === 'cancelled' ? 'failed' : 'in_progress';
	return calls.tell({
		...told,
		fields: {
			...told.fields,
			...defined({
				status: status === undefined ? undefined : state,
				output: output === undefined ? undefined : cutText(output, MAXIMUM_TEXT),
			}),
		},
	});
}

function readCost(value: unknown): AgentCost | undefined {
	return isFields(value) && isCount(value['amount']) && typeof value['currency'] === 'string'
		? { amount: value['amount'], currency: oneLine(value['currency'], MAXIMUM_KIND) }
		: undefined;
}

/** The name is typed by the user, so one with blanks or hidden characters is not accepted. */
function readCommand(value: unknown): AgentCommand | undefined {
	if (!isFields(value) || typeof value['name'] !== 'string' || !/^[\p{L}\p{N}_.:-]{1,100}$/u.test(value['name'])) {
		return undefined;
	}
	const { name, description, input } = value;
	const hint = isFields(input) && typeof input['hint'] === 'string' ? oneLine(input['hint'], MAXIMUM_TITLE) : undefined;
	return {
		name,
		description: typeof description === 'string' ? oneLine(description, MAXIMUM_TITLE) : '',
		...defined({ hint }),
	};
}

function readPlanEntry(value: unknown): PlanEntry | undefined {
	if (!isFields(value) || typeof value['content'] !== 'string') {
		return undefined;
	}
	return {
		content: oneLine(value['content'], MAXIMUM_TITLE),
		status: oneOf(PLAN_STATUSES, value['status']) ?? 'pending',
	};
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
