import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import { SettingsPickers } from '../../src/chat/settings/settingsPickers.ts';
import { localConnection } from '../../src/contract/localConnection.ts';
import { type PickerEnd, thenComposer } from '../../src/platform/editorUse.ts';
import { waitFor } from '../support/waitFor.ts';

describe('the composer after a list of the editor', () => {
	const takesKeyboard = async (run: () => PromiseLike<PickerEnd>) => {
		let taken = false;
		await thenComposer(run, {
			focusComposer() {
				taken = true;
			},
		});
		return taken;
	};
	const openSettings = async () => {
		await vscode.commands.executeCommand('workbench.action.openSettings', '@id:errand.chat.routing');
		return undefined;
	};

	beforeEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

	after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

	it('has the keyboard back if nothing else has it', async () => {
		assert.equal(await takesKeyboard(async () => undefined), true);
		await openSettings();
		assert.equal(await takesKeyboard(async () => undefined), true, 'with an editor that was there before');
	});

	it('does not take it from an editor that came to the front, whether that has text or not', async () => {
		assert.equal(await takesKeyboard(openSettings), false, 'settings');
		const openText = async () => {
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'a' }));
			return undefined;
		};
		assert.equal(await takesKeyboard(openText), false, 'text');
		assert.equal(await takesKeyboard(openSettings), false, 'settings that were open');
	});

	it('has it back before a choice is saved', async () => {
		const never = () => new Promise<void>(() => {});
		const chat = { conversation: {}, mode: 'chat', choose: never, setMode: never } as unknown as Chat;
		const pickers = new SettingsPickers({
			shown: async () => chat,
			defaultModel: async () => 'demo',
			source: {
				defaults: () => ({ routing: {}, retention: undefined, parameters: {}, instructions: '' }),
				connection: async () => localConnection,
			},
			models: {
				discover: async () => undefined,
				recent: { read: () => [], write: () => {} },
				found: { read: () => [], write: () => {} },
			},
			servers: { unused: async () => [], add: async () => {} },
			explainError: error => assert.fail(String(error)),
		});
		const taken: string[] = [];
		const lists: Record<string, () => unknown> = {
			policy: () => thenComposer(() => pickers.selectRouting(), { focusComposer: () => taken.push('policy') }),
			model: () => thenComposer(() => pickers.selectModel(), { focusComposer: () => taken.push('model') }),
		};
		for (const [name, open] of Object.entries(lists)) {
			void open();
			await waitFor(`the composer after the list of the ${name}`, async () => {
				await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
				return taken.includes(name);
			});
		}
	});

	it('does not take it from where a choice has led, even if that was in front before', async () => {
		await openSettings();
		assert.equal(await takesKeyboard(async () => 'elsewhere'), false);
	});
});
