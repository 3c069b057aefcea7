import assert from 'node:assert/strict';
import { messageEnd, messageStart, PING, textBlock, thinkingBlock, toolBlock, USAGE } from '../support/messagesWire.ts';
import { PROMPTS, STAND_IN, type StandIns, startStandIns } from '../support/modelStandIn.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { load } from './packages.ts';

/** A reply with everything that the form has for a model. */
const EVENTS = [
	messageStart(),
	...thinkingBlock(0, 'c2lnbmF0dXJl', 'Hm', ', so'),
	PING,
	...textBlock(1, 'I ', 'look.'),
	...toolBlock(2, 'toolu_1', 'read', '', '{"path":', ' "a.ts", "lines": [1, 2]}'),
	...toolBlock(3, 'toolu_2', 'now'),
	...messageEnd('tool_use', { ...USAGE, output_tokens: 15 }),
];

describe('the Anthropic SDK with the local service', () => {
	let standIns: StandIns;
	let upstream: UpstreamServer;
	let service: ServiceProcess;
	// biome-ignore lint/suspicious/noExplicitAny: a package without types here
	let sdk: any;
	/** The same, for the model server itself. */
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let direct: any;
	const messages = [{ role: 'user', content: 'Hello' }];
	before(async () => {
		standIns = await startStandIns();
		upstream = await UpstreamServer.start({ events: EVENTS });
		const claude = { slug: 'claude', kind: 'messages' as const, url: upstream.url, models: ['small'] };
		service = await ServiceProcess.start({ handover: { upstreams: [...standIns.upstreams, claude] } });
		const { Anthropic } = load('@anthropic-ai/sdk');
		const open = (apiKey: string, baseURL: string) => new Anthropic({ apiKey, baseURL, maxRetries: 0 });
		sdk = open(service.token, service.address);
		direct = open('any', upstream.origin);
	});
	after(async () => {
		await service.stop();
		await upstream.stop();
		await standIns.stop();
	});

	it('gets the message that it would get from a server of the form itself, streamed and whole', async () => {
		const request = { model: 'small', max_tokens: 500, messages };
		// The helper for streams adds a field of its own.
		const { id: _, parsed_output: __, ...expected } = await direct.messages.stream(request).finalMessage();
		for (const reply of [sdk.messages.stream(request).finalMessage(), sdk.messages.create(request)]) {
			const { id, parsed_output: ___, ...message } = await reply;
			assert.match(id, /^msg_/);
			assert.deepEqual(JSON.parse(JSON.stringify(message)), JSON.parse(JSON.stringify(expected)));
		}
	});

	it('sends its thinking, calls and results on as they came', async () => {
		const { content } = await sdk.messages.create({ model: 'small', max_tokens: 500, messages });
		const results = ['toolu_1', 'toolu_2'].map(id => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
		const turns = [...messages, { role: 'assistant', content }, { role: 'user', content: results }];
		await sdk.messages.create({ model: 'small', max_tokens: 500, messages: turns });
		const sent = upstream.chats.at(-1)?.body['messages'] as { content: unknown }[];
		assert.deepEqual(sent[1]?.content, content);
	});

	it('streams with every helper that it has, from a server of chat', async () => {
		const stream = sdk.messages.stream({
			model: STAND_IN,
			max_tokens: 500,
			messages: [{ role: 'user', content: PROMPTS.reason }],
		});
		const heard = { text: '', thinking: '' };
		stream.on('text', (text: string) => {
			heard.text += text;
		});
		stream.on('thinking', (thinking: string) => {
			heard.thinking += thinking;
		});
		const { content, stop_reason, usage } = await stream.finalMessage();
		assert.equal(stop_reason, 'end_turn');
		assert.equal(content[0].thinking, heard.thinking);
		assert.equal(content[1].text, heard.text);
		assert.ok(heard.thinking.length > 5 && heard.text.length > 5);
		assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0);
	});

	it('is told of several calls, of a limit and of a stop', async () => {
		const input_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
		const tools = ['weather', 'tide'].map(name => ({ name, input_schema }));
		const asked = [{ role: 'user', content: PROMPTS.calls }];
		const called = await sdk.messages
			.stream({ model: STAND_IN, max_tokens: 500, messages: asked, tools })
			.finalMessage();
		const calls = called.content.filter(({ type }: { type: string }) => type === 'tool_use');
		assert.equal(called.stop_reason, 'tool_use');
		assert.equal(new Set(calls.map(({ id }: { id: string }) => id)).size, 2);
		assert.equal(typeof calls[0].input.city, 'string');
		assert.equal((await sdk.messages.create({ model: STAND_IN, max_tokens: 3, messages })).stop_reason, 'max_tokens');
		const stopped = await sdk.messages.create({ model: STAND_IN, max_tokens: 500, messages, stop_sequences: [' '] });
		assert.doesNotMatch(stopped.content[0].text, / /);
	});

	it('counts tokens and lists the models', async () => {
		const { input_tokens } = await sdk.messages.countTokens({ model: STAND_IN, messages });
		assert.ok(input_tokens > 0);
		const ids: string[] = [];
		for await (const { id } of sdk.models.list()) {
			ids.push(id);
		}
		assert.ok(ids.includes('small') && ids.includes(STAND_IN));
	});

	it('gets errors of its own classes, before the first word and in the middle', async () => {
		const { AuthenticationError, NotFoundError, BadRequestError, APIError, Anthropic } = load('@anthropic-ai/sdk');
		const request = { model: STAND_IN, max_tokens: 500, messages };
		const stranger = new Anthropic({ apiKey: 'wrong', baseURL: service.address, maxRetries: 0 });
		await assert.rejects(stranger.messages.create(request), AuthenticationError);
		await assert.rejects(sdk.messages.create({ ...request, model: 'no-such-model' }), NotFoundError);
		await assert.rejects(sdk.messages.create({ ...request, messages: [] }), BadRequestError);
		const failing = { ...request, messages: [{ role: 'user', content: PROMPTS.error }] };
		await assert.rejects(sdk.messages.stream(failing).finalMessage(), (error: { type?: string }) => {
			assert.ok(error instanceof APIError);
			assert.equal(error.type, 'api_error');
			return true;
		});
	});
});
