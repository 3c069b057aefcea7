import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger.ts';
import { IdleWatch } from '../../../../src/service/idleWatch.ts';
import { registerChatRoutes } from '../../../../src/service/inference/chatRoutes.ts';
import { createApp, type ServiceServer, startServer } from '../../../../src/service/server.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import type { UpstreamBehaviour } from '../../../support/upstreamServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { eventsOf } from '../helpers.ts';
import { type GatewayHarness, useGateway } from './gatewayHarness.ts';

const HEAD_AFTER_MS = 60_000;

describe('a reply whose first word takes long', () => {
	const start = useGateway();
	const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
	let harness: GatewayHarness;
	let clock: ManualClock;
	let server: ServiceServer;

	async function serve(behaves: UpstreamBehaviour): Promise<void> {
		harness = await start({ one: { models: ['small'], behaves } });
		clock = new ManualClock();
		const app = createApp(nullLogger);
		registerChatRoutes(app, { gateway: harness.gateway, logger: nullLogger, clock });
		server = await startServer({ token: 'token', port: 0, app, idleWatch: () => idleWatch });
	}

	afterEach(async () => await server.close(0));
	after(() => idleWatch.dispose());

	const ask = (init: RequestInit = {}) =>
		fetch(`${server.address}/enterprise/chat/completions`, {
			method: 'POST',
			headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json' },
			body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
			...init,
		});

	const late = async (asking: Promise<Response>): Promise<Response> => {
		await waitFor('the request', () => harness.server('one').chats.length === 1 && clock.running(HEAD_AFTER_MS) === 1);
		await clock.advance(HEAD_AFTER_MS);
		return asking;
	};

	async function textsOf(response: Response): Promise<string[]> {
		const texts: string[] = [];
		for await (const { data } of eventsOf(response)) {
			texts.push(data === '[DONE]' ? data : (JSON.parse(data).choices?.[0]?.delta.content ?? JSON.parse(data).error));
		}
		return texts;
	}

	it('has its head before it, so that no client gives up', async () => {
		await serve({ firstMs: 300, pieces: ['Hello', ' there'] });
		const response = await late(ask());
		assert.equal(response.status, 200);
		assert.deepEqual((await textsOf(response)).filter(Boolean), ['Hello', ' there', '[DONE]']);
	});

	it('fails in the stream where its head has been sent, and by its status before', async () => {
		await serve({ status: 401, body: { error: { message: 'No such key' } } });
		assert.equal((await ask()).status, 502);
		await server.close(0);
		await serve({ firstMs: 60_000 });
		const response = await late(ask());
		await harness.server('one').stop();
		const [error] = (await textsOf(response)) as unknown as { message: string; code: string }[];
		assert.equal(error?.code, 'unavailable');
		assert.match(error?.message ?? '', /^one closed the connection before it responded/);
	});

	it('is no longer asked for when its client goes', async () => {
		await serve({ firstMs: 60_000 });
		const leaving = new AbortController();
		await late(ask({ signal: leaving.signal }));
		leaving.abort();
		await waitFor('the end', () => harness.server('one').chats[0]?.wasAbandoned === true);
	});
});
