import assert from 'node:assert/strict';
import { placeCitations } from '../../../../../src/contract/citations.ts';
import { ServiceProcess } from '../../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../../support/upstreamServer.ts';
import { errorOf } from '../../helpers.ts';

interface Reply {
	provider: string;
	model: string;
	choices: { message: { content: string; annotations?: [] } }[];
}

describe('the demo beside upstreams', () => {
	it('leaves search to an upstream that has a search model, whatever its name, and never takes its place', async () => {
		const url_citation = { url: 'https://example.com/real', title: 'Real', start_index: 0, end_index: 4 };
		const annotations = [{ type: 'url_citation', url_citation }];
		const delta = { content: 'Real answer', annotations };
		const upstream = await UpstreamServer.start({ chunks: [{ choices: [{ index: 0, delta, finish_reason: null }] }] });
		const searching = await ServiceProcess.start({
			handover: {
				findOllama: false,
				upstreams: [{ slug: 'up', url: upstream.url, models: [{ id: 'small' }, { id: 'finder', kinds: ['search'] }] }],
			},
		});
		try {
			const search = () =>
				searching.fetch('/v1/chat/completions', {
					json: { model: 'errand-search', messages: [{ role: 'user', content: 'x' }] },
				});
			const reply = (await (await search()).json()) as Reply;
			assert.deepEqual([reply.provider, reply.model], ['up', 'finder']);
			assert.equal(upstream.chats[0]?.body['model'], 'finder');
			const [message] = reply.choices.map(choice => choice.message);
			const [citation] = placeCitations(message?.content ?? '', message?.annotations ?? []);
			assert.deepEqual(citation?.range, { start: 0, end: 4 });
			upstream.behaviour = { status: 503 };
			assert.match(await errorOf(await search(), 503), /^up is temporarily unavailable/);
		} finally {
			await searching.stop();
			await upstream.stop();
		}
	});

	it('leaves images to an upstream that has the model, and passes its address on', async () => {
		const upstream = await UpstreamServer.start({
			body: {
				model: 'painter:0123abcd',
				choices: [
					{ index: 0, message: { role: 'assistant', content: 'https://example.com/a.png' }, finish_reason: 'stop' },
				],
				usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
			},
		});
		const painting = await ServiceProcess.start({
			handover: {
				findOllama: false,
				upstreams: [{ slug: 'up', url: upstream.url, models: [{ id: 'painter', kinds: ['image'] }] }],
			},
		});
		try {
			const response = await painting.fetch('/chat/completions', {
				json: { model: 'painter', messages: [{ role: 'user', content: 'A harbour' }] },
			});
			const reply = (await response.json()) as Reply;
			assert.deepEqual([reply.provider, reply.model], ['up', 'painter:0123abcd']);
			assert.equal(reply.choices[0]?.message.content, 'https://example.com/a.png');
		} finally {
			await painting.stop();
			await upstream.stop();
		}
	});
});
