import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PickList } from '../../src/platform/pick.ts';

describe('a list that is drawn again', () => {
	const run = (command: string) => vscode.commands.executeCommand(command);
	/** The editor has done all that it was told before. */
	const editorHasCaughtUp = () => run('setContext').then(undefined, () => {});
	const accept = () => run('workbench.action.acceptSelectedQuickOpenItem');
	const rowsOf = (...labels: string[]): vscode.QuickPickItem[] => labels.map(label => ({ label }));

	let taken: string[];
	let hidden: number;
	let list: PickList<vscode.QuickPickItem>;

	beforeEach(() => {
		taken = [];
		hidden = 0;
		list = new PickList(pick => pick.onDidAccept(() => taken.push(...pick.selectedItems.map(({ label }) => label))));
		void list.result.then(() => {
			hidden += 1;
		});
	});

	afterEach(() => list.end());

	it('does not choose a row that has taken the place of the chosen one', async () => {
		list.show(rowsOf('deleted', 'chosen', 'after it'));
		await editorHasCaughtUp();
		// Chosen in the window while new rows are on their way to it.
		const chosen = [run('workbench.action.quickOpenSelectNext'), accept()];
		list.show(rowsOf('chosen', 'after it'));
		await Promise.all(chosen);
		await editorHasCaughtUp();
		assert.deepEqual(taken, []);
		await accept();
		await editorHasCaughtUp();
		assert.deepEqual(taken, ['chosen']);
	});

	it('keeps what was typed, is at the row that it is told, and is dismissed once', async () => {
		list.show(rowsOf('one', 'other'));
		await editorHasCaughtUp();
		if (list.current) {
			list.current.value = 'o';
		}
		const rows = rowsOf('one', 'other', 'another');
		list.show(rows, rows[1]);
		await editorHasCaughtUp();
		assert.equal(list.current?.value, 'o');
		assert.equal(hidden, 0);
		await accept();
		await editorHasCaughtUp();
		assert.deepEqual(taken, ['other']);
		await run('workbench.action.closeQuickOpen');
		await editorHasCaughtUp();
		assert.equal(hidden, 1);
	});
});
