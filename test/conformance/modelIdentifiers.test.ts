import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { type Connection, connectionSchema } from '../../src/contract/connection.ts';
import {
	findModel,
	impliedRoutingPolicy,
	parseModelIdentifier,
	withoutPrefix,
} from '../../src/contract/modelIdentifier.ts';
import { effectiveRoutingPolicy } from '../../src/contract/routing.ts';
import {
	aliases,
	closedModel,
	connectionFields,
	models,
	openModel,
	providerPrefixes,
	service,
} from '../support/contractServer/fixtures.ts';
import { collect } from '../unit/client/testClient.ts';
import { isRefused, isTurnedAway, serverOf } from './chatProofs.ts';
import { type ProofContext, prove } from './harness.ts';

const ENTERPRISE = { plan: 'enterprise' };
const messages = [{ role: 'user' as const, content: 'text' }];
const pathOf = ({ vendor, id }: { vendor: string; id: string }) => `${service}ai/${vendor}/${id}`;

const connectionOf = (server: ProofContext['server']): Connection => ({
	name: 'contract',
	...connectionSchema.parse({ ...connectionFields(server), ...ENTERPRISE }),
});

/**
 * Requests the model on the enterprise host in both ways of asking, checks that its name was sent unchanged, and resolves
 * with the provider that served it.
 */
async function servedBy(
	context: ProofContext,
	model: string,
	provider?: ChatRequest['provider'],
): Promise<string | undefined> {
	const client = context.connect(ENTERPRISE);
	const served = await serverOf({ ...context, client }, { model, messages, ...(provider ? { provider } : {}) });
	assert.equal(context.lastRequest().path, '/chat/completions');
	return served;
}

describe('the client (model identifiers)', () => {
	prove('inference/model-identifiers/1', 'sends a plain name, which any provider may serve', async context => {
		const connection = connectionOf(context.server);
		assert.deepEqual(parseModelIdentifier(connection, openModel.id), { form: 'plain', model: openModel.id });
		assert.equal(await servedBy(context, openModel.id), 'gridserve');
		assert.equal((await context.client.chat.complete({ model: openModel.id, messages })).provider, 'gridserve');
	});

	prove('inference/model-identifiers/2', 'sends a prefix before the name, which forces the provider', async context => {
		const connection = connectionOf(context.server);
		const text = `openhub/${openModel.id}`;
		const identifier = parseModelIdentifier(connection, text);
		assert.deepEqual(identifier, {
			form: 'plain',
			model: openModel.id,
			via: { prefix: 'openhub', provider: 'openhub' },
		});
		assert.equal(await servedBy(context, text), 'openhub');
	});

	prove('inference/model-identifiers/3', 'sends a full path, alone and behind a prefix', async context => {
		const connection = connectionOf(context.server);
		const path = pathOf(openModel);
		for (const text of [path, `swiftcore/${path}`]) {
			const identifier = parseModelIdentifier(connection, text);
			assert.ok(identifier.form === 'path');
			assert.deepEqual([identifier.vendor, identifier.model], [openModel.vendor, openModel.id]);
			assert.equal(findModel(connection, text)?.id, openModel.id);
		}
		assert.equal(await servedBy(context, path), 'gridserve');
		assert.equal(await servedBy(context, `swiftcore/${path}`), 'swiftcore');
	});

	prove(
		['inference/model-identifiers/4', 'inference/model-alias/1'],
		'sends an alias by its name, on the enterprise host alone',
		async context => {
			const connection = connectionOf(context.server);
			for (const { name } of aliases) {
				assert.equal(parseModelIdentifier(connection, name).form, 'alias');
				await servedBy(context, name);
			}
			const before = context.server.received.length;
			await assert.rejects(context.client.chat.complete({ model: 'team-default', messages }), {
				code: 'not-supported',
			});
			assert.equal(context.server.received.length, before);
		},
	);
});

describe('the client (provider prefixes)', () => {
	prove(
		'inference/provider-prefix-shorthand/1',
		'sends a prefix to the enterprise host and /chat/completions alone',
		async context => {
			const { client, server, connect, lastRequest } = context;
			assert.equal(providerPrefixes.length, 13);
			for (const { prefix } of providerPrefixes) {
				await assert.rejects(
					client.chat.complete({ model: `${prefix}/${openModel.id}`, messages }),
					(error: unknown) => {
						assert.ok(ClientError.is(error, 'not-supported'));
						assert.match(error.message, /enterprise host/);
						return true;
					},
				);
			}
			const alternate = `openhub/${openModel.id}`;
			await assert.rejects(client.chat.complete({ model: openModel.id, models: [alternate], messages }), {
				code: 'not-supported',
				message: /^models\[0\] is "openhub\//,
			});
			const { error } = await collect(client.responses.stream({ model: alternate, input: messages }));
			assert.ok(ClientError.is(error, 'not-supported'));
			assert.equal(server.received.length, 0);
			await servedBy(context, alternate);
			// The versioned path is used for the search model only, whose name has no prefix.
			for await (const _ of connect(ENTERPRISE).search.stream(messages)) {
				// The stream is read to its end.
			}
			assert.equal(lastRequest().path, '/v1/chat/completions');
			assert.equal((lastRequest().json as ChatRequest).model, `${service}-search`);
		},
	);

	prove(
		'inference/provider-prefix-shorthand/2',
		'knows the equal form of each prefix, two of which may mean one provider',
		async context => {
			const connection = connectionOf(context.server);
			for (const { prefix, provider } of providerPrefixes) {
				const text = `${prefix}/${openModel.id}`;
				assert.equal(withoutPrefix(connection, text), openModel.id);
				assert.deepEqual(impliedRoutingPolicy(parseModelIdentifier(connection, text)), {
					order: [provider],
					allow_fallbacks: true,
				});
			}
			for (const text of [
				`meshrun/${openModel.id}`,
				`stratus/${closedModel.id}`,
				`stratus-managed/${closedModel.id}`,
			]) {
				const equal = impliedRoutingPolicy(parseModelIdentifier(connection, text));
				const [byPrefix, byOrder] = [
					await servedBy(context, text),
					await servedBy(context, withoutPrefix(connection, text), equal),
				];
				assert.equal(byPrefix, equal.order?.[0]);
				assert.equal(byOrder, byPrefix);
			}
		},
	);

	prove(
		'inference/provider-prefix-shorthand/prose/1',
		'takes a lowercase name before a slash for a prefix, and nothing else',
		async ({ server }) => {
			const connection = connectionOf(server);
			for (const { prefix, provider } of providerPrefixes) {
				const identifier = parseModelIdentifier(connection, `${prefix}/${openModel.id}`);
				assert.deepEqual(identifier, { form: 'plain', model: openModel.id, via: { prefix, provider } });
				const capital = prefix[0]?.toUpperCase() + prefix.slice(1);
				for (const text of [`${capital}/${openModel.id}`, `${prefix}:${openModel.id}`, `${prefix}/`, prefix]) {
					assert.deepEqual(parseModelIdentifier(connection, text), { form: 'plain', model: text });
				}
			}
		},
	);

	prove(
		'inference/provider-prefix-shorthand/prose/2',
		'reaches the provider of each of the thirteen prefixes',
		async context => {
			assert.equal(providerPrefixes.length, 13);
			for (const { prefix, provider } of providerPrefixes) {
				const hosting = models.find(
					({ kinds, hostings }) =>
						kinds.includes('chat') && hostings.some(hosting => hosting.provider === provider && !hosting.isDown),
				);
				assert.ok(hosting, prefix);
				assert.equal(await servedBy(context, `${prefix}/${hosting.id}`), provider);
			}
			const meant = providerPrefixes.map(({ provider }) => provider);
			const twice = meant.filter((provider, index) => meant.indexOf(provider) !== index);
			assert.deepEqual(twice, ['seeker-platform', 'stratus']);
		},
	);

	prove(
		'inference/provider-prefix-shorthand/3',
		'takes another provider or an error where the named one does not host the model',
		async context => {
			const model = `lumiere/${openModel.id}`;
			assert.equal(await servedBy(context, model), 'gridserve');
			const json = { error: { message: 'Not hosted there' } };
			context.server.answer(() => true, { status: 404, headers: {}, json });
			const client = context.connect(ENTERPRISE);
			await isTurnedAway({ ...context, client }, { model, messages });
			await assert.rejects(client.chat.complete({ model, messages }), {
				code: 'not-found',
				serviceMessage: 'Not hosted there',
			});
		},
	);
});

describe('dedicated deployments', () => {
	const dedicated = `${service}/${openModel.id}`;

	prove(
		'inference/dedicated-deployments/prose/1',
		'are reached by the service’s own slug: before a name on either host, in order and in only',
		async context => {
			assert.equal(await servedBy(context, dedicated), service);
			assert.equal(await serverOf(context, { model: dedicated, messages }), service);
			assert.equal(context.lastRequest().host, 'public');
			for (const provider of [{ order: [service] }, { only: [service] }]) {
				assert.equal(await servedBy(context, openModel.id, provider), service);
				assert.equal(await serverOf(context, { model: openModel.id, messages, provider }), service);
			}
		},
	);

	prove('inference/dedicated-deployments/prose/2', 'are refused for a closed model', async context => {
		const client = context.connect(ENTERPRISE);
		const before = context.server.received.length;
		for (const request of [
			{ model: `${service}/${closedModel.id}` },
			{ model: closedModel.id, provider: { order: [service] } },
			{ model: closedModel.id, provider: { only: [service] } },
		]) {
			await isRefused({ ...context, client }, { ...request, messages }, /only open models/);
		}
		assert.equal(context.server.received.length, before);
		const beside = { order: [service, 'stratus'] };
		assert.equal(await servedBy(context, closedModel.id, beside), 'stratus');
	});
});

describe('the client (model aliases)', () => {
	prove('inference/model-alias/2', 'knows the base model of an alias', async context => {
		const connection = connectionOf(context.server);
		for (const { name, model } of aliases) {
			assert.equal(findModel(connection, name)?.id, model);
		}
		const { contextLength } = openModel;
		const client = context.connect(ENTERPRISE);
		await assert.rejects(client.chat.complete({ model: 'team-default', messages, max_tokens: contextLength }), {
			code: 'invalid-request',
		});
		assert.equal(context.server.received.length, 0);
		assert.equal(await servedBy(context, 'team-default'), 'gridserve');
	});

	prove(
		['inference/model-alias/3', 'unspecified/inference/5'],
		'lets the request win over the provider of an alias, field by field',
		async context => {
			const connection = connectionOf(context.server);
			assert.deepEqual(effectiveRoutingPolicy(connection, { model: 'team-reviewer' }), {
				order: ['cumulus'],
				allow_fallbacks: false,
			});
			assert.equal(await servedBy(context, 'team-reviewer'), 'cumulus');
			const provider = { order: ['stratus'] };
			assert.deepEqual(effectiveRoutingPolicy(connection, { model: 'team-reviewer', provider }), {
				order: ['stratus'],
				allow_fallbacks: false,
			});
			assert.equal(await servedBy(context, 'team-reviewer', provider), 'stratus');
			assert.deepEqual((context.lastRequest().json as ChatRequest).provider, provider);
			const bySlug = { ...connection, aliases: [{ name: 'ours', model: openModel.id, provider: 'openhub' }] };
			assert.deepEqual(effectiveRoutingPolicy(bySlug, { model: 'ours' }), { order: ['openhub'] });
			assert.deepEqual(effectiveRoutingPolicy(bySlug, { model: 'ours', provider: { order: [] } }), { order: [] });
		},
	);
});
