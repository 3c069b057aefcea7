import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { ReplyTools } from '../../src/chat/blocks/replyTools.ts';
import { PROPOSAL_SCHEME } from '../../src/platform/ids.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { waitFor } from '../support/waitFor.ts';

const FILE = 'export function first(value: number): number {\n\treturn value * 2;\n}\n\nexport const last = 1;\n';
const CODE = 'export function first(value: number): number {\n\treturn value * 3;\n}\n';
const CHANGED = FILE.replace('* 2', '* 3');

describe('the host, when a reply is used in the editor,', () => {
	const root = () => vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail('no folder is open');
	const folder = () => vscode.Uri.joinPath(root(), 'reply-tools');
	const file = (name: string) => vscode.Uri.joinPath(folder(), name);
	const tools = new ReplyTools(
		async () => [],
		() => {},
	);
	const nothing: vscode.Uri[] = [];

	before(async () => {
		await mkdir(folder().fsPath, { recursive: true });
	});

	beforeEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		// The file is replaced in one step, because the editor could read a piece of one that is written in place.
		await writeFile(file('a.ts.new').fsPath, FILE);
		await rename(file('a.ts.new').fsPath, file('a.ts').fsPath);
		await waitFor('the file as it is on disk', async () => (await textOf(file('a.ts'))) === FILE);
	});

	after(async () => {
		tools.dispose();
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await rm(folder().fsPath, { recursive: true, force: true });
	});

	const show = (name: string) => vscode.window.showTextDocument(file(name));
	const activeInput = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
	const textOf = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
	const revert = () => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');

	const isComparison = ({ input }: vscode.Tab) =>
		input instanceof vscode.TabInputTextDiff && input.modified.scheme === PROPOSAL_SCHEME;

	async function proposal(): Promise<vscode.TabInputTextDiff> {
		return waitFor('the comparison', () => {
			const input = activeInput();
			return input instanceof vscode.TabInputTextDiff && input.modified.scheme === PROPOSAL_SCHEME && input;
		});
	}

	/** The tabs once the editor has told of all that were opened before: it tells of them in their order, and a moment later. */
	async function tabsOfNow(): Promise<vscode.Tab[]> {
		await writeFile(file('later.ts').fsPath, FILE);
		await vscode.window.showTextDocument(file('later.ts'), { preview: false });
		return waitFor('the tab that is opened last', () => {
			const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
			return tabs.some(({ label }) => label === 'later.ts') && tabs;
		});
	}

	async function assertNothingIsCompared(): Promise<void> {
		const compared = (await tabsOfNow()).filter(isComparison).map(({ label }) => label);
		assert.deepEqual(compared, []);
	}

	/** Gives the answer to a question that comes, as the keyboard would: nothing says when it is there. */
	async function answered(done: Promise<void>, command: string): Promise<void> {
		let isDone = false;
		const end = () => {
			isDone = true;
		};
		done.then(end, end);
		await waitFor('the answer', async () => {
			await vscode.commands.executeCommand(command);
			return isDone;
		});
		await done;
	}

	it('inserts code at all cursors, in one step of undo', async () => {
		const editor = await show('a.ts');
		editor.selections = [new vscode.Selection(0, 0, 0, 0), new vscode.Selection(4, 0, 4, 6)];
		await tools.useCode('insert', { code: '// new\n' }, nothing);
		assert.equal(editor.document.getText(), `// new${FILE.replace('export const', '// new const')}`);
		await vscode.commands.executeCommand('undo');
		assert.equal(editor.document.getText(), FILE);
		await revert();
	});

	it('begins a file in a language that the editor knows under another name', async () => {
		await tools.useCode('new-file', { code: 'print(1)\n', language: 'py' }, nothing);
		const document = vscode.window.activeTextEditor?.document;
		assert.deepEqual([document?.isUntitled, document?.languageId, document?.getText()], [true, 'python', 'print(1)\n']);
		await revert();
	});

	it('shows a change before it is made, and makes it in one step of undo', async () => {
		await tools.useCode('apply', { code: CODE, file: 'reply-tools/a.ts' }, nothing);
		const { original, modified } = await proposal();
		assert.equal(original.toString(), file('a.ts').toString());
		assert.equal(await textOf(modified), CHANGED);
		assert.equal(await textOf(file('a.ts')), FILE, 'nothing is written yet');
		await tools.applyProposal(modified);
		assert.equal(await textOf(file('a.ts')), CHANGED);
		assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file('a.ts').toString());
		await vscode.commands.executeCommand('undo');
		assert.equal(await textOf(file('a.ts')), FILE);
		await revert();
	});

	it('takes the file in the message’s context instead of asking', async () => {
		await tools.useCode('apply', { code: CODE }, [file('a.ts')]);
		assert.equal((await proposal()).original.toString(), file('a.ts').toString());
	});

	it('writes nothing if the comparison is closed', async () => {
		await tools.useCode('apply', { code: CODE, file: 'reply-tools/a.ts' }, nothing);
		await proposal();
		await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
		await waitFor('the comparison to be closed', () => !(activeInput() instanceof vscode.TabInputTextDiff));
		assert.equal(await textOf(file('a.ts')), FILE);
	});

	it('compares again if the file has changed meanwhile', async () => {
		await tools.useCode('apply', { code: CODE, file: 'reply-tools/a.ts' }, nothing);
		const { modified } = await proposal();
		const edit = new vscode.WorkspaceEdit();
		edit.insert(file('a.ts'), new vscode.Position(4, 0), '// meanwhile\n');
		await vscode.workspace.applyEdit(edit);
		const changed = FILE.replace('export const', '// meanwhile\nexport const');
		void tools.applyProposal(modified);
		await waitFor('the new comparison', async () => (await textOf(modified)) === changed.replace('* 2', '* 3'));
		assert.equal(await textOf(file('a.ts')), changed, 'it is only compared');
		await tools.applyProposal(modified);
		assert.equal(await textOf(file('a.ts')), changed.replace('* 2', '* 3'));
		await revert();
	});

	it('keeps the line breaks of a file, and that it has none at its end', async () => {
		const windows = FILE.replaceAll('\n', '\r\n').trimEnd();
		await writeFile(file('crlf.ts').fsPath, windows);
		await tools.useCode('apply', { code: CODE, file: 'reply-tools/crlf.ts' }, nothing);
		await tools.applyProposal((await proposal()).modified);
		const document = await vscode.workspace.openTextDocument(file('crlf.ts'));
		assert.equal(document.getText(), windows.replace('* 2', '* 3'));
		await document.save();
		assert.equal(await readFile(file('crlf.ts').fsPath, 'utf8'), windows.replace('* 2', '* 3'));
	});

	it('makes several changes of one file one after the other, the later ones compared again', async () => {
		const other = '\nexport const last = 1;\nexport const more = 2;\n';
		await tools.useCode('apply', { code: CODE, file: 'reply-tools/a.ts' }, nothing);
		const first = (await proposal()).modified;
		await tools.useCode('apply', { code: other, file: 'reply-tools/a.ts' }, nothing);
		const second = await waitFor('the other comparison', async () => {
			const { modified } = await proposal();
			return modified.toString() !== first.toString() && modified;
		});
		assert.equal(await textOf(second), `${FILE}export const more = 2;\n`);
		await tools.applyProposal(first);
		assert.equal(await textOf(file('a.ts')), CHANGED);
		const both = `${CHANGED}export const more = 2;\n`;
		void tools.applyProposal(second);
		await waitFor('the new comparison', async () => (await textOf(second)) === both);
		assert.equal(await textOf(file('a.ts')), CHANGED, 'it is only compared');
		await tools.applyProposal(second);
		assert.equal(await textOf(file('a.ts')), both);
		await revert();
	});

	it('writes nothing to a file that is read-only in the editor', async () => {
		const settings = vscode.workspace.getConfiguration('files');
		await settings.update('readonlyInclude', { '**/locked.ts': true }, vscode.ConfigurationTarget.Global);
		try {
			await writeFile(file('locked.ts').fsPath, FILE);
			await show('locked.ts');
			void tools.useCode('insert', { code: CODE }, nothing);
			await tools.useCode('apply', { code: CODE, file: 'reply-tools/locked.ts' }, nothing);
			const { modified } = await proposal();
			await tools.applyProposal(modified);
			assert.equal(await textOf(file('locked.ts')), FILE);
			const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
			assert.ok(
				tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff),
				'the comparison stays',
			);
		} finally {
			await settings.update('readonlyInclude', undefined, vscode.ConfigurationTarget.Global);
		}
	});

	it('asks which file is meant if more than one may be, and compares the one that is chosen', async () => {
		await writeFile(file('second.ts').fsPath, FILE);
		const done = tools.useCode('apply', { code: CODE }, [file('second.ts'), file('a.ts')]);
		await answered(done, 'workbench.action.acceptSelectedQuickOpenItem');
		assert.equal((await proposal()).original.toString(), file('second.ts').toString());
	});

	it('offers to begin the file that the fence names if it does not exist, and begins it', async () => {
		await show('a.ts');
		const done = tools.useCode('apply', { code: CODE, file: 'reply-tools/new/c.ts' }, nothing);
		await answered(done, 'workbench.action.acceptSelectedQuickOpenItem');
		const { modified } = await proposal();
		assert.equal(await textOf(modified), CODE);
		await tools.applyProposal(modified);
		assert.equal(await textOf(file('new/c.ts')), CODE);
	});

	it('asks where code belongs if it does not show that itself', async () => {
		const code = 'const somethingElse = entirely();\n';
		const done = tools.useCode('apply', { code, file: 'reply-tools/a.ts' }, nothing);
		await answered(done, 'workbench.action.acceptSelectedQuickOpenItem');
		assert.equal(await textOf((await proposal()).modified), FILE + code, 'at the end of the file');
	});

	it('compares nothing if the question is left with Escape', async () => {
		const done = tools.useCode('apply', { code: 'entirely();\n', file: 'reply-tools/a.ts' }, nothing);
		await answered(done, 'workbench.action.closeQuickOpen');
		await assertNothingIsCompared();
	});

	it('finds files of the workspace by the names that replies give them, and no others', async () => {
		const outside = path.join(os.tmpdir(), 'errand-outside.ts');
		await writeFile(outside, '');
		const found = await tools.findFiles([
			'reply-tools/a.ts:2',
			file('a.ts').fsPath,
			'reply-tools/b.ts',
			'reply-tools',
			`../${path.basename(root().fsPath)}/reply-tools/a.ts`,
			outside,
			'//127.0.0.1/share/a.ts',
			file('a.ts').toString(),
		]);
		await rm(outside);
		assert.deepEqual(found, ['reply-tools/a.ts:2', file('a.ts').fsPath]);
	});

	it('opens a file at its lines', async () => {
		await tools.openFile('reply-tools/a.ts#L2-L3');
		await waitFor('its lines', () => {
			const { document, selection } = vscode.window.activeTextEditor ?? {};
			const isShown = document?.uri.toString() === file('a.ts').toString();
			return isShown && selection?.start.line === 1 && selection.end.line === 2;
		});
	});

	it('refuses an image of this machine before anything is sent, unless the connection is there itself', async () => {
		const asked: string[] = [];
		const server = createServer((request, response) => {
			asked.push(request.url ?? '');
			response.end(demoImage('a fox'));
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const own = new ReplyTools(
			async () => [origin],
			() => assert.fail(),
		);
		try {
			assert.deepEqual(await tools.loadImage(`${origin}/fox.png`), {
				problem: 'The image is on this machine or its network, and replies can’t load anything from there.',
			});
			assert.deepEqual(asked, []);
			assert.ok('dataUrl' in (await own.loadImage(`${origin}/fox.png`)));
			assert.deepEqual(asked, ['/fox.png']);
		} finally {
			own.dispose();
			server.closeAllConnections();
			server.close();
		}
	});

	describe('through links of the file system', () => {
		let outside: string;
		/** In tests the editor throws in place of a modal question, and says which. */
		const OUTSIDE = /dialog in tests.*points outside the workspace/;
		const GITS = /dialog in tests.*belongs to Git/;
		const apply = async (name: string) => {
			const done = tools.useCode('apply', { code: CODE, file: `reply-tools/${name}` }, nothing);
			await answered(done, 'workbench.action.acceptSelectedQuickOpenItem');
		};

		before(function () {
			if (process.platform === 'win32') {
				this.skip();
			}
		});

		beforeEach(async () => {
			outside = await mkdtemp(path.join(os.tmpdir(), 'errand-outside-'));
			await waitFor(
				'no comparison',
				() => !vscode.window.tabGroups.all.flatMap(group => group.tabs).some(isComparison),
			);
		});

		afterEach(async () => {
			await rm(outside, { recursive: true, force: true });
			await rm(file('assets').fsPath, { recursive: true, force: true });
		});

		it('asks before it opens a file outside of the workspace, or compares code with it', async () => {
			await writeFile(path.join(outside, 'linked.ts'), '');
			await symlink(path.join(outside, 'linked.ts'), file('link.ts').fsPath);
			await assert.rejects(tools.openFile('reply-tools/link.ts'), OUTSIDE);
			await assert.rejects(apply('link.ts'), OUTSIDE);
			assert.ok((await tabsOfNow()).every(({ label }) => !label.includes('link.ts')));
		});

		it('asks before it begins a file behind a folder that leads out of the workspace', async () => {
			await symlink(outside, file('assets').fsPath);
			await assert.rejects(apply('assets/.config/autostart/x.desktop'), OUTSIDE);
			await assertNothingIsCompared();
			assert.equal(existsSync(path.join(outside, '.config')), false);
		});

		it('asks before it begins the file that a link without a target names', async () => {
			await symlink(path.join(outside, 'profile.sh'), file('dangling.sh').fsPath);
			await assert.rejects(apply('dangling.sh'), OUTSIDE);
			await assertNothingIsCompared();
			await rm(file('dangling.sh').fsPath);
		});

		it('asks before it begins a file of git’s own, named as it is or behind a link', async () => {
			await symlink(vscode.Uri.joinPath(root(), '.git').fsPath, file('assets').fsPath);
			await assert.rejects(apply('assets/hooks/pre-push.sh'), GITS);
			for (const name of ['.git/hooks/pre-push.sh', '.GIT/hooks/pre-push.sh', 'sub/.git/hooks/pre-push.sh']) {
				const done = tools.useCode('apply', { code: CODE, file: name }, nothing);
				await assert.rejects(answered(done, 'workbench.action.acceptSelectedQuickOpenItem'), GITS, name);
			}
			await assertNothingIsCompared();
		});

		it('asks again where a folder has come to lead out of the workspace since the comparison', async () => {
			await mkdir(file('assets').fsPath);
			await apply('assets/x.ts');
			const { modified } = await proposal();
			await rm(file('assets').fsPath, { recursive: true });
			await symlink(outside, file('assets').fsPath);
			await assert.rejects(tools.applyProposal(modified), OUTSIDE);
			assert.equal(existsSync(path.join(outside, 'x.ts')), false);
			await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
		});

		it('does not ask where a link stays in the workspace', async () => {
			await mkdir(file('kept').fsPath, { recursive: true });
			await symlink(file('kept').fsPath, file('assets').fsPath);
			await apply('assets/fine.ts');
			assert.equal(await textOf((await proposal()).modified), CODE);
		});
	});
});
