import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { ClientError } from '../../src/base/errors.ts';
import type { SendRefusal } from '../../src/chat/conversation/chatOptions.ts';
import { explainRefusal } from '../../src/chat/messages/messages.ts';
import type { ToPage } from '../../src/chat/protocol/protocol.ts';
import { type TurnDependencies, turnHandlers } from '../../src/chat/turnHandlers.ts';
import { type CommandId, commands, internalCommands } from '../../src/platform/ids.ts';

/** Each reason with the command of its button; undefined where none would help. */
const rows: [SendRefusal, CommandId | undefined][] = [
	[{ reason: 'empty' }, undefined],
	[{ reason: 'too-long' }, undefined],
	[{ reason: 'busy' }, undefined],
	[{ reason: 'no-turn' }, undefined],
	[{ reason: 'finished' }, undefined],
	[{ reason: 'image' }, undefined],
	[{ reason: 'image-context' }, undefined],
	[{ reason: 'agent-images' }, undefined],
	[{ reason: 'not-saved', code: 'ENOSPC' }, undefined],
	[{ reason: 'no-model' }, internalCommands.selectModel],
	[{ reason: 'no-mode', mode: 'search' }, commands.switchConnection],
	[{ reason: 'no-mode', mode: 'image' }, internalCommands.selectModel],
	[{ reason: 'images-full' }, commands.newConversation],
	[{ reason: 'encrypted-mode' }, commands.newConversation],
	[{ reason: 'encryption-ended' }, commands.newEncryptedConversation],
	[{ reason: 'encryption-lost' }, commands.newEncryptedConversation],
	[{ reason: 'other-connection', expected: 'Acme' }, commands.switchConnection],
	[{ reason: 'no-connection', error: new ClientError('no-key', 'for the log') }, commands.manageKeys],
	[
		{
			reason: 'context',
			explanation: { message: 'Why.', action: { label: 'Do', command: internalCommands.selectModel } },
		},
		internalCommands.selectModel,
	],
];

describe('the reason why a message is not sent', () => {
	/** Stands for whatever helps: it has no effect but this count. */
	const HELP = 'errandTest.help' as CommandId;
	let ran: number;
	let registered: vscode.Disposable;

	beforeEach(() => {
		ran = 0;
		registered = vscode.commands.registerCommand(HELP, () => {
			ran++;
		});
	});

	afterEach(() => registered.dispose());

	it('is a sentence for each reason, with a button wherever one helps', () => {
		for (const [refusal, command] of rows) {
			const { message, action } = explainRefusal(refusal, 'Acme');
			assert.match(message, /\S.*\.$/, refusal.reason);
			assert.equal(action?.command, command, refusal.reason);
			assert.notEqual(action?.label, '', refusal.reason);
		}
	});

	it('has a button that runs what the host offered last, for that message, and nothing else', async () => {
		const posted: ToPage[] = [];
		let refusal: SendRefusal | undefined;
		let hasKey = true;
		const chat = { edit: async () => refusal };
		const handlers = turnHandlers({
			conversations: { open: async () => ({ findOrShown: () => chat }) },
			connection: { ensureKey: async () => hasKey, label: () => 'Acme' },
			page: { post: (message: ToPage) => posted.push(message) },
		} as unknown as TurnDependencies);
		const send = async (turn: string) => {
			await handlers['message-send']({ kind: 'message-send', turn, text: 'x', edits: 'an earlier turn' });
			return posted.at(-1);
		};
		const follow = (turn: string) => handlers['refusal-follow']({ kind: 'refusal-follow', turn });
		const [first, second] = [randomUUID(), randomUUID()];

		await follow(first);
		refusal = { reason: 'context', explanation: { message: 'Why.', action: { label: 'Help', command: HELP } } };
		const told = { kind: 'message-refuse', turn: first, reason: 'Why.', action: 'Help' };
		assert.deepEqual(await send(first), told, 'the page gets the label and no command');
		await follow(second);
		assert.equal(ran, 0);
		await follow(first);
		assert.equal(ran, 1);

		refusal = { reason: 'busy' };
		const busy = await send(second);
		assert.ok(busy?.kind === 'message-refuse' && busy.action === undefined);
		await follow(first);
		await follow(second);
		assert.equal(ran, 1);

		hasKey = false;
		const keyless = await send(first);
		assert.ok(keyless?.kind === 'message-refuse');
		assert.deepEqual([keyless.reason, keyless.action], ['Not sent: Acme has no key yet.', 'Manage Keys']);
	});

	it('is said of an earlier message that is edited to be a task, and a task is started once, whatever comes again', async () => {
		const posted: ToPage[] = [];
		const goals: string[] = [];
		const chips = { chips: [], problemOf: () => '' };
		const handlers = turnHandlers({
			conversations: { open: async () => ({ findOrShown: () => ({ conversation: { id: 'c', turns: [] } }) }) },
			connection: { ensureKey: () => assert.fail('a task no key needed of a model'), label: () => 'Acme' },
			message: {
				prompts: { fill: async (_: unknown, __: string, text: string) => ({ text }) },
				context: { chips, adding: new Set() },
				launcher: async () => ({ startPrompt: async (goal: string) => goals.push(goal) > 1 }),
			},
			page: { post: (message: ToPage) => posted.push(message), focusComposer: () => {} },
		} as unknown as TurnDependencies);
		const [edited, turn] = [randomUUID(), randomUUID()];
		await handlers['message-send']({
			kind: 'message-send',
			turn: edited,
			text: '/task Do it',
			edits: 'an earlier turn',
		});
		const refused = posted.at(-1);
		assert.ok(refused?.kind === 'message-refuse' && /as a new message/.test(refused.reason));
		const task = { kind: 'message-send', turn, text: 'Do it', task: true } as const;
		await handlers['message-send'](task);
		assert.deepEqual(posted.at(-1), { kind: 'message-refuse', turn, reason: '' }, 'the user has dismissed the list');
		for (let time = 0; time < 2; time++) {
			await handlers['message-send'](task);
			assert.deepEqual(posted.at(-1), { kind: 'message-accept', turn });
		}
		assert.deepEqual(goals, ['Do it', 'Do it']);
	});
});
