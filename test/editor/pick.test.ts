import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PickList } from '../../src/platform/pick.ts';

describe('a list that is drawn again', () => {
	const run = (command: string) => vscode.commands.executeCommand(command);
	/** The editor has done all that it was told before. */
	const editorHasCaughtUp = () => run('noop');
	/** The rows that were put into the list are shown, and choices count again. */
	const drawn = async () => {
		await new Promise(resolve => setTimeout(resolve));
		await editorHasCaughtUp();
	};
	const accept = () => run('workbench.action.acceptSelectedQuickOpenItem');
	const rowsOf = (...labels: string[]): vscode.QuickPickItem[] => labels.map(label => ({ label }));

	let taken: string[];
	let hidden: number;
	let list: PickList<vscode.QuickPickItem, string | undefined>;

	beforeEach(() => {
		taken = [];
		hidden = 0;
		list = new PickList(pick => pick.onDidAccept(() => list.take(pick.selectedItems[0]?.label)));
		void list.result.then(result => {
			hidden += 1;
			taken.push(...(result === undefined ? [] : [result]));
		});
	});

	afterEach(() => list.end());

	it('does not choose a row that has taken the place of the chosen one', async () => {
		list.show(rowsOf('deleted', 'chosen', 'after it'));
		await editorHasCaughtUp();
		// Chosen in the window while new rows are on their way to it.
		const chosen = [run('workbench.action.quickOpenSelectNext'), accept()];
		list.redraw(rowsOf('chosen', 'after it'));
		await Promise.all(chosen);
		await drawn();
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
		list.redraw(rows, rows[1]);
		assert.equal(list.active, rows[1]);
		await editorHasCaughtUp();
		assert.equal(list.current?.value, 'o');
		assert.equal(hidden, 0);
		await drawn();
		await accept();
		await editorHasCaughtUp();
		assert.deepEqual([taken, hidden], [['other'], 1]);
	});

	it('is left by an Escape that comes at that moment', async () => {
		list.show(rowsOf('one', 'other'));
		await editorHasCaughtUp();
		const left = run('workbench.action.closeQuickOpen');
		list.redraw(rowsOf('one', 'other', 'another'));
		await left;
		await drawn();
		assert.deepEqual([taken, hidden, list.current], [[], 1, undefined]);
	});
});
