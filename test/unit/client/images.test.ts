import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { FaultServer, sendJson } from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { type TestClient, testClient } from './testClient.ts';

const URL_OF_IMAGE = 'https://images.example/7.png';

describe('client.images.generate', () => {
	let server: FaultServer;
	let client: TestClient;
	const reply = (content: unknown, model?: unknown) => {
		server.answer = response =>
			sendJson(response, 200, {
				...(model === undefined ? {} : { model }),
				choices: [{ index: 0, message: { role: 'assistant', content } }],
			});
	};
	const generate = (prompt = 'A lighthouse at dusk') => client.images.generate({ model: 'painter', prompt });

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
		client = testClient(server.origin);
	});
	afterEach(() => server.stop());

	it('sends the prompt as the one message of a user, and nothing else', async () => {
		reply(URL_OF_IMAGE);
		await generate();
		assert.equal(server.received[0]?.path, '/chat/completions');
		assert.deepEqual(JSON.parse(server.received[0]?.body ?? ''), {
			model: 'painter',
			messages: [{ role: 'user', content: 'A lighthouse at dusk' }],
		});
	});

	it('gives the address, and the digest apart from the model', async () => {
		reply(` ${URL_OF_IMAGE}\n`, 'painter:4fa1');
		assert.deepEqual(await generate(), { url: URL_OF_IMAGE, model: 'painter', digest: '4fa1' });
	});

	it('tells who served it, its id and its usage', async () => {
		const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
		const choices = [{ index: 0, message: { role: 'assistant', content: URL_OF_IMAGE } }];
		server.answer = response => sendJson(response, 200, { id: 'gen-1', provider: 'atelier', choices, usage });
		const { provider, id, usage: told } = await generate();
		assert.deepEqual([provider, id], ['atelier', 'gen-1']);
		assert.deepEqual([told?.prompt_tokens, told?.completion_tokens], [0, 0]);
	});

	for (const model of ['painter', 'None', undefined]) {
		it(`gives the model alone where the reply says ${model}`, async () => {
			reply(URL_OF_IMAGE, model);
			assert.deepEqual(await generate(), { url: URL_OF_IMAGE, model: 'painter' });
		});
	}

	it('gives what was said in place of an address, cut', async () => {
		reply(` I cannot draw that. ${'x'.repeat(600)}`);
		await assert.rejects(generate(), (error: unknown) => {
			assert.ok(ClientError.is(error, 'bad-response'));
			assert.ok(error.serviceMessage?.startsWith('I cannot draw that.'));
			assert.equal(error.serviceMessage?.length, 500);
			assert.ok(!error.message.includes('draw'));
			return true;
		});
	});

	for (const content of ['data:image/png;base64,AA', 'javascript:alert(1)', '', null, 5]) {
		it(`refuses ${JSON.stringify(content)} as an address`, async () => {
			reply(content);
			await assert.rejects(generate(), { code: 'bad-response' });
		});
	}

	for (const prompt of ['', ' \n']) {
		it(`refuses to send the prompt ${JSON.stringify(prompt)}`, async () => {
			await assert.rejects(generate(prompt), { code: 'invalid-request' });
			assert.equal(server.received.length, 0);
		});
	}

	it('refuses a prefix for the public host, as chat does', async () => {
		client = testClient(server.origin, { fields: { providerPrefixes: [{ prefix: 'fast', provider: 'fast-host' }] } });
		await assert.rejects(client.images.generate({ model: 'fast/painter', prompt: 'x' }), { code: 'not-supported' });
	});

	it('ends on the server’s side when aborted', async () => {
		server.answer = () => {};
		const controller = new AbortController();
		const generated = client.images.generate({ model: 'painter', prompt: 'x' }, { signal: controller.signal });
		generated.catch(() => {});
		await waitFor('the request', () => server.received.length === 1);
		controller.abort();
		await assert.rejects(generated, { code: 'aborted' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});
});
