import * as vscode from 'vscode';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { showMessage } from '../../platform/notify.ts';
import { noticeText } from '../strings.ts';
import { openWorkspace } from '../workspaceTag.ts';
import { ageText } from './age.ts';
import type { ConversationSummary } from './conversationIndex.ts';
import { type ConversationGroup, groupConversations } from './listing.ts';
import type { OpenConversations } from './openConversations.ts';

/** What the rows and their buttons do. */
export interface PickerActions {
	open(id: string): Promise<void>;
	startNew(): Promise<void>;
	rename(id: string): Promise<void>;
	delete(id: string): Promise<void>;
	export(id: string): Promise<void>;
	logger: Logger;
}

interface Row extends vscode.QuickPickItem {
	id?: string;
}

/** The list of conversations as a quick pick: searched by title and first messages, with actions on the rows. */
export class ConversationPicker {
	private readonly conversations: OpenConversations;
	private readonly actions: PickerActions;
	private readonly pick = vscode.window.createQuickPick<Row>();
	/** An input box stands in the list's place. */
	private away = false;
	private readonly buttons: { button: vscode.QuickInputButton; run: (id: string) => Promise<void> }[];

	constructor(conversations: OpenConversations, actions: PickerActions) {
		this.conversations = conversations;
		this.actions = actions;
		this.buttons = [
			{ button: button('edit', vscode.l10n.t('Rename…')), run: id => this.askAndReturn(() => actions.rename(id)) },
			{
				button: button('export', vscode.l10n.t('Export…')),
				run: id => {
					this.pick.hide();
					return actions.export(id);
				},
			},
			{
				button: button('trash', vscode.l10n.t('Delete')),
				run: id => this.askAndReturn(() => actions.delete(id)),
			},
		];
	}

	/** Shows the list at once and fills it. Resolves when it has been filled for the first time. */
	async run(): Promise<void> {
		const { pick } = this;
		const add = button('add', vscode.l10n.t('New Conversation'));
		pick.title = vscode.l10n.t('Open Conversation');
		pick.placeholder = vscode.l10n.t('Search by title or first messages');
		pick.matchOnDetail = true;
		pick.keepScrollPosition = true;
		pick.buttons = [add];
		pick.onDidTriggerButton(() => {
			pick.hide();
			void this.actions.startNew();
		});
		pick.onDidTriggerItemButton(({ item, button }) => {
			const action = this.buttons.find(other => other.button === button);
			if (action && item.id !== undefined) {
				void action.run(item.id);
			}
		});
		pick.onDidHide(() => {
			if (!this.away) {
				pick.dispose();
			}
		});
		pick.onDidAccept(() => {
			const id = pick.selectedItems[0]?.id;
			if (id !== undefined) {
				pick.hide();
				void this.actions.open(id);
			}
		});
		pick.show();
		await this.fill();
	}

	/** What asks something takes the list away. */
	private async askAndReturn(action: () => Promise<void>): Promise<void> {
		this.away = true;
		await action();
		this.away = false;
		this.pick.show();
		await this.fill();
	}

	private async fill(): Promise<void> {
		const { pick } = this;
		pick.busy = true;
		try {
			const { conversations, repairs, unreadable } = await this.conversations.list();
			pick.items = groupConversations(conversations, openWorkspace()).flatMap(group => this.rows(group));
			if (pick.items.length === 0) {
				pick.placeholder = vscode.l10n.t('There are no conversations yet.');
			}
			if (repairs.length > 0) {
				void showMessage('warning', noticeText({ kind: 'repaired', repairs }));
			} else if (unreadable > 0) {
				void showMessage('warning', noticeText({ kind: 'unreadable', code: undefined }));
			}
		} catch (error) {
			this.actions.logger.log('warn', 'The conversations cannot be listed', { reason: describeError(error) });
			pick.hide();
			void showMessage('error', noticeText({ kind: 'unreadable', code: systemErrorCode(error) }));
		} finally {
			pick.busy = false;
		}
	}

	private rows(group: ConversationGroup): Row[] {
		return [
			{ kind: vscode.QuickPickItemKind.Separator, label: groupLabel(group) },
			...group.conversations.map(conversation => this.row(conversation)),
		];
	}

	private row({ id, title, text, updatedAt, turnCount, encrypted }: ConversationSummary): Row {
		const open = this.conversations.find(id);
		const facts = [
			ageText(updatedAt, Date.now(), vscode.env.language),
			turnCount === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', turnCount),
			...(encrypted ? [vscode.l10n.t('encrypted')] : []),
			...(open?.conversation.encryption?.isUnkept ? [vscode.l10n.t('not kept')] : []),
			...(open?.live ? [vscode.l10n.t('replying')] : []),
			...(open === this.conversations.shown ? [vscode.l10n.t('shown now')] : []),
		];
		return {
			id,
			// A title of others must not draw icons.
			label: (title ?? vscode.l10n.t('New Conversation')).replaceAll('$(', '\\$('),
			description: facts.join(' · '),
			detail: withoutTitle(text, title).replaceAll('$(', '\\$('),
			iconPath: new vscode.ThemeIcon(open?.live ? 'sync~spin' : encrypted ? 'lock' : 'comment'),
			buttons: this.buttons.map(action => action.button),
		};
	}
}

/** The first messages without the beginning that the title already shows. */
function withoutTitle(text: string, title = ''): string {
	return text.startsWith(`${title} · `) ? text.slice(title.length + 3) : text;
}

function groupLabel({ kind, name }: ConversationGroup): string {
	switch (kind) {
		case 'here':
			return vscode.l10n.t('this workspace');
		case 'none':
			return vscode.l10n.t('without a folder');
		case 'other':
			return name ?? vscode.l10n.t('another workspace');
	}
}

function button(icon: string, tooltip: string): vscode.QuickInputButton {
	return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}
