import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PROMPTS, STAND_IN } from '../support/modelStandIn.ts';
import { waitFor } from '../support/waitFor.ts';
import { aiChat, aiCompatible, aiResponses } from './clients/aiSdk.ts';
import { anthropicSdk } from './clients/anthropicSdk.ts';
import { type City, type ForeignClient, type OpenClient, SNOW } from './clients/foreignClient.ts';
import { huggingFace } from './clients/huggingFace.ts';
import { instructor } from './clients/instructor.ts';
import { langChainChat, langChainResponses } from './clients/langChain.ts';
import { llamaIndex } from './clients/llamaIndex.ts';
import { agentsChat, agentsResponses } from './clients/openaiAgents.ts';
import { openaiChat, openaiResponses } from './clients/openaiSdk.ts';
import { SCRIPTED, useLocalService } from './localService.ts';

const PAGE = 'docs/local-service.md';

/** The clients, by the name that the page about the service has for them. */
const clients: Readonly<Record<string, OpenClient>> = {
	'`openai`, chat': openaiChat,
	'`openai`, responses': openaiResponses,
	'`ai` with `@ai-sdk/openai-compatible`': aiCompatible,
	'`ai` with `@ai-sdk/openai`, chat': aiChat,
	'`ai` with `@ai-sdk/openai`, responses': aiResponses,
	'`@openai/agents`, chat': agentsChat,
	'`@openai/agents`, responses': agentsResponses,
	'`@langchain/openai` with `@langchain/langgraph`, chat': langChainChat,
	'`@langchain/openai` with `@langchain/langgraph`, responses': langChainResponses,
	'`@instructor-ai/instructor`': instructor,
	'`llamaindex` with `@llamaindex/openai`': llamaIndex,
	'`@huggingface/inference`': huggingFace,
	'`@anthropic-ai/sdk`': anthropicSdk,
};

describe('a third-party client with the local service:', () => {
	const used = useLocalService();

	for (const [name, open] of Object.entries(clients)) {
		describe(name, () => {
			let client: ForeignClient;
			before(() => {
				client = open(used);
			});

			for (const streamed of [false, true]) {
				const how = streamed ? 'streamed' : 'whole';

				it(`chats, ${how}`, async () => {
					const { text, pieces } = await client.chat({ model: STAND_IN, prompt: 'Hello', streamed });
					assert.match(text, /^This stand-in is no language model[\s\S]*messages\.$/);
					assert.ok(streamed ? pieces > 5 : pieces === 1, `${pieces} pieces`);
				});

				it(`runs tools, ${how}`, async function () {
					if (client.tools === undefined) {
						this.skip();
					}
					const cities: unknown[] = [];
					const text = await client.tools({ model: STAND_IN, prompt: PROMPTS.call, streamed }, city =>
						cities.push(city),
					);
					assert.deepEqual(cities, [STAND_IN]);
					assert.ok(text.includes(SNOW), text);
				});

				it(`gets an object of a given form, ${how}`, async () => {
					const { city, warm } = (await client.structured({ model: STAND_IN, prompt: 'Oslo', streamed })) as City;
					assert.deepEqual([typeof city, typeof warm], ['string', 'boolean']);
				});

				it(`ends what the model server does when it is aborted, ${how}`, async () => {
					const { upstream } = used;
					upstream.behaviour = { pauseMs: 50, pieces: Array(5_000).fill('word ') };
					const leaving = new AbortController();
					const ended = client.chat({ model: SCRIPTED, prompt: 'Hello', streamed, signal: leaving.signal }).then(
						({ pieces }) => assert.ok(pieces < 1_000),
						() => {},
					);
					await waitFor('the request', () => upstream.sentBytes > 0 && upstream.chats.length === 1);
					leaving.abort();
					await ended;
					await waitFor('the model server to be left', () => upstream.chats[0]?.wasAbandoned);
					assert.equal(upstream.chats.length, 1);
				});
			}
		});
	}

	it('stands on the page about the service with what it can do', () => {
		const rows = Array.from(readFileSync(PAGE, 'utf8').matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm), ([, name, can]) => [
			name,
			can,
		]);
		const listed = new Map(rows.filter(([name]) => name !== undefined && name in clients) as [string, string][]);
		assert.deepEqual(
			Object.fromEntries(listed),
			Object.fromEntries(
				Object.entries(clients).map(([name, open]) => {
					const { tools } = open(used);
					return [name, `chat, ${tools ? 'tools, ' : ''}structured output, abort`];
				}),
			),
		);
	});
});
