import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { ClientError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { waitFor } from '../support/waitFor.ts';
import { freePort } from './freePort.ts';
import { fileOf, load } from './packages.ts';

const clientOf = (apiUrl: string): Client =>
	createClient({
		connection: { name: 'other', ...connectionSchema.parse({ apiUrl, service: 'other' }) },
		keys: async () => 'sk-anything',
	});

const ask = (model: string, content: string) => ({ model, messages: [{ role: 'user' as const, content }] });

async function streamed(client: Client, request: ReturnType<typeof ask>) {
	let text = '';
	let pieces = 0;
	let reason: string | undefined;
	for await (const event of client.chat.stream(request)) {
		if (event.type === 'text') {
			text += event.text;
			pieces++;
		} else if (event.type === 'finish') {
			reason = event.reason;
		}
	}
	return { text, pieces, reason };
}

describe('the client with servers of others', () => {
	describe('aimock', () => {
		const answer = 'Twelve words and more, which come in pieces over the wire to us.';
		// biome-ignore lint/suspicious/noExplicitAny: a package without types here
		let mock: any;
		before(async () => {
			const { LLMock } = load('@copilotkit/aimock');
			mock = new LLMock({ port: 0 });
			mock.onMessage('hello', { content: answer });
			mock.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Bern"}' }] });
			await mock.start();
		});
		after(() => mock.stop());

		it('chats, streamed and whole', async () => {
			const client = clientOf(`${mock.url}/v1`);
			const { text, pieces, reason } = await streamed(client, ask('gpt-4o', 'hello'));
			assert.equal(text, answer);
			assert.ok(pieces > 1);
			assert.equal(reason, 'stop');
			const whole = await client.chat.complete(ask('gpt-4o', 'hello'));
			assert.equal(whole.choices[0]?.message?.content, answer);
		});

		it('puts a tool call together', async () => {
			let name = '';
			let json = '';
			const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];
			for await (const event of clientOf(`${mock.url}/v1`).chat.stream({ ...ask('gpt-4o', 'weather'), tools })) {
				if (event.type === 'toolCall') {
					name += event.name ?? '';
					json += event.arguments;
				}
			}
			assert.equal(name, 'weather');
			assert.deepEqual(JSON.parse(json), { city: 'Bern' });
		});

		it('gets a typed error for what the server does not know', async () => {
			await assert.rejects(clientOf(`${mock.url}/v1`).chat.complete(ask('gpt-4o', 'nobody wrote an answer')), error => {
				assert.ok(ClientError.is(error, 'not-found'), String(error));
				return true;
			});
		});
	});

	describe('mock-openai-api', () => {
		let child: ChildProcess;
		let address: string;
		before(async () => {
			const port = await freePort();
			address = `http://127.0.0.1:${port}/v1`;
			child = spawn(
				process.execPath,
				[fileOf('mock-openai-api', 'dist/cli.js'), '-p', String(port), '-H', '127.0.0.1'],
				{ stdio: 'ignore' },
			);
			await waitFor('the server to answer', () =>
				fetch(`${address}/models`).then(
					response => response.ok,
					() => false,
				),
			);
		});
		after(() => child.kill());

		it('chats, streamed and whole', async () => {
			const client = clientOf(address);
			const { data } = (await (await fetch(`${address}/models`)).json()) as { data: { id: string }[] };
			const model = data[0]?.id ?? '';
			const whole = await client.chat.complete(ask(model, 'hello'));
			assert.ok((whole.choices[0]?.message?.content ?? '').length > 0);
			const { text, reason } = await streamed(client, ask(model, 'hello'));
			assert.ok(text.length > 0);
			assert.ok(reason);
		});

		it('lists its models', async () => {
			// The path of the list has the version in it, unlike that of the chat.
			const models = await clientOf(new URL(address).origin).models.discover();
			assert.ok((models ?? []).length > 0);
		});
	});
});
