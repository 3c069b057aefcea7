import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { InputItem } from '../../../../src/contract/responses.ts';
import { ServerSeal } from '../../../../src/service/inference/serverSeal.ts';
import { chatRequestOf } from '../../../../src/service/responses/conversation.ts';
import { ReasoningSeal } from '../../../../src/service/responses/reasoningSeal.ts';

const seal = new ReasoningSeal(randomBytes(32));

const messagesOf = (...input: InputItem[]) => chatRequestOf({ model: 'small', input }, seal).messages;

const user = (content: string) => ({ role: 'user' as const, content });
const said = (text: string): InputItem => ({
	type: 'message',
	role: 'assistant',
	content: [{ type: 'output_text', text }],
});
const call = (call_id: string): InputItem => ({ type: 'function_call', name: 'tide', call_id, arguments: '{}' });
const output = (call_id: string): InputItem => ({ type: 'function_call_output', call_id, output: `of ${call_id}` });
const reasoning = (text: string): InputItem => ({ type: 'reasoning', summary: [], encrypted_content: seal.seal(text) });

const toolCall = (id: string) => ({ id, type: 'function', function: { name: 'tide', arguments: '{}' } });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` });

describe('the messages of a responses request', () => {
	it('begin with the instructions', () => {
		const { messages } = chatRequestOf({ model: 'small', instructions: 'Be brief.', input: [user('One')] }, seal);
		assert.deepEqual(messages, [{ role: 'system', content: 'Be brief.' }, user('One')]);
	});

	it('join the parts of a structured message', () => {
		const parts: InputItem = {
			type: 'message',
			role: 'user',
			content: [
				{ type: 'input_text', text: 'One ' },
				{ type: 'input_text', text: 'two' },
			],
		};
		assert.deepEqual(messagesOf(parts), [user('One two')]);
	});

	it('put parallel calls into one message with what was said before them, each result behind it in their order', () => {
		assert.deepEqual(messagesOf(user('x'), said('I look.'), call('a'), call('b'), output('b'), output('a')), [
			user('x'),
			{ role: 'assistant', content: 'I look.', tool_calls: [toolCall('a'), toolCall('b')] },
			result('a'),
			result('b'),
		]);
	});

	it('keep calls that came one after the other apart', () => {
		assert.deepEqual(messagesOf(call('a'), output('a'), call('b'), output('b')), [
			{ role: 'assistant', content: '', tool_calls: [toolCall('a')] },
			result('a'),
			{ role: 'assistant', content: '', tool_calls: [toolCall('b')] },
			result('b'),
		]);
	});

	it('bring a result that comes late back to its call', () => {
		assert.deepEqual(messagesOf(call('a'), call('b'), output('a'), user('Wait'), output('b'), said('Done')), [
			{ role: 'assistant', content: '', tool_calls: [toolCall('a'), toolCall('b')] },
			result('a'),
			result('b'),
			user('Wait'),
			{ role: 'assistant', content: 'Done' },
		]);
	});

	it('keep two messages of the assistant apart', () => {
		assert.deepEqual(messagesOf(said('One'), said('Two')), [
			{ role: 'assistant', content: 'One' },
			{ role: 'assistant', content: 'Two' },
		]);
	});

	it('give reasoning to the message that it led to', () => {
		assert.deepEqual(messagesOf(reasoning('Why'), said('So'), user('And?'), reasoning('How'), call('a'), output('a')), [
			{ role: 'assistant', content: 'So', reasoning: 'Why' },
			user('And?'),
			{ role: 'assistant', content: '', tool_calls: [toolCall('a')], reasoning: 'How' },
			result('a'),
		]);
	});

	it('leave out reasoning that led to nothing', () => {
		assert.deepEqual(messagesOf(reasoning('Why'), user('Hello')), [user('Hello')]);
	});

	it('leave a choice of tools out where there are none', () => {
		const { responses: _, ...request } = chatRequestOf(
			{ model: 'small', input: [user('x')], tools: [], tool_choice: 'auto' },
			seal,
		);
		assert.deepEqual(request, { model: 'small', messages: [user('x')] });
	});

	it('stay beside the items as they were sent, for servers that take those', () => {
		const encrypted_content = new ServerSeal('https://one.example/v1').seal('gAAA');
		const sealed = { type: 'reasoning' as const, id: 'rs_1', summary: [], encrypted_content };
		const input = [user('x'), sealed, said('I look.'), reasoning('How'), call('a'), output('a')];
		const { messages, responses } = chatRequestOf(
			{ model: 'small', instructions: 'Be brief.', input },
			seal,
			{},
			{
				reasoning: { effort: 'low' },
				text: { verbosity: 'low', format: { type: 'text' } },
				service_tier: 'priority',
				prompt_cache_key: 'k',
			},
		);
		assert.deepEqual(messages, [
			{ role: 'system', content: 'Be brief.' },
			user('x'),
			{ role: 'assistant', content: 'I look.', reasoning: 'How', tool_calls: [toolCall('a')] },
			result('a'),
		]);
		assert.deepEqual(responses, {
			reasoning: { effort: 'low' },
			prompt_cache_key: 'k',
			instructions: 'Be brief.',
			text: { verbosity: 'low' },
			input: [
				user('x'),
				{ type: 'reasoning', summary: [], encrypted_content },
				said('I look.'),
				{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'How' }] },
				call('a'),
				output('a'),
			],
		});
	});
});
