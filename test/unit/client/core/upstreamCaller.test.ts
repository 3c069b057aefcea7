import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { TransportRequest } from '../../../../src/client/core/transport.ts';
import { createUpstreamCaller, readUpstreamModels } from '../../../../src/client/core/upstreamCaller.ts';

/** Asks a service for its models, and resolves with what has left for it and with what was read of its answer. */
async function asked(url: string, answer: unknown) {
	const sent: TransportRequest[] = [];
	const transport = {
		async request(request: TransportRequest) {
			sent.push(request);
			const body = (async function* () {
				yield new TextEncoder().encode(JSON.stringify(answer));
			})();
			return { status: 200, headers: { get: () => undefined }, body };
		},
	};
	const caller = createUpstreamCaller({
		name: 'x',
		url,
		key: 'key-1',
		transport,
		logger: nullLogger,
		clock: systemClock,
	});
	const signal = new AbortController().signal;
	const models = await readUpstreamModels(caller, { hasKey: true, milliseconds: 1000, signal });
	return { sent: sent[0], ids: models.map(({ id }) => id) };
}

describe('the list of models of a well-known service', () => {
	it('is asked for with the key as a bearer, below the address', async () => {
		const { sent, ids } = await asked('https://models.example/v1', { data: [{ id: 'small' }] });
		assert.equal(sent?.url, 'https://models.example/v1/models');
		assert.equal(sent?.headers['Authorization'], 'Bearer key-1');
		assert.deepEqual(ids, ['small']);
	});

	it('is asked for in its own form where it has one, with the key for its own origin alone', async () => {
		const anthropic = await asked('https://api.anthropic.com/v1', { data: [{ type: 'model', id: 'claude' }] });
		assert.equal(anthropic.sent?.url, 'https://api.anthropic.com/v1/models?limit=1000');
		assert.equal(anthropic.sent?.headers['x-api-key'], 'key-1');
		assert.equal(anthropic.sent?.headers['anthropic-version'], '2023-06-01');
		assert.ok(!('Authorization' in (anthropic.sent?.headers ?? {})));
		assert.deepEqual(anthropic.ids, ['claude']);
	});

	it('is asked for at its own place where it has one', async () => {
		const catalogue = [
			{ id: 'openai/large', name: 'Large', supported_output_modalities: ['text'] },
			{ id: 'openai/vectors', supported_output_modalities: ['embeddings'] },
		];
		const { sent, ids } = await asked('https://models.github.ai/inference', catalogue);
		assert.equal(sent?.url, 'https://models.github.ai/catalog/models');
		assert.equal(sent?.headers['Authorization'], 'Bearer key-1');
		assert.deepEqual(ids, ['openai/large']);
	});
});
