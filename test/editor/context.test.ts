import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import type { ChatContext } from '../../src/chat/context/chatContext.ts';
import { ContextChips, toChipView } from '../../src/chat/context/contextChips.ts';
import { contextOf } from '../../src/chat/context/contextCommands.ts';
import { ContextImages } from '../../src/chat/context/contextImages.ts';
import { pastedContext } from '../../src/chat/context/pastedContext.ts';
import { readSource } from '../../src/chat/context/readSource.ts';
import { readChips } from '../../src/chat/context/takeContext.ts';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import type { SendRefusal } from '../../src/chat/conversation/chatOptions.ts';
import type { TurnContext } from '../../src/chat/model/conversation.ts';
import { ImageStore, imagesOf } from '../../src/chat/storage/imageStore.ts';
import { sendMessage } from '../../src/chat/turnHandlers.ts';
import { commands } from '../../src/platform/ids.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { ManualClock } from '../support/manualClock.ts';
import { State } from '../support/state.ts';
import { waitFor } from '../support/waitFor.ts';
import { NOTHING, openContext, place } from './contextFolder.ts';

describe('context in the editor', () => {
	const read = (kind: 'file' | 'folder', name: string) => readSource({ kind, uri: place(name).toString() });

	before(async () => {
		await mkdir(place('folder/deep').fsPath, { recursive: true });
		await writeFile(place('folder/a.ts').fsPath, 'export const a = 1;\n');
		await writeFile(place('folder/deep/b.md').fsPath, '```\nfenced\n```\n');
		await writeFile(place('folder/.env').fsPath, 'TOKEN=1\n');
		await writeFile(place('folder/image.bin').fsPath, Buffer.from([0, 1, 2, 0xff]));
		await writeFile(place('image.png').fsPath, '');
		await writeFile(place('fox.png').fsPath, demoImage('fox'));
		await writeFile(place('large.png').fsPath, Buffer.alloc(5_000_001));
		await symlink(place('folder/a.ts').fsPath, place('folder/link.ts').fsPath);
	});

	after(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await rm(place('').fsPath, { recursive: true, force: true });
	});

	const pasteLook = async (context: ChatContext, text: string) =>
		context.handlers['paste-check']({ kind: 'paste-check', request: '', text });
	/** The turns of messages that had to wait for the user or for what was being added. */
	const held = new Set<string>();
	const send = (context: ChatContext, chat: Chat, turn: string, question: string) =>
		sendMessage(context, chat, turn, question, () => held.add(turn));
	/** A conversation that takes every message, and the labels of what each took along. */
	const openChat = (id: string) => {
		const sent: string[][] = [];
		const send = async (_turn: string, _question: string, { attachments = [] }: TurnContext) => {
			sent.push(attachments.map(({ label }) => label));
		};
		return { chat: { conversation: { id, turns: [] }, mode: 'chat', send } as unknown as Chat, sent };
	};

	it('takes the text files of a folder, without secrets, links and what is no text', async () => {
		const { attachment, findings, leftOut } = await read('folder', 'folder');
		assert.deepEqual(findings, []);
		assert.equal(attachment.label, 'folder/ · 2 files');
		assert.equal(
			attachment.text,
			'context/folder/a.ts\n```ts\nexport const a = 1;\n```\n\ncontext/folder/deep/b.md\n````md\n```\nfenced\n```\n````',
		);
		assert.equal(leftOut, 3);
	});

	it('says of a file that a link leads to it outside of the workspace, and what it is really called', async () => {
		const outside = await mkdtemp(path.join(os.tmpdir(), 'errand-context-'));
		try {
			await mkdir(path.join(outside, 'deep'));
			await writeFile(path.join(outside, '.netrc'), 'machine a login b\n');
			await writeFile(path.join(outside, 'deep', 'notes.md'), 'notes\n');
			await symlink(path.join(outside, '.netrc'), place('readme.md').fsPath);
			await symlink(outside, place('elsewhere').fsPath);
			await symlink(place('folder/.env').fsPath, place('settings.md').fsPath);
			const kinds = async (name: string) => (await read('file', name)).findings.map(({ kind }) => kind);
			assert.deepEqual(await kinds('readme.md'), ['elsewhere', 'name']);
			assert.deepEqual(await kinds('elsewhere/deep/notes.md'), ['elsewhere']);
			assert.deepEqual(await kinds('settings.md'), ['name']);
			assert.deepEqual(await kinds('folder/link.ts'), []);
			await assert.rejects(read('folder', 'elsewhere'), /no text files/);
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it('leaves out of a folder what lies behind a link to another one', async () => {
		const outside = await mkdtemp(path.join(os.tmpdir(), 'errand-context-'));
		try {
			await mkdir(path.join(outside, 'plain'));
			await writeFile(path.join(outside, 'plain', 'mine.txt'), 'mine\n');
			await mkdir(path.join(outside, 'private'));
			await writeFile(path.join(outside, 'private', 'yours.txt'), 'yours\n');
			await symlink(path.join(outside, 'private'), path.join(outside, 'plain', 'linked'));
			const uri = vscode.Uri.file(path.join(outside, 'plain')).toString();
			const { attachment } = await readSource({ kind: 'folder', uri });
			assert.ok(!attachment.text.includes('yours'), attachment.text);
			assert.ok(attachment.text.includes('mine'));
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it('finds a secret in the name and in the text of a file', async () => {
		const { findings } = await read('file', 'folder/.env');
		assert.ok(findings.some(({ kind }) => kind === 'name'));
		await assert.rejects(read('file', 'folder/image.bin'), /isn’t a UTF-8 text file/);
		await assert.rejects(read('file', 'nowhere.ts'), /Couldn’t read/);
		await assert.rejects(read('file', 'folder'), /is a folder/);
	});

	it('keeps the chips for the next window, and forgets those whose file is gone', async () => {
		const state = new State();
		const chips = new ContextChips(state, () => true, nullLogger);
		await writeFile(place('gone.ts').fsPath, 'gone\n');
		const { ids, problems } = await chips.add([{ kind: 'file', uri: place('nowhere.ts').toString() }]);
		assert.deepEqual(ids, []);
		assert.match(problems.join(), /Couldn’t read/);
		await chips.add(['folder/a.ts', 'gone.ts'].map(name => ({ kind: 'file', uri: place(name).toString() })));
		assert.deepEqual(
			chips.chips.map(({ attachment }) => attachment.label),
			['a.ts', 'gone.ts'],
		);
		chips.dispose();
		await rm(place('gone.ts').fsPath);
		const later = new ContextChips(state, () => true, nullLogger);
		const [chip] = await waitFor('the chips', () => later.chips.length > 0 && later.chips);
		assert.equal(chip?.attachment.text, 'export const a = 1;\n');
		assert.equal(later.chips.length, 1);
		later.dispose();
	});

	it('keeps the chips of two windows on one folder apart from each other, in their order', async () => {
		const state = new State();
		const windows = [new ContextChips(state, () => true, nullLogger), new ContextChips(state, () => true, nullLogger)];
		const add = (index: number, name: string) => windows[index]?.add([{ kind: 'file', uri: place(name).toString() }]);
		await add(0, 'folder/a.ts');
		await add(1, 'folder/deep/b.md');
		await add(0, 'folder/deep/b.md');
		for (const { id } of windows[1]?.chips ?? []) {
			windows[1]?.remove(id);
		}
		const later = new ContextChips(state, () => true, nullLogger);
		const chips = await waitFor('the chips', () => later.chips.length > 0 && later.chips);
		assert.deepEqual(
			chips.map(({ attachment }) => attachment.label),
			['a.ts', 'b.md'],
		);
		for (const window of [...windows, later]) {
			window.dispose();
		}
	});

	it('takes an image with its size, and says why it takes no other', async () => {
		const folder = place('kept').fsPath;
		const store = new ImageStore(folder, async () => ({ kind: 'refused', problem: 'type' }), nullLogger);
		const images = new ContextImages(store);
		const source = await images.ofFile(place('fox.png'));
		const chips = new ContextChips(new State(), () => true, nullLogger);
		await chips.add([source, source]);
		assert.deepEqual(
			chips.chips.map(({ attachment: { kind, label, path } }) => [kind, label, path]),
			[['image', 'fox.png', 'context/fox.png']],
		);
		const attachments = chips.chips.map(({ attachment }) => attachment);
		const image = attachments[0]?.image ?? assert.fail('it is no image');
		const refused = await images.copyTo('c1', attachments);
		assert.deepEqual(refused, { files: [image.file] });
		await images.remove('c1', refused.files);
		assert.equal(existsSync(imagesOf(folder, 'c1')), false, 'what was not sent is not left behind');
		assert.deepEqual(await images.copyTo('c1', attachments), { files: [image.file] });
		assert.deepEqual(await images.copyTo('c1', attachments), { files: [] }, 'what was there stays when it is refused');
		assert.match((await images.address(image, 'c1')) ?? '', /^data:image\/png;base64,/);
		await assert.rejects(images.ofFile(place('image.png')), /Models can’t read image\.png\. They accept PNG/);
		await assert.rejects(images.ofFile(place('large.png')), /larger than 5 MB/);
		await assert.rejects(images.ofFile(place('nowhere.png')), /Couldn’t read/);
		chips.dispose();
	});

	it('takes the rest where one image among them cannot be taken, also from a pasted list', async () => {
		const { context, labels, said } = openContext(() => NOTHING);
		const sources = ['large.png', 'folder/a.ts', 'image.png'].map(name => ({
			kind: 'file' as const,
			uri: place(name).toString(),
		}));
		assert.equal(await context.addFrom(async () => sources), true);
		assert.deepEqual(labels(), ['a.ts']);
		assert.equal(said.length, 1, 'in one sentence after another');
		assert.match(said.join(), /larger than 5 MB/);
		assert.match(said.join(), /Models can’t read image\.png/);
		const nowhere = { kind: 'file' as const, uri: place('nowhere.ts').toString() };
		assert.equal(await context.addFrom(async () => [nowhere]), false, 'what cannot be read is not added');
		assert.equal(await context.addFrom(async () => sources), true, 'what is there already is in the chat');
		assert.deepEqual(labels(), ['a.ts']);
		const before = await pasteLook(context, place('fox.png').fsPath);
		assert.deepEqual(labels(), ['a.ts'], 'only when the page takes the answer');
		const paste = (await pasteLook(context, place('fox.png').fsPath)) ?? '';
		await context.handlers['paste-take']({ kind: 'paste-take', paste: before ?? '' });
		assert.deepEqual(labels(), ['a.ts'], 'and only what was pasted last');
		await context.handlers['paste-take']({ kind: 'paste-take', paste });
		assert.deepEqual(labels(), ['a.ts', 'fox.png']);
		context.dispose();
	});

	it('adds what was pasted last, also where it takes longer to look at what was pasted before', async () => {
		const { context, labels } = openContext(() => NOTHING);
		const path = place('folder/a.ts').fsPath;
		const many = [...Array.from({ length: 19 }, () => path), place('nowhere.ts').fsPath].join('\n');
		let isLooked = false;
		const slow = pasteLook(context, many).finally(() => {
			isLooked = true;
		});
		const paste = await pasteLook(context, path);
		assert.ok(paste !== undefined && !isLooked, 'the first is not looked at yet');
		assert.equal(await slow, undefined);
		await context.handlers['paste-take']({ kind: 'paste-take', paste });
		assert.deepEqual(labels(), ['a.ts']);
		context.dispose();
	});

	it('takes what the page still shows of an earlier list, while the next one is on its way', async () => {
		const { context, labels } = openContext(() => NOTHING);
		const offered = (query: string) =>
			context.handlers['completion-request']({ kind: 'completion-request', request: '', query });
		const item = (await offered('b.md')).find(({ label }) => label === 'b.md');
		assert.ok(item);
		await offered('b.mdx');
		await context.handlers['completion-take']({ kind: 'completion-take', item: item.id });
		assert.deepEqual(labels(), ['b.md']);
		context.dispose();
	});

	it('sends a message with what is still being added, and not without what the user holds back', async () => {
		const { context } = openContext(() => NOTHING);
		const { chat, sent } = openChat('c3');
		const dropped = { kind: 'context-drop' as const, uris: [place('folder/a.ts').toString()] };
		const [, refusal] = await Promise.all([
			context.handlers['context-drop'](dropped),
			send(context, chat, 't1', 'What is it?'),
		]);
		assert.equal(refusal, undefined);
		assert.deepEqual(sent, [['a.ts']]);
		assert.ok(held.has('t1'));
		const missing = { ...dropped, uris: [place('nowhere.ts').toString()] };
		const [, refused] = await Promise.all([
			context.handlers['context-drop'](missing),
			send(context, chat, 't2', 'What is it?'),
		]);
		assert.match(refused?.reason === 'context' ? refused.explanation.message : '', /couldn’t be added\. Send it again/);
		assert.equal(await send(context, chat, 't2', 'What is it?'), undefined, 'again');
		const left = context.addFrom(async () => undefined);
		assert.equal(await send(context, chat, 't3', 'What is it?'), undefined, 'with a list that was left');
		assert.equal(await left, false);
		assert.deepEqual(sent, [['a.ts'], [], []]);
		const some = { ...dropped, uris: [...dropped.uris, place('folder/image.bin').toString()] };
		const [, partly] = await Promise.all([
			context.handlers['context-drop'](some),
			send(context, chat, 't4', 'What is it?'),
		]);
		assert.match(partly?.reason === 'context' ? partly.explanation.message : '', /couldn’t be added\. Send it again/);
		const gone = { ...dropped, uris: [place('nowhere.ts').toString(), ...dropped.uris] };
		const [, without] = await Promise.all([
			context.handlers['context-drop'](gone),
			send(context, chat, 't5', 'What is it?'),
		]);
		assert.match(without?.reason === 'context' ? without.explanation.message : '', /couldn’t be added\. Send it again/);
		context.dispose();
	});

	it('leaves no image behind for a conversation that did not take the message', async () => {
		const { context, labels } = openContext(() => ({ ...NOTHING, takesImages: true }));
		await context.addFrom(async () => [{ kind: 'file' as const, uri: place('fox.png').toString() }]);
		let files: string[] = [];
		const refusal = { reason: 'too-long' } as unknown as SendRefusal;
		const send = async (_turn: string, _question: string, { attachments = [] }: TurnContext) => {
			files = attachments.flatMap(({ image }) => (image ? [image.file] : []));
			assert.equal(existsSync(imagesOf(place('kept').fsPath, 'c6')), true, 'it is there when the message goes');
			return refusal;
		};
		const chat = { conversation: { id: 'c6', turns: [] }, mode: 'chat', send } as unknown as Chat;
		assert.equal(await sendMessage(context, chat, 't1', 'What is it?', () => {}), refusal);
		assert.equal(files.length, 1);
		assert.equal(existsSync(imagesOf(place('kept').fsPath, 'c6')), false);
		assert.deepEqual(labels(), ['fox.png'], 'it waits for the next try');
		context.dispose();
	});

	it('is the log or the changes of a task, as the user chooses', async () => {
		const { context, labels } = openContext(() => NOTHING);
		assert.equal(await context.addFrom(() => context.ofTask('none')), false);
		assert.equal(await context.addFrom(() => context.ofTask('t1')), true);
		assert.deepEqual(labels(), ['Log of It']);
		const { chat, sent } = openChat('c8');
		await send(context, chat, 't1', 'What happened?');
		assert.deepEqual(sent, [['Log of It']]);
		context.dispose();
	});

	it('is nothing where only blank lines are selected, and the chat is opened all the same', async () => {
		const { context } = openContext(() => NOTHING);
		const blank = await vscode.workspace.openTextDocument({ content: 'one\n\n  \ntwo\n' });
		const editor = await vscode.window.showTextDocument(blank);
		editor.selection = new vscode.Selection(0, 3, 2, 1);
		const ask = () => contextOf(commands.askAboutSelection, [], context, undefined);
		assert.equal(await context.addFrom(ask), true);
		assert.deepEqual(context.chips.chips, []);
		editor.selection = new vscode.Selection(0, 0, 0, 3);
		assert.deepEqual(
			(await ask())?.map(({ kind }) => kind),
			['selection'],
		);
		context.dispose();
	});

	it('is what the menu was opened on: in the explorer, on a tab, in an editor, a terminal or the list of tasks', async () => {
		const { context } = openContext(() => NOTHING);
		const found = async (...args: unknown[]) =>
			(await contextOf(commands.addContext, args, context, undefined))?.map(source => [
				source.kind,
				'uri' in source ? path.basename(source.uri ?? '') : '',
			]);
		const file = place('folder/a.ts');
		const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
		assert.deepEqual(await found(file), [['file', 'a.ts']]);
		editor.selection = new vscode.Selection(0, 0, 0, 6);
		assert.deepEqual(await found(file), [['selection', 'a.ts']]);
		assert.deepEqual(await found(file, { groupId: 0, editorIndex: 0 }), [['file', 'a.ts']]);
		assert.deepEqual(await found(file, [file, place('folder')]), [
			['file', 'a.ts'],
			['folder', 'folder'],
		]);
		assert.deepEqual(await found(place('folder'), []), [['folder', 'folder']]);
		assert.deepEqual(await found({ taskId: 't1' }), [['task', '']]);
		const terminal = vscode.window.createTerminal('context');
		await assert.rejects(found(terminal), /No terminal in this window has run a command/);
		terminal.dispose();
		context.dispose();
	});

	it('leaves what is chosen while a message waits for the next one', async () => {
		const { context, labels } = openContext(() => NOTHING);
		const { chat, sent } = openChat('c5');
		const sourceOf = (name: string) => ({ kind: 'file' as const, uri: place(name).toString() });
		const found = Promise.withResolvers<void>();
		const slow = context.addFrom(async () => {
			await found.promise;
			return [sourceOf('folder/a.ts')];
		});
		const message = send(context, chat, 't1', 'What is it?');
		await context.addFrom(async () => [sourceOf('fox.png')]);
		found.resolve();
		await slow;
		assert.equal(await message, undefined);
		assert.deepEqual(sent, [['a.ts']]);
		assert.deepEqual(labels(), ['fox.png']);
		context.dispose();
	});

	it('waits with a message for no place that never answers', async () => {
		const clock = new ManualClock();
		const { context } = openContext(
			() => NOTHING,
			async () => {},
			() => {},
			clock,
		);
		const { chat, sent } = openChat('c4');
		void context.addFrom(() => new Promise(() => {}));
		const first = send(context, chat, 't1', 'What is it?');
		await clock.wake(10_000);
		const refusal = await first;
		assert.match(refusal?.reason === 'context' ? refusal.explanation.message : '', /is still being read/);
		assert.equal(sent.length, 0);
		assert.equal(await send(context, chat, 't1', 'What is it?'), undefined);
		assert.equal(sent.length, 1);
		context.dispose();
	});

	it('gives the keyboard back to the composer after its lists, unless the user has gone to an editor', async () => {
		let focused = 0;
		const { context } = openContext(
			() => NOTHING,
			async () => {},
			() => focused++,
		);
		const leave = () => vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		const { 'context-pick': pick, 'context-shorten': shorten } = context.handlers;
		for (const [kind, open] of [
			['context-pick', () => pick({ kind: 'context-pick' })],
			['context-shorten', () => shorten({ kind: 'context-shorten' })],
		] as const) {
			focused = 0;
			const left = open();
			await leave();
			await left;
			assert.equal(focused, 1, kind);
			const gone = open();
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: kind }));
			await leave();
			await gone;
			assert.equal(focused, 1, `${kind}, with an editor in front`);
		}
		context.dispose();
	});

	it('asks the service anew before it turns an image away that a model may take by now', async () => {
		let takesImages = false;
		let told = false;
		let asked = 0;
		const { context } = openContext(
			() => ({ ...NOTHING, model: 'seer', takesImages }),
			async () => {
				asked++;
				takesImages = told;
			},
		);
		const { chat, sent } = openChat('c2');
		const source = { kind: 'file' as const, uri: place('fox.png').toString() };
		assert.equal(await context.addFrom(async () => [source]), true);
		const refusal = await send(context, chat, 't1', 'What is it?');
		assert.match(refusal?.reason === 'context' ? refusal.explanation.message : '', /seer doesn’t accept images/);
		assert.deepEqual([asked, sent.length], [1, 0]);
		told = true;
		assert.equal(await send(context, chat, 't1', 'What is it?'), undefined);
		assert.deepEqual(sent, [['fox.png']]);
		assert.equal(asked, 2);
		context.dispose();
	});

	it('moves a selection with what is written above it', async () => {
		const editor = await vscode.window.showTextDocument(place('folder/a.ts'));
		const chips = new ContextChips(new State(), () => true, nullLogger);
		const range = { start: { line: 0, character: 13 }, end: { line: 0, character: 14 } };
		await chips.add([{ kind: 'selection', uri: editor.document.uri.toString(), range }]);
		await editor.edit(edit => edit.insert(new vscode.Position(0, 0), '// new\n'));
		assert.equal(await readChips(chips, () => {}), undefined);
		assert.deepEqual(
			chips.chips.map(({ attachment: { label, text } }) => [label, text]),
			[['a.ts:2', 'a']],
		);
		chips.dispose();
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});

	it('sends a selection as it was added where its file has changed, and says so until it has not', async () => {
		const editor = await vscode.window.showTextDocument(place('folder/a.ts'));
		const chips = new ContextChips(new State(), () => true, nullLogger);
		const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 6 } };
		await chips.add([{ kind: 'selection', uri: editor.document.uri.toString(), range }]);
		const text = chips.chips[0]?.attachment.text;
		const views = () => chips.chips.map(toChipView).map(({ isChanged }) => isChanged);
		assert.deepEqual(views(), [undefined]);
		await editor.edit(edit => edit.delete(new vscode.Range(0, 0, 0, 6)));
		assert.deepEqual(views(), [true]);
		assert.equal(await readChips(chips, () => {}), undefined);
		assert.equal(chips.chips[0]?.attachment.text, text);
		await editor.edit(edit => edit.insert(new vscode.Position(0, 0), text ?? ''));
		assert.deepEqual(views(), [undefined]);
		chips.dispose();
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});

	it('knows pasted paths of the workspace, and nothing else', async () => {
		const path = place('folder/a.ts').fsPath;
		assert.deepEqual(await pastedContext(path), [{ kind: 'file', uri: place('folder/a.ts').toString() }]);
		assert.equal(await pastedContext(`${path}\nand a sentence`), undefined);
		assert.equal(await pastedContext('/etc/hosts'), undefined);
	});
});
