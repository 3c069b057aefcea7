import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { askModal, showMessage } from '../../platform/notify.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../../platform/saveTarget.ts';
import type { Deletion, OpenConversations } from '../conversation/openConversations.ts';
import { openFailureText, systemReason } from '../messages/messages.ts';
import type { Conversation } from '../model/conversation.ts';
import { MAXIMUM_TITLE_LENGTH, normalisedTitle, titleOf } from '../model/title.ts';
import { ConversationPicker, type PickerActions } from './conversationPicker.ts';
import { exportJson, exportMarkdown } from './exportFormats.ts';

/** The user's actions on conversations outside the chat page, through native UI and without needing a mouse. */
export class ConversationCommands {
	private readonly conversations: OpenConversations;
	private readonly showChat: () => Promise<void>;
	private readonly logger: Logger;

	constructor(conversations: OpenConversations, showChat: () => Promise<void>, logger: Logger) {
		this.conversations = conversations;
		this.showChat = showChat;
		this.logger = logger;
	}

	/** Lists the conversations, this workspace's first. */
	open(): Promise<void> {
		const actions: PickerActions = {
			open: id => this.show(id),
			startNew: async () => {
				await this.conversations.showNew();
				await this.showChat();
			},
			rename: id => this.rename(id),
			delete: id => this.delete(id),
			export: id => this.export(id),
		};
		return new ConversationPicker(this.conversations, actions, this.logger).run();
	}

	/** Asks for a new title. */
	private async rename(id: string): Promise<void> {
		const conversation = await this.read(id);
		if (!conversation) {
			return;
		}
		const title = await vscode.window.showInputBox({
			title: vscode.l10n.t('Rename Conversation'),
			value: titleOf(conversation) ?? '',
			prompt: vscode.l10n.t('Leave empty to name the conversation after its first message.'),
			validateInput: text =>
				[...text].length > MAXIMUM_TITLE_LENGTH
					? vscode.l10n.t('A title can have at most {0} characters.', MAXIMUM_TITLE_LENGTH)
					: undefined,
		});
		if (title !== undefined) {
			await this.attempt(
				() => this.conversations.rename(id, normalisedTitle(title)),
				reason => vscode.l10n.t('Couldn’t rename the conversation: {0}. Try again.', reason),
			);
		}
	}

	/**
	 * Deletes at once and then offers to undo it, without waiting for the answer. A conversation that is not kept cannot
	 * be restored, so the user is asked first.
	 */
	private async delete(id: string): Promise<void> {
		const conversation = this.conversations.find(id)?.conversation ?? (await this.read(id));
		const title = (conversation && titleOf(conversation)) ?? vscode.l10n.t('New Conversation');
		const isLost = conversation?.encryption?.isUnkept === true && conversation.turns.length > 0;
		if (isLost && !(await confirmLoss(title))) {
			return;
		}
		const deletion = await this.attempt(
			() => this.conversations.delete(id),
			reason => vscode.l10n.t('Couldn’t delete the conversation: {0}. Try again.', reason),
		);
		if (deletion) {
			void this.offerUndo(deletion, title);
		}
	}

	/** Asks for a format and a location. Without `id`, the conversation that is shown is exported. */
	async export(id = this.conversations.shown.conversation.id): Promise<void> {
		const conversation = await this.read(id);
		if (!conversation) {
			return;
		}
		if (conversation.turns.length === 0) {
			await showMessage(
				'information',
				vscode.l10n.t('This conversation has no messages yet, so there is nothing to export.'),
			);
			return;
		}
		await this.attempt(
			() => exportConversation(conversation),
			reason => vscode.l10n.t('Couldn’t export the file: {0}. Select a different location.', reason),
		);
	}

	private async show(id: string): Promise<void> {
		const failure = await this.conversations.open(id);
		if (failure) {
			await showMessage('error', openFailureText(failure));
		}
		await this.showChat();
	}

	private async read(id: string): Promise<Conversation | undefined> {
		const outcome = await this.conversations.read(id);
		if ('conversation' in outcome) {
			return outcome.conversation;
		}
		void showMessage('error', openFailureText(outcome));
		return undefined;
	}

	private async offerUndo(deletion: Deletion, title: string): Promise<void> {
		const undo = vscode.l10n.t('Undo');
		if ((await showMessage('information', vscode.l10n.t('“{0}” was deleted.', title), undo)) === undo) {
			await this.attempt(
				() => this.conversations.restore(deletion),
				reason =>
					vscode.l10n.t(
						'Couldn’t restore the conversation: {0}. It stays in {1} for 30 days.',
						reason,
						deletion.trashed.file,
					),
			);
		}
	}

	private async attempt<T>(run: () => Promise<T>, explain: (reason: string) => string): Promise<T | undefined> {
		try {
			return await run();
		} catch (error) {
			this.logger.log('warn', 'A conversation command failed', { reason: describeError(error) });
			void showMessage('error', explain(systemReason(systemErrorCode(error))));
			return undefined;
		}
	}
}

async function confirmLoss(title: string): Promise<boolean> {
	const yes = vscode.l10n.t('Delete');
	const detail = vscode.l10n.t('This conversation isn’t saved, so this can’t be undone.');
	return (await askModal(vscode.l10n.t('Delete “{0}”?', title), detail, yes)) === yes;
}

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
	const text = form === json ? exportJson(conversation, Date.now()) : exportMarkdown(conversation, title);
	await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
	offerToOpen(file, vscode.l10n.t('The conversation was exported to {0}.', vscode.workspace.asRelativePath(file)));
}
