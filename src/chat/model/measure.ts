// Measures how much of the model's context the next message uses, and for what. The same figures are shown, decide when
// a message is too long, and determine how much it is shortened.
import { defined } from '../../base/defined.ts';
import { estimateTokens, imageTokens } from '../../base/tokens.ts';
import { type ModelLimits, requestBudget } from '../../contract/modelLimits.ts';
import type { AgentContext } from './agentWork.ts';
import { type Attachment, formatAttachment, withAttachments } from './attachment.ts';
import { type Conversation, shownReply, shownTurns, type Turn } from './conversation.ts';

/** The parts of a message besides its attachments, and the limits of the model. All numbers are tokens. */
export interface Measure extends ModelLimits {
	/** The model, or an empty string if it is not known. */
	readonly model: string;
	/** True if the model accepts images; absent if that is not known. */
	readonly takesImages?: boolean;
	/** Estimates of the user's instructions, the earlier messages, and the message itself. */
	readonly instructions: number;
	readonly history: number;
	readonly question: number;
	/** Set for a message to an agent: the agent's report on its own context, which includes the earlier messages. */
	readonly agent?: Partial<AgentContext>;
}

/** The known facts about the model and the agent that the next message of a conversation goes to. */
export interface Addressee {
	readonly model: string;
	readonly takesImages: boolean | undefined;
	readonly limits: ModelLimits;
	/** The user's instructions for every model. */
	readonly instructions: string;
	/** Returns the id of the agent that messages of a conversation go to. */
	agentOf(conversation: Conversation): string;
}

/** Measures the parts of the next message of a conversation. An image model gets only the description. */
export function measureOf(conversation: Conversation | undefined, addressee: Addressee): Measure {
	const { model, takesImages, limits, instructions } = addressee;
	const alone = { model, ...limits, ...defined({ takesImages }), instructions: 0, history: 0, question: 0 };
	if (conversation === undefined || conversation.mode === 'image') {
		return alone;
	}
	return conversation.mode === 'agent'
		? { ...alone, agent: agentContext(conversation, addressee.agentOf(conversation)) ?? {} }
		: { ...alone, instructions: estimateTokens(instructions.trim()), history: historyTokens(conversation) };
}

/** Returns the agent's last report on the session that its next turn continues. */
function agentContext(conversation: Conversation, agent: string): AgentContext | undefined {
	for (const turn of shownTurns(conversation).reverse()) {
		const { work } = shownReply(turn);
		if (work?.agent === agent && (work.context || work.how === 'new')) {
			return work.context;
		}
	}
	return undefined;
}

/**
 * Returns by how many tokens a message is too large: 0 if it fits or the limit is not known. An agent's own context is
 * left out, because agents make room by themselves.
 */
export function excessOf(attachments: readonly Attachment[], measure: Measure): number {
	const budget = requestBudget(measure);
	const { instructions, history, question } = measure;
	const sent = instructions + history + question + attachedTokens(attachments);
	return budget === undefined ? 0 : Math.max(0, sent - budget);
}

export function attachedTokens(attachments: readonly Attachment[]): number {
	return attachments.reduce((sum, attachment) => sum + attachmentTokens(attachment), 0);
}

export function attachmentTokens(attachment: Attachment): number {
	const { image } = attachment;
	return estimateTokens(formatAttachment(attachment)) + (image ? imageTokens(image) : 0);
}

/**
 * Returns how many UTF-16 code units of each text to keep so that together they lose `excess` tokens. The longest are
 * shortened first, so that a short one beside a long one stays whole.
 */
export function shortenedLengths(texts: readonly string[], excess: number): number[] {
	const tokens = texts.map(estimateTokens);
	let spare = Math.max(0, tokens.reduce((sum, count) => sum + count, 0) - excess);
	const limits = new Array<number>(texts.length).fill(0);
	const order = tokens.map((_, index) => index).sort((one, other) => (tokens[one] ?? 0) - (tokens[other] ?? 0));
	for (const [done, index] of order.entries()) {
		const share = Math.min(tokens[index] ?? 0, Math.floor(spare / (order.length - done)));
		limits[index] = share;
		spare -= share;
	}
	return texts.map((text, index) => Math.floor((text.length * (limits[index] ?? 0)) / Math.max(1, tokens[index] ?? 1)));
}

/** A turn never changes in place, so its tokens are counted only once. */
const turnTokens = new WeakMap<Turn, number>();

/**
 * Counts the tokens of the shown messages and replies, which are sent along with the next message. Generated images and
 * their prompts are not.
 */
function historyTokens(conversation: Conversation): number {
	const sent = shownTurns(conversation).filter(({ mode }) => mode !== 'image');
	return sent.reduce((sum, turn) => {
		const known = turnTokens.get(turn);
		const tokens =
			known ??
			estimateTokens(withAttachments(turn.question, turn.attachments)) +
				estimateTokens(shownReply(turn).text) +
				(turn.attachments ?? []).reduce((count, { image }) => count + (image ? imageTokens(image) : 0), 0);
		turnTokens.set(turn, tokens);
		return sum + tokens;
	}, 0);
}
