import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { TEST_LIMIT_MS } from '../../../scripts/stages/limits.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { UpstreamServer } from '../../support/upstreamServer.ts';
import { waitFor } from '../../support/waitFor.ts';

/** `ERRAND_TEST_STREAMS=200` for a longer look. */
const STREAMS = Number(process.env['ERRAND_TEST_STREAMS'] ?? 50);
const PIECES = 200;
const ROUNDS = 4;
/** Room for a heap that the engine lets grow before it collects; replies that were kept would pass it. */
const MAXIMUM_GROWTH_MEGABYTES = 128;

describe('many streams at once', function () {
	this.timeout(TEST_LIMIT_MS + STREAMS * 1_000);
	let upstream: UpstreamServer;
	let service: ServiceProcess;

	before(async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		const pieces = Array.from({ length: PIECES }, (_, index) => `${index} `);
		upstream = await UpstreamServer.start({ pieces, pauseMs: 1 });
		const upstreams = [{ slug: 'up', url: upstream.url, models: ['small'] }];
		service = await ServiceProcess.start({ handover: { upstreams, findOllama: false } });
	});
	after(async () => {
		await service?.stop();
		await upstream?.stop();
	});

	async function ask(): Promise<string> {
		const json = { model: 'small', stream: true, messages: [{ role: 'user', content: 'Count' }] };
		const text = await (await service.fetch('/chat/completions', { json })).text();
		assert.ok(text.endsWith('data: [DONE]\n\n'));
		return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
	}

	/** Reads a field of the status of the service's process. */
	async function numberOf(field: string): Promise<number> {
		const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
		return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
	}

	it('are whole, each of them, and leave no memory behind', async () => {
		const expected = Array.from({ length: PIECES }, (_, index) => `${index} `).join('');
		const held: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const texts = await Promise.all(Array.from({ length: STREAMS }, ask));
			assert.ok(texts.every(text => text === expected));
			held.push((await numberOf('VmRSS')) / 1024);
			upstream.requests.length = 0;
		}
		// The first rounds pay for what is loaded, compiled and not yet collected.
		const growth = (held.at(-1) ?? 0) - (held[1] ?? 0);
		assert.ok(growth < MAXIMUM_GROWTH_MEGABYTES, `it held ${held.map(Math.round).join(', ')} MB`);
	});

	it('that are left in their middle are ended at the upstream, and the next ones served', async () => {
		upstream.requests.length = 0;
		upstream.behaviour = { isEndless: true };
		const controller = new AbortController();
		const json = { model: 'small', stream: true, messages: [{ role: 'user', content: 'Count' }] };
		const responses = await Promise.all(
			Array.from({ length: STREAMS }, () => service.fetch('/chat/completions', { json, signal: controller.signal })),
		);
		assert.ok(responses.every(({ status }) => status === 200));
		controller.abort();
		await waitFor('the upstream to be left', () => upstream.chats.every(({ wasAbandoned }) => wasAbandoned));
		assert.equal(upstream.chats.length, STREAMS);
		upstream.behaviour = {};
		assert.equal(await ask(), 'Hello there');
	});
});
