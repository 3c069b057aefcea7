import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { PickerEnd } from '../../src/chat/policy/policyPickers.ts';
import { thenComposer } from '../../src/chat/thenComposer.ts';

describe('the composer after a list of the editor', function () {
	this.timeout(30_000);

	const takesKeyboard = async (run: () => PromiseLike<PickerEnd>) => {
		let taken = false;
		await thenComposer(run, () => {
			taken = true;
		});
		return taken;
	};
	const openSettings = async () => {
		await vscode.commands.executeCommand('workbench.action.openSettings', '@id:errand.chat.routing');
		return undefined;
	};

	beforeEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

	after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

	it('has the keyboard back where nothing else has it', async () => {
		assert.equal(await takesKeyboard(async () => undefined), true);
		await openSettings();
		assert.equal(await takesKeyboard(async () => undefined), true, 'with an editor that was there before');
	});

	it('takes it from no editor that came to the front, whether it has text or not', async () => {
		assert.equal(await takesKeyboard(openSettings), false, 'settings');
		const openText = async () => {
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'a' }));
			return undefined;
		};
		assert.equal(await takesKeyboard(openText), false, 'text');
		assert.equal(await takesKeyboard(openSettings), false, 'settings that were open');
	});

	it('takes it not from where a choice has led, also where that was in front before', async () => {
		await openSettings();
		assert.equal(await takesKeyboard(async () => 'elsewhere'), false);
	});
});
