import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { exportConversation } from '../../src/chat/conversations/conversationCommands.ts';
import { insertImage, saveImage } from '../../src/chat/modes/imageFile.ts';
import { conversation, reply, TURN_IDS, turn } from '../unit/chat/conversations.ts';

const [ID] = TURN_IDS;
const TALK = conversation(turn(ID, 'And what do taxes do?', reply()));
const IMAGE = { bytes: new Uint8Array([1, 2, 3]), type: 'image/png', prompt: 'a fox in the snow' } as const;

describe('a file that the user saves from the chat', () => {
	const { showSaveDialog, showQuickPick } = vscode.window;
	let folder: string;
	/** What the dialog proposes. */
	let proposed: string[];

	/** Answers the dialog with a name in a folder of the test, or leaves it. */
	const answer = (name: string | undefined) =>
		Object.assign(vscode.window, {
			showSaveDialog: async ({ defaultUri }: vscode.SaveDialogOptions) => {
				proposed.push(path.basename(defaultUri?.path ?? ''));
				return name && vscode.Uri.file(path.join(folder, name));
			},
		});
	const choose = (label: string) =>
		Object.assign(vscode.window, {
			showQuickPick: async (rows: vscode.QuickPickItem[]) => rows.find(row => row.label === label),
		});
	const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-saved-'));
		proposed = [];
	});
	afterEach(async () => {
		Object.assign(vscode.window, { showSaveDialog, showQuickPick });
		await vscode.commands.executeCommand('notifications.clearAll');
		rmSync(folder, { recursive: true });
	});

	it('is a conversation in the form that was chosen, under a name of its words', async () => {
		choose('Markdown');
		answer('talk.md');
		await exportConversation(TALK);
		choose('JSON');
		answer('talk.json');
		await exportConversation(TALK);
		assert.deepEqual(proposed, ['and-what-do-taxes-do.md', 'and-what-do-taxes-do.json']);
		assert.match(read('talk.md'), /^## You \(.+\)\n\nAnd what do taxes do\?\n\n## .*demo.* \(.+\)\n/m);
		const { format, conversation: exported } = JSON.parse(read('talk.json'));
		assert.deepEqual([format, exported.turns[0].question], ['errand.conversation', 'And what do taxes do?']);
	});

	it('is an image under a name of its prompt, of which a document gets the place at its cursor', async () => {
		answer('fox.png');
		await saveImage(IMAGE);
		const document = await vscode.workspace.openTextDocument({ content: 'Here: ' });
		const editor = await vscode.window.showTextDocument(document);
		editor.selection = new vscode.Selection(0, 6, 0, 6);
		await insertImage(IMAGE, sentence => assert.fail(sentence));
		assert.deepEqual(proposed, ['a-fox-in-the-snow.png', 'a-fox-in-the-snow.png']);
		assert.deepEqual([...readFileSync(path.join(folder, 'fox.png'))], [1, 2, 3]);
		assert.match(document.getText(), /^Here: !\[a fox in the snow\]\(.*fox\.png\)$/);
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});

	it('is none where the dialog is left, nor an image where no document can take its place', async () => {
		choose('JSON');
		answer(undefined);
		await exportConversation(TALK);
		await saveImage(IMAGE);
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		const said: string[] = [];
		await insertImage(IMAGE, sentence => said.push(sentence));
		assert.deepEqual(said, ['Open the file to insert the image into first.']);
		assert.deepEqual(readdirSync(folder), []);
		assert.equal(proposed.length, 2);
	});
});
