import * as vscode from 'vscode';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { hasMovedToEditor } from '../../platform/editorUse.ts';
import { showMessage } from '../../platform/notify.ts';
import { PickList } from '../../platform/pick.ts';
import type { OpenConversations } from '../conversation/openConversations.ts';
import { noticeText } from '../messages/messages.ts';
import type { ConversationSummary } from '../storage/conversationIndex.ts';
import { ageText, type ConversationGroup, groupConversations } from './listing.ts';
import { openWorkspace } from './workspaceTag.ts';

/** The actions of the rows and their buttons. */
export interface PickerActions {
	open(id: string): Promise<void>;
	startNew(): Promise<void>;
	rename(id: string): Promise<void>;
	delete(id: string): Promise<void>;
	export(id: string): Promise<void>;
}

interface Row extends vscode.QuickPickItem {
	id?: string;
}

/** The list of conversations as a quick pick: searched by title and first messages, with actions on the rows. */
export class ConversationPicker {
	private readonly conversations: OpenConversations;
	private readonly actions: PickerActions;
	private readonly logger: Logger;
	private readonly list = new PickList<Row>(pick => this.prepare(pick));
	private readonly buttons: { button: vscode.QuickInputButton; run: (id: string) => Promise<void> }[];

	constructor(conversations: OpenConversations, actions: PickerActions, logger: Logger) {
		this.conversations = conversations;
		this.actions = actions;
		this.logger = logger;
		this.buttons = [
			{ button: button('edit', vscode.l10n.t('Rename…')), run: id => this.askAndReturn(id, () => actions.rename(id)) },
			{
				button: button('export', vscode.l10n.t('Export…')),
				run: id => {
					this.list.end();
					return actions.export(id);
				},
			},
			{
				button: button('trash', vscode.l10n.t('Delete')),
				run: id => this.askAndReturn(id, () => actions.delete(id)),
			},
		];
	}

	/** Shows the list at once and fills it. Resolves when it has been filled for the first time. */
	async run(): Promise<void> {
		const pick = this.list.show([]);
		pick.busy = true;
		const rows = await this.read();
		if (this.list.current === pick && rows) {
			// The list was empty until now, so no click can be on its way to another row.
			pick.items = rows;
			pick.busy = false;
			sayIfEmpty(pick);
		}
	}

	private prepare(pick: vscode.QuickPick<Row>): void {
		const add = button('add', vscode.l10n.t('New Conversation'));
		pick.title = vscode.l10n.t('Open Conversation');
		pick.placeholder = vscode.l10n.t('Search by title or first messages');
		pick.matchOnDetail = true;
		pick.buttons = [add];
		pick.onDidTriggerButton(() => {
			this.list.end();
			void this.actions.startNew();
		});
		pick.onDidTriggerItemButton(({ item, button }) => {
			const action = this.buttons.find(other => other.button === button);
			if (action && item.id !== undefined) {
				void action.run(item.id);
			}
		});
		pick.onDidAccept(() => {
			const id = pick.selectedItems[0]?.id;
			if (id !== undefined) {
				this.list.end();
				void this.actions.open(id);
			}
		});
	}

	/**
	 * An action that asks the user something hides the list. Afterwards the list comes back with the same row active, or
	 * the row after it. It does not come back if the user has moved to an editor in the meantime, because it would take
	 * the keyboard focus.
	 */
	private async askAndReturn(id: string, action: () => Promise<void>): Promise<void> {
		const { current } = this.list;
		const place = current?.items.findIndex(row => row.id === id) ?? -1;
		let rows: Row[] | undefined;
		const hasGone = await hasMovedToEditor(async () => {
			this.list.isAway = true;
			await action();
			this.list.isAway = false;
			rows = await this.read();
		});
		if (hasGone) {
			this.list.end();
		} else if (rows && this.list.current) {
			const isRow = (row: Row) => row.id !== undefined;
			const active = rows.find(row => row.id === id) ?? rows.slice(place).find(isRow) ?? rows.findLast(isRow);
			sayIfEmpty(this.list.show(rows, active));
		}
	}

	/** Shows an error and returns undefined if the conversations cannot be read. */
	private async read(): Promise<Row[] | undefined> {
		try {
			const { conversations, repairs, unreadable, newer } = await this.conversations.list();
			if (repairs.length > 0) {
				void showMessage('warning', noticeText({ kind: 'repaired', repairs }));
			} else if (unreadable > 0) {
				void showMessage('warning', noticeText({ kind: 'unreadable', code: undefined }));
			} else if (newer > 0) {
				void showMessage('warning', noticeText({ kind: 'newer', count: newer }));
			}
			return groupConversations(conversations, openWorkspace()).flatMap(group => this.rows(group));
		} catch (error) {
			this.logger.log('warn', 'The conversations cannot be listed', { reason: describeError(error) });
			this.list.end();
			void showMessage('error', noticeText({ kind: 'unreadable', code: systemErrorCode(error) }));
			return undefined;
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
			...(open?.conversation.encryption?.isUnkept ? [vscode.l10n.t('not saved')] : []),
			...(open?.live ? [vscode.l10n.t('replying')] : []),
			...(open === this.conversations.shown ? [vscode.l10n.t('current')] : []),
		];
		return {
			id,
			// A title may come from elsewhere and must not draw icons.
			label: escapeIcons(title ?? vscode.l10n.t('New Conversation')),
			description: facts.join(' · '),
			detail: escapeIcons(withoutTitle(text, title)),
			iconPath: new vscode.ThemeIcon(open?.live ? 'sync~spin' : encrypted ? 'lock' : 'comment'),
			buttons: this.buttons.map(action => action.button),
		};
	}
}

function sayIfEmpty(pick: vscode.QuickPick<Row>): void {
	if (pick.items.length === 0) {
		pick.placeholder = vscode.l10n.t('No conversations yet.');
	}
}

/** Returns the first messages without the beginning that the title already shows. */
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
