import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {
	controlPaths,
	DISCOVERY_FILE,
	discoverySchema,
	gatewayDescriptionSchema,
} from '../../../../src/contract/control.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../support/upstreamServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { errorOf, eventsOf } from '../helpers.ts';

const KEY = 'key-of-the-upstream-4711';

interface Completion {
	id: string;
	object: string;
	model: string;
	provider: string;
	usage: { total_tokens: number; completion_tokens_details: object; prompt_tokens_details: object };
	choices: {
		message: { role: string; content: string; tool_calls: unknown };
		finish_reason: string;
		provider_specific_fields: { native_finish_reason: string };
	}[];
}

interface Model {
	id: string;
	created: number;
}

describe('the inference routes over an upstream', () => {
	let upstream: UpstreamServer;
	let service: ServiceProcess;

	before(async () => {
		upstream = await UpstreamServer.start();
		service = await ServiceProcess.start({
			handover: {
				upstreams: [{ slug: 'own', url: upstream.url, key: KEY, contextLength: 1000, label: 'Own' }],
				findOllama: false,
			},
		});
	});
	beforeEach(() => {
		upstream.behaviour = {};
		upstream.requests.length = 0;
	});
	after(async () => {
		await service.stop();
		await upstream.stop();
	});

	const post = (body: object = {}, target = '/chat/completions', init: RequestInit = {}) =>
		service.fetch(target, {
			json: { model: 'small', messages: [{ role: 'user', content: 'Hello' }], ...body },
			...init,
		});

	async function whole(body: object = {}, target = '/chat/completions'): Promise<Completion> {
		const response = await post(body, target);
		assert.equal(response.status, 200, await response.clone().text());
		return (await response.json()) as Completion;
	}

	it('answer alike on both paths of both forms', async () => {
		for (const target of ['/chat/completions', '/v1/chat/completions']) {
			for (const form of ['', '/enterprise']) {
				const { provider, model, choices } = await whole({}, form + target);
				assert.deepEqual([provider, model, choices[0]?.message.content], ['own', 'small', 'Hello there']);
			}
		}
	});

	it('put a whole reply together from the stream of the upstream, tool calls in fragments too', async () => {
		const delta = (delta: object, finish_reason: string | null = null) => ({
			choices: [{ index: 0, delta, finish_reason }],
		});
		const fragment = (index: number, text: string, rest: object = {}, name?: string) => ({
			tool_calls: [{ index, ...rest, function: { ...(name ? { name } : {}), arguments: text } }],
		});
		upstream.behaviour = {
			chunks: [
				delta({ role: 'assistant', content: 'I ' }),
				delta({ content: 'look.' }),
				delta(fragment(0, '{"a"', { id: 'c0', type: 'function' }, 'first')),
				delta(fragment(1, '{', { id: 'c1', type: 'function' }, 'second')),
				delta(fragment(0, ':1}')),
				delta(fragment(1, '}')),
				delta({}, 'tool_calls'),
			],
		};
		const { choices, object, usage } = await whole();
		assert.equal(object, 'chat.completion');
		assert.deepEqual(choices[0]?.message, {
			role: 'assistant',
			content: 'I look.',
			tool_calls: [
				{ id: 'c0', type: 'function', function: { name: 'first', arguments: '{"a":1}' } },
				{ id: 'c1', type: 'function', function: { name: 'second', arguments: '{}' } },
			],
			function_call: null,
		});
		assert.equal(usage.total_tokens, 10);
		assert.deepEqual(Object.keys(usage.completion_tokens_details).length, 4);
		assert.deepEqual(usage.prompt_tokens_details, { audio_tokens: 0, cached_tokens: 0 });
	});

	it('name the provider in each chunk, begin with the role and tell the native reason', async () => {
		const chunks: (Completion & { choices: { delta: { role?: string } }[] })[] = [];
		let end = '';
		for await (const { data } of eventsOf(await post({ stream: true }, '/enterprise/chat/completions'))) {
			if (data.startsWith('{')) {
				chunks.push(JSON.parse(data));
			} else {
				end = data;
			}
		}
		assert.equal(end, '[DONE]');
		assert.ok(
			chunks.every(({ provider, model, id }) => provider === 'own' && model === 'small' && id === chunks[0]?.id),
		);
		assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
		const last = chunks.find(({ choices }) => choices[0]?.finish_reason);
		assert.equal(last?.choices[0]?.provider_specific_fields.native_finish_reason, 'stop');
		assert.equal(chunks.at(-1)?.usage.total_tokens, 5);
	});

	it('tell an error in the middle of the stream, after what came before it', async () => {
		upstream.behaviour = { errorAfter: 1 };
		const events: string[] = [];
		for await (const { data } of eventsOf(await post({ stream: true }))) {
			events.push(data);
		}
		assert.match(events[0] ?? '', /Hello/);
		assert.deepEqual(JSON.parse(events.at(-1) ?? '').error, {
			message: 'Own had an internal error: it broke.',
			code: 'upstream_error',
			upstreams: [
				{
					slug: 'own',
					label: 'Own',
					origin: new URL(upstream.url).origin,
					hasKey: true,
					code: 'server',
					said: 'it broke',
				},
			],
		});
		assert.match(await errorOf(await post(), 502), /it broke/);
	});

	it('pass on that the upstream is busy, and for how long', async () => {
		upstream.behaviour = { status: 429, headers: { 'retry-after': '3' } };
		const response = await post({ stream: true });
		assert.equal(response.headers.get('retry-after'), '3');
		assert.match(await errorOf(response, 429), /is limiting requests/);
	});

	it('end what the upstream does when the client goes', async () => {
		upstream.behaviour = { isEndless: true };
		const leaving = new AbortController();
		const response = await post({ stream: true }, '/chat/completions', { signal: leaving.signal });
		await response.body?.getReader().read();
		leaving.abort();
		await waitFor('the abort at the upstream', () => upstream.chats[0]?.wasAbandoned);
	});

	it('read no faster from the upstream than the client reads', async () => {
		upstream.behaviour = { isEndless: true };
		upstream.sentBytes = 0;
		const response = await post({ stream: true });
		const reader = response.body?.getReader();
		await reader?.read();
		let sent = -1;
		await waitFor('the upstream to wait', async () => {
			const before = sent;
			sent = upstream.sentBytes;
			await new Promise(resolve => setTimeout(resolve, 150));
			return before === sent && upstream.sentBytes === sent;
		});
		assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes lie between the two`);
		await reader?.cancel();
	});

	it('send the upstream its own key, and never the token of the service', async () => {
		await whole();
		const text = JSON.stringify(upstream.requests);
		assert.ok(!text.includes(service.token));
		assert.equal(upstream.chats[0]?.headers.authorization, `Bearer ${KEY}`);
	});

	it('take prefixes at /chat/completions of the enterprise form, and refuse them elsewhere with the reason', async () => {
		assert.equal((await whole({ model: 'own/small' }, '/enterprise/chat/completions')).model, 'small');
		assert.match(await errorOf(await post({ model: 'own/small' }), 400), /enterprise host alone.*\["own"\]/);
		const versioned = await post({ model: 'own/small' }, '/enterprise/v1/chat/completions');
		assert.match(await errorOf(versioned, 400), /at \/chat\/completions alone/);
		assert.equal((await whole({ model: 'errand/small' })).provider, 'own');
	});

	it('list the models on both forms, and give each of them alone', async () => {
		for (const form of ['', '/enterprise']) {
			const { data, ...list } = (await (await service.fetch(`${form}/v1/models`)).json()) as { data: Model[] };
			assert.deepEqual(list, { object: 'list' });
			const [small] = data;
			assert.ok(small && Number.isInteger(small.created) && small.created <= Date.now() / 1000);
			const { created } = small;
			assert.deepEqual(small, { id: 'small', object: 'model', owned_by: 'own', context_length: 1000, created });
			assert.ok(data.some(({ id }) => id === 'demo'));
			assert.deepEqual(await (await service.fetch(`${form}/v1/models/small`)).json(), small);
		}
	});

	it('give a model whose name has slashes, and refuse one that is not there in the form of chat', async () => {
		upstream.behaviour = { models: [{ id: 'vendor/small' }] };
		const other = await ServiceProcess.start({ handover: { upstreams: [{ slug: 'own', url: upstream.url }] } });
		try {
			for (const name of ['vendor/small', 'vendor%2Fsmall']) {
				const response = await other.fetch(`/v1/models/${name}`);
				assert.equal(((await response.json()) as Model).id, 'vendor/small', name);
			}
			const refused = (await (await other.fetch('/v1/models/small')).json()) as { error: object };
			assert.deepEqual(Object.keys(refused.error), ['message', 'code']);
			assert.match(JSON.stringify(refused), /no such model here.*"vendor\/small\\?"/);
		} finally {
			await other.stop();
		}
	});

	it('say in the list which server did not list its models and how it failed, as does the refusal and the log', async () => {
		const gone = await UpstreamServer.start();
		const { url } = gone;
		await gone.stop();
		upstream.behaviour = { listStatus: 401 };
		const upstreams = [
			{ slug: 'locked', url: upstream.url },
			{ slug: 'dead', url },
			{ slug: 'nowhere', url: 'http://models.invalid/v1' },
		];
		// A proxy would look the name up by itself.
		const other = await ServiceProcess.start({
			handover: { upstreams },
			environment: { no_proxy: '*', NO_PROXY: '*' },
		});
		try {
			const problems = [
				{ provider: 'locked', message: 'locked requires a key (HTTP 401).' },
				{
					provider: 'dead',
					message: `dead can’t be reached: nothing responds at ${new URL(url).host} (ECONNREFUSED).`,
				},
			];
			const list = (await (await other.fetch('/v1/models')).json()) as { problems: typeof problems };
			assert.deepEqual(list.problems.slice(0, 2), problems);
			assert.match(
				list.problems[2]?.message ?? '',
				/^nowhere can’t be reached: nothing responds at models\.invalid \((?:ENOTFOUND|EAI_AGAIN)\)\.$/,
			);
			const json = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
			const refused = await errorOf(await other.fetch('/chat/completions', { json }), 404);
			const log = await readFile(path.join(other.stateFolder, 'service.log'), 'utf8');
			for (const { message } of problems) {
				assert.ok(refused.includes(message), refused);
			}
			assert.match(log, /did not list its models connection=locked code=unauthorised status=401/);
			assert.match(log, /did not list its models connection=dead code=offline reason=ECONNREFUSED/);
		} finally {
			await other.stop();
		}
	});

	describe('a request with fields beyond the contract', () => {
		const log = () => readFile(path.join(service.stateFolder, 'service.log'), 'utf8');

		it('is served without them, and the log names each once and no value', async () => {
			for (let count = 0; count < 2; count++) {
				await whole({
					messages: [{ role: 'user', content: 'Hello', name: 'Secret_Name' }],
					metadata: { secret: 'value' },
					verbosity: 'low',
					n: 1,
				});
			}
			const { stream_options, ...sent } = upstream.chats[0]?.body ?? {};
			assert.deepEqual(sent, { model: 'small', messages: [{ role: 'user', content: 'Hello' }], stream: true });
			const text = await log();
			for (const field of ['messages.name', 'metadata', 'verbosity', 'n']) {
				const lines = text.split('\n').filter(line => line.endsWith(` changes no answer field=${field}`));
				assert.equal(lines.length, 1, field);
			}
			assert.doesNotMatch(text, /Secret_Name|value/);
		});

		it('is refused for those that would change the answer, by their names', async () => {
			for (const [field, value] of Object.entries({ n: 2, audio: {}, prediction: {}, functions: [] })) {
				assert.match(await errorOf(await post({ [field]: value }), 400), new RegExp(`"${field}"`));
			}
			assert.equal(upstream.chats.length, 0);
		});

		it('that wants one tool call at a time gets the first alone, streamed and whole', async () => {
			const fragment = (index: number, id: string | undefined, text: string) => ({
				choices: [
					{
						index: 0,
						delta: { tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: text } }] },
						finish_reason: null,
					},
				],
			});
			const first = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }];
			for (const chunks of [
				[fragment(0, 'a', '{"x":'), fragment(1, 'b', '{'), fragment(0, undefined, '1}'), fragment(1, undefined, '}')],
				// Some servers use one index for all calls.
				[fragment(0, 'a', '{"x":1}'), fragment(0, 'b', '{'), fragment(0, undefined, '}')],
			]) {
				upstream.behaviour = { chunks };
				const fields = { parallel_tool_calls: false, tools: [{ type: 'function', function: { name: 'f' } }] };
				assert.deepEqual((await whole(fields)).choices[0]?.message.tool_calls, first);
				let text = '';
				for await (const { data } of eventsOf(await post({ ...fields, stream: true }))) {
					const calls = data.startsWith('{') ? (JSON.parse(data).choices[0]?.delta.tool_calls ?? []) : [];
					assert.ok(calls.every(({ id = 'a' }) => id === 'a'));
					text += calls.map((call: { function: { arguments: string } }) => call.function.arguments).join('');
				}
				assert.equal(text, '{"x":1}');
				assert.equal(upstream.chats.at(-1)?.body['parallel_tool_calls'], undefined);
			}
		});
	});

	it('tell a window what can be named now', async () => {
		const description = gatewayDescriptionSchema.parse(await (await service.fetch(controlPaths.description)).json());
		assert.equal(description.models[0]?.contextLength, 1000);
		assert.deepEqual(description.providers[0], { slug: 'own', label: 'Own', models: ['small'] });
		assert.deepEqual(description.providerPrefixes[0], { prefix: 'own', provider: 'own' });
	});

	describe('aliases', () => {
		const aliased = () => post({ model: 'mine' }, '/enterprise/chat/completions');
		const file = () => path.join(service.stateFolder, 'aliases.json');
		const log = () => readFile(path.join(service.stateFolder, 'service.log'), 'utf8');

		it('are read from their file, again when it changes, and stay when it breaks', async () => {
			assert.match(await errorOf(await aliased(), 404), /no such model/);
			await writeFile(file(), JSON.stringify([{ name: 'mine', model: 'small', provider: 'own' }]));
			assert.equal(((await (await aliased()).json()) as Completion).provider, 'own');
			assert.match(
				await errorOf(await post({ model: 'mine' }), 400),
				/alias is understood on the enterprise host alone/,
			);
			for (const broken of ['[{"name": "mine"', '[{"name":"mine"}]', '{}']) {
				await writeFile(file(), broken);
				assert.equal((await aliased()).status, 200, broken);
			}
			assert.equal((await log()).match(/aliases\.json cannot be read/g)?.length, 3);
			await writeFile(file(), JSON.stringify([{ name: 'mine', model: 'demo', provider: { only: ['demo'] } }]));
			assert.equal(((await (await aliased()).json()) as Completion).provider, 'demo');
			await writeFile(file(), '[]');
			assert.match(await errorOf(await aliased(), 404), /no such model/);
		});
	});

	describe('the control pipe', () => {
		async function put(body: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
			const file = path.join(service.stateFolder, DISCOVERY_FILE);
			const { pipe = '' } = discoverySchema.parse(JSON.parse(await readFile(file, 'utf8')));
			return new Promise((resolve, reject) => {
				const request = http.request(
					{ socketPath: pipe, path: controlPaths.upstreams, method: 'PUT', headers, agent: false },
					async response => {
						let text = '';
						for await (const piece of response.setEncoding('utf8')) {
							text += piece;
						}
						resolve({ status: response.statusCode ?? 0, text });
					},
				);
				request.on('error', reject);
				request.end(body);
			});
		}

		it('is of the OS user alone', async function () {
			if (process.platform === 'win32') {
				this.skip();
			}
			const { mode } = await stat(path.join(service.stateFolder, 'control.sock'));
			assert.equal(mode & 0o777, 0o600);
		});

		it('refuses a call without the token and a body that is not a list, and never repeats a key', async () => {
			const authorization = `Bearer ${service.token}`;
			assert.equal((await put('{}', {})).status, 401);
			assert.equal((await put('{}', { authorization: 'Bearer wrong' })).status, 401);
			assert.equal((await put('{', { authorization })).status, 400);
			const upstreams = [{ slug: 'one', url: 'http://example.com', key: KEY }];
			const refused = await put(JSON.stringify({ upstreams, findOllama: false }), { authorization });
			assert.equal(refused.status, 400);
			assert.match(refused.text, /upstreams\[0\]: a key goes to https and loopback addresses only/);
			assert.ok(!refused.text.includes(KEY));
		});

		it('is the only way for upstreams to come in', async () => {
			const response = await service.fetch(controlPaths.upstreams, {
				method: 'PUT',
				json: { upstreams: [], findOllama: false },
			});
			assert.equal(response.status, 404);
		});

		it('puts a newer list in the place of the older one, while a reply goes on', async () => {
			upstream.behaviour = { pauseMs: 100, pieces: ['1', '2', '3', '4', '5'] };
			const running = whole();
			await waitFor('the request', () => upstream.chats.length === 1);
			const upstreams = [{ slug: 'renamed', url: upstream.url, key: KEY }];
			const authorization = `Bearer ${service.token}`;
			const { status } = await put(JSON.stringify({ upstreams, findOllama: false }), { authorization });
			assert.equal(status, 200);
			assert.equal((await running).choices[0]?.message.content, '12345');
			assert.equal((await whole()).provider, 'renamed');
		});
	});

	it('keep the key out of the state folder, the command line and the environment', async () => {
		for (const file of [DISCOVERY_FILE, 'service.log', 'state.sqlite']) {
			assert.ok(!(await readFile(path.join(service.stateFolder, file))).includes(KEY), file);
		}
		if (process.platform === 'linux') {
			for (const file of ['cmdline', 'environ']) {
				assert.ok(!(await readFile(`/proc/${service.pid}/${file}`)).includes(KEY), file);
			}
		}
	});
});

describe('a start with upstreams', () => {
	it('that break off ends with a sentence, and so does an input without any', async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-upstreams-'));
		const args = [
			'--disable-warning=ExperimentalWarning',
			'src/service/entry.ts',
			'--data',
			folder,
			'--upstreams-from-stdin',
		];
		try {
			for (const [input, sentence] of [
				[
					'{"upstreams": [\n{"slug": "one",\n',
					'The upstreams are not valid JSON. See --upstreams-from-stdin of --help.\n',
				],
				['\n', 'The standard input ended before the list of upstreams. See --help.\n'],
			] as const) {
				const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' });
				assert.deepEqual([status, stdout, stderr], [1, '', sentence]);
			}
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});

	it('that are no list ends with a sentence that does not repeat them', async () => {
		const handover = { upstreams: [{ slug: 'one', url: 'nowhere', key: KEY }], findOllama: false };
		await assert.rejects(ServiceProcess.start({ handover }), (error: Error) => {
			assert.match(error.message, /upstreams\[0\]\.url: must be an http or https address.* See --upstreams-from-stdin/);
			assert.ok(!error.message.includes(KEY));
			return true;
		});
	});
});
