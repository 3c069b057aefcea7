import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { systemClock } from '../../src/base/async.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { askHost } from '../../src/models/hosts/askHost.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { waitFor } from '../support/waitFor.ts';
import { freePort } from './freePort.ts';
import { fileOf, load } from './packages.ts';

const ask = async (url: string) => {
	const transport = createFetchTransport((address, init) => globalThis.fetch(address, init));
	const options = { transport, logger: nullLogger, clock: systemClock, signal: new AbortController().signal };
	const answer = await askHost({ kind: 'server', url }, options);
	assert.ok(answer.state === 'fits' && answer.models, 'error' in answer ? answer.error?.message : '');
	return { url: answer.url, models: answer.models };
};

/** Asks through the local service, to which the server was handed over as the flow writes it. */
async function answerOf(url: string, model: string): Promise<{ provider: string; content: string }> {
	const handover = { upstreams: [{ slug: 'added', url }], findOllama: false };
	const service = await ServiceProcess.start({ handover });
	try {
		const reply = await fetch(`${service.address}/v1/chat/completions`, {
			method: 'POST',
			headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
			body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
		});
		const { provider, choices } = (await reply.json()) as {
			provider: string;
			choices: { message: { content: string } }[];
		};
		return { provider, content: choices[0]?.message.content ?? '' };
	} finally {
		await service.stop();
	}
}

describe('adding servers of others', () => {
	it('finds the models of mock-openai-api by its bare address, and they answer through the service', async () => {
		const port = await freePort();
		const program = fileOf('mock-openai-api', 'dist/cli.js');
		const child: ChildProcess = spawn(process.execPath, [program, '-p', String(port), '-H', '127.0.0.1'], {
			stdio: 'ignore',
		});
		try {
			const address = `http://127.0.0.1:${port}`;
			await waitFor('the server to answer', () =>
				fetch(`${address}/v1/models`).then(
					response => response.ok,
					() => false,
				),
			);
			const { url, models } = await ask(address);
			assert.equal(url, `${address}/v1`);
			const { provider, content } = await answerOf(url, models[0]?.id ?? '');
			assert.equal(provider, 'added');
			assert.ok(content.length > 0);
		} finally {
			child.kill();
		}
	});

	it('finds those of aimock', async () => {
		const { LLMock } = load('@copilotkit/aimock');
		const mock = new LLMock({ port: 0 });
		mock.onMessage('hello', { content: 'Hello from aimock.' });
		await mock.start();
		try {
			const { url, models } = await ask(mock.url);
			assert.equal(url, `${mock.url}/v1`);
			const { provider, content } = await answerOf(url, models[0]?.id ?? '');
			assert.deepEqual([provider, content], ['added', 'Hello from aimock.']);
		} finally {
			await mock.stop();
		}
	});
});
