import assert from 'node:assert/strict';
import { ENTERPRISE_PATH } from '../../src/contract/localConnection.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { load } from './packages.ts';

/** A tool round needs two steps; more would hide a loop without end. */
const MAXIMUM_STEPS = 4;

describe('the AI SDK with the local service', () => {
	let service: ServiceProcess;
	// biome-ignore lint/suspicious/noExplicitAny: packages without types here
	let ai: any;
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let compatible: any;
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let openai: any;
	before(async () => {
		service = await ServiceProcess.start();
		ai = load('ai');
		const { createOpenAICompatible } = load('@ai-sdk/openai-compatible');
		const { createOpenAI } = load('@ai-sdk/openai');
		const options = { name: 'errand', apiKey: service.token };
		compatible = createOpenAICompatible({ ...options, baseURL: `${service.address}/v1`, includeUsage: true });
		openai = createOpenAI({ ...options, baseURL: `${service.address}${ENTERPRISE_PATH}/v1` });
	});
	after(() => service.stop());

	function weather(asked: unknown[]) {
		return {
			weather: ai.tool({
				description: 'Tells the weather of a city',
				inputSchema: ai.jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
				execute: async ({ city }: { city: unknown }) => {
					asked.push(city);
					return 'Snow in the valley';
				},
			}),
		};
	}

	/** What every model of it must do here. */
	function works(model: () => object, options: object): void {
		it('streams', async () => {
			let pieces = 0;
			let text = '';
			const result = ai.streamText({ model: model(), prompt: 'Hello', ...options });
			for await (const piece of result.textStream) {
				text += piece;
				pieces++;
			}
			assert.ok(pieces > 2);
			assert.ok(text.length > 10);
			assert.equal(await result.finishReason, 'stop');
			assert.ok((await result.usage).totalTokens > 0);
		});

		it('runs tools in a loop', async () => {
			const asked: unknown[] = [];
			const result = ai.streamText({
				model: model(),
				prompt: '/demo tools',
				tools: weather(asked),
				stopWhen: ai.stepCountIs(MAXIMUM_STEPS),
				...options,
			});
			assert.match(await result.text, /Snow in the valley/);
			assert.equal(asked.length, 1);
			assert.equal(typeof asked[0], 'string');
			assert.equal((await result.steps).length, 2);
		});

		it('goes on with a conversation', async () => {
			const question = { role: 'user', content: '/demo reasoning' };
			const first = ai.streamText({ model: model(), messages: [question], ...options });
			const { messages } = await first.response;
			const next = ai.streamText({
				model: model(),
				messages: [question, ...messages, { role: 'user', content: 'And now?' }],
				...options,
			});
			assert.ok((await next.text).length > 10);
		});

		it('gets an error with the status and the words of the service', async () => {
			const errors: { statusCode?: number; message?: string }[] = [];
			const result = ai.streamText({
				model: model(),
				prompt: 'Hello',
				maxRetries: 0,
				onError: ({ error }: { error: object }) => errors.push(error),
				...options,
				headers: { Authorization: 'Bearer sk-wrong' },
			});
			await assert.rejects(async () => await result.text);
			assert.equal(errors[0]?.statusCode, 401);
		});
	}

	describe('as an OpenAI-compatible server', () => {
		works(() => compatible('demo'), {});

		it('generates whole', async () => {
			const { text, finishReason, usage } = await ai.generateText({ model: compatible('demo'), prompt: 'Hello' });
			assert.ok(text.length > 10);
			assert.equal(finishReason, 'stop');
			assert.ok(usage.totalTokens > 0);
		});

		it('runs tools in a loop of whole replies', async () => {
			const asked: unknown[] = [];
			const { text } = await ai.generateText({
				model: compatible('demo'),
				prompt: '/demo tools',
				tools: weather(asked),
				stopWhen: ai.stepCountIs(MAXIMUM_STEPS),
			});
			assert.match(text, /Snow in the valley/);
			assert.equal(asked.length, 1);
		});
	});

	// Nothing is kept between requests here, which its option `store` says.
	describe('by its OpenAI responses provider', () => {
		works(() => openai.responses('demo'), { providerOptions: { openai: { store: false } } });
	});

	describe('by its OpenAI chat provider', () => {
		works(() => openai.chat('demo'), {});
	});
});
