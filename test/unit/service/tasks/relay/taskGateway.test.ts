import assert from 'node:assert/strict';
import { systemClock } from '../../../../../src/base/async.ts';
import type { ChatGateway } from '../../../../../src/service/inference/gateway.ts';
import { ProviderFailure, type ProviderRequest } from '../../../../../src/service/inference/provider.ts';
import { describeCall, type ModelCall } from '../../../../../src/service/tasks/relay/modelCall.ts';
import { type ModelTerms, TaskGateway, USER_SETTINGS } from '../../../../../src/service/tasks/relay/taskGateway.ts';
import { waitFor } from '../../../../support/waitFor.ts';
import { allOf, refusal, textOf, useGateway } from '../../inference/gatewayHarness.ts';

/** A dollar for each token, so that costs are easy to read. */
const DOLLARS = { prices: { input: 1_000_000, output: 1_000_000 } };
const SECRET = 'the words of the prompt';

describe('the gateway of one run', () => {
	const start = useGateway();

	function taskGateway({ gateway }: { gateway: ChatGateway }, terms: Partial<ModelTerms> = {}) {
		const calls: ModelCall[] = [];
		const refused: string[] = [];
		const overBudget: string[] = [];
		const unpriced: string[] = [];
		const task = new TaskGateway(
			gateway,
			{ model: 'small', provider: undefined, maxCost: undefined, settings: USER_SETTINGS, ...terms },
			{
				onCall: call => calls.push(call),
				onRefused: sentence => refused.push(sentence),
				onOverBudget: sentence => overBudget.push(sentence),
				onUnpriced: sentence => unpriced.push(sentence),
			},
			systemClock,
		);
		const chat = (request: Partial<ProviderRequest> = {}, signal = new AbortController().signal) =>
			task.chat(
				{ model: task.model, messages: [{ role: 'user', content: SECRET }], ...request },
				{ host: 'public', endpoint: 'chat', signal },
			);
		return { task, chat, calls, refused, overBudget, unpriced };
	}

	it('asks for the task’s model with the task’s policy, whatever the request says', async () => {
		const harness = await start({ near: {}, far: {} });
		const { chat, calls } = taskGateway(harness, { provider: { only: ['far'] } });
		const { chunks } = await chat({ models: ['demo'], provider: { only: ['near'], zdr: false } });
		assert.equal(textOf(await allOf(chunks)), 'Hello there');
		assert.equal(harness.server('near').chats.length, 0);
		assert.equal(calls[0]?.provider, 'far');
		assert.equal('provider' in (harness.server('far').chats[0]?.body ?? {}), false);
	});

	it('passes on nothing of a request’s own routing where the task has none', async () => {
		const { gateway } = await start({ up: { models: ['small', 'large'] } });
		const sent: ProviderRequest[] = [];
		const watched: ChatGateway = {
			...gateway,
			chat(request, call) {
				sent.push(request);
				return gateway.chat(request, call);
			},
		};
		const { chat } = taskGateway({ gateway: watched });
		await allOf((await chat({ models: ['large'], provider: { only: ['nobody'] }, temperature: 1 })).chunks);
		assert.deepEqual(sent, [{ model: 'small', messages: [{ role: 'user', content: SECRET }], temperature: 1 }]);
	});

	it('keeps to zero data retention when the task demands it and the request does not', async () => {
		const harness = await start({ up: {} });
		const { chat, calls } = taskGateway(harness, { provider: { zdr: true } });
		await refusal(chat({ provider: { zdr: false } }), 404);
		assert.equal(harness.server('up').chats.length, 0);
		assert.equal(calls[0]?.outcome, 'failed');
		assert.match(calls[0]?.failure ?? '', /provider\.zdr/);
	});

	it('refuses every other model, and says so in the log', async () => {
		const harness = await start({ up: { models: ['small', 'large'] } });
		const { chat, refused, calls } = taskGateway(harness);
		for (const model of ['large', 'up/small', 'demo', `large\u001b[31m${'x'.repeat(500)}`]) {
			const { message } = await refusal(chat({ model }), 400);
			assert.equal(message, 'model: this task has the model "small" and no other.');
		}
		assert.equal(harness.server('up').chats.length, 0);
		assert.equal(refused[0], `A call for the model "large" was refused: the task's model is "small".`);
		assert.ok(refused.every(sentence => sentence.length < 200 && !sentence.includes('\u001b')));
		assert.deepEqual(calls, []);
	});

	it('searches the web with the service’s search model, within the same limit, and counts it', async () => {
		const harness = await start({ up: { models: ['small', { id: 'finder', kinds: ['search'], ...DOLLARS }] } });
		const { task, calls } = taskGateway(harness);
		const { signal } = new AbortController();
		assert.equal(await task.search('cats', signal), 'Hello there');
		assert.deepEqual(harness.server('up').chats[0]?.body['messages'], [{ role: 'user', content: 'cats' }]);
		assert.deepEqual(
			calls.map(({ model, outcome, cost = 0 }) => [model, outcome, cost > 0]),
			[['finder', 'whole', true]],
		);
		const limited = taskGateway(harness, { maxCost: 1 });
		await assert.rejects(
			limited.task.search('cats', signal),
			/^UserFacingError: The search failed: .*limit of the cost/,
		);
		assert.equal(limited.overBudget.length, 1);
		await refusal(limited.chat(), 402);
		const { task: without } = taskGateway(await start({ up: {} }));
		await assert.rejects(without.search('cats', signal), /no model for web searches/);
	});

	it('resolves the task’s own model with its prefix or as an alias', async () => {
		const harness = await start({ up: {}, other: {} });
		const { chat, task, calls } = taskGateway(harness, { model: 'up/small' });
		await allOf((await chat()).chunks);
		assert.equal(calls[0]?.provider, 'up');
		assert.deepEqual(
			(await task.describe()).models.map(({ id }) => id),
			['up/small'],
		);
	});

	it('describes one model and nothing else of this machine', async () => {
		const harness = await start({ up: { models: [{ id: 'small', contextLength: 8_000 }, 'large'] } });
		const description = await taskGateway(harness).task.describe();
		assert.deepEqual(
			description.models.map(({ id, contextLength }) => ({ id, contextLength })),
			[{ id: 'small', contextLength: 8_000 }],
		);
		assert.deepEqual([description.providers, description.aliases, description.foundServers], [[], [], []]);
	});

	it('lowers a limit of output to what the model can do, and adds none', async () => {
		const models = [{ id: 'small', contextLength: 8_000, maxOutputTokens: 1_000 }];
		const harness = await start({ up: { models } });
		const { chat } = taskGateway(harness);
		for (const wanted of [32_000, 10, undefined]) {
			await allOf((await chat(wanted === undefined ? {} : { max_tokens: wanted })).chunks);
		}
		const sent = harness.server('up').chats.map(({ body }) => body['max_tokens']);
		assert.deepEqual(sent, [1_000, 10, undefined]);
	});

	it('lowers the budget of thinking with that limit, and leaves thinking out where too little remains', async () => {
		const sent: unknown[] = [];
		for (const maxOutputTokens of [4_000, 1_024]) {
			const harness = await start({ up: { kind: 'messages', models: [{ id: 'small', maxOutputTokens }] } });
			const { chat } = taskGateway(harness);
			for (const budget_tokens of [500, 20_000]) {
				const hints = { thinking: { type: 'enabled', budget_tokens }, effort: 'high' };
				await chat({ max_tokens: 32_000, hints }).catch(() => {});
				const { thinking, output_config } = harness.server('up').chats.at(-1)?.body ?? {};
				assert.deepEqual(output_config, { effort: 'high' });
				sent.push((thinking as typeof hints.thinking | undefined)?.budget_tokens);
			}
		}
		assert.deepEqual(sent, [500, 3_999, 500, undefined]);
	});

	it('learns the limits of a model that its server did not name at first', async () => {
		const harness = await start({ up: { models: [{ id: 'small', maxOutputTokens: 1_000 }] } });
		let isNamed = false;
		const late: ChatGateway = {
			...harness.gateway,
			async describe() {
				const description = await harness.gateway.describe();
				return isNamed ? description : { ...description, models: [] };
			},
		};
		const { chat, task } = taskGateway({ gateway: late });
		assert.deepEqual((await task.describe()).models, [{ id: 'small', kinds: ['chat'] }]);
		isNamed = true;
		await allOf((await chat({ max_tokens: 9_000 })).chunks);
		assert.equal(harness.server('up').chats[0]?.body['max_tokens'], 1_000);
	});

	it('counts calls, tokens and cost by the prices of the provider that served', async () => {
		const harness = await start({
			cheap: { prices: { input: 1, output: 1 } },
			dear: { prices: { input: 2_000_000, output: 10_000_000 } },
		});
		const { chat, calls } = taskGateway(harness, { provider: { only: ['dear'] } });
		await allOf((await chat()).chunks);
		await allOf((await chat()).chunks);
		const [call] = calls;
		assert.ok(call && call.seconds >= 0);
		assert.deepEqual(
			{ ...call, seconds: 0 },
			{
				model: 'small',
				provider: 'dear',
				outcome: 'whole',
				failure: undefined,
				inputTokens: 3,
				outputTokens: 2,
				isEstimated: false,
				cost: 26,
				seconds: 0,
			},
		);
		assert.deepEqual(
			calls.map(({ cost }) => cost),
			[26, 26],
		);
	});

	it('has no cost for a model without prices and no limit either, which it says once', async () => {
		const harness = await start({ up: {} });
		const { chat, calls, overBudget, unpriced } = taskGateway(harness, { maxCost: 0 });
		await allOf((await chat()).chunks);
		await allOf((await chat()).chunks);
		assert.deepEqual(
			calls.map(({ inputTokens, outputTokens, cost }) => ({ inputTokens, outputTokens, cost })),
			Array(2).fill({ inputTokens: 3, outputTokens: 2, cost: undefined }),
		);
		assert.match(describeCall(calls[0] as ModelCall), /^small by up: 3 tokens in, 2 out, cost not known, /);
		assert.deepEqual(overBudget, []);
		assert.deepEqual(unpriced, [
			'The model small of up has no price here, so the limit of US$ 0 (errand.tasks.maxCost) does not hold for it. Give it prices in errand.local.upstreams.',
		]);
	});

	it('says nothing about prices where there is no limit, or where the provider that serves has one', async () => {
		const free = taskGateway(await start({ up: {} }));
		await allOf((await free.chat()).chunks);
		const harness = await start({ priced: { prices: { input: 1, output: 1 } }, unpriced: {} });
		const priced = taskGateway(harness, { maxCost: 5, provider: { only: ['priced'] } });
		await allOf((await priced.chat()).chunks);
		const other = taskGateway(harness, { maxCost: 5, provider: { only: ['unpriced'] } });
		await allOf((await other.chat()).chunks);
		assert.deepEqual([free.unpriced, priced.unpriced, other.unpriced.length], [[], [], 1]);
	});

	it('estimates what a provider does not count', async () => {
		const harness = await start({
			up: { ...DOLLARS, behaves: { isForgetful: true, chunks: [finished('twelve chars')] } },
		});
		const { chat, calls } = taskGateway(harness);
		await allOf((await chat({ messages: [{ role: 'user', content: 'x'.repeat(40) }] })).chunks);
		const { inputTokens, outputTokens, isEstimated, cost } = calls[0] as ModelCall;
		assert.deepEqual(
			{ inputTokens, outputTokens, isEstimated, cost },
			{ inputTokens: 16, outputTokens: 4, isEstimated: true, cost: 20 },
		);
	});

	it('counts what the agent says that it has cost, where that is more', async () => {
		const { task, chat, overBudget } = taskGateway(await start({ up: DOLLARS }), { maxCost: 20 });
		task.tellCost(19);
		task.tellCost(1);
		assert.equal(textOf(await allOf((await chat()).chunks)), 'Hello there');
		assert.deepEqual(overBudget, []);
		task.tellCost(20);
		assert.equal(overBudget.length, 1);
		await assert.rejects(chat());
	});

	it('refuses calls once its limit is spent, and says so once', async () => {
		const harness = await start({ up: DOLLARS });
		const { task, chat, overBudget, refused, calls } = taskGateway(harness, { maxCost: 5 });
		assert.equal(textOf(await allOf((await chat()).chunks)), 'Hello there');
		for (let again = 0; again < 3; again++) {
			const { message, code } = await refusal(chat(), 402);
			assert.equal(message, 'This agent has spent its limit of US$ 5 for models, which errand.tasks.maxCost sets.');
			assert.equal(code, 'over_budget');
		}
		assert.deepEqual(overBudget, [
			'This agent has spent its limit of US$ 5 for models, which errand.tasks.maxCost sets.',
		]);
		const request = { model: task.model, messages: [{ role: 'user' as const, content: SECRET }] };
		const { signal } = new AbortController();
		await refusal(task.countTokens(request, { host: 'public', endpoint: 'chat', signal }), 402);
		assert.equal(refused.length, 1);
		assert.equal(calls.length, 1);
		assert.equal(harness.server('up').chats.length, 1);
	});

	it('breaks off a reply that alone exceeds the limit, and leaves the upstream', async () => {
		const harness = await start({ up: { ...DOLLARS, behaves: { isEndless: true } } });
		const { chat, overBudget, calls } = taskGateway(harness, { maxCost: 20 });
		const { chunks } = await chat();
		await assert.rejects(allOf(chunks), (error: unknown) => {
			assert.ok(error instanceof ProviderFailure);
			assert.match(error.message, /^This agent has spent its limit of US\$ 20 /);
			return true;
		});
		assert.equal(overBudget.length, 1);
		assert.equal(calls[0]?.outcome, 'failed');
		assert.ok((calls[0]?.cost ?? 0) >= 20);
		assert.match(describeCall(calls[0] as ModelCall), /limit of the cost is spent\.$/);
		assert.deepEqual(await chunks.next(), { done: true, value: undefined });
	});

	it('breaks off the other replies that run when the limit is spent', async () => {
		const harness = await start({ up: { ...DOLLARS, behaves: { isEndless: true } } });
		const { chat, overBudget } = taskGateway(harness, { maxCost: 50 });
		const replies = await Promise.all([chat(), chat(), chat()]);
		const ends = await Promise.allSettled(replies.map(({ chunks }) => allOf(chunks)));
		assert.ok(ends.every(({ status }) => status === 'rejected'));
		assert.equal(overBudget.length, 1);
	});

	it('counts a reply that an agent leaves before the provider told its usage', async () => {
		const harness = await start({ up: { ...DOLLARS, behaves: { isEndless: true } } });
		const { chat, calls } = taskGateway(harness, { maxCost: 1_000_000 });
		const { chunks } = await chat();
		await chunks.next();
		await chunks.return();
		await chunks.return();
		assert.equal(calls.length, 1);
		assert.equal(calls[0]?.outcome, 'left');
		assert.equal(calls[0]?.isEstimated, true);
		assert.ok((calls[0]?.cost ?? 0) >= 250);
	});

	it('tells when all calls were counted, also those that are taken back while no provider has answered', async () => {
		const harness = await start({ up: { ...DOLLARS, behaves: { firstMs: 20_000 } } });
		const { chat, calls, task } = taskGateway(harness);
		await task.allCounted();
		const gone = new AbortController();
		const reply = chat({}, gone.signal).catch(() => {});
		await waitFor('the call', () => harness.server('up').chats.length === 1);
		let isCounted = false;
		const counted = task.allCounted().then(() => {
			isCounted = true;
		});
		assert.equal(isCounted, false);
		gone.abort();
		await counted;
		assert.deepEqual(
			calls.map(({ outcome }) => outcome),
			['left'],
		);
		await reply;
	});

	it('counts a request that an agent takes back before the first word', async () => {
		const harness = await start({ up: { ...DOLLARS, behaves: { firstMs: 20_000 } } });
		const { chat, calls, overBudget } = taskGateway(harness, { maxCost: 5 });
		const gone = new AbortController();
		const reply = chat({}, gone.signal);
		setTimeout(() => gone.abort(), 100);
		await assert.rejects(reply);
		assert.equal(calls[0]?.outcome, 'left');
		assert.equal(calls[0]?.provider, undefined);
		assert.equal(overBudget.length, 1);
	});

	it('reports a failure with the names of model and provider, and nothing of prompt or reply', async () => {
		const echo = { error: { message: `Invalid request: ${SECRET}` } };
		const failing = await start({ up: { behaves: { status: 400, body: echo } } });
		const breaking = await start({ up: { behaves: { pieces: ['a', SECRET, 'c'], breaksAfter: 2 } } });
		const one = taskGateway(failing);
		await refusal(one.chat(), 400);
		const other = taskGateway(breaking);
		await assert.rejects(allOf((await other.chat()).chunks));
		const lines = [...one.calls, ...other.calls].map(describeCall);
		assert.equal(lines.length, 2);
		assert.match(lines[0] ?? '', /^small: \d.* s, failed: up rejected the request \(HTTP 400\)\.$/);
		assert.match(lines[1] ?? '', /^small by up: .*failed: up ended its reply early\.$/);
		assert.ok(!JSON.stringify([one.calls, other.calls, lines]).includes(SECRET));
	});

	it('does not let a hostile count of an upstream lower what was spent', async () => {
		const usage = { prompt_tokens: -1_000, completion_tokens: -5 };
		const harness = await start({
			up: { ...DOLLARS, behaves: { chunks: [{ ...finished('Hello'), usage }], isForgetful: true } },
		});
		const { chat, calls } = taskGateway(harness);
		await allOf((await chat()).chunks);
		const [call] = calls;
		assert.ok(call && call.inputTokens > 0 && call.outputTokens > 0 && (call.cost ?? 0) > 0);
	});

	it('estimates instead of counting what no number of tokens can be, as the database could not keep it', async () => {
		for (const tokens of [12.5, 1e10, 1e16, 1e300]) {
			const usage = { prompt_tokens: tokens, completion_tokens: tokens };
			const behaves = { chunks: [{ ...finished('twelve chars'), usage }], isForgetful: true };
			const { chat, calls } = taskGateway(await start({ up: { ...DOLLARS, behaves } }));
			await allOf((await chat({ messages: [{ role: 'user', content: 'x'.repeat(40) }] })).chunks);
			const { inputTokens, outputTokens, isEstimated, cost } = calls[0] ?? assert.fail('the call was not counted');
			assert.deepEqual([inputTokens, outputTokens, isEstimated, cost], [16, 4, true, 20], String(tokens));
		}
	});
});

function finished(content: string) {
	return { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
}
