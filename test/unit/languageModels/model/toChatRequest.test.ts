import assert from 'node:assert/strict';
import { chatRequestSchema } from '../../../../src/contract/chatRequest.ts';
import { type EditorRequest, toChatRequest } from '../../../../src/languageModels/model/toChatRequest.ts';

const asked = (others: Partial<EditorRequest> = {}): EditorRequest => ({
	messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
	tools: [],
	mustCall: false,
	options: {},
	...others,
});
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };

describe('a request of the editor as the contract has it', () => {
	it('holds the model and the messages, and nothing that was not set', () => {
		assert.deepEqual(toChatRequest('quill', {}, asked()), {
			model: 'quill',
			messages: [{ role: 'user', content: 'Hello' }],
		});
	});

	it('offers tools, and says whether the model has to call one', () => {
		const tools = [look, { name: 'wait', description: 'Waits.' }];
		const request = toChatRequest('quill', {}, asked({ tools }));
		assert.deepEqual(request.tools, [
			{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: look.inputSchema } },
			{ type: 'function', function: { name: 'wait', description: 'Waits.' } },
		]);
		assert.equal(request.tool_choice, 'auto');
		assert.equal(toChatRequest('quill', {}, asked({ tools, mustCall: true })).tool_choice, 'required');
		assert.equal('tool_choice' in toChatRequest('quill', {}, asked({ mustCall: true })), false);
	});

	it('takes the parameters of the contract from the options, and nothing else, not even a routing policy', () => {
		const options = {
			temperature: 0.5,
			stop: 'END',
			max_completion_tokens: 50,
			user: 'somebody',
			model: 'another',
			provider: { only: ['cheap'] },
			stream: false,
			messages: [],
			_internal: 1,
			top_p: null,
		};
		const { messages: _, ...request } = toChatRequest('quill', {}, asked({ options }));
		assert.deepEqual(request, { model: 'quill', temperature: 0.5, stop: ['END'], max_tokens: 50 });
		chatRequestSchema.parse(toChatRequest('quill', {}, asked({ options, tools: [look] })));
	});

	it('asks for no more tokens than the model has', () => {
		const options = { max_tokens: 100_000 };
		const limits = { contextLength: 8_000, maxOutputTokens: 2_000 };
		assert.equal(toChatRequest('quill', limits, asked({ options })).max_tokens, 2_000);
		assert.equal(toChatRequest('quill', {}, asked({ options })).max_tokens, 100_000);
	});
});
