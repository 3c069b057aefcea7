import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readInstructions } from '../../src/chat/context/readInstructions.ts';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import type { TurnContext } from '../../src/chat/model/conversation.ts';
import type { Measure } from '../../src/chat/model/measure.ts';
import { sendMessage } from '../../src/chat/turnHandlers.ts';
import { clearSetting, writeSetting } from '../../src/platform/settings.ts';
import { waitFor } from '../support/waitFor.ts';
import { NOTHING, openContext, place, root } from './contextFolder.ts';

describe('files with instructions in the editor', () => {
	const written: string[] = [];
	const top = (name: string) => vscode.Uri.joinPath(root(), name);
	/** Writes a file of the workspace folder, which the test's end removes. */
	const write = async (name: string, text: string) => {
		const { fsPath } = top(name);
		await mkdir(path.dirname(fsPath), { recursive: true });
		await writeFile(fsPath, text);
		written.push(fsPath);
	};
	const labels = async (...places: vscode.Uri[]) => (await readInstructions(places)).files.map(({ label }) => label);

	beforeEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

	afterEach(async () => {
		for (const file of written.splice(0)) {
			await rm(file, { force: true });
		}
		await rm(top('.github').fsPath, { recursive: true, force: true });
		await rm(place('').fsPath, { recursive: true, force: true });
	});

	it('are those from the workspace folder down to each place, the nearest last', async () => {
		await write('AGENTS.md', 'root\n');
		await write('CLAUDE.md', 'claude\n');
		await write('.github/copilot-instructions.md', 'copilot\n');
		await write('context/web/AGENTS.md', 'web\n');
		await write('context/web/deep/AGENTS.md', 'deep\n');
		await write('context/web/CLAUDE.md', 'not read\n');
		await write('context/api/AGENTS.md', 'api\n');
		const own = ['.github/copilot-instructions.md', 'CLAUDE.md', 'AGENTS.md'];
		assert.deepEqual(await labels(), own);
		assert.deepEqual(await labels(top('context/web/a.ts')), [...own, 'context/web/AGENTS.md']);
		assert.deepEqual(await labels(top('context/web/deep/a.ts'), top('context/api/b.ts')), [
			...own,
			'context/api/AGENTS.md',
			'context/web/AGENTS.md',
			'context/web/deep/AGENTS.md',
		]);
		assert.deepEqual(await labels(vscode.Uri.parse(`${top('context/api')}/`)), [...own, 'context/api/AGENTS.md']);
		assert.deepEqual(await labels(vscode.Uri.file('/somewhere/else.ts'), vscode.Uri.parse('untitled:x')), own);
	});

	it('go once where one is a link to the other, and not at all where a link leads out of the folder', async () => {
		const outside = await mkdtemp(path.join(os.tmpdir(), 'errand-instructions-'));
		try {
			await writeFile(path.join(outside, 'AGENTS.md'), 'outside\n');
			await write('AGENTS.md', 'root\n');
			await symlink(top('AGENTS.md').fsPath, top('CLAUDE.md').fsPath);
			written.push(top('CLAUDE.md').fsPath);
			await mkdir(place('').fsPath, { recursive: true });
			await symlink(outside, place('linked').fsPath);
			assert.deepEqual(await readInstructions([place('linked/a.ts')]), {
				files: (await readInstructions([])).files,
				problems: ['context/linked/AGENTS.md isn’t sent: it’s reached by a link that leads out of the folder.'],
			});
			assert.deepEqual(await labels(), ['AGENTS.md']);
			await write('.env', 'TOKEN=1\n');
			await rm(top('CLAUDE.md').fsPath);
			await symlink(top('.env').fsPath, top('CLAUDE.md').fsPath);
			assert.deepEqual((await readInstructions([])).problems, [
				'CLAUDE.md isn’t sent: it’s a link to a file that isn’t for instructions.',
			]);
			assert.deepEqual(await labels(), ['AGENTS.md']);
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it('are told of where they cannot be read as text', async () => {
		await write('AGENTS.md', 'x'.repeat(1_000_001));
		const { files, problems } = await readInstructions([]);
		assert.deepEqual(files, []);
		assert.match(problems.join(), /^AGENTS\.md isn’t sent\. AGENTS\.md is larger than 1 MB/);
	});

	it('are not read in a workspace that is not trusted, nor where the setting says no', async () => {
		await write('AGENTS.md', 'root\n');
		const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted') as PropertyDescriptor;
		Object.defineProperty(vscode.workspace, 'isTrusted', { get: () => false, configurable: true });
		try {
			assert.deepEqual(await labels(), []);
		} finally {
			Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
		}
		assert.deepEqual(await labels(), ['AGENTS.md']);
		const opened = openContext(() => NOTHING);
		await waitFor('the chip', () => opened.labels().length > 0);
		try {
			await writeSetting('errand.chat.useInstructionFiles', false);
			await waitFor('no chip', () => opened.labels().length === 0);
		} finally {
			await clearSetting('errand.chat.useInstructionFiles');
			opened.context.dispose();
		}
	});

	it('are a chip that says what goes, count with the message, and are left out until they are brought back', async () => {
		await write('AGENTS.md', 'root\n');
		await write('context/web/AGENTS.md', 'web\n');
		await write('context/web/a.ts', 'const a = 1;\n');
		let measured: Measure = { ...NOTHING, instructions: 10 };
		const opened = openContext(() => measured);
		const { context, shown } = opened;
		const chip = () => {
			const set = opened.posted.findLast(message => message.kind === 'context-set');
			return set?.kind === 'context-set' ? set.context.chips.find(({ kind }) => kind === 'instructions') : undefined;
		};
		const remove = async () => {
			await context.handlers['chip-remove']({ kind: 'chip-remove', chip: chip()?.id ?? '' });
			context.show();
		};
		const sent: (TurnContext['instructions'] | undefined)[] = [];
		const chat = () =>
			({
				conversation: shown.conversation,
				mode: 'chat',
				send: async (_turn: string, _text: string, { instructions }: TurnContext) => void sent.push(instructions),
			}) as unknown as Chat;
		const send = (turn: string) => sendMessage(context, chat(), turn, 'What is it?', () => {});
		await waitFor('the chip', () => chip()?.label === 'Instructions: AGENTS.md');
		assert.equal(chip()?.path, 'AGENTS.md');
		await vscode.window.showTextDocument(top('context/web/a.ts'));
		await waitFor('the chip of two', () => chip()?.label === 'AGENTS.md and 1 more');
		assert.equal(chip()?.path, 'AGENTS.md\ncontext/web/AGENTS.md');
		assert.match(chip()?.notes?.join() ?? '', /The last file takes precedence\.$/);
		assert.ok(context.measure().instructions > 10);
		await send('t1');
		assert.deepEqual(
			sent[0]?.map(({ text }) => text),
			['root\n', 'web\n'],
		);
		await remove();
		assert.equal(chip(), undefined);
		assert.equal(context.measure().instructions, 10);
		await send('t2');
		assert.deepEqual(sent[1], []);
		const [back] = await context.handlers['completion-request']({
			kind: 'completion-request',
			request: '',
			query: 'instructions',
		});
		assert.deepEqual([back?.kind, back?.label], ['instructions', 'Instructions']);
		await context.handlers['completion-take']({ kind: 'completion-take', item: back?.id ?? '' });
		context.show();
		assert.equal(chip()?.label, 'AGENTS.md and 1 more');
		measured = { ...NOTHING, agent: { used: 5 } };
		assert.equal(context.measure().instructions, 0, 'an agent may read them itself');
		shown.conversation = { ...shown.conversation, encryption: {} };
		context.show();
		assert.match(chip()?.notes?.join() ?? '', /encrypted, like the message\.$/);
		shown.conversation = { ...shown.conversation, mode: 'image' };
		context.show();
		assert.equal(chip(), undefined, 'an image model gets only the prompt');
		context.dispose();
	});

	it('opens the file, and does not send what looks like a secret before the user has agreed', async () => {
		await write('AGENTS.md', 'password = "9f8a7b6c5d4e3f2a1b0c"\n');
		const opened = openContext(() => NOTHING);
		const { context, shown } = opened;
		await waitFor('the chip', () => opened.labels().length > 0);
		await context.handlers['chip-open']({ kind: 'chip-open', chip: context.instructions.id });
		assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), top('AGENTS.md').toString());
		const { showWarningMessage } = vscode.window;
		const questions: string[] = [];
		let answer: string | undefined;
		Object.assign(vscode.window, {
			showWarningMessage: async (text: string) => {
				questions.push(text);
				return answer;
			},
		});
		try {
			const refused = await context.instructions.take(shown.conversation, () => {});
			assert.match('message' in refused ? refused.message : '', /^Not sent\. Remove Instructions from the context/);
			answer = 'Send';
			for (const _ of [1, 2]) {
				const taken = await context.instructions.take(shown.conversation, () => {});
				assert.equal('length' in taken && taken.length, 1);
			}
			assert.deepEqual(questions, Array(2).fill('Send “AGENTS.md” with the message?'));
		} finally {
			Object.assign(vscode.window, { showWarningMessage });
			context.dispose();
		}
	});
});
