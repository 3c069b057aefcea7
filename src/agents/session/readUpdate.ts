import { oneLine } from '../../base/plainText.ts';
import { type AgentEvent, PLAN_STATUSES, type PlanEntry } from './events.ts';
import type { SessionLimits } from './limits.ts';
import { isRecord, oneOf, readList, textOfBlock } from './read.ts';
import { readToolCall } from './toolCallFields.ts';
import type { ToolCalls } from './toolCalls.ts';

/** The length to which the name of an unknown kind of update is cut. */
const MAXIMUM_KIND = 100;

/**
 * Returns the event for the `update` of a `session/update`, or undefined if it tells nothing that is new or can be read.
 * Tool calls are remembered in `calls`.
 */
export function readUpdate(update: unknown, calls: ToolCalls, limits: SessionLimits): AgentEvent | undefined {
	if (!isRecord(update) || typeof update['sessionUpdate'] !== 'string') {
		return undefined;
	}
	const kind = update['sessionUpdate'];
	switch (kind) {
		case 'agent_message_chunk':
		case 'agent_thought_chunk': {
			const text = textOfBlock(update['content']);
			return text ? { type: kind === 'agent_message_chunk' ? 'message' : 'thought', text } : undefined;
		}
		case 'tool_call':
		case 'tool_call_update': {
			const told = readToolCall(update, limits);
			return told && calls.tell(told);
		}
		case 'plan': {
			const plan = readList(update['entries'], limits.entries, entry => readPlanEntry(entry, limits));
			return plan && { type: 'plan', entries: plan.entries };
		}
		case 'usage_update': {
			const { used, size } = update;
			return isCount(used) && isCount(size) ? { type: 'usage', used, size } : undefined;
		}
		default:
			return { type: 'other', kind: oneLine(kind, MAXIMUM_KIND) };
	}
}

function readPlanEntry(value: unknown, { titleLength }: SessionLimits): PlanEntry | undefined {
	if (!isRecord(value) || typeof value['content'] !== 'string') {
		return undefined;
	}
	return {
		content: oneLine(value['content'], titleLength),
		status: oneOf(PLAN_STATUSES, value['status']) ?? 'pending',
	};
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
