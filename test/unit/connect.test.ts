import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import { nullLogger } from '../../src/base/logger.ts';
import type { Transport } from '../../src/client/core/transport.ts';
import { createLocalTransport } from '../../src/client/local/localTransport.ts';
import { type ConnectDependencies, createConnect } from '../../src/connect.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { LOCAL_CONNECTION_NAME, LOCAL_ORIGIN } from '../../src/contract/localConnection.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';

const TOKEN = 'Tide7Lantern-Pebble_42-Gull';

describe('the client of the local connection', () => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(() => {});
	});
	afterEach(() => server.stop());

	let models: string[] = [];

	const connect = () => {
		const nothing = () => ({ dispose() {} });
		const connection = {
			name: LOCAL_CONNECTION_NAME,
			...connectionSchema.parse({ apiUrl: LOCAL_ORIGIN, cloudUrl: LOCAL_ORIGIN, service: 'errand' }),
		};
		return createConnect({
			connections: { active: async () => connection, onDidChange: nothing },
			keys: { key: () => assert.fail('a key was asked for'), onDidChange: nothing },
			localService: {
				transport: (inner: Transport) =>
					createLocalTransport(inner, async () => ({ address: server.origin, token: TOKEN })),
				describe: async () => ({ models: models.map(id => ({ id, kinds: ['chat'] })) }),
				onDidChange: nothing,
			},
			channelMemory: { read: () => undefined, write() {} },
			logger: nullLogger,
		} as unknown as ConnectDependencies);
	};

	it('says when it has learnt of other models, and nothing as long as they are the same', async () => {
		const { onDidLearnModels, describe: ask, active } = connect();
		let count = 0;
		onDidLearnModels(() => count++);
		await ask();
		await ask();
		await active();
		assert.equal(count, 1);
		models = ['small'];
		await ask();
		await ask();
		assert.equal(count, 2);
	});

	it('sends the token of the service, and repeats what it says to the letter', async () => {
		const said = 'The local service failed at this request; its log (service.log) says why.';
		server.answer = response => sendJson(response, 500, { error: said });
		const error = await (await connect().client()).tasks.get('t1').catch((error: unknown) => error);
		assert.ok(ClientError.is(error, 'server'));
		assert.equal(error.serviceMessage, said);
		assert.equal(server.received[0]?.headers.authorization, `Bearer ${TOKEN}`);
	});
});
