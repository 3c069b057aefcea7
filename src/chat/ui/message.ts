import * as l10n from '@vscode/l10n';
import { MAXIMUM_MESSAGE_LENGTH } from '../protocol/protocol.ts';

/**
 * Returns whether a key press sends: only Enter without Shift. While an input method composes, Enter chooses a word;
 * some report that as key code 229.
 */
export function isSendKey(event: KeyboardEvent): boolean {
	return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

/** Returns a sentence that says why a text cannot be sent, or undefined if it can. */
export function messageProblem(text: string, language: string): string | undefined {
	if (text.trim() === '') {
		return l10n.t('Write a message first.');
	}
	if (text.length > MAXIMUM_MESSAGE_LENGTH) {
		const number = new Intl.NumberFormat(language);
		return l10n.t(
			'The message is too long to send: it has {0} characters, and the limit is {1}.',
			number.format(text.length),
			number.format(MAXIMUM_MESSAGE_LENGTH),
		);
	}
	return undefined;
}

export function stillReplyingText(): string {
	return l10n.t('Wait for the reply, or stop it first.');
}
