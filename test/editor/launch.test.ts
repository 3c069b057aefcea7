import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { placeActions, promptOfPlace } from '../../src/tasks/launch/promptSources.ts';
import { waitFor } from '../support/waitFor.ts';

describe('the code actions for a task', () => {
	it('stay few, short and quick where a huge file is full of problems', async () => {
		const line = `${'x'.repeat(100_000)} // TODO ${'y'.repeat(100_000)}`;
		const document = await vscode.workspace.openTextDocument({ content: Array(50).fill(line).join('\n') });
		const range = new vscode.Range(0, 0, document.lineCount, 0);
		const problems = Array.from({ length: 10_000 }, (_, at) => new vscode.Diagnostic(range, `Wrong ${at} ${line}`));
		const actions = placeActions(document, range, problems);
		assert.equal(actions.length, 5);
		assert.match(actions[1]?.title ?? '', /^Start Task for This Problem: Wrong 1 x+…$/);
		const prompt = await promptOfPlace(actions[1]?.command?.arguments?.[0]);
		assert.ok(prompt.length < 10_000, String(prompt.length));
		const [todo] = placeActions(document, new vscode.Range(0, 0, 0, 0), []);
		assert.equal(todo, undefined, 'what stands so far to the right is not looked for');
	});

	it('take no selection that is too long to be read', async () => {
		const document = await vscode.workspace.openTextDocument({ content: 'x'.repeat(200_000) });
		const editor = await vscode.window.showTextDocument(document);
		try {
			editor.selection = new vscode.Selection(0, 0, 0, 200_000);
			await assert.rejects(promptOfPlace(undefined), /too long for a prompt/);
			editor.selection = new vscode.Selection(0, 0, 0, 10);
			assert.match(await promptOfPlace(undefined), /x{10}\n```/);
		} finally {
			await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		}
	});
});

describe('the prompt’s editor', () => {
	const text = () =>
		vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'errand-prompt')?.document;

	it('keeps its draft when it is closed', async () => {
		try {
			await vscode.window.showTextDocument(vscode.Uri.from({ scheme: 'errand-prompt', path: '/Task Prompt.md' }));
			const document = await waitFor('the prompt', () => text());
			const edit = new vscode.WorkspaceEdit();
			const draft = 'Keep this\n\nwith blank lines, \n\n';
			edit.insert(document.uri, new vscode.Position(0, 0), draft);
			await vscode.workspace.applyEdit(edit);
			// Otherwise the editor would ask what to do with it when it is closed.
			await waitFor('the draft to be kept', () => !document.isDirty);
			assert.equal(document.getText(), draft);
			await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
			await waitFor('the prompt to be closed', () => text() === undefined);
			await vscode.window.showTextDocument(document.uri);
			assert.equal(text()?.getText(), draft);
		} finally {
			const open = text();
			if (open) {
				const clear = new vscode.WorkspaceEdit();
				clear.replace(open.uri, new vscode.Range(0, 0, open.lineCount, 0), '');
				await vscode.workspace.applyEdit(clear);
				await open.save();
			}
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		}
	});
});

describe('a problem', () => {
	it('has a code action that begins a prompt with it', async () => {
		const diagnostics = vscode.languages.createDiagnosticCollection('launch test');
		try {
			const [file] = await vscode.workspace.findFiles('README.md');
			assert.ok(file);
			const problem = new vscode.Diagnostic(new vscode.Range(0, 0, 0, 3), 'It is `wrong`');
			diagnostics.set(file, [problem]);
			await vscode.window.showTextDocument(file);
			const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
				'vscode.executeCodeActionProvider',
				file,
				problem.range,
			);
			const action = actions.find(({ title }) => title === 'Start Task for This Problem');
			const prompt = await promptOfPlace(action?.command?.arguments?.[0]);
			assert.match(prompt, /^Fix the problem at `README\.md:1`:\n\n> It is `wrong`\n\n```markdown\n# /);
		} finally {
			diagnostics.dispose();
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		}
	});
});
