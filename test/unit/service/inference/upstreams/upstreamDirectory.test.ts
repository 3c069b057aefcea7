import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { explainUpstream } from '../../../../../src/base/explainFailure.ts';
import { nullLogger } from '../../../../../src/base/logger.ts';
import { ownerOfPort } from '../../../../../src/base/portOwner.ts';
import { createUndiciTransport } from '../../../../../src/client/core/undiciTransport.ts';
import { type UpstreamHandoverInput, upstreamHandoverSchema } from '../../../../../src/contract/upstreams.ts';
import { ServerAnswers } from '../../../../../src/service/inference/upstreams/serverAnswers.ts';
import { UpstreamDirectory } from '../../../../../src/service/inference/upstreams/upstreamDirectory.ts';
import { ManualClock } from '../../../../support/manualClock.ts';
import { UpstreamServer } from '../../../../support/upstreamServer.ts';

describe('the directory of upstreams', () => {
	const transport = createUndiciTransport();
	let server: UpstreamServer;
	let clock: ManualClock;
	let folder: string;
	let directory: UpstreamDirectory;

	/** Creates a directory as the service does, which looks for an Ollama at this address. */
	function directoryOver(url: string): UpstreamDirectory {
		return new UpstreamDirectory(
			[],
			{ transport, logger: nullLogger, clock },
			{
				known: [{ slug: 'ollama', label: 'Ollama', url }],
				answers: new ServerAnswers(folder, nullLogger),
				ownerOf: ownerOfPort,
			},
		);
	}

	/** The user agrees to whatever was found. */
	async function agree(): Promise<void> {
		await directory.ready();
		for (const { url, owner } of directory.found()) {
			assert.ok(await directory.answer({ url, user: owner.user, use: true }));
		}
	}

	beforeEach(async () => {
		server = await UpstreamServer.start({ models: [{ id: 'a', name: 'A', context_length: 4096 }, { id: 'b' }, {}] });
		clock = new ManualClock();
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-directory-'));
		directory = directoryOver(server.url);
	});
	afterEach(async () => {
		directory.dispose();
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	});
	after(() => transport.close());

	const replace = (handover: UpstreamHandoverInput) => directory.replace(upstreamHandoverSchema.parse(handover));
	const slugs = () => directory.providers().map(({ slug }) => slug);
	const models = () => directory.providers().flatMap(provider => provider.offers().map(({ id }) => id));

	it('reads the models that an upstream lists, with what they tell', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.url }], findOllama: false });
		await directory.ready();
		assert.deepEqual(models(), ['a', 'b']);
		const [first] = directory.providers()[0]?.offers() ?? [];
		assert.equal(first?.label, 'A');
		assert.equal(first?.contextLength, 4096);
	});

	it('keeps to the models that the settings name, and asks for none', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.url, models: ['x'] }], findOllama: false });
		await directory.ready();
		assert.deepEqual(models(), ['x']);
		assert.equal(server.requests.length, 0);
	});

	it('has the models that the settings name beside those that the server lists, where they ask for both', async () => {
		const upstreams = [{ slug: 'one', url: server.url, models: ['*', 'x', { id: 'b', label: 'Mine' }] }];
		replace({ upstreams, findOllama: false });
		await directory.ready();
		assert.deepEqual(models(), ['x', 'b', 'a']);
		assert.equal(directory.providers()[0]?.offers()[1]?.label, 'Mine');
	});

	it('lets what is said of a model come before what is said of its upstream', async () => {
		const prices = { input: 1, output: 2 };
		replace({
			upstreams: [
				{
					slug: 'one',
					url: server.url,
					prices,
					quantization: 'fp8',
					models: ['x', { id: 'y', quantization: 'int4', parameters: ['stop'] }],
				},
			],
			findOllama: false,
		});
		const [x, y] = directory.providers()[0]?.offers() ?? [];
		assert.deepEqual([x?.prices, x?.quantization, x?.parameters], [prices, 'fp8', undefined]);
		assert.deepEqual([y?.prices, y?.quantization, y?.parameters], [prices, 'int4', new Set(['stop'])]);
	});

	it('adds the version to an address without a path', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.origin }], findOllama: false });
		await directory.ready();
		assert.equal(server.requests[0]?.path, '/v1/models');
	});

	it('keeps the models of an upstream that is gone for a while', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.url }], findOllama: false });
		await directory.ready();
		await server.stop();
		clock.pass(60_000);
		await directory.refresh();
		assert.deepEqual(models(), ['a', 'b']);
	});

	it('uses an Ollama that was agreed to, and lets it go when it has ended', async () => {
		replace({ upstreams: [], findOllama: true });
		await agree();
		assert.deepEqual(slugs(), ['ollama']);
		assert.ok(directory.providers()[0]?.isDedicated);
		await server.stop();
		clock.pass(60_000);
		await directory.refresh();
		assert.deepEqual(slugs(), []);
	});

	it('leaves out what an Ollama has for embedding alone, and knows which of its models call no tools', async () => {
		const ids = ['talks', 'tools', 'embeds', 'old', 'old-embeds', 'silent', 'odd'];
		server.behaviour = {
			models: ids.map(id => ({ id, object: 'model', owned_by: 'library' })),
			shows: {
				talks: { capabilities: ['completion', 'vision'] },
				tools: { capabilities: ['completion', 'tools'] },
				embeds: { capabilities: ['embedding'] },
				// Versions that do not tell what a model can do.
				old: { details: { family: 'llama', families: ['llama'] } },
				'old-embeds': { details: { family: 'nomic-bert', families: ['nomic-bert'] } },
				odd: { capabilities: 'completion', details: { families: 'bert' } },
			},
		};
		replace({ upstreams: [], findOllama: true });
		await agree();
		assert.deepEqual(models(), ['talks', 'tools', 'old', 'silent', 'odd']);
		const canCallTools = directory
			.providers()[0]
			?.offers()
			.map(({ parameters }) => parameters?.has('tools') ?? true);
		assert.deepEqual(canCallTools, [false, true, true, true, true]);
		const [talks] = directory.providers()[0]?.offers() ?? [];
		assert.ok(talks?.parameters?.has('temperature'));
		assert.ok(!talks?.parameters?.has('tool_choice'));
		server.requests.length = 0;
		clock.pass(60_000);
		await directory.refresh();
		assert.deepEqual(
			server.requests.filter(({ path }) => path === '/api/show').map(({ body }) => body),
			[{ model: 'silent' }],
		);
	});

	it('knows which models of an Ollama take images, unless the settings say it of all of them', async () => {
		const ids = ['sees', 'reads', 'old', 'old-sees', 'older-sees', 'silent'];
		server.behaviour = {
			models: ids.map(id => ({ id })),
			shows: {
				sees: { capabilities: ['completion', 'vision'] },
				reads: { capabilities: ['completion', 'tools'] },
				// Versions that do not tell what a model can do.
				old: { details: { family: 'llama', families: ['llama'] } },
				'old-sees': { details: { family: 'llama', families: ['llama', 'clip'] } },
				'older-sees': { details: { family: 'mllama', families: null } },
			},
		};
		const seeing = () =>
			directory
				.providers()
				.flatMap(provider => provider.offers())
				.filter(({ images }) => images)
				.map(({ id }) => id);
		replace({ upstreams: [], findOllama: true });
		await agree();
		assert.deepEqual(seeing(), ['sees', 'old-sees', 'older-sees']);
		for (const images of [true, false]) {
			replace({ upstreams: [{ slug: 'ollama', url: server.url, images }], findOllama: true });
			await directory.ready();
			assert.deepEqual(seeing(), images ? ids : []);
		}
	});

	it('takes it from the settings which models of another server take images, and from nowhere else', async () => {
		server.behaviour = { models: [{ id: 'a' }], shows: { a: { capabilities: ['completion', 'vision'] } } };
		replace({
			upstreams: [
				{ slug: 'listed', url: server.url },
				{ slug: 'all', url: server.url, images: true },
				{ slug: 'some', url: server.url, images: true, models: ['x', { id: 'y', images: false }] },
			],
			findOllama: false,
		});
		await directory.ready();
		const told = directory.providers().map(provider => provider.offers().map(({ id, images }) => [id, images]));
		assert.deepEqual(told, [
			[['a', undefined]],
			[['a', true]],
			[
				['x', true],
				['y', false],
			],
		]);
	});

	it('asks no other server what only an Ollama tells', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.url }], findOllama: false });
		await directory.ready();
		assert.deepEqual(
			server.requests.map(({ path }) => path),
			['/v1/models'],
		);
	});

	const openAt = (url: string) => ({ origin: new URL(url).origin, hasKey: false });

	it('tells why a server did not list its models, until it does', async () => {
		const gone = await UpstreamServer.start();
		const { url } = gone;
		await gone.stop();
		server.behaviour = { listStatus: 401 };
		replace({
			upstreams: [
				{ slug: 'keyless', url: server.url },
				{ slug: 'gone', url },
			],
			findOllama: false,
		});
		await directory.ready();
		assert.deepEqual(directory.problems(), [
			{ slug: 'keyless', ...openAt(server.url), code: 'unauthorised', status: 401 },
			{ slug: 'gone', ...openAt(url), code: 'offline', system: 'ECONNREFUSED' },
		]);
		assert.deepEqual(
			directory.problems().map(problem => explainUpstream(problem).cause),
			[
				'keyless requires a key (HTTP 401).',
				`gone can’t be reached: nothing responds at ${new URL(url).host} (ECONNREFUSED).`,
			],
		);
		server.behaviour = {};
		clock.pass(60_000);
		await directory.refresh();
		assert.deepEqual(
			directory.problems().map(({ slug }) => slug),
			['gone'],
		);
	});

	it('asks a server soon again that did not list its models, and ever more seldom', async () => {
		server.behaviour = { listStatus: 503 };
		replace({ upstreams: [{ slug: 'one', url: server.url }], findOllama: false });
		await directory.ready();
		for (const seconds of [5, 10, 20, 40, 60, 60]) {
			const before = server.requests.length;
			clock.pass(seconds * 1000 - 1);
			await directory.refresh();
			assert.equal(server.requests.length, before, `not before ${seconds} s`);
			clock.pass(1);
			await directory.refresh();
			assert.equal(server.requests.length, before + 1, `after ${seconds} s`);
		}
		server.behaviour = {};
		clock.pass(60_000);
		await directory.refresh();
		assert.deepEqual(models(), ['small']);
	});

	it('is silent about an Ollama that is not there, and asks for it at most once a minute', async () => {
		server.behaviour = { listStatus: 404 };
		replace({ upstreams: [], findOllama: true });
		await directory.ready();
		clock.pass(59_999);
		await directory.refresh();
		assert.deepEqual(slugs(), []);
		assert.equal(server.requests.length, 1);
		clock.pass(1);
		server.behaviour = {};
		await directory.refresh();
		assert.equal(directory.found().length, 1);
	});

	it('looks for no Ollama where that is switched off, or where the settings name it', async () => {
		replace({ upstreams: [], findOllama: false });
		await directory.ready();
		assert.equal(server.requests.length, 0);
		replace({ upstreams: [{ slug: 'mine', url: server.url, models: ['x'] }], findOllama: true });
		await directory.ready();
		assert.deepEqual(slugs(), ['mine']);
		const byName = server.url.replace('127.0.0.1', 'localhost');
		replace({ upstreams: [{ slug: 'mine', url: byName, models: ['x'] }], findOllama: true });
		await directory.ready();
		assert.deepEqual(slugs(), ['mine']);
		assert.equal(server.requests.length, 0);
		assert.deepEqual(directory.found(), []);
	});

	it('puts a newer list in the place of the older one, as a whole', async () => {
		replace({ upstreams: [{ slug: 'one', url: server.url, models: ['x'] }], findOllama: false });
		replace({ upstreams: [{ slug: 'two', url: server.url, models: ['y'] }], findOllama: false });
		await directory.ready();
		assert.deepEqual(slugs(), ['two']);
	});

	for (const [what, upstream] of [
		['a slug that means something else', { slug: 'errand', url: 'https://example.com' }],
		['a slug that no name can begin with', { slug: 'A/b', url: 'https://example.com' }],
		['an address with credentials', { slug: 'one', url: 'https://me:secret@example.com' }],
		['an address that is no web address', { slug: 'one', url: 'file:///etc/passwd' }],
		['a key that would go in clear text over a network', { slug: 'one', url: 'http://example.com', key: 'k' }],
		['a key that would go to whatever is behind a name', { slug: 'one', url: 'http://a.localhost', key: 'k' }],
		['a key that could not stand in a header', { slug: 'one', url: 'https://example.com', key: 'a\nb' }],
		['a field that it does not know', { slug: 'one', url: 'https://example.com', prize: 1 }],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.ok(!upstreamHandoverSchema.safeParse({ upstreams: [upstream], findOllama: false }).success);
		});
	}

	it('refuses one slug for two upstreams', () => {
		const upstream = { slug: 'one', url: 'https://example.com' };
		assert.ok(!upstreamHandoverSchema.safeParse({ upstreams: [upstream, upstream], findOllama: false }).success);
	});
});
