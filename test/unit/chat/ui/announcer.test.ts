import assert from 'node:assert/strict';
import type { ReplyView, TurnView } from '../../../../src/chat/protocol/protocol.ts';
import type { WorkView } from '../../../../src/chat/protocol/workProtocol.ts';
import { Announcer, nextWords } from '../../../../src/chat/ui/announcer.ts';
import { processorMs } from '../../../support/processorTime.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { TURN_IDS } from '../conversations.ts';
import { step } from './agent/steps.ts';

const start = { offset: 0, fence: '' };

describe('the words of a reply for a screen reader', () => {
	const words = (text: string, ended = false) => nextWords(text, start, ended).words;

	it('are whole sentences while the reply grows, and the rest at its end', () => {
		assert.equal(words('Because the'), '');
		assert.equal(words('Because the guard fails. It comp'), 'Because the guard fails.');
		assert.equal(words('One.\nTwo'), 'One.');
		assert.equal(words('One. Two', true), 'One. Two');
		assert.equal(words('Version 1.2 of the'), '');
	});

	it('are spoken once, however the text is cut', () => {
		const text = 'First sentence. Second one!\n\n- a point\n- another\n\nLast? Yes';
		for (let size = 1; size < text.length; size++) {
			let position = start;
			const spoken: string[] = [];
			for (let end = size; end < text.length + size; end += size) {
				const next = nextWords(text.slice(0, end), position, end >= text.length);
				position = next.position;
				spoken.push(next.words);
			}
			assert.equal(
				spoken.filter(part => part !== '').join(' '),
				'First sentence. Second one! a point another Last? Yes',
				`in pieces of ${size}`,
			);
		}
	});

	it('have no markup', () => {
		assert.equal(
			words('## A **bold** `name`\n> and [a link](https://example.com/x) ![image](y)\n| a | b |\n|---|---|\n', true),
			'A bold name and a link image a b',
		);
	});

	it('are found at once in a line that is made to be slow', () => {
		for (const [piece, end] of [
			['[', ''],
			['[a](', ''],
			['![[', ''],
			[' ', 'x'],
			['|-', 'x'],
		] as const) {
			const spent = processorMs(() => words(piece.repeat(200_000) + end, true));
			assert.ok(spent < 1_000, `${piece} took ${spent} ms`);
		}
	});

	it('keep a minus and a number sign that are no markup', () => {
		assert.equal(words('-5 degrees\n#42 is open\n- a point\n---\n', true), '-5 degrees #42 is open a point');
	});

	it('leave out a fence inside a longer one', () => {
		assert.equal(words('````md\n```ts\nconst a = 1;\n```\nmore\n````\nDone.\n', true), 'Code, md Done.');
	});

	it('name a code block and leave out what stands in it', () => {
		assert.equal(words('Run this:\n```ts\nconst a = 1;\n```\nThen go.\n', true), 'Run this: Code, ts Then go.');
		assert.equal(words('```\nx. y. z\nmore'), 'Code');
	});
});

describe('the announcements of a reply', () => {
	const spoken: string[] = [];
	let announcer: Announcer;

	beforeEach(() => {
		spoken.length = 0;
		announcer = new Announcer(words => spoken.push(words));
	});

	afterEach(() => announcer.update(undefined, false));

	const view = (reply: Partial<ReplyView>, id = TURN_IDS[0]): TurnView => ({
		id,
		askedAt: 0,
		question: '?',
		reply: {
			state: 'streaming',
			text: '',
			earlier: false,
			waiting: false,
			canRetry: false,
			canContinue: false,
			continued: 0,
			...reply,
		},
	});

	it('are silent for replies that were there before', () => {
		announcer.update(view({ state: 'done', text: 'Old.' }), false);
		announcer.update(view({ state: 'done', text: 'Old.' }), false);
		assert.deepEqual(spoken, []);
	});

	it('do not miss a reply that began and ended between two messages', () => {
		announcer.update(view({ state: 'failed', text: '' }), false);
		announcer.update(view({ state: 'done', text: 'Quick.' }, TURN_IDS[1]), true);
		announcer.update(view({ state: 'done', text: 'Again.' }, TURN_IDS[1]), true);
		assert.deepEqual(spoken, ['Quick.', 'Reply complete.', 'Again.', 'Reply complete.']);
	});

	it('tell that a reply has begun, whether to a new message or to one before', () => {
		announcer.update(view({}), false);
		assert.deepEqual(spoken, [], 'it was there before');
		announcer.update(view({ state: 'stopped' }), true);
		announcer.update(view({}), true);
		announcer.update(view({}, TURN_IDS[1]), true);
		assert.deepEqual(spoken, ['Reply stopped.', 'Waiting for the reply.', 'Waiting for the reply.']);
	});

	it('come at most every two seconds while words come all the time, and tell the end', async () => {
		announcer.update(view({}), false);
		let text = '';
		await waitFor('the first announcement', () => {
			text += 'A sentence. ';
			announcer.update(view({ text }), true);
			return spoken.length > 0;
		});
		assert.equal(spoken.length, 1);
		assert.ok((spoken[0]?.match(/A sentence\./g) ?? []).length > 3);
		announcer.update(view({ text: `${text}The end`, state: 'done' }), true);
		assert.match(spoken[1] ?? '', /The end$/);
		assert.equal(spoken[2], 'Reply complete.');
		assert.equal(spoken.slice(0, 2).join(' ').replace(/\s+/g, ' '), `${text}The end`.trim());
	});

	it('tell how a reply ended or that it waits', () => {
		for (const [reply, words] of [
			[{ state: 'stopped' }, 'Reply stopped.'],
			[{ state: 'failed', explanation: { message: 'No key.' } }, 'No key.'],
			[{ waiting: true, model: 'demo' }, 'Still waiting for demo.'],
			[{ waiting: 'loading', model: 'demo' }, 'Still waiting for demo: its server is loading the model.'],
		] as const) {
			announcer.update(undefined, true);
			announcer.update(view({}), true);
			announcer.update(view(reply), true);
			assert.equal(spoken.at(-1), words);
		}
	});

	it('interrupt with what an agent asks, once for each question', () => {
		const urgent: string[] = [];
		announcer = new Announcer((words, isUrgent) => (isUrgent ? urgent : spoken).push(words));
		const asking = (...ids: string[]): WorkView => ({
			label: 'Errand',
			folders: [{ name: '~' }],
			isSandboxed: true,
			steps: ids.map(id =>
				step(id, { state: 'running', command: `run ${id}`, approval: { state: 'waiting', question: `${ids.length}` } }),
			),
		});
		announcer.update(view({}), false);
		announcer.update(view({ work: asking() }), true);
		for (const work of [asking('a'), asking('a'), asking('a', 'b'), asking('a', 'c', 'b')]) {
			announcer.update(view({ work, waiting: true }), true);
		}
		const [first, again] = ['Errand asks: Run this command? run a', 'Errand asks: Run this command? run b'];
		assert.deepEqual(urgent, [first, again, again], 'the last one is asked about again');
		assert.deepEqual(spoken, [], 'it is no wonder that nothing comes');
	});

	it('do not read the earlier reply again while a retry begins', () => {
		announcer.update(view({ state: 'failed', text: 'Old words.' }), false);
		announcer.update(view({ text: 'Old words.', earlier: true }), true);
		announcer.update(view({ text: 'New words.', state: 'done' }), true);
		assert.deepEqual(spoken, ['Waiting for the reply.', 'New words.', 'Reply complete.']);
	});
});
