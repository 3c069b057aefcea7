import assert from 'node:assert/strict';
import { type MessagePart, MessageRefusal, toMessages } from '../../../../src/languageModels/model/toMessages.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';

const PNG = demoImage('a fox');
const text = (said: string): MessagePart => ({ kind: 'text', text: said });
const data = (type: string, bytes: Uint8Array): MessagePart => ({ kind: 'data', type, bytes });
const user = (...parts: MessagePart[]) => ({ role: 'user' as const, parts });
const assistant = (...parts: MessagePart[]) => ({ role: 'assistant' as const, parts });
const image = (bytes: Uint8Array) => ({
	type: 'image_url',
	image_url: { url: `data:image/png;base64,${Buffer.from(bytes).toString('base64')}` },
});
const refusal = (run: () => unknown) => {
	try {
		run();
	} catch (error) {
		return error instanceof MessageRefusal ? error.problem : error;
	}
	return undefined;
};

describe('messages of the editor as the contract has them', () => {
	it('keep their roles and texts, those of the system included', () => {
		assert.deepEqual(
			toMessages([
				{ role: 'system', parts: [text('Be brief.')] },
				user(text('Hel'), text('lo')),
				assistant(text('Hi.')),
				user(text('And?')),
			]),
			[
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: 'Hello' },
				{ role: 'assistant', content: 'Hi.' },
				{ role: 'user', content: 'And?' },
			],
		);
	});

	it('join what the user says twice in a row, which many models refuse', () => {
		assert.deepEqual(toMessages([user(text('One.')), user(text('Two.')), user(data('image/png', PNG))]), [
			{ role: 'user', content: [{ type: 'text', text: 'One.\n\nTwo.' }, image(PNG)] },
		]);
	});

	it('send calls back with their results, which come before what the user adds', () => {
		const call: MessagePart = { kind: 'call', id: 'c1', name: 'look', input: { at: 'sky' } };
		const result: MessagePart = {
			kind: 'result',
			id: 'c1',
			parts: [text('blue'), data('application/json', Buffer.from('1'))],
		};
		assert.deepEqual(toMessages([user(text('Look.')), assistant(text('I look.'), call), user(text('So?'), result)]), [
			{ role: 'user', content: 'Look.' },
			{
				role: 'assistant',
				content: 'I look.',
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: 'blue1' },
			{ role: 'user', content: 'So?' },
		]);
	});

	it('show an image that a tool has answered with to the model, in a message of the user', () => {
		const result: MessagePart = { kind: 'result', id: 'c1', parts: [data('image/png', PNG)] };
		assert.deepEqual(toMessages([user(result)]), [
			{ role: 'tool', tool_call_id: 'c1', content: '' },
			{ role: 'user', content: [image(PNG)] },
		]);
	});

	it('name an image by its bytes, and refuse what is none, whatever its sender says', () => {
		assert.deepEqual(toMessages([user(data('image/jpeg', PNG))]), [{ role: 'user', content: [image(PNG)] }]);
		const svg = data('image/svg+xml', Buffer.from('<svg/>'));
		assert.deepEqual(
			refusal(() => toMessages([user(text('See.'), svg)])),
			{ kind: 'no-image', type: 'image/svg+xml' },
		);
	});

	it('refuse more images than one request carries', () => {
		const large = Buffer.concat([PNG, Buffer.alloc(4_000_000)]);
		assert.deepEqual(
			refusal(() => toMessages([user(...[1, 2, 3].map(() => data('image/png', large)))])),
			{ kind: 'images-too-large' },
		);
	});

	it('leave out thoughts and marks, and say where something unknown stood', () => {
		const mark = data('cache_control', Buffer.from('ephemeral'));
		assert.deepEqual(
			toMessages([user(text('Hello'), mark), assistant({ kind: 'thinking' }), user({ kind: 'other' })]),
			[{ role: 'user', content: 'Hello\n\n(a part that cannot be passed on)' }],
		);
	});

	it('are refused where nothing is left to be asked', () => {
		assert.deepEqual(
			refusal(() => toMessages([])),
			{ kind: 'empty' },
		);
		assert.deepEqual(
			refusal(() => toMessages([assistant({ kind: 'thinking' })])),
			{ kind: 'empty' },
		);
	});
});
