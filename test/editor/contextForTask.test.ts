import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { ChatContext } from '../../src/chat/context/chatContext.ts';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import { startTask } from '../../src/chat/turnHandlers.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { NOTHING, openContext, place } from './contextFolder.ts';

describe('context that goes to a task', () => {
	const question = 'Why does it fail?';
	const attachments = [{ kind: 'text', label: 'notes.txt', text: 'It fails.\n' }];
	const asked = (others: object = {}) =>
		({
			conversation: { id: 'c7', head: 't1', turns: [{ id: 't1', question, attachments }], ...others },
		}) as unknown as Chat;
	let prompts: string[];
	let warnings: string[];
	const { showWarningMessage } = vscode.window;
	const handOver = (context: ChatContext, chat: Chat, goal: string, isTaken = true) =>
		startTask({ context, launcher: async () => launcher(isTaken) }, chat, goal, () => {});
	const launcher = (isTaken: boolean) => ({
		startPrompt: async (prompt: string) => {
			prompts.push(prompt);
			return isTaken;
		},
		openEditor: async () => {},
	});

	before(async () => {
		await mkdir(place('folder').fsPath, { recursive: true });
		await writeFile(place('fox.png').fsPath, demoImage('fox'));
	});
	after(() => rm(place('').fsPath, { recursive: true, force: true }));

	beforeEach(() => {
		[prompts, warnings] = [[], []];
		Object.assign(vscode.window, { showWarningMessage: async (text: string) => void warnings.push(text) });
	});
	afterEach(() => Object.assign(vscode.window, { showWarningMessage }));

	it('stands in its prompt behind the goal, as it is now, and is gone from the composer', async () => {
		const { context, labels } = openContext(() => NOTHING);
		await writeFile(place('folder/now.ts').fsPath, 'export const now = 1;\n');
		await context.addFrom(async () => [{ kind: 'file' as const, uri: place('folder/now.ts').toString() }]);
		await writeFile(place('folder/now.ts').fsPath, 'export const now = 2;\n');
		assert.equal(await handOver(context, asked(), 'Count further'), undefined);
		assert.match(prompts[0] ?? '', /^Count further\n\n[\s\S]*```ts\nexport const now = 2;\n```$/);
		assert.deepEqual(labels(), []);
		await rm(place('folder/now.ts').fsPath);
		context.dispose();
	});

	it('stays if it can no longer be read, and nothing is handed over', async () => {
		const { context, labels } = openContext(() => NOTHING);
		await writeFile(place('folder/gone.ts').fsPath, '');
		await context.addFrom(async () => [{ kind: 'file' as const, uri: place('folder/gone.ts').toString() }]);
		await rm(place('folder/gone.ts').fsPath);
		assert.notEqual(await handOver(context, asked(), 'Count further'), undefined);
		assert.deepEqual([prompts, labels()], [[], ['gone.ts']]);
		context.dispose();
	});

	it('stays in the composer where the user does not start it, and nothing is said', async () => {
		const { context, labels } = openContext(() => NOTHING);
		await context.addFrom(async () => [{ kind: 'file' as const, uri: place('fox.png').toString() }]);
		await context.addFrom(() => context.ofTask());
		assert.deepEqual(await handOver(context, asked(), 'Count further', false), { message: '' });
		assert.deepEqual([labels(), warnings], [['fox.png', 'Log of It'], []]);
		context.dispose();
	});

	it('is that of the last message if there is no goal, and the composer keeps its own', async () => {
		const { context, labels } = openContext(() => NOTHING);
		await context.addFrom(() => context.ofTask());
		assert.equal(await handOver(context, asked(), ' '), undefined);
		assert.match(prompts[0] ?? '', /^Why does it fail\?\n\n[\s\S]*`notes\.txt`\n```\nIt fails\.\n```$/);
		assert.deepEqual(labels(), ['Log of It']);
		const empty = asked({ head: undefined, turns: [] });
		assert.match((await handOver(context, empty, ''))?.message ?? '', /Describe what the task should do after \/task/);
		context.dispose();
	});

	it('leaves images out of the prompt and says so', async () => {
		const { context, labels } = openContext(() => ({ ...NOTHING, takesImages: true }));
		await context.addFrom(async () => [{ kind: 'file' as const, uri: place('fox.png').toString() }]);
		assert.equal(await handOver(context, asked(), 'Draw it'), undefined);
		assert.deepEqual(prompts, ['Draw it']);
		assert.match(warnings.join(), /images aren’t part of the prompt\. They stay/);
		assert.deepEqual(labels(), ['fox.png']);
		context.dispose();
	});

	it('never comes from an encrypted conversation', async () => {
		const { context } = openContext(() => NOTHING);
		const encrypted = asked({ encryption: { connection: 'acme' } });
		for (const goal of ['Do it', '']) {
			assert.match((await handOver(context, encrypted, goal))?.message ?? '', /Tasks aren’t encrypted/);
		}
		assert.deepEqual(prompts, []);
		context.dispose();
	});
});
