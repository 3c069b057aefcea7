import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import type { OpenConversations } from '../../src/chat/conversation/openConversations.ts';
import { ConversationCommands } from '../../src/chat/conversations/conversationCommands.ts';
import { waitFor } from '../support/waitFor.ts';
import { TURN_IDS } from '../unit/chat/conversations.ts';
import { replyEnded, useTestWindows } from '../unit/chat/testWindows.ts';
import { QuickPicks } from './quickPicks.ts';

type RowButton = vscode.QuickPickItemButtonEvent<vscode.QuickPickItem>;

describe('the list of conversations', () => {
	const { showInformationMessage } = vscode.window;
	const windows = useTestWindows();
	let picks: QuickPicks;
	let conversations: OpenConversations;
	let commands: ConversationCommands;
	let tell: (event: RowButton) => void;
	let told: unknown[][];
	/** The number of times that the conversations were listed. */
	let listed: number;

	beforeEach(async () => {
		[told, listed] = [[], 0];
		picks = new QuickPicks();
		const { createQuickPick } = vscode.window;
		// No command presses the button of a row.
		const withButtons = () =>
			Object.defineProperty(createQuickPick(), 'onDidTriggerItemButton', {
				value: (listener: typeof tell) => {
					tell = listener;
				},
			});
		Object.assign(vscode.window, {
			createQuickPick: withButtons,
			showInformationMessage: async (...words: unknown[]) => {
				told.push(words);
				return words.at(-1);
			},
		});
		conversations = await windows.open();
		const { list } = conversations;
		conversations.list = () => {
			listed++;
			return list.call(conversations);
		};
		commands = new ConversationCommands(conversations, async () => {}, nullLogger);
		await conversations.shown.send(TURN_IDS[0], 'What do taxes do?');
		await replyEnded(conversations.shown);
		await conversations.shown.idle();
		await commands.open();
	});
	afterEach(async () => {
		Object.assign(vscode.window, { showInformationMessage });
		await picks.stop();
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	function press(label: string): void {
		const item = picks.last?.items.find(({ buttons }) => buttons) ?? assert.fail('There is no row with buttons.');
		const button = item.buttons?.find(({ tooltip }) => tooltip === label) ?? assert.fail(`There is no ${label}.`);
		tell({ item, button });
	}
	const leaves = (count: number) => picks.leave(() => listed === count);

	it('comes back after a title was asked for, and not if the user has gone to an editor meanwhile', async () => {
		press('Rename…');
		await leaves(2);
		await waitFor('the list to be back', () => picks.shown.length === 2);
		press('Rename…');
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'several words' }));
		await leaves(3);
		await picks.editorHasCaughtUp();
		assert.equal(picks.shown.length, 2);
	});

	it('deletes one at once, which comes back with Undo', async () => {
		const { id } = conversations.shown.conversation;
		const file = () => conversations.read(id);
		press('Delete');
		await waitFor('the offer', () => told.length > 0);
		assert.deepEqual(told, [['“What do taxes do?” was deleted.', 'Undo']]);
		await waitFor('it to be back', () => conversations.shown.conversation.id === id);
		assert.ok('conversation' in (await file()));
	});
});
