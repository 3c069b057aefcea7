import { estimateTokens, imageTokens } from '../../base/tokens.ts';
import { type Attachment, formatAttachment, withAttachments } from './attachment.ts';
import { type Conversation, shownReply, shownTurns, type Turn } from './conversation.ts';

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
export function historyTokens(conversation: Conversation): number {
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
