import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ChatNews } from '../../src/chat/chatNews.ts';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import type { OpenConversations } from '../../src/chat/conversation/openConversations.ts';
import type { Conversation, Reply } from '../../src/chat/model/conversation.ts';
import { waitFor } from '../support/waitFor.ts';

const TURN = 'turn';

describe('the news of conversations', () => {
	const { showInformationMessage, showWarningMessage, onDidChangeWindowState } = vscode.window;
	const state = Object.getOwnPropertyDescriptor(vscode.window, 'state') as PropertyDescriptor;
	let focused: boolean;
	let focusChanged: vscode.EventEmitter<vscode.WindowState>;
	let told: string[];
	/** The button that is pressed on the next notification. */
	let pressed: string | undefined;
	let opened: string[];
	let page: { isVisible: boolean; conversation: Conversation | undefined };
	let view: { badge?: vscode.ViewBadge | undefined };
	let news: ChatNews;
	let chats: Chat[];

	beforeEach(() => {
		[focused, told, opened, pressed, chats] = [true, [], [], undefined, []];
		focusChanged = new vscode.EventEmitter();
		// A window of tests has the focus or has it not, which no test can choose.
		Object.defineProperty(vscode.window, 'state', { ...state, get: () => ({ focused, active: true }) });
		const show = (kind: string) => async (message: string) => {
			told.push(`${kind}: ${message}`);
			return pressed;
		};
		Object.assign(vscode.window, {
			showInformationMessage: show('information'),
			showWarningMessage: show('warning'),
			onDidChangeWindowState: focusChanged.event,
		});
		page = { isVisible: true, conversation: undefined };
		view = {};
		news = new ChatNews({
			page,
			conversations: async () =>
				({
					find: (id: string) => chats.find(({ conversation }) => conversation.id === id),
					open: async (id: string) => void opened.push(id),
				}) as unknown as OpenConversations,
			label: () => 'Test',
		});
		news.attach(view as vscode.WebviewView);
	});
	afterEach(() => {
		news.dispose();
		focusChanged.dispose();
		Object.defineProperty(vscode.window, 'state', state);
		Object.assign(vscode.window, { showInformationMessage, showWarningMessage, onDidChangeWindowState });
	});

	/** A conversation whose reply runs; `end` ends it. */
	const begin = (id: string, others: object = {}) => {
		const turn = (reply: Partial<Reply>) => ({
			id,
			...others,
			turns: [{ id: TURN, question: `About ${id}`, replies: [{ startedAt: 0, text: '', ...reply }] }],
		});
		const chat = { conversation: turn({ state: 'streaming' }), live: { turnId: TURN } as Chat['live'] };
		chats.push(chat as unknown as Chat);
		const change = (kind: 'conversation' | 'turn' | 'name') =>
			news.changed(chat as unknown as Chat, { kind, turnId: TURN }, page.conversation?.id === id);
		change('conversation');
		const end = (reply: Partial<Reply>) => {
			Object.assign(chat, { conversation: turn(reply), live: undefined });
			change('turn');
		};
		const branch = (copy: string) => {
			chat.conversation.id = copy;
			change('name');
		};
		return { end, branch, show: () => Object.assign(page, { conversation: chat.conversation }) };
	};
	const comeBack = () => {
		focused = true;
		focusChanged.fire({ focused: true, active: true });
	};

	it('are none of what is in view, nor of a reply that the user stopped', () => {
		const { end, show } = begin('a');
		show();
		end({ state: 'done', endedAt: 60_000 });
		begin('b').end({ state: 'stopped', endedAt: 60_000 });
		assert.deepEqual([told, view.badge], [[], undefined]);
	});

	it('are told of one that is not shown, and of a page that is hidden', async () => {
		begin('a').end({ state: 'done', endedAt: 10 });
		const { end, show } = begin('b');
		show();
		page.isVisible = false;
		end({ state: 'failed', endedAt: 10 });
		await waitFor('both', () => told.length === 2);
		assert.deepEqual(told, ['information: “About a”: the reply is complete.', 'warning: “About b”: the reply failed.']);
		assert.equal(view.badge?.value, 2);
	});

	it('are a badge alone of a short reply for which the window was left, until the user is back and sees it', async () => {
		focused = false;
		const short = begin('a');
		short.show();
		short.end({ state: 'done', endedAt: 9_000 });
		assert.deepEqual([told, view.badge?.value], [[], 1]);
		begin('b').end({ state: 'done', endedAt: 20_000 });
		await waitFor('the long one', () => told.length === 1);
		assert.match(told[0] ?? '', /About b/);
		assert.equal(view.badge?.value, 2);
		comeBack();
		assert.equal(view.badge?.value, 1, 'the other one is not shown');
		Object.assign(page, { conversation: { id: 'b' } });
		news.look();
		assert.equal(view.badge, undefined);
	});

	it('are told at once of a question, without what it is about, and lead to it', async () => {
		focused = false;
		pressed = 'Show';
		const { show } = begin('a');
		show();
		await news.asks('a');
		await waitFor('the conversation', () => opened.length > 0);
		assert.deepEqual([told, opened], [['information: “About a” is waiting for your answer.'], ['a']]);
		assert.equal(view.badge?.value, 1);
	});

	it('have nothing of what is said in an encrypted conversation', async () => {
		begin('a', { encryption: {} }).end({ state: 'done', endedAt: 10 });
		await waitFor('the news', () => told.length === 1);
		assert.deepEqual(told, ['information: “An encrypted conversation”: the reply is complete.']);
	});

	it('are no badge any more of one that is deleted, or goes on in a copy that is seen', async () => {
		begin('a').end({ state: 'done', endedAt: 10 });
		const { end, branch } = begin('b');
		end({ state: 'done', endedAt: 10 });
		assert.equal(view.badge?.value, 2);
		news.forget('a');
		assert.equal(view.badge?.value, 1);
		branch('c');
		Object.assign(page, { conversation: { id: 'c' } });
		news.look();
		assert.equal(view.badge, undefined);
	});

	it('are a badge alone where the user wants no notifications', async () => {
		const settings = vscode.workspace.getConfiguration();
		pressed = 'Don’t Show Again';
		try {
			begin('a').end({ state: 'done', endedAt: 60_000 });
			await waitFor('the setting', () => vscode.workspace.getConfiguration().get('errand.chat.notify') === false);
			begin('b').end({ state: 'done', endedAt: 60_000 });
			assert.deepEqual([told.length, view.badge?.value, opened], [1, 2, []]);
		} finally {
			await settings.update('errand.chat.notify', undefined, vscode.ConfigurationTarget.Global);
		}
	});
});
