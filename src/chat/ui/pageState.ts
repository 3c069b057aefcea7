import type { NextTaskView } from '../../tasks/api.ts';
import type { TurnMode } from '../model/mode.ts';
import type {
	AgentView,
	ConnectionView,
	ContextView,
	EncryptionView,
	ReplyView,
	ToPage,
	TurnChange,
	TurnView,
} from '../protocol/protocol.ts';
import type { SettingsView } from '../protocol/settingsProtocol.ts';
import type { StepView, WorkChange } from '../protocol/workProtocol.ts';

export interface PageState {
	/** The number of the last change that is included; undefined before the first snapshot. */
	readonly sequence: number | undefined;
	/** The id of the conversation. */
	readonly conversation: string | undefined;
	readonly turns: readonly TurnView[];
	/** The number of turns before the first one in the page. */
	readonly earlier: number;
	readonly connection: ConnectionView | undefined;
	/** The mode of a message that begins with no command. */
	readonly mode: TurnMode;
	/** The agent that messages go to, once it is known. */
	readonly agent: AgentView | undefined;
	readonly settings: SettingsView | undefined;
	/** Undefined if the conversation is not encrypted. */
	readonly encryption: EncryptionView | undefined;
	readonly notice: string | undefined;
	readonly context: ContextView;
	/** The choices for the next task, once they are known. */
	readonly task: NextTaskView | undefined;
}

export const emptyPageState: PageState = {
	sequence: undefined,
	conversation: undefined,
	turns: [],
	earlier: 0,
	connection: undefined,
	mode: 'chat',
	agent: undefined,
	settings: undefined,
	encryption: undefined,
	notice: undefined,
	context: { chips: [] },
	task: undefined,
};

/**
 * Returns the state after a message of the host, or `missed` if an earlier change never arrived, so that a snapshot is
 * needed. An unchanged turn keeps its object, so that it is not rendered again.
 */
export function applyMessage(state: PageState, message: ToPage): PageState | 'missed' {
	switch (message.kind) {
		case 'snapshot-set': {
			const { context, task } = state;
			return { ...emptyPageState, context, task, ...message.snapshot, sequence: message.sequence };
		}
		case 'turns-prepend':
			// A newer snapshot may have made this answer obsolete.
			return state.turns[0]?.id === message.before
				? { ...state, turns: [...message.turns, ...state.turns], earlier: message.earlier }
				: state;
		case 'turns-change':
			if (state.sequence === undefined || message.sequence <= state.sequence) {
				// The change came before the first snapshot or is already included in it.
				return state;
			}
			if (message.sequence !== state.sequence + 1) {
				return 'missed';
			}
			return { ...state, sequence: message.sequence, turns: message.changes.reduce(applyChange, state.turns) };
		case 'connection-set':
		case 'mode-set':
		case 'agent-set':
		case 'settings-set':
		case 'encryption-set':
		case 'context-set':
		case 'task-set': {
			const { kind: _, ...part } = message;
			return { ...state, ...part };
		}
		case 'notice-set':
			// Messages arrive as JSON, which leaves out a notice that is undefined.
			return { ...state, notice: message.notice };
		default:
			return state;
	}
}

function applyChange(turns: readonly TurnView[], change: TurnChange): readonly TurnView[] {
	if (change.kind === 'turn-set') {
		const fresh = change.turn;
		return turns.some(turn => turn.id === fresh.id)
			? turns.map(turn => (turn.id === fresh.id ? { ...fresh, reply: withKnownSteps(turn.reply, fresh.reply) } : turn))
			: [...turns, fresh];
	}
	return turns.map(turn => {
		if (turn.id !== change.turn) {
			return turn;
		}
		const { reply } = turn;
		switch (change.kind) {
			case 'text-append':
				return { ...turn, reply: { ...reply, text: reply.text + change.text } };
			case 'reasoning-append':
				return { ...turn, reply: { ...reply, reasoning: (reply.reasoning ?? '') + change.text } };
			default:
				return { ...turn, reply: withWorkChange(reply, change) };
		}
	});
}

/** Returns the reply after a change to its agent's work. An unchanged step keeps its object. */
export function withWorkChange(reply: ReplyView, change: WorkChange): ReplyView {
	const { work } = reply;
	if (change.kind === 'work-set') {
		return { ...reply, work: { ...change.work, steps: work?.steps ?? [] } };
	}
	if (work === undefined) {
		return reply;
	}
	// Nearly every change concerns one of the last steps.
	const index = work.steps.findLastIndex(({ id }) => id === change.step.id);
	const steps = index === -1 ? [...work.steps, change.step] : work.steps.with(index, change.step);
	return { ...reply, work: { ...work, steps } };
}

/** Returns a reply that arrived whole. An unchanged step keeps its object, so that it is not rendered again. */
export function withKnownSteps(before: ReplyView, after: ReplyView): ReplyView {
	if (before.work === undefined || after.work === undefined) {
		return after;
	}
	const known = new Map(before.work.steps.map(step => [step.id, step]));
	const steps = after.work.steps.map(step => {
		const other = known.get(step.id);
		return other !== undefined && isSame(other, step) ? other : step;
	});
	return { ...after, work: { ...after.work, steps } };
}

function isSame(one: StepView, other: StepView): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
