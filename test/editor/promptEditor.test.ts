import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PromptEditor } from '../../src/tasks/launch/promptEditor.ts';
import { PromptFile } from '../../src/tasks/launch/promptFile.ts';
import { State } from '../support/state.ts';
import { waitFor } from '../support/waitFor.ts';

/** A state whose writes can be held up. */
class SlowState extends State {
	writes = 0;
	private held: Promise<void> = Promise.resolve();

	/** Holds writes up until the returned function is called. */
	hold(): () => void {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.held = promise;
		return resolve;
	}

	override async update(key: string, value: unknown): Promise<void> {
		this.writes += 1;
		await this.held;
		await super.update(key, value);
	}
}

describe('the prompt’s editor, when a task was made from it,', () => {
	let state: SlowState;
	let file: PromptFile;
	let editor: PromptEditor;
	let takes: boolean;
	let refusals: string[];
	let count = 0;

	beforeEach(() => {
		state = new SlowState();
		// The scheme of the extension that runs here is taken.
		file = new PromptFile(`errand-prompt-test-${count++}`, state, () => {});
		takes = false;
		refusals = [];
		const write = async () => assert.ok(takes, 'no page');
		editor = new PromptEditor({ file, composer: { write }, explain: error => refusals.push(String(error)) });
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		editor.dispose();
		file.dispose();
	});

	const tabs = () =>
		vscode.window.tabGroups.all
			.flatMap(group => group.tabs)
			.filter(({ input }) => input instanceof vscode.TabInputText && file.isOf(input.uri));

	async function write(text: string): Promise<vscode.TextDocument> {
		const { document } = await editor.open();
		const whole = new vscode.Range(0, 0, document.lineCount, 0);
		const edit = new vscode.WorkspaceEdit();
		edit.replace(document.uri, whole, text);
		assert.ok(await vscode.workspace.applyEdit(edit));
		return document;
	}

	it('closes, and is empty when it is opened again', async () => {
		await write('Paint the buoys');
		await editor.remove('Paint the buoys');
		await waitFor('it to be closed', () => tabs().length === 0);
		assert.deepEqual([file.text, file.draft.text], ['', '']);
		const { document } = await editor.open();
		assert.equal(document.getText(), '');
	});

	it('has the same modification time in a later window and after each write, so that unsaved text can be saved', async () => {
		const { fs } = vscode.workspace;
		const timeOf = async ({ uri }: PromptFile) => (await fs.stat(uri)).mtime;
		const before = await timeOf(file);
		await fs.writeFile(file.uri, new TextEncoder().encode('Paint the buoys'));
		const later = new PromptFile(`errand-prompt-test-${count++}`, state, () => {});
		assert.deepEqual([await timeOf(file), await timeOf(later)], [before, before]);
		later.dispose();
	});

	it('keeps its text until the chat has taken it', async () => {
		await write('Paint the buoys');
		await editor.takeToChat();
		assert.equal(editor.prompt, 'Paint the buoys');
		assert.match(refusals.join('\n'), /^AssertionError.*no page$/);
		takes = true;
		await editor.takeToChat();
		assert.equal(editor.prompt, '');
	});

	it('closes without a question while what was typed is still being saved', async () => {
		const release = state.hold();
		await write('Paint the buoys');
		await waitFor('the prompt to be saved', () => state.writes === 1);
		const removed = editor.remove('Paint the buoys');
		release();
		await removed;
		await waitFor('it to be closed', () => tabs().length === 0);
		assert.deepEqual([file.text, file.draft.text], ['', '']);
	});

	it('keeps the next prompt if the user begins it at once', async () => {
		for (let turn = 0; turn < 5; turn++) {
			await write(`Paint buoy ${turn}`);
			await editor.remove(`Paint buoy ${turn}`);
			const document = await write(`Next ${turn}`);
			await waitFor(`the next prompt to be kept, turn ${turn}`, () => file.draft.text === `Next ${turn}`);
			await waitFor('it to be saved', () => !document.isDirty);
			assert.equal(document.getText(), `Next ${turn}`);
		}
	});

	it('stays open with what was written meanwhile', async () => {
		await write('Paint the buoys, and more');
		await editor.remove('Paint the buoys');
		assert.deepEqual([tabs().length, file.text], [1, 'Paint the buoys, and more']);
	});
});
