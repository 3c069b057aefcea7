import assert from 'node:assert/strict';
import { readUpstreamSettings } from '../../../../src/models/model/upstreamSettings.ts';

describe('readUpstreamSettings', () => {
	it('reads servers by name, and looks for an Ollama unless that is switched off', () => {
		const url = 'http://127.0.0.1:1234/v1';
		const { upstreams, problems, findOllama } = readUpstreamSettings({ studio: { url }, 'far-away': { url } });
		assert.deepEqual(upstreams, [
			{ slug: 'studio', setting: { url } },
			{ slug: 'far-away', setting: { url } },
		]);
		assert.deepEqual(problems, []);
		assert.ok(findOllama);
		assert.ok(!readUpstreamSettings({ ollama: false }).findOllama);
	});

	it('reads addresses so that paths can be put behind them', () => {
		for (const url of [
			'https://example.com',
			'https://example.com/v1//',
			' https://example.com/v1?',
			'https://example.com/v1#',
		]) {
			assert.equal(readUpstreamSettings({ one: { url } }).upstreams[0]?.setting.url, 'https://example.com/v1', url);
		}
	});

	it('says of each entry that cannot be used what is wrong with it, and keeps the others', () => {
		const { upstreams, problems } = readUpstreamSettings({
			good: { url: 'https://example.com' },
			errand: { url: 'https://example.com' },
			'Up Case': { url: 'https://example.com' },
			gone: false,
			bare: {},
			wrong: { url: 'ftp://example.com' },
			priced: { url: 'https://example.com', prices: { input: -1, output: 1 } },
		});
		assert.deepEqual(
			upstreams.map(({ slug }) => slug),
			['good'],
		);
		assert.deepEqual(
			problems.map(({ slug, issue }) => [slug, issue?.path.join('.') ?? '']),
			[
				['errand', ''],
				['Up Case', ''],
				['gone', ''],
				['bare', 'url'],
				['wrong', 'url'],
				['priced', 'prices.input'],
			],
		);
	});

	it('takes what is no object for nothing', () => {
		for (const value of [undefined, null, 'x', 3, []]) {
			assert.deepEqual(readUpstreamSettings(value), { upstreams: [], problems: [], findOllama: true });
		}
	});
});
