import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../../platform/saveTarget.ts';
import type { Conversation } from '../model/conversation.ts';
import { titleOf } from '../model/title.ts';
import { sourceWords } from '../protocol/labels.ts';
import { type ExportWords, exportJson, exportMarkdown } from './exportFormats.ts';

/** Asks for a format and a location, writes the file and offers to open it. Rejects when the file cannot be written. */
export async function exportConversation(conversation: Conversation): Promise<void> {
	const markdown = { label: 'Markdown', description: vscode.l10n.t('The conversation as shown, for reading') };
	const json = { label: 'JSON', description: vscode.l10n.t('The complete conversation, for programs') };
	const form = await vscode.window.showQuickPick([markdown, json], {
		title: vscode.l10n.t('Export Conversation'),
		...defined({ placeHolder: conversation.encryption && vscode.l10n.t('The file won’t be encrypted') }),
	});
	if (!form) {
		return;
	}
	const title = titleOf(conversation);
	const extension = form === json ? 'json' : 'md';
	const file = await vscode.window.showSaveDialog({
		title: vscode.l10n.t('Export Conversation'),
		defaultUri: vscode.Uri.joinPath(defaultFolder(), `${fileNameOf(title ?? '', 'conversation')}.${extension}`),
		filters: { [form.label]: [extension] },
	});
	if (!file) {
		return;
	}
	const text =
		form === json ? exportJson(conversation, Date.now()) : exportMarkdown(conversation, title, exportWords());
	await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
	offerToOpen(file, vscode.l10n.t('The conversation was exported to {0}.', vscode.workspace.asRelativePath(file)));
}

function exportWords(): ExportWords {
	const format = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'long', timeStyle: 'medium' });
	return {
		untitled: vscode.l10n.t('New Conversation'),
		you: vscode.l10n.t('You'),
		reply: vscode.l10n.t('Reply'),
		reasoning: vscode.l10n.t('Reasoning'),
		via: provider => vscode.l10n.t('via {0}', provider),
		begun: moment => vscode.l10n.t('Started {0}', moment),
		encrypted: vscode.l10n.t('Encrypted on the way to the model. This file isn’t encrypted.'),
		workspace: name => vscode.l10n.t('Workspace: {0}', name),
		version: (index, count) => vscode.l10n.t('Version {0} of {1} of this message', index, count),
		attached: place => vscode.l10n.t('Attached: {0}', place),
		shortened: count => vscode.l10n.t('({0} characters were left out)', formatNumber(count)),
		earlierReplies: count =>
			count === 1
				? vscode.l10n.t('1 other reply to this message is in the JSON export.')
				: vscode.l10n.t('{0} other replies to this message are in the JSON export.', count),
		continued: (moment, offset) =>
			vscode.l10n.t('Ended early after {0} characters; continued {1}.', formatNumber(offset), moment),
		image: prompt => vscode.l10n.t('Image: {0}', prompt),
		...sourceWords(vscode.env.language),
		stopped: vscode.l10n.t('Stopped.'),
		cutOff: vscode.l10n.t('The reply was interrupted when the window closed or its extensions stopped.'),
		streaming: vscode.l10n.t('The reply was still running.'),
		failed: vscode.l10n.t('The reply failed.'),
		moment: milliseconds => format.format(milliseconds),
	};
}
