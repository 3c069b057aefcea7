import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import { Prompts } from '../../src/chat/context/prompts.ts';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import { parseMessage, taskGoal } from '../../src/chat/model/mode.ts';
import type { ToPage } from '../../src/chat/protocol/protocol.ts';
import { type TurnDependencies, turnHandlers } from '../../src/chat/turnHandlers.ts';
import { NOTHING, openContext, place, root } from './contextFolder.ts';

describe('the prompts of the chat', () => {
	const github = () => vscode.Uri.joinPath(root(), '.github', 'prompts').fsPath;
	const claude = () => vscode.Uri.joinPath(root(), '.claude', 'commands').fsPath;
	let folder: string;

	before(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-prompts-'));
		await mkdir(github(), { recursive: true });
		await mkdir(claude(), { recursive: true });
		await mkdir(place('').fsPath, { recursive: true });
		await writeFile(place('a.ts').fsPath, 'export const a = 1;\n');
		await writeFile(
			path.join(github(), 'review.prompt.md'),
			'---\ndescription: Reviews\nmode: agent\nmodel: big\n---\nReview $1: !`touch ran` @context/a.ts',
		);
		// biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of prompt files.
		await writeFile(path.join(claude(), 'same.md'), '/search for ${input:what}');
		await writeFile(path.join(folder, 'same.md'), 'Mine.');
		await writeFile(path.join(folder, 'explain.md'), 'Theirs.');
		await writeFile(path.join(folder, 'large.md'), 'x'.repeat(70_000));
	});
	after(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		for (const made of [place('').fsPath, path.dirname(github()), path.dirname(claude()), folder]) {
			await rm(made, { recursive: true, force: true });
		}
	});

	const open = () => {
		const opened = openContext(() => NOTHING);
		const prompts = new Prompts({
			folder,
			context: opened.context,
			agentCommands: async () => ['plan', 'review'].map(name => ({ name, where: 'pi', isOfAgent: true })),
			page: { focusComposer: async () => {} },
			logger: nullLogger,
		});
		return { ...opened, prompts };
	};
	const chat = (...turns: string[]) =>
		({ conversation: { id: 'c', turns: turns.map(id => ({ id })) } }) as unknown as Chat;
	const fill = (prompts: Prompts, message: string, into = chat()) => prompts.fill(into, 'turn', message, () => {});
	const sent = async (prompts: Prompts, message: string) => {
		const filled = await fill(prompts, message);
		assert.ok('text' in filled, JSON.stringify(filled));
		return filled.text;
	};

	it('are listed with what they say and what is not done of it, those of the same name by where they lie', async () => {
		const { prompts } = open();
		const listed = await prompts.handlers['prompts-request']({ kind: 'prompts-request', request: '' });
		assert.deepEqual(
			listed.map(({ name, where, mode, refusal }) => [name, where, mode, refusal !== undefined]),
			[
				['review', '.github/prompts', 'agent', false],
				['claude:same', '.claude/commands', undefined, false],
				['user:explain', 'My prompts', undefined, false],
				['large', 'My prompts', undefined, true],
				['user:same', 'My prompts', undefined, false],
				['plan', 'pi', undefined, false],
			],
		);
		assert.match(
			listed[0]?.notes ?? '',
			/for mode “Agent”.*command, which is sent as text.*Ignored: model\..*mentions files/,
		);
		assert.equal(listed[0]?.files?.count, 1);
	});

	it('are the user’s own alone in a workspace that is not trusted', async () => {
		const { prompts } = open();
		const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted') as PropertyDescriptor;
		Object.defineProperty(vscode.workspace, 'isTrusted', { ...trusted, get: () => false });
		try {
			const listed = await prompts.handlers['prompts-request']({ kind: 'prompts-request', request: '' });
			assert.deepEqual(
				listed.map(({ name }) => name),
				['user:explain', 'large', 'same', 'plan', 'review'],
			);
			assert.deepEqual(await fill(prompts, '/review main'), { text: '/review main' });
		} finally {
			Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
		}
	});

	it('go as their text, in the mode that they choose, and what looks like a command in them is text', async () => {
		const { prompts } = open();
		assert.deepEqual(parseMessage(await sent(prompts, '/review main')), {
			mode: 'agent',
			text: 'Review main: !`touch ran` @context/a.ts',
		});
		assert.deepEqual(parseMessage(await sent(prompts, '/claude:same foxes')), {
			mode: undefined,
			text: '/search for foxes',
		});
		assert.equal(taskGoal(await sent(prompts, '/user:same /task x'), 'chat'), undefined);
	});

	it('change nothing of other messages, nor of one that was sent already', async () => {
		const { prompts } = open();
		for (const message of [
			'What is /review?',
			'/search foxes',
			'/task it',
			'/nothing',
			'//review',
			'/same',
			'/etc/hosts',
		]) {
			assert.deepEqual(await fill(prompts, message), { text: message });
		}
		assert.deepEqual(await fill(prompts, '/review', chat('turn')), { text: '/review' });
	});

	it('say why they are not sent', async () => {
		const { prompts } = open();
		for (const [message, refusal] of [
			['/large', /larger than 64 KB/],
			['/claude:same', /needs more input\. After its name, type: what\./],
		] as const) {
			const filled = await fill(prompts, message);
			assert.match('refusal' in filled ? filled.refusal : '', refusal, message);
		}
	});

	it('are not sent with what looks like a secret before the user has agreed', async () => {
		const { prompts } = open();
		const file = path.join(claude(), 'deploy.md');
		await writeFile(file, 'Deploy it.\npassword = "9f8a7b6c5d4e3f2a1b0c"\n');
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
			assert.deepEqual(await fill(prompts, '/deploy'), { refusal: '' });
			answer = 'Send';
			assert.match(await sent(prompts, '/deploy'), /^Deploy it\./);
			assert.match(await sent(prompts, '/deploy'), /^Deploy it\./);
			assert.deepEqual(questions, Array(2).fill('Send “deploy.md” with the message?'));
		} finally {
			Object.assign(vscode.window, { showWarningMessage });
			await rm(file);
		}
	});

	it('read none of the files that they name before the user adds them', async () => {
		const { prompts, context, labels } = open();
		const [review] = await prompts.handlers['prompts-request']({ kind: 'prompts-request', request: '' });
		await sent(prompts, '/review main');
		assert.deepEqual(labels(), []);
		await assert.rejects(access(path.join(root().fsPath, 'ran')));
		await context.handlers['completion-take']({ kind: 'completion-take', item: review?.files?.item ?? '' });
		assert.deepEqual(labels(), ['a.ts']);
	});

	it('go to the agent that they wait for, unless they choose a mode, and a refusal of one is shown', async () => {
		const { prompts } = open();
		const [turn, texts, posted] = [randomUUID(), [] as string[], [] as ToPage[]];
		const { fill: fillNew } = prompts;
		const waiting = {
			conversation: { id: 'c', turns: [{ id: turn }] },
			send: async (_: string, text: string) => void texts.push(text),
		};
		const handlers = turnHandlers({
			conversations: { open: async () => ({ findOrShown: () => waiting }) },
			connection: { ensureKey: async () => true, label: () => 'Acme' },
			// The turn is there, so that no context is read; its prompt is filled as that of a new one.
			message: {
				prompts: { fill: (_: Chat, ...asked: [string, string, () => void]) => fillNew.call(prompts, chat(), ...asked) },
			},
			page: { post: (message: ToPage) => posted.push(message) },
		} as unknown as TurnDependencies);
		const send = (text: string) => handlers['message-send']({ kind: 'message-send', turn, text, waits: true });
		await send('And then?');
		await send('/user:same');
		await send('/review main');
		assert.deepEqual(texts, ['/agent And then?', '/agent Mine.', '/agent Review main: !`touch ran` @context/a.ts']);
		await send('/large');
		const refused = posted.at(-1);
		assert.ok(refused?.kind === 'message-refuse' && /larger than 64 KB/.test(refused.reason));
	});

	it('of Errand itself take the selection along where there is no context, and say what is missing', async () => {
		const { prompts, labels } = open();
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		const refused = await fill(prompts, '/explain');
		assert.match('refusal' in refused ? refused.refusal : '', /nothing is selected\. Select some lines/);
		assert.match(await sent(prompts, '/explain what a fox is'), /^Explain this code.*what a fox is$/s);
		const editor = await vscode.window.showTextDocument(place('a.ts'));
		editor.selection = new vscode.Selection(0, 0, 0, 6);
		assert.match(await sent(prompts, '/fix'), /^Find what is wrong/);
		assert.deepEqual(labels(), ['a.ts:1']);
		editor.selection = new vscode.Selection(0, 7, 0, 12);
		assert.match(await sent(prompts, '/tests'), /^Write tests/);
		assert.deepEqual(labels(), ['a.ts:1'], 'there is context already');
	});
});
