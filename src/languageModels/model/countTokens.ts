import { readImageHeader } from '../../base/imageHeader.ts';
import { estimateTokens, imageTokens } from '../../base/tokens.ts';
import { type MessagePart, textOf } from './toMessages.ts';

/** The tokens that the form of a message, a call or a result takes besides its words. */
const FRAME_TOKENS = 4;

/** Estimates the number of tokens in a message. The contract has no tokeniser, so the estimate is on the safe side. */
export function countTokens(parts: readonly MessagePart[]): number {
	return parts.reduce((sum, part) => sum + partTokens(part), FRAME_TOKENS + estimateTokens(textOf(parts)));
}

function partTokens(part: MessagePart): number {
	switch (part.kind) {
		case 'call':
			return FRAME_TOKENS + estimateTokens(part.name) + estimateTokens(JSON.stringify(part.input ?? {}));
		case 'result':
			return countTokens(part.parts);
		case 'data': {
			const image = readImageHeader(part.bytes);
			return image ? imageTokens(image) : 0;
		}
		default:
			return 0;
	}
}
