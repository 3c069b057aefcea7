import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { findServers } from '../../../../src/models/hosts/findServers.ts';
import { FaultServer, sendJson } from '../../../support/faultServer.ts';

describe('looking for model servers on this machine', () => {
	const servers: FaultServer[] = [];
	afterEach(async () => {
		await Promise.all(servers.splice(0).map(server => server.stop()));
	});

	async function listen(answer: Parameters<typeof FaultServer.start>[0]): Promise<string> {
		const server = await FaultServer.start(answer);
		servers.push(server);
		return `${server.origin}/v1`;
	}
	const lists = (ownedBy?: string) => (response: Parameters<Parameters<typeof FaultServer.start>[0]>[0]) =>
		sendJson(response, 200, { data: [{ id: 'm', ...(ownedBy === undefined ? {} : { owned_by: ownedBy }) }] });
	const find = (...usual: { slug: string; url: string; ownedBy?: string }[]) =>
		findServers(
			usual.map(server => ({ label: server.slug, ...server })),
			{
				transport: createFetchTransport((address, init) => globalThis.fetch(address, init)),
				logger: nullLogger,
				clock: systemClock,
				signal: new AbortController().signal,
				ownerOf: async port => ({ kind: 'own', user: `of ${port}` }),
			},
		);

	it('finds all servers that list models, with the user that runs each, and asks none for more than its list', async () => {
		const [one, other] = [await listen(lists()), await listen(lists())];
		const found = await find({ slug: 'one', url: one }, { slug: 'other', url: other });
		assert.deepEqual(
			found.map(({ server, owner, isNamed }) => [server.slug, owner.user, isNamed]),
			[
				['one', `of ${new URL(one).port}`, true],
				['other', `of ${new URL(other).port}`, true],
			],
		);
		assert.deepEqual(
			servers.flatMap(({ received }) =>
				received.map(({ method, path, headers }) => [method, path, headers.authorization]),
			),
			[
				['GET', '/v1/models', undefined],
				['GET', '/v1/models', undefined],
			],
		);
	});

	it('names the program of a much used port only where its models say so', async () => {
		const [right, other] = [await listen(lists('vllm')), await listen(lists('somebody'))];
		const found = await find({ slug: 'a', url: right, ownedBy: 'vllm' }, { slug: 'b', url: other, ownedBy: 'vllm' });
		assert.deepEqual(
			found.map(({ isNamed }) => isNamed),
			[true, false],
		);
	});

	it('finds one that wants a key first, and neither a page nor nothing', async () => {
		const keyed = await listen(response => sendJson(response, 401, { error: 'Unauthorized' }));
		const page = await listen(response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'));
		const gone = await listen(() => {});
		await servers.pop()?.stop();
		const found = await find({ slug: 'keyed', url: keyed }, { slug: 'page', url: page }, { slug: 'gone', url: gone });
		assert.deepEqual(
			found.map(({ server, models }) => [server.slug, models]),
			[['keyed', undefined]],
		);
	});
});
