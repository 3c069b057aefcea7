import { MAXIMUM_MESSAGE_LENGTH, type PageStrings } from '../protocol/protocol.ts';
import { fill } from './format.ts';

/** Enter alone sends. While an input method composes, it chooses a word; 229 is how some of them say so. */
export function isSendKey(event: KeyboardEvent): boolean {
	return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

/** Why a text cannot be sent, in words, or undefined. */
export function messageProblem(
	text: string,
	language: string,
	strings: Pick<PageStrings, 'emptyPrompt' | 'tooLong'>,
): string | undefined {
	if (text.trim() === '') {
		return strings.emptyPrompt;
	}
	if (text.length > MAXIMUM_MESSAGE_LENGTH) {
		const number = new Intl.NumberFormat(language);
		return fill(strings.tooLong, number.format(text.length), number.format(MAXIMUM_MESSAGE_LENGTH));
	}
	return undefined;
}
