// What a conversation is called, and how a list shows its first words.
import { replaceHidden } from '../../base/invisible.ts';

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
	const line = turns[0]?.question.split('\n').find(text => oneLine(text) !== '');
	return line === undefined ? undefined : cut(oneLine(line.slice(0, MADE_TITLE_LENGTH * 8)), MADE_TITLE_LENGTH);
}

/** Returns a typed title in the form that is stored, or undefined for one without a visible character. */
export function normalisedTitle(text: string): string | undefined {
	const title = [...oneLine(text)].slice(0, MAXIMUM_TITLE_LENGTH).join('').trim();
	return title === '' ? undefined : title;
}

/** Without line breaks and hidden characters. */
export function oneLine(text: string): string {
	return replaceHidden(text, () => ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Shortens the text to at most `length` characters, the last of which is then an ellipsis. */
export function cut(text: string, length: number): string {
	const characters = [...text];
	return characters.length <= length
		? text
		: `${characters
				.slice(0, length - 1)
				.join('')
				.trimEnd()}…`;
}
