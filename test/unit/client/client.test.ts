import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from '../../../src/client/client.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from '../../support/faultServer.ts';
import { testConnection } from './testClient.ts';

describe('createClient', () => {
	let server: FaultServer;
	beforeEach(async () => {
		server = await FaultServer.start((response, { path }) =>
			path === '/chat/completions'
				? sendEvents(response, sseEvent({ choices: [{ delta: { content: 'Hello' } }] }), sseEvent('[DONE]'))
				: sendJson(response, 200, { tasks: [{ id: 'a' }] }),
		);
	});
	afterEach(() => server.stop());

	it('works by itself, outside the editor, and lets its program end', async () => {
		const module = new URL('../../../src/client/client.ts', import.meta.url).href;
		const program = `
			const { createClient } = await import(${JSON.stringify(module)});
			const client = createClient({ connection: ${JSON.stringify(testConnection(server.origin))}, keys: async () => 'sk-a' });
			let text = '';
			for await (const event of client.chat.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })) text += event.text ?? '';
			console.log(text, (await client.tasks.list()).tasks[0].id);
		`;
		const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
			timeout: 10_000,
		});
		assert.equal(stdout.trim(), 'Hello a');
	});

	it('loads no undici where a transport is handed in, and sends nothing by being made', async () => {
		let requests = 0;
		const client = createClient({
			connection: testConnection(server.origin),
			keys: () => Promise.resolve('sk-a'),
			transport: {
				request: () => {
					requests++;
					return Promise.resolve({
						status: 200,
						headers: new Map(),
						body: (async function* () {
							yield Buffer.from('{"tasks":[]}');
						})(),
					});
				},
			},
		});
		assert.equal(requests, 0);
		assert.deepEqual((await client.tasks.list()).tasks, []);
		assert.equal(requests, 1);
		assert.equal(server.received.length, 0);
	});
});
