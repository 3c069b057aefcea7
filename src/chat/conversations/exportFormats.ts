import * as vscode from 'vscode';
import { formatNumber } from '../../platform/amounts.ts';
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
import { sourceWords } from '../protocol/labels.ts';

/** Returns the conversation as a reader sees it, as Markdown: who said what when, and how each reply ended. */
export function exportMarkdown(conversation: Conversation, title: string | undefined): string {
	const { workspace, createdAt, encryption } = conversation;
	const format = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'long', timeStyle: 'medium' });
	const moment = (milliseconds: number) => format.format(milliseconds);
	const sections = [
		`# ${escapeLine(title ?? vscode.l10n.t('New Conversation'))}`,
		[
			vscode.l10n.t('Started {0}', moment(createdAt)),
			...(workspace.name === undefined ? [] : [vscode.l10n.t('Workspace: {0}', escapeLine(workspace.name))]),
			...(encryption ? [vscode.l10n.t('Encrypted on the way to the model. This file isn’t encrypted.')] : []),
		].join('  \n'),
	];
	for (const turn of shownTurns(conversation)) {
		const versions = versionsOf(conversation, turn);
		const version =
			versions.length < 2
				? ''
				: vscode.l10n.t('Version {0} of {1} of this message', versions.indexOf(turn) + 1, versions.length);
		const shown = shownReply(turn);
		const current = currentReply(turn);
		sections.push(
			`## ${vscode.l10n.t('You')} (${moment(turn.askedAt)})`,
			note(version),
			turn.question,
			...(turn.attachments ?? []).map(attachmentOf),
			`## ${escapeLine(replyHeading(shown))} (${moment(shown.startedAt)})`,
			reasoningOf(shown),
			turn.mode === 'image' ? imageOf(turn.question, shown) : textOf(shown),
			sourcesOf(shown),
			...(shown.continuations ?? []).map(({ resumedAt, offset }) =>
				note(
					vscode.l10n.t('Ended early after {0} characters; continued {1}.', formatNumber(offset), moment(resumedAt)),
				),
			),
			note(outcomeOf(current)),
			note(otherReplies(turn.replies.length - 1)),
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
function imageOf(prompt: string, { text }: Reply): string {
	const address = URL.parse(text.trim());
	return address === null ? text : `[${escapeLine(vscode.l10n.t('Image: {0}', prompt))}](<${address.href}>)`;
}

function sourcesOf({ text, sources = [] }: Reply): string {
	return sources.length === 0 ? '' : sourcesAsMarkdown(citationsOf(text, sources), sourceWords(vscode.env.language));
}

function replyHeading({ model, provider }: Reply): string {
	const via = provider === undefined ? '' : ` ${vscode.l10n.t('via {0}', provider)}`;
	return `${model ?? vscode.l10n.t('Reply')}${via}`;
}

function reasoningOf({ reasoning = '' }: Reply): string {
	return reasoning === '' ? '' : `> ${vscode.l10n.t('Reasoning')}\n>\n${reasoning.replace(/^/gm, '> ')}`;
}

function outcomeOf({ state, explanation }: Reply): string {
	const said = explanation?.message ?? '';
	switch (state) {
		case 'done':
			return said;
		case 'streaming':
			return vscode.l10n.t('The reply was still running.');
		case 'stopped':
			return vscode.l10n.t('Stopped.');
		case 'cutOff':
			return said || vscode.l10n.t('The reply was interrupted when the window closed or its extensions stopped.');
		case 'failed':
			return said || vscode.l10n.t('The reply failed.');
	}
}

function otherReplies(count: number): string {
	if (count === 0) {
		return '';
	}
	return count === 1
		? vscode.l10n.t('1 other reply to this message is in the JSON export.')
		: vscode.l10n.t('{0} other replies to this message are in the JSON export.', count);
}

function attachmentOf({ kind, label, path, lines, text, language, omitted }: Attachment): string {
	const place = lines === undefined ? (path ?? label) : `${path ?? label}:${lines.first}-${lines.last}`;
	const shortened =
		omitted === undefined ? '' : ` ${vscode.l10n.t('({0} characters were left out)', formatNumber(omitted))}`;
	const heading = escapeLine(vscode.l10n.t('Attached: {0}', place) + shortened);
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
