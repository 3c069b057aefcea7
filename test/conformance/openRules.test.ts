import assert from 'node:assert/strict';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ClientError } from '../../src/base/errors.ts';
import type { Client } from '../../src/client/types.ts';
import type { ReceivedRequest, Reply, SentEvent } from '../support/contractServer/contractServer.ts';
import { absentText, imageModel } from '../support/contractServer/fixtures.ts';
import { taskIds } from '../support/contractServer/taskFixtures.ts';
import { textOf } from '../unit/client/chatWire.ts';
import { collect } from '../unit/client/testClient.ts';
import { arrives, asking, MODEL, user } from './chatProofs.ts';
import { questions, state } from './decisionQuestions.ts';
import { type ProofContext, prove } from './harness.ts';

const RULES = 'unspecified/what-the-contract-leaves-open-and-what-we-do-there/prose';

const repoUrl = 'https://forge.example/skipper/harbour.git';

/** Reads a stream to its end, and throws what it ended with. */
async function whole(stream: AsyncIterable<unknown>): Promise<unknown[]> {
	const { events, error } = await collect(stream);
	if (error !== undefined) {
		throw error;
	}
	return events;
}

/**
 * A call with two lists of fields of its reply: `essential` ones, without which there is nothing to read, and `naming`
 * ones, which say what kind of event it is. A naming field may be missing, because the event's own name says the same,
 * but an unknown value in it makes it another event.
 */
interface Asked {
	call(client: Client): Promise<unknown>;
	essential?: readonly string[];
	naming?: readonly string[];
}

const asked: Record<string, Asked> = {
	'a completion': { call: client => client.chat.complete(asking('text')), essential: ['choices', 'choices.0'] },
	'tool calls': {
		call: client => client.chat.complete(asking('tools', { tools: [tool('tide')] })),
		essential: ['choices', 'choices.0'],
	},
	'a chat stream': { call: client => whole(client.chat.stream(asking('text'))) },
	'a search': { call: client => whole(client.search.stream([user('text')])) },
	'an image': {
		call: client => client.images.generate({ model: imageModel.id, prompt: 'A boat' }),
		essential: ['choices', 'choices.0', 'choices.0.message', 'choices.0.message.content'],
	},
	responses: {
		call: client => whole(client.responses.stream({ model: MODEL, input: [user('text')] })),
		naming: ['type'],
	},
	decisions: { call: client => client.decisions.evaluate({ state, questions }), essential: ['answers'] },
	'the health of the channel': { call: client => client.channel.health() },
	'the list of tasks': { call: client => client.tasks.list(), essential: ['tasks'] },
	'one task': { call: client => client.tasks.get(taskIds.completed), essential: ['task', 'task.id'] },
	organisations: { call: client => client.sources.organisations() },
	repositories: { call: client => client.sources.repositories('harbour-crew') },
	branches: { call: client => client.sources.branches('harbour-crew', 'harbour') },
	'the agent API': { call: client => client.agentTasks.list(), essential: ['tasks'] },
};

function tool(name: string) {
	return { type: 'function' as const, function: { name } };
}

/** Sends a request that the server has received once more, past the client, and resolves with the reply. */
async function replyTo(
	{ host, method, path, query, headers, text }: ReceivedRequest,
	server: ProofContext['server'],
): Promise<Pick<Reply, 'json' | 'events'>> {
	const response = await fetch(`${server.hosts[host]}${path}?${new URLSearchParams(query)}`, {
		method,
		headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
			['authorization', 'content-type', 'accept'].includes(name) ? [[name, String(value)]] : [],
		),
		...(text === '' ? {} : { body: text }),
	});
	const type = response.headers.get('content-type') ?? '';
	if (!type.startsWith('text/event-stream') || !response.body) {
		return { json: await response.json() };
	}
	const events: SentEvent[] = [];
	const parser = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
	for await (const { event, data } of parser) {
		events.push({ ...(event && { event }), data: data === '[DONE]' ? data : JSON.parse(data) });
	}
	return { events };
}

/** The paths of all fields inside a value. Lists are entered at their first entry. */
function pathsIn(value: unknown, prefix: readonly string[] = []): string[] {
	if (typeof value !== 'object' || value === null) {
		return [];
	}
	const names = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
	return names.flatMap(name => {
		const path = [...prefix, name];
		return [path.join('.'), ...pathsIn(Reflect.get(value, name), path)];
	});
}

/** Returns a copy in which the field has another value, or is missing. */
function withField(value: unknown, path: string, changed: unknown): unknown {
	const copy: unknown = structuredClone(value);
	const names = path.split('.');
	const last = names.pop() ?? '';
	let target = copy;
	for (const name of names) {
		target = typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;
	}
	if (typeof target === 'object' && target !== null && last in target) {
		if (changed !== undefined) {
			Reflect.set(target, last, changed);
		} else if (Array.isArray(target)) {
			target.splice(Number(last), 1);
		} else {
			Reflect.deleteProperty(target, last);
		}
	}
	return copy;
}

/** Ways in which a service leaves a field out, or says something unknown in it. */
const ABSENT: readonly unknown[] = [undefined, null, absentText];
const unknownValue = (value: unknown) => (typeof value === 'string' ? ['never-heard-of'] : []);

const valueAt = (value: unknown, path: string): unknown =>
	path
		.split('.')
		.reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), value);

describe('what holds throughout', () => {
	for (const [what, { call, essential = [], naming = [] }] of Object.entries(asked)) {
		prove(`${RULES}/1`, `a field that is missing or says nothing does not break ${what}`, async context => {
			const { client, server, lastRequest } = context;
			await call(client);
			const request = lastRequest();
			const reply = await replyTo(request, server);
			const samples = reply.events?.map(({ data }) => data) ?? [reply.json];
			const paths = new Set(samples.flatMap(sample => pathsIn(sample)));
			assert.ok(paths.size > 2);
			for (const path of paths) {
				if (essential.includes(path)) {
					continue;
				}
				const known = samples.map(sample => valueAt(sample, path)).find(value => value !== undefined);
				for (const value of [...ABSENT, ...(naming.includes(path) ? [] : unknownValue(known))]) {
					const changed =
						reply.events === undefined
							? { json: withField(reply.json, path, value) }
							: { events: reply.events.map(event => ({ ...event, data: withField(event.data, path, value) })) };
					server.answer(() => true, { status: 200, headers: {}, ...changed });
					await call(client).catch(error => assert.fail(`${path} as ${JSON.stringify(value)}: ${String(error)}`));
				}
			}
		});
	}

	prove(`${RULES}/2`, 'an unknown field is kept', async ({ client, server }) => {
		const berth = { number: 7, tide: [null, 'ebb'] };
		const answer = (json: unknown) => server.answer(() => true, { status: 200, headers: {}, json });
		const keeps = (value: unknown) => assert.deepEqual((value as { berth?: unknown } | undefined)?.berth, berth);
		answer({ berth, choices: [{ berth, index: 0, message: { berth, content: 'x' } }], usage: { berth } });
		const completion = await client.chat.complete(asking('text'));
		for (const part of [completion, completion.choices[0], completion.choices[0]?.message, completion.usage]) {
			keeps(part);
		}
		answer({ tasks: [{ id: 't1', berth }] });
		keeps((await client.tasks.list()).tasks[0]);
		answer([{ name: 'n', login: 'l', berth }]);
		keeps((await client.sources.organisations())[0]);
		keeps((await client.sources.repositories('o'))[0]);
		keeps((await client.sources.branches('o', 'r'))[0]);
		answer({ status: 'healthy', berth });
		keeps(await client.channel.health());
		const event = { type: 'response.completed', berth, response: { berth, output: [] } };
		server.answer(() => true, { status: 200, headers: {}, events: [{ data: event }] });
		const [completed] = await whole(client.responses.stream({ model: MODEL, input: [user('text')] }));
		keeps(completed);
		keeps((completed as { response?: unknown }).response);
	});

	prove(`${RULES}/3`, 'a field or a value that is not documented leaves no client', async context => {
		const { client, server } = context;
		const extra = { berth: 7 } as object;
		const message = user('text');
		const { topic } = questions;
		const requests: ((client: Client) => Promise<unknown>)[] = [
			client => client.chat.complete({ ...asking('text'), ...extra }),
			client => client.chat.complete(asking('text', { messages: [{ ...message, ...extra }] })),
			client => client.chat.complete(asking('text', { provider: extra })),
			client => client.chat.complete(asking('text', { tool_choice: 'perhaps' as 'auto' })),
			client => whole(client.chat.stream({ ...asking('text'), ...extra })),
			client => whole(client.search.stream([{ ...message, ...extra }])),
			client => client.images.generate({ model: imageModel.id, prompt: 'A boat', ...extra }),
			client => whole(client.responses.stream({ model: MODEL, input: [message], ...extra })),
			client => whole(client.responses.stream({ model: MODEL, input: [{ ...message, ...extra }] })),
			client => client.decisions.evaluate({ state, questions: { topic: { ...topic, ...extra } } }),
			client => client.tasks.list({ ...extra }),
			client => client.tasks.list({ status: 'asleep' as 'active' }),
			client => client.tasks.list({ filter: 'some' as 'all' }),
			client => client.tasks.create({ prompt: 'x', repoUrl, ...extra }),
			client => client.tasks.continue('t1', { prompt: 'x', ...extra }),
			client => client.agentTasks.list({ ...extra }),
		];
		for (const [index, request] of requests.entries()) {
			await assert.rejects(
				request(client),
				(error: unknown) => ClientError.is(error, 'invalid-request') && !error.wasSent,
				String(index),
			);
		}
		assert.deepEqual(server.received, []);
		await arrives(context, asking('text'));
	});

	prove(`${RULES}/4`, 'what the service does not say is told as not known', async ({ client, server }) => {
		const answer = (json: unknown) => server.answer(() => true, { status: 200, headers: {}, json });
		answer({ choices: [{ message: { content: 'x' } }] });
		const { model, provider, usage, choices } = await client.chat.complete(asking('text'));
		assert.deepEqual([model, provider, usage, choices[0]?.finish_reason], [undefined, undefined, undefined, undefined]);
		answer({ answers: {} });
		const decision = await client.decisions.evaluate({ state, questions });
		assert.deepEqual([decision.model, decision.usage], [undefined, undefined]);
		assert.deepEqual(decision.answers.late, { type: 'other', received: undefined });
		answer({ tasks: [{ id: 't1' }] });
		const { tasks } = await client.tasks.list();
		assert.deepEqual(JSON.parse(JSON.stringify(tasks)), [{ id: 't1' }]);
		server.answer(() => true, {
			status: 200,
			headers: {},
			events: [{ data: { choices: [{ delta: { content: 'x' } }] } }, { data: '[DONE]' }],
		});
		const { events, error } = await collect(client.chat.stream(asking('text')));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'x');
		assert.deepEqual([...new Set(events.map(({ type }) => type))], ['text']);
	});
});
