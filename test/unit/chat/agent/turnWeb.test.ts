import assert from 'node:assert/strict';
import type { PermissionRequest } from '../../../../src/agents/session/events.ts';
import { TurnWeb } from '../../../../src/chat/agent/turnWeb.ts';
import { type FaultServer, sendEvents, useFaultServer } from '../../../support/faultServer.ts';
import { chunk, DONE } from '../../client/chatWire.ts';
import { testClient } from '../../client/testClient.ts';

describe('the web in a turn of an agent', () => {
	const { signal } = new AbortController();
	let server: FaultServer;
	useFaultServer(started => {
		server = started;
	});
	const models = (hasSearch = true) => ({
		client: async () => testClient(server.origin, { fields: { service: 'acme' } }),
		connection: { searches: hasSearch, limitsOf: () => ({}), takesImages: () => undefined },
	});
	const request = (input: object): PermissionRequest => ({
		call: {
			...{ id: 'one', title: 'Fetch', kind: 'fetch', status: 'pending', locations: [], diffs: [], output: '' },
			input: JSON.stringify(input),
		},
		options: [
			{ id: 'yes', name: 'Allow once', kind: 'allow_once' },
			{ id: 'no', name: 'No', kind: 'reject_once' },
		],
		complete: true,
	});
	const refusalOf = (asked: Promise<string> | undefined) => asked?.then(String, error => error.message);

	it('gives a page only after a yes to exactly its address', async () => {
		const web = new TurnWeb(models(), { provider: undefined });
		const fetch = (address: string) => refusalOf(web.fetch(address, signal));
		web.answered(request({ url: 'https://127.0.0.1/no' }), { option: 'no' });
		web.answered(request({ url: 'https://127.0.0.1/yes#part' }), { option: 'yes' });
		web.answered(request({ url: 'nowhere' }), { option: 'yes' });
		assert.match((await fetch('https://127.0.0.1/no')) ?? '', /has not agreed/);
		assert.match((await fetch('https://127.0.0.1/yes?more')) ?? '', /has not agreed/);
		// Only then is it looked at where the address leads.
		assert.match((await fetch('https://127.0.0.1/yes')) ?? '', /Errand doesn’t fetch pages from this machine/);
	});

	it('searches after a yes to these words, under the routing policy of the conversation', async () => {
		const url_citation = { url: 'https://docs.example/nine', title: 'Numbers' };
		server.answer = response =>
			sendEvents(
				response,
				chunk({ content: 'Nine.' }),
				chunk({ annotations: [{ type: 'url_citation', url_citation }] }),
				DONE,
			);
		const web = new TurnWeb(models(), { provider: { only: ['a'] } });
		assert.match((await refusalOf(web.search?.('nine', signal))) ?? '', /has not agreed/);
		assert.equal(server.received.length, 0);
		web.answered(request({ query: 'nine' }), { option: 'yes' });
		assert.equal(await web.search?.('nine', signal), 'Nine.\n- Numbers: https://docs.example/nine');
		const { model, messages, provider } = JSON.parse(server.received[0]?.body ?? '');
		assert.deepEqual(
			[model, messages, provider],
			['acme-search', [{ role: 'user', content: 'nine' }], { only: ['a'] }],
		);
	});

	it('offers no search where the connection has no model for it', () => {
		assert.equal(new TurnWeb(models(false), { provider: undefined }).search, undefined);
	});
});
