import assert from 'node:assert/strict';
import { openRelay, type Relay } from '../../../../src/agents/relay/relay.ts';
import { pageAddress, pageText, type WebAccess, webCalls } from '../../../../src/agents/relay/webAccess.ts';
import { ClientError, UserFacingError } from '../../../../src/base/errors.ts';

describe('the web behind a relay', () => {
	let relay: Relay | undefined;
	afterEach(() => relay?.close());

	async function ask(web: WebAccess | undefined, path: string, body: unknown, token?: string) {
		relay = await openRelay({
			...{ listen: 'loopback', allowsHost: () => false, onRefused: () => {}, web },
			handle: (_, response) => void response.writeHead(200).end('{"handled":true}'),
		});
		const reply = await fetch(`${relay.url}/v1/web/${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${token ?? relay.token}` },
			body: JSON.stringify(body),
		});
		const { text, error } = (await reply.json()) as { text?: string; error?: { message: string } };
		return [reply.status, text ?? error?.message];
	}
	const echo: WebAccess = { fetch: async what => `page ${what}`, search: async what => `found ${what}` };

	it('is answered by the host, to whom the token is shown', async () => {
		assert.deepEqual(await ask(echo, 'fetch', { what: 'https://docs.example/' }), [200, 'page https://docs.example/']);
		await relay?.close();
		assert.deepEqual(await ask(echo, 'search', { what: 'nine' }), [200, 'found nine']);
		await relay?.close();
		assert.equal((await ask(echo, 'fetch', { what: 'x' }, 'wrong'))[0], 401);
	});

	it('is not there where the host offers none of it', async () => {
		assert.deepEqual(webCalls({ search: async () => '' }), ['search']);
		for (const web of [undefined, { search: async () => '' }]) {
			assert.equal((await ask(web, 'fetch', { what: 'x' }))[0], 404);
			await relay?.close();
		}
	});

	it('is refused with the sentence of the host, with that of the service, or for what cannot be read', async () => {
		const failing = (error: unknown): WebAccess => ({ search: () => Promise.reject(error) });
		for (const [web, body, said] of [
			[failing(new UserFacingError('Not here.')), { what: 'x' }, [403, 'Not here.']],
			[
				failing(new ClientError('payment-required', 'no credit', { serviceMessage: 'Pay first.' })),
				{ what: 'x' },
				[403, 'The search failed: Pay first.'],
			],
			[failing(new Error('/home/me/secret')), { what: 'x' }, [403, 'Errand failed at this call.']],
			[echo, { what: 5 }, [400, '"what" must be a text of at most 4000 characters.']],
			[echo, { what: 'x'.repeat(4_001) }, [400, '"what" must be a text of at most 4000 characters.']],
		] as const) {
			assert.deepEqual(await ask(web, 'search', body), said);
			await relay?.close();
		}
	});
});

describe('a page for an agent', () => {
	const { signal } = new AbortController();
	const refusal = async (address: string) => pageText(pageAddress(address), signal).catch(error => error.message);

	it('never comes from this machine or its network, nor without encryption', async () => {
		assert.match(await refusal('https://127.0.0.1/'), /Errand doesn’t fetch pages from this machine/);
		assert.match(await refusal('https://[::1]/'), /Errand doesn’t fetch pages from this machine/);
		assert.match(
			await refusal('https://169.254.169.254/latest/meta-data'),
			/Errand doesn’t fetch pages from this machine/,
		);
		assert.match(await refusal('http://docs.example/'), /only over https/);
		assert.match(await refusal('https://me:secret@docs.example/'), /user name or password/);
	});

	it('has an address, without what only a browser reads of it', () => {
		assert.equal(pageAddress('https://docs.example/a#b').href, 'https://docs.example/a');
		assert.throws(() => pageAddress('docs.example'), /Give a whole one/);
	});
});
