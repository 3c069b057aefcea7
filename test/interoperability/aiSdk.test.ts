import assert from 'node:assert/strict';
import { ENTERPRISE_PATH } from '../../src/contract/localConnection.ts';
import { PROMPTS, STAND_IN, type StandIns, startStandIns } from '../support/modelStandIn.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { load } from './packages.ts';

describe('the AI SDK with the local service', () => {
	let standIns: StandIns;
	let service: ServiceProcess;
	// biome-ignore lint/suspicious/noExplicitAny: packages without types here
	let ai: any;
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let compatible: any;
	// biome-ignore lint/suspicious/noExplicitAny: as above
	let openai: any;
	before(async () => {
		standIns = await startStandIns();
		service = await ServiceProcess.start({ handover: { upstreams: standIns.upstreams } });
		ai = load('ai');
		const { createOpenAICompatible } = load('@ai-sdk/openai-compatible');
		const { createOpenAI } = load('@ai-sdk/openai');
		const options = { name: 'errand', apiKey: service.token };
		compatible = createOpenAICompatible({ ...options, baseURL: `${service.address}/v1`, includeUsage: true });
		openai = createOpenAI({ ...options, baseURL: `${service.address}${ENTERPRISE_PATH}/v1` });
	});
	after(async () => {
		await service.stop();
		await standIns.stop();
	});

	/** What every model of it must do here. */
	function works(model: () => object, options: object): void {
		it('goes on with a conversation', async () => {
			const question = { role: 'user', content: PROMPTS.reason };
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
		works(() => compatible(STAND_IN), {});
	});

	// Nothing is kept between requests here, which its option `store` says.
	describe('by its OpenAI responses provider', () => {
		works(() => openai.responses(STAND_IN), { providerOptions: { openai: { store: false } } });
	});

	describe('by its OpenAI chat provider', () => {
		works(() => openai.chat(STAND_IN), {});
	});
});
