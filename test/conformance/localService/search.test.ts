import assert from 'node:assert/strict';
import type { Annotation } from '../../../src/contract/chatReply.ts';
import { placeCitations } from '../../../src/contract/citations.ts';
import { searchCost } from '../../../src/contract/search.ts';
import { conformance } from './harness.ts';

const messages = [
	{ role: 'system' as const, content: 'Cite your sources.' },
	{ role: 'user' as const, content: 'Which harbour 🔎 opens at seven?' },
];

conformance('search', verifies => {
	verifies(
		[
			'inference/endpoints/2',
			'inference/endpoints/prose/4',
			'inference/web-search-annotation/prose/1',
			'inference/limits/2',
			'unspecified/inference/8',
		],
		'the search model streams an answer whose sources have an address, a title and their place in the text',
		async ({ client }) => {
			let text = '';
			let cost = 0;
			const found: Annotation[] = [];
			for await (const event of client.search.stream(messages)) {
				if (event.type === 'text') {
					text += event.text;
				} else if (event.type === 'annotations') {
					found.push(...event.annotations);
				} else if (event.type === 'usage') {
					cost = searchCost(event.usage).usd;
				}
			}
			assert.ok(cost > 0.03);
			assert.ok(found.length > 1);
			for (const { url, title, range } of placeCitations(text, found)) {
				assert.ok(URL.canParse(url ?? ''), url);
				assert.ok(title);
				assert.ok(range && range.start < range.end && range.end <= text.length);
			}
		},
	);

	verifies(
		['inference/endpoints/2', 'inference/web-search-annotation/prose/1'],
		'a whole answer has its annotations in the message, on both hosts',
		async implementation => {
			for (const fetch of [implementation.fetch, implementation.fetchEnterprise]) {
				const body = JSON.stringify({ model: implementation.searchModel, messages });
				const response = await fetch('/v1/chat/completions', { method: 'POST', body });
				assert.equal(response.status, 200);
				const { choices, model } = (await response.json()) as {
					model: string;
					choices: { message: { content: string; annotations: Annotation[] } }[];
				};
				assert.equal(model, implementation.searchModel);
				const [{ message } = { message: undefined }] = choices;
				assert.ok(message);
				assert.ok(message.annotations.length > 1);
				for (const { type, url_citation: source } of message.annotations) {
					assert.equal(type, 'url_citation');
					assert.ok(URL.canParse(source?.url ?? ''));
					assert.ok(source?.title);
					assert.ok(Number.isInteger(source?.start_index) && Number.isInteger(source?.end_index));
					assert.ok(message.content.slice(source?.start_index, source?.end_index).length > 5);
				}
			}
		},
	);

	verifies('inference/endpoints/2', 'other models annotate nothing', async implementation => {
		const body = JSON.stringify({ model: implementation.model, messages });
		const response = await implementation.fetch('/v1/chat/completions', { method: 'POST', body });
		const { choices } = (await response.json()) as { choices: { message: object }[] };
		assert.equal('annotations' in (choices[0]?.message ?? {}), false);
	});
});
