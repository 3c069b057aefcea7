import assert from 'node:assert/strict';
import { MAXIMUM_MESSAGE_LENGTH } from '../../../../src/chat/protocol/protocol.ts';
import { openableUrl, parseFromPage } from '../../../../src/chat/protocol/protocolSchema.ts';
import { TURN_IDS } from '../conversations.ts';

const [turn] = TURN_IDS;
const request = 'f0000000-0000-4000-8000-000000000001';
const conversation = 'c0000000-0000-4000-8000-000000000001';

describe('a message from the page', () => {
	it('is taken in each of its documented forms', () => {
		for (const message of [
			{ kind: 'page-ready', request },
			{ kind: 'snapshot-request', request },
			{ kind: 'answer', request, answer: { value: true } },
			{ kind: 'answer', request, answer: { problem: 'No.' } },
			{ kind: 'message-send', turn, text: 'x' },
			{ kind: 'message-send', conversation, turn, text: '' },
			{ kind: 'message-send', conversation, turn, text: 'x', edits: turn },
			{ kind: 'message-send', conversation, turn, text: 'x'.repeat(MAXIMUM_MESSAGE_LENGTH + 1) },
			{ kind: 'earlier-request', request, before: turn },
			{ kind: 'reply-stop', turn },
			{ kind: 'message-send', turn, text: 'Next', waits: true },
			{ kind: 'message-send', turn, text: 'Fix it', task: true },
			{ kind: 'task-follow', isShown: true },
			{ kind: 'task-choose', choice: 'branch' },
			{ kind: 'task-prompt-open', request, text: '' },
			{ kind: 'message-hurry', turn },
			{ kind: 'message-withdraw', turn },
			{ kind: 'step-fill', request, turn, question: request, values: { a: 'x', b: 1, c: false, d: ['y'] } },
			{ kind: 'reply-retry', turn },
			{ kind: 'reply-continue', turn },
			{ kind: 'version-show', turn },
			{ kind: 'explanation-follow', turn },
			{ kind: 'refusal-follow', turn },
			{ kind: 'connection-follow' },
			{ kind: 'model-choose' },
			{ kind: 'model-use', model: 'small' },
			{ kind: 'model-use', conversation: request, model: 'small' },
			{ kind: 'mode-choose', mode: 'agent' },
			{ kind: 'approvals-choose', approvals: 'ask' },
			{ kind: 'routing-choose' },
			{ kind: 'link-open', url: 'https://example.com/' },
			{ kind: 'text-copy', text: 'x' },
			{ kind: 'code-use', action: 'apply', turn, code: 'x', language: 'ts', file: 'a.ts' },
			{ kind: 'code-use', action: 'insert', turn, code: 'x' },
			{ kind: 'files-check', request, names: ['a.ts'] },
			{ kind: 'file-open', name: 'a.ts:1' },
			{ kind: 'state-keep', state: '{}' },
			{ kind: 'image-load', request, url: 'https://example.com/i.png' },
			{ kind: 'context-image', name: 'a.png', data: 'iVBORw0KGgo=' },
			{ kind: 'preview-request', request, file: 'a'.repeat(64) },
			{ kind: 'preview-request', request, file: 'a'.repeat(64), turn },
		]) {
			assert.deepEqual(parseFromPage(message), message);
		}
	});

	it('is dropped in any other form', () => {
		for (const message of [
			undefined,
			{ kind: 'step-fill', request, turn, question: request, values: { a: { b: 1 } } },
			{ kind: 'step-fill', request, turn, question: request, values: { a: 'x'.repeat(10_001) } },
			{ kind: 'step-fill', request, turn, question: 'one', values: {} },
			null,
			'page-ready',
			[],
			{},
			{ kind: 'page-READY' },
			{ kind: '__proto__' },
			{ kind: 'constructor' },
			{ kind: 'command-run', command: 'workbench.action.quit' },
			{ kind: 'explanation-follow', turn, command: 'workbench.action.quit' },
			{ kind: 'refusal-follow', turn, command: 'workbench.action.quit' },
			{ kind: 'refusal-follow' },
			{ kind: 'reply-retry', turn: '../../secrets' },
			{ kind: 'reply-retry', turn: [turn] },
			{ kind: 'reply-retry' },
			{ kind: 'reply-stop' },
			{ kind: 'message-send', turn, text: 'Next', waits: false },
			{ kind: 'message-send', turn, text: 'Next', task: false },
			{ kind: 'task-choose', choice: 'errand.startTask' },
			{ kind: 'mode-choose', mode: 'task' },
			{ kind: 'message-hurry' },
			{ kind: 'version-show' },
			{ kind: 'message-send', conversation: '..', turn, text: 'x' },
			{ kind: 'message-send', conversation, turn, text: 'x', edits: undefined },
			{ kind: 'message-send', conversation, turn, text: { toString: () => 'x' } },
			{ kind: 'message-send', conversation, turn, text: 'x'.repeat(2 * MAXIMUM_MESSAGE_LENGTH + 1) },
			{ kind: 'link-open', url: `https://example.com/${'x'.repeat(10_000)}` },
			{ kind: 'text-copy', text: '' },
			{ kind: 'code-use', action: 'run', turn, code: 'x' },
			{ kind: 'code-use', action: 'apply', turn, code: 'x', file: 'x'.repeat(401) },
			{ kind: 'files-check', request, names: Array(65).fill('a.ts') },
			{ kind: 'files-check', request: 1, names: [] },
			{ kind: 'files-check', names: [] },
			{ kind: 'page-ready' },
			{ kind: 'answer', request, answer: { value: { big: 'x' } } },
			{ kind: 'answer', request, answer: { value: true, problem: 'No.' } },
			{ kind: 'image-load', request: 'x', url: 'https://example.com/i.png' },
			{ kind: 'context-image', name: 'a.png', data: 'no base64' },
			{ kind: 'context-image', name: 'a.png', data: 'A'.repeat(7_000_004) },
			{ kind: 'preview-request', request, file: '../../secrets' },
		]) {
			assert.equal(parseFromPage(message), undefined, JSON.stringify(message)?.slice(0, 80));
		}
	});
});

describe('an address from the page', () => {
	it('is opened when it is a whole http, https or mailto URL', () => {
		assert.equal(openableUrl('https://example.com/a?b=c%20d#e')?.href, 'https://example.com/a?b=c%20d#e');
		assert.equal(openableUrl('HTTP://example.com')?.href, 'http://example.com/');
		assert.equal(openableUrl('mailto:someone@example.com')?.protocol, 'mailto:');
	});

	it('is not opened in any other form', () => {
		for (const url of [
			'javascript:alert(1)',
			' javascript:alert(1)',
			'java\nscript:alert(1)',
			'data:text/html,x',
			'file:///etc/passwd',
			'vscode://some.extension/do',
			'command:workbench.action.quit',
			'blob:https://example.com/x',
			'//example.com',
			'/relative',
			'',
		]) {
			assert.equal(openableUrl(url), undefined, url);
		}
	});
});
