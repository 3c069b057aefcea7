import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';

describe('the editor’s stand-in', () => {
	const { t } = vscode.l10n;

	for (const [text, expected] of [
		[t('{0} of {1} files', 1, 'two'), '1 of two files'],
		[t('{0}, {1} and {0}', '{1}', 'b'), '{1}, b and {1}'],
		[t('{name} is {state}', { name: 'It', state: 'there' }), 'It is there'],
		[t({ message: '{0}?', args: ['Why'], comment: 'A question.' }), 'Why?'],
		[t('{0} and {1}', 'one'), 'one and {1}'],
		[t('{0}'), '{0}'],
	] as const) {
		it(`fills in the values of a text as the editor does: ${expected}`, () => assert.equal(text, expected));
	}

	it('throws by its name what it lacks, wherever that is in the interface', () => {
		const lacking = (name: string) => new RegExp(`has no ${name.replaceAll('.', '\\.')}\\. .* belongs in test/editor`);
		assert.throws(() => vscode.window.showQuickPick([]), lacking('vscode.window.showQuickPick'));
		assert.throws(() => vscode.commands.executeCommand('x'), lacking('vscode.commands.executeCommand'));
		assert.throws(() => new vscode.WorkspaceEdit(), lacking('vscode.WorkspaceEdit'));
		assert.throws(() => class extends vscode.TreeItem {}, lacking('vscode.TreeItem.prototype'));
		assert.throws(() => vscode.ProgressLocation['None' as 'Window'], lacking('vscode.ProgressLocation.None'));
		assert.throws(() => vscode.Uri.joinPath(vscode.Uri.file('/')), lacking('vscode.Uri.joinPath'));
	});

	it('has the numbers of the enumerations, those that follow from their order too', () => {
		const { ProgressLocation, QuickPickItemKind, SymbolKind } = vscode;
		assert.deepEqual([ProgressLocation.Window, QuickPickItemKind.Separator, SymbolKind.Module], [10, -1, 1]);
	});

	it('knows the addresses of files alone', () => {
		const file = path.resolve('with blank.txt');
		const uri = vscode.Uri.file(file);
		assert.equal(path.posix.basename(uri.path), 'with blank.txt');
		assert.throws(() => uri.with({ scheme: 'other' }), /has no vscode\.Uri\.with\. /);
		assert.deepEqual([uri.scheme, uri.fsPath, vscode.Uri.parse(uri.toString()).fsPath], ['file', file, file]);
		assert.ok(uri instanceof vscode.Uri);
		assert.throws(() => vscode.Uri.parse('https://host.example/'), { code: 'ERR_INVALID_URL_SCHEME' });
	});

	it('runs what takes long, and says what that has led to', async () => {
		const options = { location: vscode.ProgressLocation.Window, title: 'It runs' };
		assert.equal(await vscode.window.withProgress(options, async () => 'done'), 'done');
		await assert.rejects(async () => {
			await vscode.window.withProgress(options, () => Promise.reject(new Error('failed')));
		}, /failed/);
	});
});
