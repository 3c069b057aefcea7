import { ENTERPRISE_PATH } from '../../../src/contract/localConnection.ts';
import type { LocalServiceInUse } from '../localService.ts';
import { load } from '../packages.ts';
import {
	type Asked,
	CITY_SCHEMA,
	type ForeignClient,
	joined,
	type OpenClient,
	SNOW,
	WEATHER_SCHEMA,
} from './foreignClient.ts';

/** A tool round needs two steps; more would hide a loop without end. */
const MAXIMUM_STEPS = 4;

function clientOf(modelOf: (name: string) => object, options: object = {}): ForeignClient {
	const ai = load('ai');
	/** The SDK prints what a stream fails with, unless it is told to give it away. */
	const ask = ({ model, prompt, streamed, signal }: Asked, more: object = {}) => {
		const request = { model: modelOf(model), prompt, abortSignal: signal, maxRetries: 0, ...options, ...more };
		return streamed ? ai.streamText({ ...request, onError: () => {} }) : ai.generateText(request);
	};
	return {
		async chat(asked) {
			const result = await ask(asked);
			return asked.streamed
				? joined(result.textStream as AsyncIterable<string>, piece => piece)
				: { text: result.text, pieces: 1 };
		},
		async tools(asked, called) {
			const weather = ai.tool({
				description: 'Tells the weather of a city',
				inputSchema: ai.jsonSchema(WEATHER_SCHEMA),
				execute: async ({ city }: { city: unknown }) => {
					called(city);
					return SNOW;
				},
			});
			const result = await ask(asked, { tools: { weather }, stopWhen: ai.stepCountIs(MAXIMUM_STEPS) });
			return await result.text;
		},
		async structured(asked) {
			const output = ai.Output.object({ schema: ai.jsonSchema(CITY_SCHEMA) });
			return await (await ask(asked, { output })).output;
		},
	};
}

const optionsOf = ({ service }: LocalServiceInUse, form = '') => ({
	name: 'errand',
	apiKey: service.token,
	baseURL: `${service.address}${form}/v1`,
});

export const aiCompatible: OpenClient = used => {
	const { createOpenAICompatible } = load('@ai-sdk/openai-compatible');
	const options = { ...optionsOf(used), includeUsage: true, supportsStructuredOutputs: true };
	return clientOf(createOpenAICompatible(options));
};

export const aiChat: OpenClient = used => {
	const { createOpenAI } = load('@ai-sdk/openai');
	return clientOf(createOpenAI(optionsOf(used)).chat);
};

/** Nothing is kept between requests here, which its option `store` says. */
export const aiResponses: OpenClient = used => {
	const { createOpenAI } = load('@ai-sdk/openai');
	const { responses } = createOpenAI(optionsOf(used, ENTERPRISE_PATH));
	return clientOf(responses, { providerOptions: { openai: { store: false } } });
};
