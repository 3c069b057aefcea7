import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { PreflightList } from '../../src/tasks/launch/preflightList.ts';

describe('the list before a task is sent', () => {
	const rowsOf = (...ids: string[]) => ids.map(id => ({ id, label: id }));
	const run = (command: string) => vscode.commands.executeCommand(command);
	/** The editor has done all that it was told before. */
	const editorHasCaughtUp = () => run('noop');
	/** The rows that were put into the list are shown, and choices count again. */
	const drawn = async () => {
		await new Promise(resolve => setTimeout(resolve));
		await editorHasCaughtUp();
	};

	it('keeps the active row when the rows are drawn again, and is still dismissed once', async () => {
		const preflight = new PreflightList('Start Task');
		const taken = preflight.ask(rowsOf('asking', 'time', 'start'), 'start', false);
		await editorHasCaughtUp();
		preflight.update(rowsOf('known', 'also known', 'time', 'start'));
		await drawn();
		await run('workbench.action.acceptSelectedQuickOpenItem');
		assert.equal(await taken, 'start');
		const dismissed = preflight.ask(rowsOf('time', 'start'), 'start', false);
		preflight.update(rowsOf('start'));
		await drawn();
		await run('workbench.action.closeQuickOpen');
		assert.equal(await dismissed, undefined);
	});
});
