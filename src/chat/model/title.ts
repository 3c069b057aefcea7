// What a conversation is called, and how a list shows its first words.
import { firstLine, oneLine } from '../../base/plainText.ts';

/** The maximum length of a title that is made from a message. */
const MADE_TITLE_LENGTH = 60;

/** The maximum length of a title that the user gave. */
export const MAXIMUM_TITLE_LENGTH = 200;

/** Returns the user's title or the first line of the first message, or undefined where there is neither. */
export function titleOf({
	title,
	turns,
}: {
	title?: string;
	turns: readonly { question: string }[];
}): string | undefined {
	if (title !== undefined) {
		return title;
	}
	return firstLine(turns[0]?.question ?? '', MADE_TITLE_LENGTH) || undefined;
}

/** Returns a typed title in the form that is stored, or undefined for one without a visible character. */
export function normalisedTitle(text: string): string | undefined {
	const title = [...oneLine(text)].slice(0, MAXIMUM_TITLE_LENGTH).join('').trim();
	return title === '' ? undefined : title;
}
