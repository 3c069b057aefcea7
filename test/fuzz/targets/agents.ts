// What agents and MCP servers write, and what models write for Errand's own agent.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { asMeant, asSentBack } from '../../../src/agent/conversation.ts';
import { ToolFailure } from '../../../src/agent/failures.ts';
import { announcesWork, looksLikeCall } from '../../../src/agent/replyText.ts';
import { coerce, readLoosely } from '../../../src/agent/tools/coerce.ts';
import { findLoosely, nearestLines } from '../../../src/agent/tools/looseText.ts';
import { addedText, patchedText, readPatch } from '../../../src/agent/tools/patch.ts';
import { parametersOf } from '../../../src/agent/tools/tool.ts';
import { tools } from '../../../src/agent/tools/tools.ts';
import { type GateSide, runGate } from '../../../src/agents/mcp/gate.ts';
import { createdReplySchema } from '../../../src/agents/session/agentOptions.ts';
import { type AgentMessage, readMessage } from '../../../src/agents/session/agentStream.ts';
import type { AgentEvent, AgentForm, PermissionRequest } from '../../../src/agents/session/events.ts';
import { formContent, readForm } from '../../../src/agents/session/forms.ts';
import { readPermissionRequest } from '../../../src/agents/session/permissions.ts';
import { readUpdate } from '../../../src/agents/session/readUpdate.ts';
import { ToolCalls } from '../../../src/agents/session/toolCalls.ts';
import { isFields } from '../../../src/base/fields.ts';
import { parseJson } from '../../../src/base/json.ts';
import { type AgentWork, withAgentEvent } from '../../../src/chat/model/agentWork.ts';
import { agentWorkSchema } from '../../../src/chat/model/agentWorkSchema.ts';
import { ruleOn, shownRule, webCallOf } from '../../../src/chat/model/approvalPolicy.ts';
import { APPROVAL_LEVELS } from '../../../src/chat/model/approvals.ts';
import { PageFeed } from '../../../src/chat/pageFeed.ts';
import type { ToPage } from '../../../src/chat/protocol/protocol.ts';
import { toWorkView, workChanges } from '../../../src/chat/protocol/toWorkView.ts';
import type { WorkView } from '../../../src/chat/protocol/workProtocol.ts';
import { commandBeside, titleOf } from '../../../src/chat/ui/agent/stepWords.ts';
import { applyMessage, emptyPageState } from '../../../src/chat/ui/pageState.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { assertLine, assertText, piecesOf, type Target, unlessRefused } from '../fuzzer.ts';

const WORK: AgentWork = { agent: 'errand', label: 'Errand', isSandboxed: true, steps: [], checkpoints: [] };
const MOMENT = { offset: 0, now: 1_000, shownPath: (path: string) => path, shownTitle: (title: string) => title };

const acp: Target = {
	name: 'acp',
	iterations: 700,
	async run(input) {
		const calls = new ToolCalls();
		const page = new Page();
		let work = WORK;
		const seen: string[] = [];
		for (const line of input.toString('latin1').split('\n')) {
			const message = readMessage(Buffer.from(line, 'latin1'));
			const event = message && readAgents(message, calls);
			if (event !== undefined) {
				const next = withAgentEvent(work, event, MOMENT);
				page.tell(event, work, next);
				work = next;
			}
			seen.push(event?.type ?? message?.kind ?? '');
		}
		const kept = JSON.parse(JSON.stringify(work));
		assert.deepEqual(agentWorkSchema.parse(kept), kept, 'work is kept in another form');
		assert.ok(JSON.stringify(toWorkView(work, true)).length <= 50_000 + 60 * input.length, 'work grows');
		await page.check(work);
		return [...new Set(seen)].sort().join();
	},
};

/** The page with the turn of the agent, which is told of changes alone. */
class Page {
	private readonly turn = 'a0000000-0000-4000-8000-000000000001';
	private readonly posted: ToPage[] = [];
	private readonly feed: PageFeed;
	private text = '';

	constructor() {
		const clock = new ManualClock({ passesAtOnce: () => true });
		// What the editor passes on is JSON.
		this.feed = new PageFeed(message => this.posted.push(JSON.parse(JSON.stringify(message))), clock);
		const { turn: id } = this;
		const facts = { earlier: false, waiting: false, canRetry: false, canContinue: false, continued: 0 };
		const reply = { ...facts, state: 'streaming' as const, text: '', work: toWorkView(WORK, false) };
		this.feed.snapshot({
			conversation: id,
			turns: [{ id, askedAt: 0, question: '?', reply }],
			earlier: 0,
			connection: { label: 'Local' },
		});
	}

	tell(event: AgentEvent, before: AgentWork, after: AgentWork): void {
		const { turn } = this;
		if (event.type === 'message') {
			this.text += event.text;
			this.feed.change({ kind: 'text-append', turn, text: event.text });
		}
		for (const change of workChanges(turn, before, after)) {
			this.feed.change(change);
		}
	}

	/** Asserts that the page shows what one that opens now would show. */
	async check(work: AgentWork): Promise<void> {
		await new Promise(resolve => setImmediate(resolve));
		let state = emptyPageState;
		for (const message of this.posted) {
			const next = applyMessage(state, message);
			assert.ok(next !== 'missed', 'the page misses a change');
			state = next;
		}
		const [shown] = state.turns;
		assert.equal(shown?.reply.text, JSON.parse(JSON.stringify(this.text)), 'the page shows another text');
		const expected: WorkView = JSON.parse(JSON.stringify(toWorkView(work, false)));
		assert.deepEqual(shown?.reply.work, expected, 'the page shows other work');
		for (const step of expected.steps) {
			assertLine(titleOf(step) + commandBeside(step), 'a step');
		}
	}
}

function readAgents(message: AgentMessage, calls: ToolCalls): AgentEvent | undefined {
	if (message.kind === 'answer') {
		const result = message.answer && 'result' in message.answer ? message.answer.result : undefined;
		for (const { name, values } of createdReplySchema.safeParse(result).data?.agentOptions ?? []) {
			assertLine([name, ...values.map(value => value.name)].join(), 'an option of an agent');
		}
		return undefined;
	}
	const params = 'params' in message && isFields(message.params) ? message.params : {};
	switch ('method' in message ? message.method : '') {
		case 'session/update': {
			const event = readUpdate(params['update'], calls);
			if (event?.type === 'tool') {
				assertLine(event.call.title, 'the title of a call');
			}
			return event;
		}
		case 'session/request_permission': {
			const request = readPermissionRequest(params, calls);
			if (request !== undefined) {
				checkPermission(request);
				return { type: 'permission', request, answer: { option: undefined } };
			}
			return undefined;
		}
		case 'elicitation/create':
			checkForm(readForm(params));
			return undefined;
		default:
			return undefined;
	}
}

/** No setting allows without a question what decides what runs, or lies outside. */
function checkPermission(request: PermissionRequest): void {
	const { call, options } = request;
	assertLine([call.title, ...options.map(({ name }) => name)].join(), 'a question');
	for (const setting of APPROVAL_LEVELS) {
		for (const isPlan of [true, false]) {
			const ruling = ruleOn(request, {
				...{ setting, isPlan, isSandboxed: false, folder: '/project', allowed: [] },
				...{ isKept: () => true, isExecutable: () => false, linkedPlace: (path: string) => path },
			});
			if (ruling.kind === 'ask') {
				shownRule(ruling.allowances);
			}
			const isHooks = call.diffs.some(({ path }) => /^\/project\/(?:.*\/)?\.git\//i.test(path));
			assert.ok(!isHooks || ruling.kind !== 'allow', 'a hook is written without a question');
		}
	}
	webCallOf(call);
}

function checkForm({ message, fields }: AgentForm): void {
	assertText(message, 'a form');
	for (const { title, description = '', options = [] } of fields) {
		assertLine([title, ...options.map(option => option.title)].join(), 'a field of a form');
		assertText(description, 'a field of a form');
	}
	const values = Object.fromEntries(fields.map(({ name, value }) => [name, value ?? '']));
	const content = formContent({ fields }, values) ?? {};
	assert.ok(Object.keys(content).every(name => fields.some(field => field.name === name)));
}

/** The messages that either side may get of the other one. */
const TO_SERVER =
	/^(?:initialize|ping|server\/discover|tools\/list|tools\/call|notifications\/(?:cancelled|initialized))$/;
const TO_AGENT = /^(?:ping|notifications\/(?:cancelled|progress|tools\/list_changed))$/;

const mcp: Target = {
	name: 'mcp',
	iterations: 250,
	/** Each line begins with `a ` if the agent writes it, or with `s ` if the server does. */
	async run(input) {
		const [agent, server] = [sideOf(), sideOf()];
		const asked: string[] = [];
		const gate = runGate(agent, server, {
			admit: async tools => tools.slice(0, 5),
			ask: async ({ tool }) => {
				asked.push(tool);
				assertLine(tool, 'the name of a tool');
				return tool.startsWith('send') ? 'Not allowed.' : undefined;
			},
			onAnswer: (_, { text }) => assert.ok(text.length <= 20_000),
			onRefused: sentence => assertLine(sentence, 'a refusal'),
		});
		gate.catch(() => {});
		for (const line of input.toString('latin1').split('\n').slice(0, 60)) {
			const side = line.startsWith('a ') ? agent : server;
			side.output.write(Buffer.from(`${line.slice(2)}\n`, 'latin1'));
			await new Promise(resolve => setImmediate(resolve));
		}
		agent.output.end();
		const ended = await gate.catch(error => assert.fail(`the gate fails: ${String(error)}`));
		assert.equal(ended, 'agent');
		const [toAgent, toServer] = [agent.read(), server.read()];
		for (const { method, params } of toServer) {
			assert.ok(
				method === undefined || (typeof method === 'string' && TO_SERVER.test(method)),
				'the server gets another request',
			);
			const { name } = isFields(params) ? params : {};
			assert.ok(method !== 'tools/call' || asked.some(tool => tool === name), 'nobody was asked about a call');
		}
		for (const { method } of toAgent) {
			assert.ok(
				method === undefined || (typeof method === 'string' && TO_AGENT.test(method)),
				'the agent gets another request',
			);
		}
		return [toAgent.length, toServer.length, asked.length].join();
	},
};

function sideOf(): GateSide & { output: PassThrough; read(): Record<string, unknown>[] } {
	const [output, input] = [new PassThrough(), new PassThrough({ highWaterMark: 16 * 1024 * 1024 })];
	const read = () =>
		String(input.read() ?? '')
			.split('\n')
			.slice(0, -1)
			.map(line => JSON.parse(line));
	return { output, input, read };
}

/** The same for all inputs, as making them takes longer than all else. */
const parameters = new Map(tools.map(tool => [tool, parametersOf(tool)]));

const ownAgent: Target = {
	name: 'ownAgent',
	iterations: 200,
	run(input) {
		const text = input.toString();
		announcesWork(text);
		looksLikeCall(text, tools);
		asMeant({ type: 'function_call', call_id: 'a', name: text, arguments: '{}' }, tools);
		const call = asMeant({ type: 'function_call', call_id: 'a', name: 'Read', arguments: text }, tools);
		const sent = asSentBack(call);
		assert.ok(
			sent.type === 'function_call' && parseJson(sent.arguments) !== undefined,
			'it sends back what is no JSON',
		);
		for (const value of [parseJson(text), readLoosely(text)]) {
			for (const tool of tools) {
				const { data } = tool.schema.safeParse(coerce(value ?? {}, parameters.get(tool) ?? {}));
				if (data !== undefined) {
					tool.show(data, { folder: '/project' });
				}
			}
		}
		// The first file that does not fit ends a call.
		for (const file of readPatch(text).slice(0, 20)) {
			addedText(file);
			unlessRefused(() => patchedText(text, file, 'a.ts'), ToolFailure);
		}
		const [old = '', ...lines] = piecesOf(input, 7).map(String);
		findLoosely(lines, old, text);
		nearestLines(lines, [old]);
		return [call.type === 'function_call' && call.name, parseJson(text) === undefined, readPatch(text).length].join();
	},
};

export const agentTargets: readonly Target[] = [acp, mcp, ownAgent];
