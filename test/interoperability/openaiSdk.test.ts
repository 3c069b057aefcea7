import assert from 'node:assert/strict';
import { ENTERPRISE_PATH } from '../../src/contract/localConnection.ts';
import { PROMPTS, STAND_IN, type StandIns, startStandIns } from '../support/modelStandIn.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { load } from './packages.ts';

describe('the OpenAI SDK with the local service', () => {
	let standIns: StandIns;
	let service: ServiceProcess;
	// biome-ignore lint/suspicious/noExplicitAny: a package without types here
	let sdk: any;
	/** The responses endpoint is of the enterprise form. */
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let enterprise: any;
	const messages = [{ role: 'user', content: 'Hello' }];
	const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
	before(async () => {
		standIns = await startStandIns();
		service = await ServiceProcess.start({ handover: { upstreams: standIns.upstreams } });
		const { OpenAI } = load('openai');
		const open = (form: string) =>
			new OpenAI({ apiKey: service.token, baseURL: `${service.address}${form}/v1`, maxRetries: 0 });
		sdk = open('');
		enterprise = open(ENTERPRISE_PATH);
	});
	after(async () => {
		await service.stop();
		await standIns.stop();
	});

	describe('chats', () => {
		it('streamed, and gets the same text', async () => {
			const whole = await sdk.chat.completions.create({ model: STAND_IN, messages, seed: 1 });
			let text = '';
			let pieces = 0;
			let usage: { total_tokens: number } | undefined;
			const stream = await sdk.chat.completions.create({
				model: STAND_IN,
				messages,
				seed: 1,
				stream: true,
				stream_options: { include_usage: true },
			});
			for await (const chunk of stream) {
				text += chunk.choices[0]?.delta.content ?? '';
				usage = chunk.usage ?? usage;
				pieces++;
			}
			assert.ok(pieces > 4);
			assert.equal(text, whole.choices[0].message.content);
			assert.ok((usage?.total_tokens ?? 0) > 0);
		});

		it('with the fields that it has for a limit and for stops', async () => {
			const limited = { model: STAND_IN, messages, max_completion_tokens: 3, n: 1, store: false };
			assert.equal((await sdk.chat.completions.create(limited)).choices[0].finish_reason, 'length');
			const stopped = await sdk.chat.completions.create({ model: STAND_IN, messages, stop: ' ' });
			assert.doesNotMatch(stopped.choices[0].message.content, / /);
		});

		it('with tools, its own message going back as it came', async () => {
			const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
			const asked = [{ role: 'user', content: PROMPTS.call }];
			const called = await sdk.chat.completions.create({ model: STAND_IN, messages: asked, tools });
			const { message, finish_reason } = called.choices[0];
			assert.equal(finish_reason, 'tool_calls');
			assert.equal(message.tool_calls[0].function.name, 'weather');
			assert.equal(typeof JSON.parse(message.tool_calls[0].function.arguments).city, 'string');
			const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Snow in the valley' };
			const answered = await sdk.chat.completions.create({
				model: STAND_IN,
				messages: [...asked, message, result],
				tools,
			});
			assert.match(answered.choices[0].message.content, /Snow in the valley/);
		});
	});

	it('gets one call where it wants no parallel ones, and log probabilities', async () => {
		const tools = ['weather', 'tide'].map(name => ({ type: 'function', function: { name, parameters } }));
		const request = { model: STAND_IN, messages: [{ role: 'user', content: PROMPTS.calls }], tools };
		const calls = async (more: object) =>
			(await sdk.chat.completions.create({ ...request, ...more })).choices[0].message.tool_calls.length;
		assert.equal(await calls({}), 2);
		assert.equal(await calls({ parallel_tool_calls: false }), 1);
		const { choices } = await sdk.chat.completions.create({
			model: STAND_IN,
			messages,
			logprobs: true,
			top_logprobs: 1,
		});
		assert.equal(choices[0].logprobs.content[0].top_logprobs.length, 1);
	});

	it('gets an error with the status and the words of the service', async () => {
		await assert.rejects(sdk.chat.completions.create({ model: 'no-such-model', messages }), error => {
			const { status, message } = error as { status: number; message: string };
			assert.ok(status >= 400 && status < 500);
			assert.match(message, /model/);
			return true;
		});
	});

	it('lists the models, and reads one', async () => {
		const ids: string[] = [];
		for await (const { id } of sdk.models.list()) {
			ids.push(id);
		}
		assert.ok(ids.includes(STAND_IN));
		const { id, created } = await sdk.models.retrieve(STAND_IN);
		assert.deepEqual([id, Number.isInteger(created)], [STAND_IN, true]);
		await assert.rejects(sdk.models.retrieve('none'), { status: 404 });
	});

	describe('gets responses', () => {
		const input = [{ role: 'user', content: 'Hello' }];

		it('with reasoning that goes back sealed', async () => {
			const asked = [{ role: 'user', content: PROMPTS.reason }];
			const options = { model: STAND_IN, store: false, include: ['reasoning.encrypted_content'] };
			const first = await enterprise.responses.stream({ ...options, input: asked }).finalResponse();
			assert.ok(first.output[0].encrypted_content.length > 20);
			const next = await enterprise.responses
				.stream({ ...options, input: [...asked, ...first.output, ...input] })
				.finalResponse();
			assert.ok(next.output_text.length > 10);
		});

		it('gets the documented error for an input that is no list', async () => {
			await assert.rejects(
				enterprise.responses.create({ model: STAND_IN, input: 'Hello', stream: true, store: false }),
				{
					status: 400,
					message: /Input must be a list/,
				},
			);
		});
	});
});
