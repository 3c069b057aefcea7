// The title of a conversation, and the form in which a list shows its first words.
import { firstLine, oneLine } from '../../base/plainText.ts';

/** The maximum length of a title that is made from a message. */
const MADE_TITLE_LENGTH = 60;

/** The maximum length of a title that the user gave. */
export const MAXIMUM_TITLE_LENGTH = 200;

interface TitledReply {
	work?: { title?: string };
}

/**
 * Returns the user's title, the model's, an agent's or the first line of the first message, or undefined without any.
 */
export function titleOf({
	title,
	titleReply,
	turns,
}: {
	title?: string;
	titleReply?: { text: string };
	turns: readonly { question: string; replies?: readonly TitledReply[] }[];
}): string | undefined {
	const made = turns.flatMap(({ replies = [] }) => replies.flatMap(({ work }) => work?.title ?? [])).at(-1);
	const given = title ?? titleReply?.text ?? made;
	if (given) {
		return given;
	}
	return firstLine(turns[0]?.question ?? '', MADE_TITLE_LENGTH) || undefined;
}

/**
 * Returns the title that a model gave, without anything that it put around it, or undefined if it gave none. A model's
 * output is hostile: no Markdown, nothing invisible and no more than one line is left in the title.
 */
export function madeTitle(reply: string): string | undefined {
	const said = reply.replace(/^\s*<think>[\s\S]*?(?:<\/think>|$)/, '');
	const line = firstLine(said, MAXIMUM_TITLE_LENGTH)
		.replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
		.replace(/^(?:title:\s*|[#>"'“„«*`_~\s]|[-+]\s)+/i, '')
		.replace(/["'”“»*`_~\s.]+$/, '')
		.replace(/[*`<>]|~~|__/g, '');
	return oneLine(line, MADE_TITLE_LENGTH) || undefined;
}

/** Returns a typed title in the form that is stored, or undefined if it has no visible character. */
export function normalisedTitle(text: string): string | undefined {
	const title = [...oneLine(text)].slice(0, MAXIMUM_TITLE_LENGTH).join('').trim();
	return title === '' ? undefined : title;
}
