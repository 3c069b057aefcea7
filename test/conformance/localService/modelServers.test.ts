import assert from 'node:assert/strict';
import { conformance } from './harness.ts';
import { ask } from './routedChat.ts';

conformance(
	'routing to model servers',
	verifies => {
		verifies(
			'inference/chat-completion-response/7',
			'usage has both details, also where the server that answered tells none',
			async ({ client, race }) => {
				const { usage } = await client.chat.complete({
					model: race.model,
					messages: [{ role: 'user', content: 'Hello' }],
				});
				const { prompt_tokens: prompt = 0, completion_tokens: completion = 0, total_tokens: total } = usage ?? {};
				assert.ok(prompt > 0 && completion > 0);
				assert.equal(total, prompt + completion);
				assert.deepEqual(Object.values(usage?.completion_tokens_details ?? {}), [0, 0, 0, 0]);
				assert.deepEqual(Object.values(usage?.prompt_tokens_details ?? {}), [0, 0]);
			},
		);

		verifies(
			['inference/provider-object/1', 'inference/provider-object/13'],
			'sort leads to the cheapest, to the one that begins first and to the fastest, once they have been tried',
			async ({ fetch, race }) => {
				const server = async (sort: unknown) => {
					const { provider, message } = await ask(fetch, { model: race.model, max_tokens: 50, provider: { sort } });
					assert.ok(provider, message);
					return provider;
				};
				for (const [sort, best] of [
					['price', race.cheapest],
					['latency', race.firstToBegin],
					['throughput', race.fastest],
				] as const) {
					if (sort !== 'price') {
						// A provider that has not been measured yet is tried first.
						await server(sort);
						await server(sort);
					}
					for (let count = 0; count < 3; count++) {
						assert.equal(await server(sort), best, String(sort));
						assert.equal(await server({ by: sort }), best, String(sort));
					}
				}
			},
		);

		verifies('inference/zero-data-retention-zdr/4', 'a provider that caches serves under zdr', async implementation => {
			const { caching, client } = implementation;
			const provider = { zdr: true };
			const messages = [{ role: 'user' as const, content: 'Hello' }];
			const reply = await client.chat.complete({ model: caching.model, messages, provider });
			assert.equal(reply.provider, caching.provider);
			assert.equal(reply.usage?.prompt_tokens_details?.cached_tokens, caching.cachedTokens);
		});

		verifies(
			['inference/dedicated-deployments/prose/1', 'inference/dedicated-deployments/prose/2'],
			'the service’s own slug leads to an open model on this machine, before its name, in order and in only, and to no closed one',
			async ({ fetch, fetchEnterprise, race, caching, service }) => {
				const local = [race.cheapest, race.fastest];
				for (const host of [fetch, fetchEnterprise]) {
					for (const body of [
						{ model: `${service}/${race.model}` },
						{ model: race.model, provider: { order: [service], allow_fallbacks: false } },
						{ model: race.model, provider: { only: [service] } },
					]) {
						const { provider = '', message } = await ask(host, body);
						assert.ok(local.includes(provider), message);
					}
					for (const body of [
						{ model: `${service}/${caching.model}` },
						{ model: caching.model, provider: { order: [service], allow_fallbacks: false } },
						{ model: caching.model, provider: { only: [service] } },
					]) {
						const { status, message } = await ask(host, body);
						assert.equal(status, 404, message);
						assert.match(message, /only open models/);
					}
				}
			},
		);
	},
	{ modelServers: true },
);
