import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { insidePlaces } from '../../../src/agents/sandbox/places.ts';
import { systemClock } from '../../../src/base/async.ts';
import { createLogger, nullLogger } from '../../../src/base/logger.ts';
import { AgentMemory } from '../../../src/chat/agent/agentMemory.ts';
import { AgentRuns } from '../../../src/chat/agent/agentRuns.ts';
import { AgentServers } from '../../../src/chat/agent/agentServers.ts';
import { AvailableAgents } from '../../../src/chat/agent/availableAgents.ts';
import type { AgentStep, AgentWork } from '../../../src/chat/model/agentWork.ts';
import { applyEvent } from '../../../src/chat/model/applyEvent.ts';
import type { ApprovalAnswer, ApprovalSetting } from '../../../src/chat/model/approvals.ts';
import {
	addTurn,
	type Conversation,
	exchangeReply,
	newConversation,
	type Reply,
	replaceReply,
	type Turn,
} from '../../../src/chat/model/conversation.ts';
import { createChat, createSearch } from '../../../src/client/chat.ts';
import { createCaller } from '../../../src/client/core/caller.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import { createResponses } from '../../../src/client/responses.ts';
import { type AgentSetting, taskSettingsSchema } from '../../../src/contract/agents.ts';
import type { RoutingPolicy } from '../../../src/contract/routingPolicy.ts';
import { SignInLinks } from '../../../src/platform/signInLinks.ts';
import { ApplyCommands, type ApplyCommandsDependencies } from '../../../src/tasks/apply/applyCommands.ts';
import { describeRange } from '../../../src/tasks/apply/commitRanges.ts';
import { AGENT_PROGRAM, SANDBOX_PROGRAM } from '../../support/programs.ts';
import { skipWithoutSandbox } from '../../support/sandbox.ts';
import { ScriptedModel, type Step } from '../../support/scriptedModel.ts';
import { useOpenRepository } from './useOpenRepository.ts';

export interface Outcome {
	conversation: Conversation;
	reply: Reply;
	work: AgentWork;
	error: unknown;
}

/** What changes the files of the window. Nothing of it knows tasks. */
export function windowChanges(): ApplyCommands {
	return new ApplyCommands({
		recordFile: undefined,
		explain: error => assert.fail(String(error)),
	} as Partial<ApplyCommandsDependencies> as ApplyCommandsDependencies);
}

/**
 * Errand's own agent on the folder of the window, with a model that follows scripts, and further `agents`. `servers` returns
 * the value of `errand.agents.mcpServers`. Tests are skipped where there is no sandbox.
 */
export function useAgentRuns(
	scripts: Readonly<Record<string, readonly Step[]>>,
	agents: readonly Partial<AgentSetting>[] = [],
	servers: () => unknown = () => ({}),
) {
	let folder: string;
	let model: ScriptedModel;
	let runs: AgentRuns;
	let approvals: ApprovalSetting;
	let asked: number;
	const kept = new Map<string, unknown>();
	const logged: string[] = [];
	const state = {
		get: (key: string) => kept.get(key) as never,
		update: async (key: string, value: unknown) => void kept.set(key, value),
	};
	const memory = new AgentMemory(state);
	const { root, inRoot } = useOpenRepository();

	before(async function () {
		await skipWithoutSandbox(this);
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-turns-'));
		const { tree } = insidePlaces(path.basename(root()));
		model = await ScriptedModel.start({ scripts, tree });
		const caller = createCaller({
			connection: {
				name: 'model',
				apiUrl: model.url,
				enterpriseUrl: model.url.replace(/\/v1$/, ''),
				plan: 'public',
				service: 'model',
				models: [{ id: model.name, kinds: ['chat'] }],
				providers: [],
				providerPrefixes: [],
				aliases: [],
				agents: [],
			},
			keys: async () => 'sk-test',
			transport: createFetchTransport((address, init) => globalThis.fetch(address, init)),
			logger: nullLogger,
			clock: systemClock,
			random: Math.random,
			limits: LIMITS,
		});
		const client = { chat: createChat(caller), search: createSearch(caller), responses: createResponses(caller) };
		const apply = windowChanges();
		const allowedAccounts = Object.fromEntries(agents.map(({ id, account }) => [id, account?.hosts ?? []]));
		runs = new AgentRuns({
			folder,
			agents: new AvailableAgents({
				program: AGENT_PROGRAM,
				version: '1.0.0',
				settings: async () => taskSettingsSchema.parse({ agents, allowedAccounts }),
				memory,
				isDemo: () => false,
			}),
			servers: new AgentServers({
				state,
				secrets: { get: async () => undefined, store: async () => {}, delete: async () => {} },
				packages: path.join(folder, 'packages'),
				signInLinks: new SignInLinks(),
				isSandboxRequired: async () => false,
				declared: servers,
			}),
			models: {
				client: async () => client,
				connection: { searches: false, limitsOf: () => ({}), takesImages: () => false },
				insideProgram: SANDBOX_PROGRAM,
			},
			permissions: {
				approvals: () => approvals,
				memory,
				isSandboxRequired: async () => true,
				onQuestion: () => asked++,
			},
			changes: { list: describeRange, takeAllowed: range => apply.takeAllowed(range) },
			logger: createLogger('agents', (_, line) => logged.push(line)),
		});
	});
	beforeEach(() => {
		[approvals, asked] = ['ask', 0];
		model.requests.length = 0;
	});
	after(async () => {
		await model?.stop();
		await (folder && rm(folder, { recursive: true, force: true }));
	});

	/** Adds a message to the agent. */
	function ask(conversation: Conversation, question: string, others: Partial<Turn> = {}): Conversation {
		const id = randomUUID();
		const reply: Reply = { state: 'streaming', startedAt: 0, text: '' };
		const { head } = conversation;
		return addTurn(conversation, {
			id,
			...(head === undefined ? {} : { previous: head }),
			askedAt: 0,
			question,
			mode: 'agent',
			replies: [reply],
			...others,
		});
	}

	/** Lets the agent work to the end of the conversation's last turn. `onStep` is called with each state of the work. */
	async function work(
		conversation: Conversation,
		onStep: (work: AgentWork, turn: string) => void = () => {},
		signal = new AbortController().signal,
		provider: RoutingPolicy | undefined = undefined,
	): Promise<Outcome> {
		const turnId = conversation.head ?? assert.fail();
		let reply: Reply = { state: 'streaming', startedAt: 0, text: '' };
		let error: unknown;
		const keepWork = async (id: string, before: Reply, earlier: AgentWork) => {
			conversation = exchangeReply(conversation, id, before, { ...before, work: earlier });
		};
		const turn = {
			conversation,
			turnId,
			model: model.name,
			provider,
			instructions: '',
			images: [],
			keepWork,
		};
		try {
			for await (const event of runs.run(turn, signal)) {
				reply = applyEvent(reply, event);
				if (event.type === 'work') {
					onStep(event.work, turnId);
				}
			}
		} catch (caught) {
			error = caught;
		}
		return {
			conversation: replaceReply(conversation, turnId, { ...reply, state: 'done' }),
			reply,
			work: reply.work ?? assert.fail(String(error)),
			error,
		};
	}

	return {
		root,
		inRoot,
		ask,
		fresh: (question: string, others?: Partial<Turn>) =>
			ask(newConversation(randomUUID(), 0, { folders: [] }), question, others),
		work,
		allow: (setting: ApprovalSetting) => {
			approvals = setting;
		},
		/** Answers the question about a step. */
		answer: (turn: string, { approval }: AgentStep, how: ApprovalAnswer) =>
			runs.answer(turn, approval?.question ?? assert.fail(), how),
		/** What agents have told that can be chosen of them. */
		options: () => memory.options,
		commands: () => memory.commands,
		/** The number of questions in this test. */
		asked: () => asked,
		/** The lines of the log. */
		logged,
		get model(): ScriptedModel {
			return model;
		},
		get runs(): AgentRuns {
			return runs;
		},
	};
}
