import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { createClient } from '../../../src/client/client.ts';
import type { Client } from '../../../src/client/types.ts';
import type { RouteHost } from '../../../src/contract/routes.ts';
import { FaultServer, type Received, sendJson } from '../../support/faultServer.ts';
import { collect, testConnection } from './testClient.ts';

const chat = { model: 'large', messages: [{ role: 'user' as const, content: 'Hi' }] };
const responses = { model: 'large', instructions: 'Be brief.', input: [{ role: 'user' as const, content: 'Hi' }] };
const decision = {
	model: 'decider',
	state: { sky: 'grey' },
	questions: {
		rain: {
			type: 'noul' as const,
			instructions: 'Does it rain?',
			criteria: { true: 'It does.', false: 'It does not.' },
		},
	},
};
const task = { prompt: 'Fix it', repoUrl: 'https://host.example/acme/widgets' };

type Ask = (client: Client) => Promise<unknown> | AsyncIterable<unknown>;

/** Every method of the client, and which address of the connection it lives on. */
const METHODS: Record<string, { host: RouteHost; ask: Ask }> = {
	'chat.complete': { host: 'inference', ask: client => client.chat.complete(chat) },
	'chat.stream': { host: 'inference', ask: client => client.chat.stream(chat) },
	'search.stream': { host: 'inference', ask: client => client.search.stream(chat.messages) },
	'images.generate': {
		host: 'inference',
		ask: client => client.images.generate({ model: 'painter', prompt: 'A cat' }),
	},
	'models.discover': { host: 'inference', ask: client => client.models.discover() },
	'responses.stream': { host: 'enterprise', ask: client => client.responses.stream(responses) },
	'decisions.evaluate': { host: 'enterprise', ask: client => client.decisions.evaluate(decision) },
	'channel.attest': { host: 'encrypt', ask: client => client.channel.attest() },
	'channel.health': { host: 'encrypt', ask: client => client.channel.health() },
	'channel.open': { host: 'encrypt', ask: client => client.channel.open() },
	'tasks.list': { host: 'cloud', ask: client => client.tasks.list() },
	'tasks.pages': { host: 'cloud', ask: client => client.tasks.pages() },
	'tasks.get': { host: 'cloud', ask: client => client.tasks.get('t1') },
	'tasks.create': { host: 'cloud', ask: client => client.tasks.create(task) },
	'tasks.stop': { host: 'cloud', ask: client => client.tasks.stop('t1') },
	'tasks.continue': { host: 'cloud', ask: client => client.tasks.continue('t1', { prompt: 'And tests' }) },
	'tasks.follow': { host: 'cloud', ask: client => client.tasks.follow('t1') },
	'sources.organisations': { host: 'cloud', ask: client => client.sources.organisations() },
	'sources.repositories': { host: 'cloud', ask: client => client.sources.repositories('acme') },
	'sources.branches': { host: 'cloud', ask: client => client.sources.branches('acme', 'widgets') },
	'agentTasks.list': { host: 'agent', ask: client => client.agentTasks.list() },
};

const FIELDS = {
	enterprise: 'enterpriseUrl',
	cloud: 'cloudUrl',
	agent: 'agentUrl',
	org: 'orgUrl',
	encrypt: 'encryptUrl',
} as const;

/** What a method ended with, be it a promise or a stream. */
async function errorOf(asked: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
	if (Symbol.asyncIterator in asked) {
		return (await collect(asked)).error;
	}
	return asked.then(
		() => undefined,
		error => error,
	);
}

describe('the hosts of a connection', () => {
	it('are known for every method of the client', () => {
		const client = createClient({ connection: testConnection('https://api.example'), keys: async () => 'sk-a' });
		const methods = Object.entries(client).flatMap(([area, methods]) =>
			Object.keys(methods).map(method => `${area}.${method}`),
		);
		assert.deepEqual(methods.sort(), Object.keys(METHODS).sort());
	});

	for (const [name, { host, ask }] of Object.entries(METHODS)) {
		const own = host === 'inference' ? 'enterprise' : host;

		it(`${name} is not supported where the connection has no ${own} host, and sends nothing and asks for no key`, async () => {
			const server = await FaultServer.start(response => sendJson(response, 200, {}));
			try {
				const hosts = Object.values(FIELDS).filter(
					field => own in FIELDS && field !== FIELDS[own as keyof typeof FIELDS],
				);
				const fields = Object.fromEntries(hosts.map(field => [field, server.origin]));
				const connection = testConnection(server.origin, {
					cloudUrl: undefined,
					plan: 'enterprise',
					scm: 'forge',
					...fields,
				});
				const client = createClient({ connection, keys: () => assert.fail('a key was asked for') });
				const error = await errorOf(ask(client));
				assert.ok(ClientError.is(error, 'not-supported'), String(error));
				assert.equal(error.retryable, false);
				assert.equal(server.received.length, 0);
			} finally {
				await server.stop();
			}
		});

		it(`${name} asks the ${host} host, and no other`, async () => {
			const right = await FaultServer.start(response => sendJson(response, 401, {}));
			const wrong = await FaultServer.start(response => sendJson(response, 401, {}));
			try {
				const received: Received[] = right.received;
				const others = Object.fromEntries(Object.values(FIELDS).map(field => [field, wrong.origin]));
				const fields = host === 'inference' ? { apiUrl: right.origin } : { [FIELDS[host]]: right.origin };
				const connection = testConnection(wrong.origin, { scm: 'forge', ...others, ...fields });
				const error = await errorOf(ask(createClient({ connection, keys: async kind => `sk-${kind}` })));
				assert.ok(ClientError.is(error, 'unauthorised'), String(error));
				assert.equal(wrong.received.length, 0);
				const kind = host === 'cloud' || host === 'agent' ? host : 'inference';
				const expected = host === 'encrypt' ? undefined : `Bearer sk-${kind}`;
				assert.ok(received.length > 0 && received.every(({ headers }) => headers.authorization === expected));
			} finally {
				await Promise.all([right.stop(), wrong.stop()]);
			}
		});
	}
});
