import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { UserFacingError } from '../../../../src/base/errors.ts';
import { beginEvents, type Flood, flood, heldBack, sendEvents, sendJson } from '../../../support/faultServer.ts';
import { postLargeBody } from '../../../support/largeBody.ts';
import { useOwnAgent } from '../../../support/useOwnAgent.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { chunk, DONE } from '../../client/chatWire.ts';
import { completed, delta, event } from '../../client/responsesWire.ts';
import {
	BOTH,
	begin,
	CHAT,
	clientOf,
	isChat,
	KEY,
	type OpenedModels,
	openClientModels,
	RESPONSES,
	refusalOf,
	useClientModels,
} from './clientModelsHarness.ts';
import { portOf } from './relayHarness.ts';

const MEGABYTE = 1024 * 1024;
const whole = (response: ServerResponse): void => sendEvents(response, chunk({ content: 'Hello' }), DONE);

describe('the models behind a relay, by the client of a connection', () => {
	const models = useClientModels();

	it('are one, with its length where that is known', async () => {
		for (const [options, expected] of [
			[{}, {}],
			[{ contextLength: 4096 }, { context_length: 4096 }],
		] as const) {
			const { relay } = await models.open(whole, options);
			const reply = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${relay.token}` } });
			const { object, data } = (await reply.json()) as { object: string; data: Record<string, unknown>[] };
			const { created, ...model } = data[0] ?? {};
			assert.deepEqual([object, data.length, model], ['list', 1, { id: 'large', object: 'model', ...expected }]);
			assert.ok(Number(created) > 0);
		}
		assert.equal(models.server.received.length, 0);
	});

	it('get the key of the connection, and the agent gets nothing of it, wherever the service repeats it', async () => {
		const words = `Your key ${KEY} was used up`;
		const { post, log } = await models.open((response, { headers, path }) => {
			assert.equal(headers.authorization, `Bearer ${KEY}`);
			if (models.server.received.length <= 2) {
				sendJson(response, 402, { error: { message: words } }, { 'x-key': KEY });
				return;
			}
			begin(response, path);
			response.end(event('error', { error: { message: words, code: `key ${KEY}` } }));
		});
		for (const { path, body } of [...BOTH, ...BOTH]) {
			const reply = await post(path, { ...body, stream: true });
			const heads = JSON.stringify([...reply.headers]);
			const said = heads + (await reply.text());
			assert.ok(!said.includes(KEY), said);
			assert.match(said, /Your key \[key\] was used up/);
		}
		assert.equal(models.server.received.length, 4);
		assert.ok(!log.join('\n').includes(KEY));
	});

	it('end at once at the service when the agent leaves', async () => {
		for (const { path, body } of BOTH) {
			const { post, calls, failures } = await models.open((response, received) => begin(response, received.path));
			const leaving = new AbortController();
			const reply = await post(path, { ...body, stream: true }, leaving);
			await reply.body?.getReader().read();
			leaving.abort();
			assert.deepEqual(await models.server.received.at(-1)?.closed, { isWhole: false });
			await waitFor('the report of the call', () => calls.length === 1);
			assert.deepEqual([calls[0]?.outcome, failures], ['left', []]);
		}
	});

	it('end at once when the agent leaves before anything has come, or while it waits for a whole reply', async () => {
		for (const answer of [() => {}, begin]) {
			const { post, calls } = await models.open(response => answer(response, CHAT.path));
			const leaving = new AbortController();
			const before = models.server.received.length;
			const asked = post(CHAT.path, CHAT.body, leaving);
			await waitFor('the request', () => models.server.received.length > before);
			leaving.abort();
			await assert.rejects(asked);
			assert.deepEqual(await models.server.received.at(-1)?.closed, { isWhole: false });
			await waitFor('the report of the call', () => calls.length === 1);
			assert.equal(calls[0]?.outcome, 'left');
		}
	});

	it('end at once when the relay is closed', async () => {
		const { post, relay, calls } = await models.open((response, { path }) => begin(response, path));
		const reply = await post(CHAT.path, { ...CHAT.body, stream: true });
		await reply.body?.getReader().read();
		await relay.close();
		assert.deepEqual(await models.server.received[0]?.closed, { isWhole: false });
		await waitFor('the report of the call', () => calls.length === 1);
	});

	it('are read no faster than the agent reads', async () => {
		const state: Flood = { sent: 0, isBlocked: false };
		const piece = Buffer.from(chunk({ content: 'x'.repeat(10_000) }));
		const { relay } = await models.open(async response => {
			beginEvents(response);
			await flood(response, piece, 512 * MEGABYTE, state);
		});
		const body = JSON.stringify({ ...CHAT.body, stream: true });
		const socket = connect(portOf(relay), '127.0.0.1');
		socket.on('error', () => {});
		socket.pause();
		socket.write(
			`POST ${CHAT.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${relay.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		);
		await heldBack(state);
		assert.ok(state.sent < 64 * MEGABYTE, `${state.sent}`);
		socket.destroy();
		assert.deepEqual(await models.server.received[0]?.closed, { isWhole: false });
	});

	describe('refuse a call', () => {
		it('whose body is not JSON', async () => {
			const { post, calls } = await models.open(whole);
			for (const { path } of BOTH) {
				const reply = await post(path, '{"messages": [');
				assert.equal(reply.status, 400);
				assert.deepEqual(await refusalOf(reply), {
					message: 'The request body is not valid JSON, or nested too deeply.',
					type: 'invalid_request_error',
					code: 'invalid_request',
				});
			}
			assert.deepEqual([calls, models.server.received.length], [[], 0]);
		});

		it('whose body is too large, without keeping it', async () => {
			const { relay, post, calls } = await models.open(whole);
			const headers = { authorization: `Bearer ${relay.token}` };
			const { answer, held } = await postLargeBody(`${relay.url}${RESPONSES.path}`, 40, headers);
			assert.equal(answer, 413);
			assert.ok(held < 24, `${held} MB`);
			assert.deepEqual([calls, models.server.received.length], [[], 0]);
			assert.equal((await post(CHAT.path, CHAT.body)).status, 200);
		});

		it('with a sentence of the host, where there is no client', async () => {
			const sentence = 'There is no connection. Choose one.';
			const { post, calls, failures } = await models.open(whole, {
				client: () => Promise.reject(new UserFacingError(sentence)),
			});
			const reply = await post(CHAT.path, { ...CHAT.body, stream: true });
			assert.equal(reply.status, 502);
			assert.equal((await refusalOf(reply)).message, sentence);
			assert.deepEqual([calls[0]?.outcome, failures.length], ['failed', 1]);
		});

		it('without the words of an unforeseen error', async () => {
			const { post, log } = await models.open(whole, { client: () => Promise.reject(new Error('at /home/me')) });
			const reply = await post(CHAT.path, CHAT.body);
			assert.equal(reply.status, 500);
			assert.equal((await refusalOf(reply)).message, 'Errand failed at this call, and its log says why.');
			assert.match(log.join('\n'), /at \/home\/me/);
		});
	});

	it('answer many calls at once, each with its own', async () => {
		const { post, calls } = await models.open((response, { body, path }) => {
			const { messages, input } = JSON.parse(body);
			const said = (messages ?? input)[0].content;
			if (isChat(path)) {
				sendEvents(response, chunk({ content: said }), DONE);
			} else {
				sendEvents(response, delta(said), completed);
			}
		});
		const said = await Promise.all(
			Array.from({ length: 20 }, async (_, index) => {
				const name = `number ${index}`;
				const asked = index % 2 === 0 ? { messages: [{ role: 'user', content: name }] } : { input: name };
				const reply = await post((index % 2 === 0 ? CHAT : RESPONSES).path, { ...asked, stream: true });
				return (await reply.text()).includes(`"${name}"`);
			}),
		);
		assert.deepEqual(said, Array(20).fill(true));
		assert.equal(calls.length, 20);
	});

	it('write nothing of a prompt or a reply into the log', async () => {
		const secret = 'the words of the prompt';
		const { post, log } = await models.open(response => {
			beginEvents(response);
			response.end(chunk({ content: secret }));
		});
		const body = { messages: [{ role: 'user', content: secret }] };
		await (await post(CHAT.path, { ...body, stream: true })).text();
		await (await post(CHAT.path, { ...body, temperature: secret })).text();
		assert.ok(log.length > 0);
		assert.ok(!log.join('\n').includes(secret), log.join('\n'));
	});
});

describe('Errand’s own agent behind such models', () => {
	const own = useOwnAgent();
	const opened: OpenedModels[] = [];

	afterEach(() => Promise.all(opened.splice(0).map(({ relay }) => relay.close())));

	async function start() {
		const models = await openClientModels(clientOf(own.server.url));
		opened.push(models);
		const { url = '', token } = models.relay;
		const agent = await own.start({ URL: url, KEY: token, MODEL: 'whatever' });
		return { ...models, agent };
	}
	const paths = () => own.server.requests.map(({ path: asked }) => asked);

	for (const endpoint of ['/v1/responses', '/chat/completions']) {
		it(`goes on after failures that may be temporary, a cut call and a refusal as too long, by ${endpoint}`, async () => {
			const { agent } = await start();
			own.server.endpoints = [endpoint];
			own.server.play(
				{ error: { status: 500, message: 'Oops', wait: 0 } },
				{ calls: [{ name: 'write', raw: '{"path": "a.txt", "content": "half' }], isCut: true },
				{ text: 'It is ', breaks: true },
				{ text: 'It is done.' },
			);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.equal(agent.said(), 'It is done.');
			assert.match(own.server.requests[2]?.results[0] ?? '', /reached its maximum length/);
			own.server.play(
				{ error: { status: 400, message: 'Too much', code: 'context_length_exceeded' } },
				{ text: 'More.' },
			);
			await assert.rejects(agent.session.prompt('Go on'), /longer than whatever can take/);
			assert.equal(await agent.session.prompt('Go on'), 'end_turn');
		});
	}

	it('answers a prompt with a call of a tool, and its reasoning comes back to the service as it was', async () => {
		writeFileSync(path.join(own.folder, 'a.txt'), 'the content\n');
		const { agent, calls, failures } = await start();
		const reasoning = {
			type: 'reasoning',
			id: 'rs_1',
			encrypted_content: 'é\u0000"\\',
			unknown: [1, null, { z: 1, a: 2 }],
		};
		own.server.play(
			{ reasoning: [reasoning], calls: [{ name: 'read', input: { path: 'a.txt' } }] },
			{ text: 'It says: the content.' },
		);
		assert.equal(await agent.session.prompt('What does it say?'), 'end_turn');
		assert.equal(agent.said(), 'It says: the content.');
		assert.deepEqual(paths(), ['/v1/responses', '/v1/responses']);
		const [first, second] = own.server.requests;
		assert.deepEqual([first?.body['model'], first?.authorization], ['large', `Bearer ${KEY}`]);
		assert.match(second?.results[0] ?? '', /the content/);
		const input = second?.body['input'] as { type?: string }[];
		assert.equal(JSON.stringify(input.find(({ type }) => type === 'reasoning')), JSON.stringify(reasoning));
		assert.deepEqual(failures, []);
		assert.deepEqual(
			calls.map(({ outcome, usage }) => [outcome, usage?.prompt_tokens, usage?.completion_tokens]),
			[
				['whole', 10, 5],
				['whole', 10, 5],
			],
		);
	});

	it('goes on with chat where the service has no responses, and calls its tools there', async () => {
		own.server.endpoints = ['/chat/completions'];
		writeFileSync(path.join(own.folder, 'a.txt'), 'the content\n');
		const { agent, failures } = await start();
		own.server.play(
			{
				calls: [
					{ name: 'read', input: { path: 'a.txt' } },
					{ name: 'list', input: {} },
				],
			},
			{ text: 'Done.' },
		);
		assert.equal(await agent.session.prompt('Look'), 'end_turn');
		assert.equal(agent.said(), 'Done.');
		assert.deepEqual(paths(), ['/chat/completions', '/chat/completions']);
		assert.deepEqual(own.server.requests[1]?.results, ['    1\tthe content\n', 'a.txt']);
		assert.deepEqual(failures, [{ code: 'not-found', endpoint: 'responses' }]);
	});

	it('says what the service said', async () => {
		const { agent, failures } = await start();
		own.server.play({ error: { status: 402, message: 'Out of credit' } });
		await assert.rejects(agent.session.prompt('Go'), /Out of credit/);
		assert.deepEqual(failures, [{ code: 'payment-required', endpoint: 'responses' }]);
	});
});
