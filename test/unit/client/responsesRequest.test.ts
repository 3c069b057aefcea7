import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { ResponsesRequest } from '../../../src/contract/responses.ts';
import { type FaultServer, sendEvents, useFaultServer } from '../../support/faultServer.ts';
import { completed, reasoning, request } from './responsesWire.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

describe('a request of client.responses.stream', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient('http://127.0.0.1:9', {
			fields: {
				enterpriseUrl: server.origin,
				models: [{ id: 'strict-coder', kinds: ['responses'], codeOriented: true }, { id: 'coder' }],
				aliases: [{ name: 'our-coder', model: 'strict-coder' }],
				providerPrefixes: [{ prefix: 'fast', provider: 'fast' }],
			},
		});
	});

	it('goes to the enterprise host whatever the plan is, with store and stream filled in', async () => {
		serve(response => sendEvents(response, completed));
		await collect(client.responses.stream({ ...request, parallel_tool_calls: false }));
		const [received] = server.received;
		assert.equal(received?.method, 'POST');
		assert.equal(received?.path, '/v1/responses');
		assert.equal(received?.headers.authorization, 'Bearer sk-inference');
		assert.equal(received?.headers['content-type'], 'application/json');
		assert.equal(received?.headers.accept, 'text/event-stream');
		assert.deepEqual(JSON.parse(received?.body ?? ''), {
			...request,
			parallel_tool_calls: false,
			store: false,
			stream: true,
		});
	});

	it('goes out as given, each kind of item, tool and choice', async () => {
		serve(response => sendEvents(response, completed));
		const full: ResponsesRequest = {
			model: 'strict-coder',
			instructions: 'Be brief.',
			input: [
				{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
				{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
				{ role: 'system', content: 'Go on.' },
				{ ...reasoning, type: 'reasoning' },
				{ type: 'function_call', name: 'weather', call_id: 'call_1', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'call_1', output: '' },
			],
			store: false,
			stream: true,
			tools: [{ type: 'function', name: 'weather', description: 'Tells it', parameters: { type: 'object' } }],
			tool_choice: { type: 'function', name: 'weather' },
			parallel_tool_calls: true,
		};
		assert.equal((await collect(client.responses.stream(full))).error, undefined);
		assert.equal(server.received[0]?.body, JSON.stringify(full));
	});

	const refused: [string, Record<string, unknown>, RegExp][] = [
		['an input that is a text', { input: 'How warm is it?' }, /^input is a text; allowed: a list of items$/],
		['an item of another kind', { input: [{ type: 'image' }] }, /^input\[0\]\.type .*allowed: a message/],
		['an item that is none', { input: ['Hi'] }, /^input\[0\] .*allowed: a message/],
		['a role of chat completions', { input: [{ role: 'tool', content: 'a' }] }, /^input\[0\]\.role is "tool"/],
		['parts in a simple message', { input: [{ role: 'user', content: [] }] }, /^input\[0\]\.content is a list/],
		[
			'a part of another kind',
			{ input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'a' }] }] },
			/^input\[0\]\.content\[0\]\.type is "text"; allowed: "input_text", "output_text"$/,
		],
		[
			'arguments that are no text',
			{ input: [{ type: 'function_call', name: 'a', call_id: 'b', arguments: {} }] },
			/^input\[0\]\.arguments is an object/,
		],
		[
			'an item’s fields that input does not have',
			{ input: [{ type: 'function_call', name: 'a', call_id: 'b', arguments: '{}', status: 'completed' }] },
			/^input\[0\] has fields that are not documented: "status"$/,
		],
		[
			'a result without its call',
			{ input: [{ type: 'function_call_output', output: 'a' }] },
			/^input\[0\]\.call_id is missing/,
		],
		[
			'a tool nested as in chat completions',
			{ tools: [{ type: 'function', function: { name: 'weather' } }] },
			/^tools\[0\]\.function is an object; .*flat/,
		],
		['tool_choice required', { tool_choice: 'required' }, /^tool_choice .*allowed: "auto", "none" or/],
		[
			'tool_choice nested as in chat completions',
			{ tool_choice: { type: 'function', function: { name: 'a' } } },
			/^tool_choice is an object; allowed/,
		],
		['store true', { store: true }, /^store is true; allowed: false$/],
		['stream false', { stream: false }, /^stream is false; allowed: true$/],
		['previous_response_id', { previous_response_id: 'resp_1' }, /^previous_response_id is a text; not allowed/],
		['include', { include: ['reasoning.encrypted_content'] }, /not documented: "include"$/],
		['no model', { model: undefined }, /^model is missing/],
	];
	for (const [what, fields, message] of refused) {
		it(`is refused with ${what}, before anything is sent`, async () => {
			const { error } = await collect(client.responses.stream({ ...request, ...fields } as ResponsesRequest));
			assert.ok(ClientError.is(error, 'invalid-request'), String(error));
			assert.match(error.message, message);
			assert.equal(server.received.length, 0);
		});
	}

	for (const model of ['strict-coder', 'our-coder', 'test/strict-coder']) {
		for (const instructions of [undefined, '']) {
			it(`is refused without instructions for a code-oriented model (${model}, ${instructions})`, async () => {
				const { error } = await collect(client.responses.stream({ ...request, model, instructions }));
				assert.ok(ClientError.is(error, 'invalid-request'));
				assert.match(error.message, /^instructions is missing/);
				assert.equal(server.received.length, 0);
			});
		}
	}

	for (const model of ['coder', 'never-heard-of']) {
		it(`needs no instructions for a model that is not marked (${model})`, async () => {
			serve(response => sendEvents(response, completed));
			assert.equal((await collect(client.responses.stream({ ...request, model }))).error, undefined);
			assert.equal('instructions' in JSON.parse(server.received[0]?.body ?? ''), false);
		});
	}

	it('is refused with a provider prefix, which chat completions alone understand', async () => {
		const { error } = await collect(client.responses.stream({ ...request, model: 'fast/coder' }));
		assert.ok(ClientError.is(error, 'not-supported'));
		assert.equal(
			error.message,
			'model is "fast/coder"; not allowed: a provider prefix is understood by chat completions alone; leave it out',
		);
		assert.equal(server.received.length, 0);
	});

	it('is not supported by a connection without an enterprise host', async () => {
		client = testClient(server.origin);
		const { error } = await collect(client.responses.stream(request));
		assert.ok(ClientError.is(error, 'not-supported'));
		assert.equal(server.received.length, 0);
	});
});
