import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
	controlPaths,
	type GatewayDescription,
	gatewayDescriptionSchema,
} from '../../../../../src/contract/control.ts';
import type { FoundAnswer } from '../../../../../src/contract/foundServers.ts';
import { canBeAnotherUser, ForeignServer } from '../../../../support/foreignServer.ts';
import { ServiceProcess, type ServiceProcessOptions } from '../../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../../support/upstreamServer.ts';
import { errorOf } from '../../helpers.ts';

const SECRET = 'a-very-private-state';
const STRANGER = 12_345;
const OTHER_STRANGER = 12_346;

describe('a model server that is found on this machine', () => {
	const services: ServiceProcess[] = [];
	const servers: { stop(): Promise<void> }[] = [];

	afterEach(async () => {
		await Promise.all(services.splice(0).map(service => service.stop()));
		await Promise.all(servers.splice(0).map(server => server.stop()));
	});

	async function listen(options: Parameters<typeof ForeignServer.start>[0] = {}): Promise<ForeignServer> {
		const server = await ForeignServer.start(options);
		servers.push(server);
		return server;
	}

	/** Looks for an Ollama where the server is. */
	async function start(port: number, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
		const service = await ServiceProcess.start({
			handover: { upstreams: [], findOllama: true },
			environment: { OLLAMA_HOST: `127.0.0.1:${port}` },
			...options,
		});
		services.push(service);
		return service;
	}

	async function descriptionOf(service: ServiceProcess): Promise<GatewayDescription> {
		return gatewayDescriptionSchema.parse(await (await service.fetch(controlPaths.description)).json());
	}

	const slugs = async (service: ServiceProcess) => (await descriptionOf(service)).providers.map(({ slug }) => slug);

	const answer = (service: ServiceProcess, json: FoundAnswer) => service.fetch(controlPaths.foundServers, { json });

	/** The user agrees to it as it is now. */
	async function agree(service: ServiceProcess): Promise<void> {
		const [found] = (await descriptionOf(service)).foundServers;
		assert.ok(found);
		assert.equal((await answer(service, { url: found.url, user: found.owner.user, use: true })).status, 200);
	}

	const chat = (service: ServiceProcess, model: string) =>
		service.fetch('/chat/completions', { json: { model, messages: [{ role: 'user', content: SECRET }] } });

	async function decide(service: ServiceProcess): Promise<string> {
		const late = { type: 'noul', instructions: 'The order is late.', criteria: { true: 'It is', false: 'It is not' } };
		const response = await service.fetch('/enterprise/typesafe/v1/systemone', {
			json: { state: { SECRET }, questions: { late }, model: 'errand-decisions-latest' },
		});
		if (response.status !== 200) {
			return await errorOf(response, response.status);
		}
		const { answers } = (await response.json()) as { answers: { late: { served_by: { provider: string } } } };
		return answers.late.served_by.provider;
	}

	it('is told with its address and its user, and gets nothing but a question for its models', async () => {
		const server = await listen();
		const service = await start(server.port);
		const { foundServers, models, providers } = await descriptionOf(service);
		const isKnown = process.platform === 'linux';
		assert.deepEqual(foundServers, [
			{
				slug: 'ollama',
				label: 'Ollama',
				url: server.url,
				owner: isKnown ? { kind: 'own', user: os.userInfo().username } : { kind: 'unknown', user: '' },
			},
		]);
		assert.ok(!providers.some(({ slug }) => slug === 'ollama'));
		assert.ok(!models.some(({ id }) => id === 'small'));
		await errorOf(await chat(service, 'small'), 404);
		assert.match(await decide(service), /^demo/);
		assert.deepEqual([...new Set(server.requests.map(({ path }) => path))], ['/v1/models']);
	});

	it('is used after a yes, also by the next service, and not after a no', async () => {
		const server = await listen();
		const service = await start(server.port);
		await agree(service);
		assert.ok((await slugs(service)).includes('ollama'));
		assert.equal((await chat(service, 'small')).status, 200);
		assert.ok(server.chats[0]?.includes(SECRET));
		await service.crash();
		const { stateFolder } = service;
		const next = await start(server.port, { stateFolder });
		assert.ok((await slugs(next)).includes('ollama'));
		const { url, owner } = (await descriptionOf(next)).foundServers[0] ?? assert.fail();
		await answer(next, { url, user: owner.user, use: false });
		assert.ok(!(await slugs(next)).includes('ollama'));
		assert.equal((await descriptionOf(next)).foundServers[0]?.use, false);
		const before = server.chats.length;
		await errorOf(await chat(next, 'small'), 404);
		assert.equal(server.chats.length, before);
	});

	it('decides nothing by default after a yes either, whatever it calls its models', async () => {
		for (const model of ['aaa', 'errand-decisions', 'large']) {
			const server = await listen({ model });
			const named = await UpstreamServer.start({ pieces: ['{"answer": "A", "probability": 1}'] });
			servers.push(named);
			const upstreams = [{ slug: 'own', url: named.url, models: ['large'], prices: { input: 9, output: 9 } }];
			const service = await start(server.port, { handover: { upstreams, findOllama: true } });
			await agree(service);
			assert.equal(await decide(service), 'own', model);
			assert.deepEqual(server.chats, [], model);
			// Where the one that may fails, the other is no way out.
			named.behaviour = { status: 500 };
			await decide(service);
			assert.deepEqual(server.chats, [], model);
		}
	});

	it('decides where an alias leads to it', async () => {
		const server = await listen();
		const service = await start(server.port);
		await agree(service);
		const alias = { name: 'errand-decisions', model: 'small', provider: 'ollama' };
		await writeFile(path.join(service.stateFolder, 'aliases.json'), JSON.stringify([alias]));
		await decide(service);
		assert.ok(server.chats[0]?.includes(SECRET));
	});

	it('is not looked for by a service that was started by hand and told nothing of it', async () => {
		const server = await listen();
		const service = await start(server.port, { handover: { upstreams: [] } });
		assert.deepEqual((await descriptionOf(service)).foundServers, []);
		assert.deepEqual(server.requests, []);
	});

	it('cannot be answered for where none was found, nor with half an answer', async () => {
		const service = await start((await listen()).port);
		const [found] = (await descriptionOf(service)).foundServers;
		const elsewhere = await answer(service, { url: 'http://127.0.0.1:1/v1', user: found?.owner.user ?? '', use: true });
		assert.match(await errorOf(elsewhere, 404), /No model server was found at http:\/\/127\.0\.0\.1:1/);
		for (const json of [{}, { url: found?.url, use: true }, { ...found, use: 'yes' }]) {
			await errorOf(await service.fetch(controlPaths.foundServers, { json }), 400);
		}
		assert.equal((await descriptionOf(service)).foundServers[0]?.use, undefined);
	});

	it('is asked about again where the answers cannot be read', async () => {
		const server = await listen();
		const service = await start(server.port);
		await agree(service);
		const file = path.join(service.stateFolder, 'found-servers.json');
		assert.match(await readFile(file, 'utf8'), /"use":true/);
		await service.crash();
		for (const text of ['', '{', '[{"url":"x"}]']) {
			await writeFile(file, text);
			await chmod(file, 0o600);
			const next = await start(server.port, { stateFolder: service.stateFolder });
			assert.equal((await descriptionOf(next)).foundServers[0]?.use, undefined, text);
			assert.ok(!(await slugs(next)).includes('ollama'));
			await next.stop();
		}
	});

	describe('of another user', () => {
		before(function () {
			if (!canBeAnotherUser) {
				// Only the administrator of a Linux system can start a server as another user.
				this.skip();
			}
		});

		it('is named as such, and gets no prompt and no decision unasked', async () => {
			const server = await listen({ user: STRANGER });
			const service = await start(server.port);
			const { foundServers } = await descriptionOf(service);
			assert.deepEqual(foundServers[0]?.owner, { kind: 'other', user: `uid ${STRANGER}` });
			await errorOf(await chat(service, 'small'), 404);
			await decide(service);
			assert.deepEqual(server.chats, []);
		});

		it('gets at once nothing that was agreed to for the user that listened there before', async () => {
			const server = await listen();
			const service = await start(server.port);
			await agree(service);
			assert.equal((await chat(service, 'small')).status, 200);
			await server.stop();
			const stranger = await listen({ user: STRANGER, port: server.port });
			// The service still has the models of the other in mind.
			const refused = await errorOf(await chat(service, 'small'), 503);
			assert.match(refused, /another user than the one who was agreed to/);
			assert.deepEqual(stranger.requests, []);
			const { foundServers, providers } = await descriptionOf(service);
			assert.deepEqual(foundServers[0]?.owner, { kind: 'other', user: `uid ${STRANGER}` });
			assert.equal(foundServers[0]?.use, undefined);
			assert.ok(!providers.some(({ slug }) => slug === 'ollama'));
			assert.deepEqual([...new Set(stranger.requests.map(({ path }) => path))], ['/v1/models']);
		});

		it('is used after a yes, and the next stranger is not', async () => {
			const server = await listen({ user: STRANGER });
			const service = await start(server.port);
			await agree(service);
			assert.equal((await chat(service, 'small')).status, 200);
			await server.stop();
			const next = await listen({ user: OTHER_STRANGER, port: server.port });
			assert.equal((await chat(service, 'small')).status, 503);
			assert.deepEqual(next.chats, []);
			// A yes to the user that has gone says nothing about the user that came.
			await answer(service, { url: next.url, user: `uid ${STRANGER}`, use: true });
			assert.ok(!(await slugs(service)).includes('ollama'));
		});
	});
});
