import assert from 'node:assert/strict';
import type { Annotation, Usage } from '../../src/contract/chatReply.ts';
import { placeCitations } from '../../src/contract/citations.ts';
import { searchCost } from '../../src/contract/search.ts';
import { annotations, chatUsage, service } from '../support/contractServer/fixtures.ts';
import { textOf } from '../unit/client/chatWire.ts';
import { collect } from '../unit/client/testClient.ts';
import { type ProofContext, prove } from './harness.ts';

const SOURCES = ['inference/endpoints/2', 'inference/web-search-annotation/prose/1'];

const messages = [
	{ role: 'system' as const, content: 'Cite your sources.' },
	{ role: 'user' as const, content: 'text' },
];

async function search(
	client: ProofContext['client'],
): Promise<{ text: string; found: Annotation[]; usage: Usage | undefined }> {
	const { events, error } = await collect(client.search.stream(messages));
	assert.equal(error, undefined);
	return {
		text: textOf(events),
		found: events.flatMap(event => (event.type === 'annotations' ? event.annotations : [])),
		usage: events.find(event => event.type === 'usage')?.usage,
	};
}

describe('search', () => {
	prove(
		['inference/endpoints/2', 'inference/endpoints/prose/4'],
		'asks the search model on the path with a version, on either host',
		async ({ connect, lastRequest, server }) => {
			for (const plan of ['public', 'enterprise'] as const) {
				const { text } = await search(connect({ plan }));
				assert.notEqual(text, '');
				assert.equal(lastRequest().host, plan);
				assert.equal(lastRequest().path, '/v1/chat/completions');
				assert.equal(lastRequest().headers.authorization, `Bearer ${server.keys.inference}`);
				assert.deepEqual(lastRequest().json, { model: `${service}-search`, messages, stream: true });
			}
		},
	);

	prove(SOURCES, 'gives the sources with their places in the text', async ({ client }) => {
		const { text, found } = await search(client);
		assert.deepEqual(JSON.parse(JSON.stringify(found)), annotations);
		const citations = placeCitations(text, found);
		assert.deepEqual(
			citations.map(({ url, title, excerpt, range }) => ({ url, title, excerpt, range })),
			annotations.map(({ url_citation: { url, title, content, start_index, end_index } }) => ({
				url,
				title,
				excerpt: content,
				range: { start: start_index, end: Math.min(end_index, text.length) },
			})),
		);
	});

	prove('inference/web-search-annotation/prose/1', 'keeps the place of a source inside the text', async context => {
		const place = (start_index: number, end_index: number) => ({
			type: 'url_citation',
			url_citation: { url: 'https://tides.example/', title: 'Tides', start_index, end_index },
		});
		const message = { content: 'At 🕖.', annotations: [place(3, 99), place(-2, 2), place(50, 60), place(3, 4)] };
		context.server.answer(() => true, { status: 200, headers: {}, json: { choices: [{ index: 0, message }] } });
		const { choices } = await context.client.chat.complete({ model: `${service}-search`, messages });
		const { content = '', annotations: found = [] } = choices[0]?.message ?? {};
		assert.deepEqual(
			placeCitations(content, found).map(({ range }) => range),
			[{ start: 3, end: 6 }, { start: 0, end: 2 }, undefined, { start: 3, end: 5 }],
		);
	});

	prove(SOURCES, 'gives the sources of a whole reply', async ({ client }) => {
		const { choices } = await client.chat.complete({ model: `${service}-search`, messages });
		assert.deepEqual(choices[0]?.message?.annotations, annotations);
	});

	prove(
		['inference/limits/2', 'unspecified/inference/8'],
		'counts the cost of a search as a lower bound',
		async ({ client }) => {
			const { usage } = await search(client);
			const { usd, atLeast } = searchCost(usage);
			const expected = 0.03 + (chatUsage.prompt_tokens * 0.0002 + chatUsage.completion_tokens * 0.0005) / 1000;
			assert.ok(Math.abs(usd - expected) < 1e-12);
			assert.equal(atLeast, true);
		},
	);
});
