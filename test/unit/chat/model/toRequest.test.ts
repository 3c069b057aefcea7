import assert from 'node:assert/strict';
import { channelHistory, toContinuationRequest, toRequest } from '../../../../src/chat/model/toRequest.ts';
import { chatRequestSchema } from '../../../../src/contract/chatRequest.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

describe('the request for a turn', () => {
	const [first, second, third, fourth] = TURN_IDS;
	const asked = reply({ state: 'streaming', text: '' });

	it('holds the history in order and ends with the question', () => {
		const request = toRequest(
			conversation(turn(first, 'One?', reply({ text: 'Yes.' })), turn(second, 'Two?', asked)),
			second,
			'demo',
		);
		assert.deepEqual(request, {
			model: 'demo',
			messages: [
				{ role: 'user', content: 'One?' },
				{ role: 'assistant', content: 'Yes.' },
				{ role: 'user', content: 'Two?' },
			],
		});
		chatRequestSchema.parse(request);
	});

	it('has what was attached before each question, the same each time', () => {
		const attached = (id: string, question: string, text: string) => ({
			...turn(id, question, asked),
			attachments: [{ kind: 'file' as const, label: 'a.ts', path: 'src/a.ts', text }],
		});
		const value = conversation(attached(first, 'One?', 'one'), attached(second, 'Two?', 'two'));
		const request = toRequest(value, second, 'demo');
		assert.deepEqual(request, toRequest(value, second, 'demo'));
		const [message] = request.messages;
		assert.equal(request.messages.length, 1);
		assert.match(String(message?.content), /File: `src\/a\.ts`\n```\none\n```\n\nOne\?\n\n[\s\S]*\ntwo\n```\n\nTwo\?$/);
	});

	it('sends the text of a reply that was stopped, cut off or failed on its way', () => {
		for (const state of ['stopped', 'cutOff', 'failed'] as const) {
			const { messages } = toRequest(
				conversation(turn(first, 'One?', reply({ state, text: 'So far' })), turn(second, 'Two?', asked)),
				second,
				'demo',
			);
			assert.deepEqual(messages[1], { role: 'assistant', content: 'So far' });
		}
	});

	it('leaves out replies without text, keeps their questions, and never has one role twice in a row', () => {
		const { messages } = toRequest(
			conversation(
				turn(first, 'One?', reply({ state: 'failed', text: '' })),
				turn(second, 'Two?', reply({ text: ' \n' })),
				turn(third, 'Three?', reply({ text: 'Yes.' })),
				turn(fourth, 'Four?', asked),
			),
			fourth,
			'demo',
		);
		assert.deepEqual(messages, [
			{ role: 'user', content: 'One?\n\nTwo?\n\nThree?' },
			{ role: 'assistant', content: 'Yes.' },
			{ role: 'user', content: 'Four?' },
		]);
	});

	it('sends the reply that is shown when the last try came to nothing', () => {
		const { messages } = toRequest(
			conversation(
				turn(first, 'One?', reply({ text: 'First try.' }), reply({ state: 'failed', text: '' })),
				turn(second, 'Two?', asked),
			),
			second,
			'demo',
		);
		assert.equal(messages[1]?.content, 'First try.');
	});

	it('asks a turn again without what it answered before, and without the turns after it', () => {
		const { messages } = toRequest(
			conversation(turn(first, 'One?', reply({ text: 'Old.' }), asked), turn(second, 'Two?', reply())),
			first,
			'demo',
		);
		assert.deepEqual(messages, [{ role: 'user', content: 'One?' }]);
	});

	it('holds what led to the turn, and not the other versions', () => {
		const value = conversation(
			turn(first, 'One?', reply({ text: 'Yes.' })),
			turn(second, 'Two?', reply({ text: 'No.' })),
			{ ...turn(third, 'Two, really?', asked), previous: first },
		);
		assert.deepEqual(
			toRequest(value, third, 'demo').messages.map(({ content }) => content),
			['One?', 'Yes.', 'Two, really?'],
		);
	});

	it('to go on with a reply ends with its text so far and the wish', () => {
		const value = conversation(turn(first, 'One?', reply({ state: 'streaming', text: 'So f' })));
		const request = toContinuationRequest(value, first, 'demo');
		assert.deepEqual(request.messages.slice(0, 2), [
			{ role: 'user', content: 'One?' },
			{ role: 'assistant', content: 'So f' },
		]);
		assert.equal(request.messages[2]?.role, 'user');
		assert.equal(request.messages.length, 3);
		chatRequestSchema.parse(request);
	});
});

describe('the history for the channel', () => {
	it('begins with the user’s instructions, where there are some', () => {
		const asked = [{ role: 'user' as const, content: 'Why?' }];
		assert.deepEqual(channelHistory(asked, ' '), asked);
		assert.deepEqual(channelHistory(asked, 'Be brief.'), [{ role: 'system', content: 'Be brief.' }, ...asked]);
		const [told] = channelHistory(asked, '', [{ kind: 'file', label: 'AGENTS.md', text: 'Use tabs.' }]);
		assert.match(told?.role === 'system' ? told.content : '', /Use tabs\.$/);
	});

	it('refuses what the channel has no form for, rather than leaving it out', () => {
		const image = { role: 'user' as const, content: [{ type: 'text' as const, text: 'a' }] };
		assert.throws(() => channelHistory([image], ''), TypeError);
		assert.throws(() => channelHistory([{ role: 'tool', content: 'a', tool_call_id: '1' }], ''), TypeError);
	});
});
