import { type Attachment, fenced } from '../model/attachment.ts';
import { citationsOf, sourcesAsMarkdown } from '../model/citations.ts';
import {
	type Conversation,
	currentReply,
	type Reply,
	shownReply,
	shownTurns,
	versionsOf,
} from '../model/conversation.ts';
import { fileVersionOf } from '../model/conversationFile.ts';
import { workPieces } from '../model/workPieces.ts';

/** The words around the text of a conversation. The caller fills in the placeholders `{0}` and following. */
export interface ExportWords {
	untitled: string;
	you: string;
	reply: string;
	reasoning: string;
	via(provider: string): string;
	begun(moment: string): string;
	workspace(name: string): string;
	encrypted: string;
	version(index: number, count: number): string;
	attached(label: string): string;
	shortened(count: number): string;
	earlierReplies(count: number): string;
	continued(moment: string, offset: number): string;
	image(prompt: string): string;
	sources: string;
	sourcesCut: string;
	stopped: string;
	cutOff: string;
	streaming: string;
	failed: string;
	/** Date and time, in the user's language. */
	moment(milliseconds: number): string;
}

/** Returns the conversation as a reader sees it, as Markdown: who said what when, and how each reply ended. */
export function exportMarkdown(conversation: Conversation, title: string | undefined, words: ExportWords): string {
	const { workspace, createdAt, encryption } = conversation;
	const sections = [
		`# ${escapeLine(title ?? words.untitled)}`,
		[
			words.begun(words.moment(createdAt)),
			...(workspace.name === undefined ? [] : [words.workspace(escapeLine(workspace.name))]),
			...(encryption ? [words.encrypted] : []),
		].join('  \n'),
	];
	for (const turn of shownTurns(conversation)) {
		const versions = versionsOf(conversation, turn);
		const version = versions.length < 2 ? '' : words.version(versions.indexOf(turn) + 1, versions.length);
		const shown = shownReply(turn);
		const current = currentReply(turn);
		const hidden = turn.replies.length - 1;
		sections.push(
			`## ${words.you} (${words.moment(turn.askedAt)})`,
			note(version),
			turn.question,
			...(turn.attachments ?? []).map(attachment => attachmentOf(attachment, words)),
			`## ${escapeLine(replyHeading(shown, words))} (${words.moment(shown.startedAt)})`,
			reasoningOf(shown, words),
			turn.mode === 'image' ? imageOf(turn.question, shown, words) : textOf(shown),
			sourcesOf(shown, words),
			...(shown.continuations ?? []).map(({ resumedAt, offset }) =>
				note(words.continued(words.moment(resumedAt), offset)),
			),
			note(outcomeOf(current, words)),
			note(hidden > 0 ? words.earlierReplies(hidden) : ''),
		);
	}
	return `${sections.filter(section => section !== '').join('\n\n')}\n`;
}

/** Returns the text of a reply, with lists of an agent's steps where they occurred. */
function textOf({ text, work }: Reply): string {
	if (work === undefined) {
		return text;
	}
	return workPieces(text, work.steps)
		.map(piece =>
			'steps' in piece ? piece.steps.map(({ title }) => `- ${escapeLine(title)}`).join('\n') : piece.text.trim(),
		)
		.join('\n\n');
}

/** Exports a link instead of the image itself, so that opening the file does not load anything from that address. */
function imageOf(prompt: string, { text }: Reply, words: ExportWords): string {
	const address = URL.parse(text.trim());
	return address === null ? text : `[${escapeLine(words.image(prompt))}](<${address.href}>)`;
}

function sourcesOf({ text, sources = [] }: Reply, words: ExportWords): string {
	return sources.length === 0 ? '' : sourcesAsMarkdown(citationsOf(text, sources), words);
}

function replyHeading({ model, provider }: Reply, words: ExportWords): string {
	return `${model ?? words.reply}${provider === undefined ? '' : ` ${words.via(provider)}`}`;
}

function reasoningOf({ reasoning = '' }: Reply, words: ExportWords): string {
	return reasoning === '' ? '' : `> ${words.reasoning}\n>\n${reasoning.replace(/^/gm, '> ')}`;
}

function outcomeOf({ state, explanation }: Reply, words: ExportWords): string {
	const said = explanation?.message ?? '';
	switch (state) {
		case 'done':
			return said;
		case 'streaming':
			return words.streaming;
		case 'stopped':
			return words.stopped;
		case 'cutOff':
			return said || words.cutOff;
		case 'failed':
			return said || words.failed;
	}
}

function attachmentOf({ kind, label, path, lines, text, language, omitted }: Attachment, words: ExportWords): string {
	const place = lines === undefined ? (path ?? label) : `${path ?? label}:${lines.first}-${lines.last}`;
	const shortened = omitted === undefined ? '' : ` ${words.shortened(omitted)}`;
	const heading = escapeLine(words.attached(place) + shortened);
	return kind === 'image' ? heading : `${heading}\n\n${fenced(text, language)}`;
}

function note(text: string): string {
	return text === '' ? '' : `*${escapeLine(text)}*`;
}

/** Escapes a line, because foreign text must not act as markup in a line that the export writes. */
function escapeLine(text: string): string {
	return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#]/g, '\\$&');
}

/**
 * Returns the whole conversation as JSON, with all versions of its messages and all replies. `format` and `version`
 * name the format: version 3, or 4 for an encrypted conversation, is `Conversation` of `model/conversation.ts`, field
 * by field, with times in milliseconds since the epoch. Adding a field does not change the version; changing the
 * meaning of a field does.
 */
export function exportJson(conversation: Conversation, exportedAt: number): string {
	return `${JSON.stringify({ format: 'errand.conversation', version: fileVersionOf(conversation), exportedAt, conversation }, undefined, '\t')}\n`;
}
