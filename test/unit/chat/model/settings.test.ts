import assert from 'node:assert/strict';
import { applySettings } from '../../../../src/chat/model/applySettings.ts';
import { nameOf, PRESETS, presetSettings } from '../../../../src/chat/model/presets.ts';
import {
	replySettings,
	retentionInForce,
	settingsInForce,
	type UserSettings,
	withRequestSettings,
} from '../../../../src/chat/model/settings.ts';
import type { ChatRequest } from '../../../../src/contract/chatRequest.ts';
import { connectionSchema } from '../../../../src/contract/connection.ts';
import type { RoutingPolicy } from '../../../../src/contract/routingPolicy.ts';

const NONE: UserSettings = { routing: {}, retention: undefined, parameters: {}, instructions: '' };
const REQUEST: ChatRequest = { model: 'large', messages: [{ role: 'user', content: 'Why?' }] };
const ALL: RoutingPolicy = {
	sort: { by: 'price' },
	order: ['a'],
	only: ['a', 'b'],
	ignore: ['c'],
	allow_fallbacks: false,
	require_parameters: true,
	data_collection: 'deny',
	quantizations: ['fp8'],
	preferred_min_throughput: 20,
	preferred_max_latency: { p50: 2 },
	zdr: false,
};

describe('the policy in force', () => {
	it('sends nothing that was not set', () => {
		assert.deepEqual(withRequestSettings(REQUEST, settingsInForce(NONE)), REQUEST);
		assert.deepEqual(replySettings('large', settingsInForce(NONE)), { model: 'large' });
	});

	it('sends every field of the settings as it is, object forms too', () => {
		assert.deepEqual(withRequestSettings(REQUEST, settingsInForce({ ...NONE, routing: ALL })), {
			...REQUEST,
			provider: ALL,
		});
	});

	it('takes the conversation’s routing in the place of the settings’, and parameters one by one', () => {
		const defaults = {
			...NONE,
			routing: { sort: 'price', ignore: ['c'] },
			parameters: { temperature: 1, seed: 3 },
		} as const;
		const policy = settingsInForce(
			{ ...defaults, routing: { sort: 'price', ignore: ['c'] } },
			{ routing: { sort: 'latency' }, parameters: { temperature: 0 }, models: ['small'] },
		);
		assert.deepEqual(withRequestSettings(REQUEST, policy), {
			...REQUEST,
			models: ['small'],
			provider: { sort: 'latency' },
			temperature: 0,
			seed: 3,
		});
	});

	it('puts the instructions before everything else, and no empty ones', () => {
		const messages = (instructions: string) =>
			withRequestSettings(REQUEST, settingsInForce({ ...NONE, instructions })).messages.map(({ role }) => role);
		assert.deepEqual(messages('Be short.'), ['system', 'user']);
		assert.deepEqual(messages(' \n'), ['user']);
	});
});

describe('zero data retention', () => {
	it('is absent, false or true in a request, three different things', () => {
		const sent = (retention: boolean | 'account') =>
			withRequestSettings(REQUEST, settingsInForce(NONE, { retention })).provider;
		assert.deepEqual([sent('account'), sent(false), sent(true)], [undefined, { zdr: false }, { zdr: true }]);
	});

	it('is the conversation’s choice before the settings, also the choice to ask for nothing', () => {
		const on = { ...NONE, retention: true };
		assert.equal(retentionInForce(on), true);
		assert.equal(retentionInForce(on, { retention: 'account' }), 'account');
		assert.equal(retentionInForce(on, { retention: false }), false);
	});

	it('is demanded where one of two settings demands it', () => {
		assert.equal(retentionInForce({ ...NONE, retention: false, routing: { zdr: true } }), true);
		assert.equal(retentionInForce({ ...NONE, retention: true, routing: { zdr: false } }), true);
		assert.equal(retentionInForce({ ...NONE, routing: { zdr: false } }), false);
	});

	it('is not claimed for a reply of a code-oriented model, which runs under it over the responses endpoint alone', async () => {
		const connection = {
			name: 'acme',
			...connectionSchema.parse({
				apiUrl: 'https://api.example',
				service: 'acme',
				accountZdr: false,
				models: [{ id: 'large', codeOriented: true }],
			}),
		};
		const source = { defaults: () => NONE, connection: async () => connection };
		const retentionOf = async (retention?: boolean) =>
			(await applySettings(REQUEST, retention === undefined ? {} : { retention }, source, 'chat')).retention;
		assert.deepEqual(await retentionOf(), { inForce: 'no', because: 'account' });
		assert.deepEqual(await retentionOf(true), { inForce: 'yes', because: 'request' });
	});

	it('stays demanded under a policy of the conversation that says nothing of it', () => {
		const inForce = settingsInForce({ ...NONE, routing: { zdr: true } }, { routing: { sort: 'price' } });
		assert.deepEqual(inForce.routing, { sort: 'price', zdr: true });
	});
});

describe('the presets', () => {
	const sent = (preset: (typeof PRESETS)[number], routing: RoutingPolicy = {}) =>
		settingsInForce({ ...NONE, routing }, presetSettings(preset, routing, ['a'])).routing;

	it('send what their names say', () => {
		assert.deepEqual(Object.fromEntries(PRESETS.map(preset => [preset, sent(preset)])), {
			balanced: {},
			cheapest: { sort: 'price' },
			fastest: { sort: 'throughput' },
			latency: { sort: 'latency' },
			only: { only: ['a'] },
			private: { data_collection: 'deny', zdr: true },
		});
	});

	it('are recognised by what they send', () => {
		for (const preset of PRESETS) {
			assert.deepEqual(nameOf(sent(preset)), { preset, isPrivate: false, isLimited: false });
		}
	});

	it('keep the protection of the settings, and say so', () => {
		assert.deepEqual(sent('cheapest', { data_collection: 'deny', sort: 'latency' }), {
			data_collection: 'deny',
			sort: 'price',
		});
		assert.deepEqual(nameOf({ sort: 'price', zdr: true }), { preset: 'cheapest', isPrivate: true, isLimited: false });
	});

	it('let no provider back in that the settings exclude, and say so', () => {
		const limits = { ignore: ['c'], only: ['a', 'b'], quantizations: ['fp8'], require_parameters: true } as const;
		const routing = structuredClone(limits) as unknown as RoutingPolicy;
		for (const preset of PRESETS) {
			const { ignore, only, quantizations, require_parameters } = sent(preset, { ...routing, sort: 'latency' });
			const allowed = preset === 'only' ? ['a'] : ['a', 'b'];
			assert.deepEqual({ ignore, only, quantizations, require_parameters }, { ...limits, only: allowed }, preset);
		}
		assert.deepEqual(nameOf(sent('cheapest', routing)), { preset: 'cheapest', isPrivate: false, isLimited: true });
		assert.deepEqual(nameOf({ ignore: ['c'] }), { preset: 'balanced', isPrivate: false, isLimited: true });
	});

	it('keep to those of an order that allows no others', () => {
		const bound: RoutingPolicy = { order: ['b', 'a'], allow_fallbacks: false };
		assert.deepEqual(sent('cheapest', bound), { sort: 'price', only: ['b', 'a'] });
		assert.deepEqual(sent('cheapest', { ...bound, only: ['a'] }), { sort: 'price', only: ['a'] });
		assert.deepEqual(sent('cheapest', { order: ['b'] }), { sort: 'price' });
	});

	it('name what no preset sends as custom, and what is so without saying it as nothing', () => {
		for (const provider of [{ order: ['a'] }, { sort: { by: 'price' } }] as const) {
			assert.equal(nameOf(structuredClone(provider) as unknown as RoutingPolicy).preset, 'custom');
		}
		const implied = { allow_fallbacks: true, require_parameters: false, ignore: [], order: [], quantizations: [] };
		assert.deepEqual(nameOf(implied), { preset: 'balanced', isPrivate: false, isLimited: false });
	});
});
