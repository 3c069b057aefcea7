import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { agentLaunch } from '../../agents/agentLaunch.ts';
import { findToolchains, type RunPlace, seenFrom, startAgentRun } from '../../agents/agentRun.ts';
import type { FoundAgent } from '../../agents/entry.ts';
import { createClientModels } from '../../agents/relay/clientModels.ts';
import { openRelay, type Relay } from '../../agents/relay/relay.ts';
import { AgentFailure } from '../../agents/session/agentFailure.ts';
import type { AgentSession } from '../../agents/session/agentSession.ts';
import type { AgentEvent, PermissionRequest, StopReason } from '../../agents/session/events.ts';
import type { PermissionPolicy } from '../../agents/session/permissions.ts';
import { systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Usage } from '../../contract/chatReply.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import { promptOf, summaryBefore } from '../model/agentPrompt.ts';
import {
	type AgentWork,
	type Approval,
	type Checkpoint,
	type WorkMoment,
	withAgentEvent,
	withAnswer,
	withQuestion,
	withStepTaken,
} from '../model/agentWork.ts';
import { currentReply, turnsUpTo } from '../model/conversation.ts';
import { AgentFolder } from './agentFolder.ts';
import { isSandboxed, workspaceFolder } from './agentPlace.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';
import { AllowedEdits, type PlannedEdit } from './allowedEdits.ts';
import { changedFiles } from './changedFiles.ts';
import { keepEnd, keepState, keepStateOf, makeCopy, mergedState, repositoryOf } from './checkpoints.ts';
import type { EventQueue } from './eventQueue.ts';
import { lentFolders } from './lentFolders.ts';
import { endedText, refusalText } from './messages.ts';
import { Questions, type QuestionsOptions } from './questions.ts';

/** The time for an agent to end its turn when it is stopped, before its processes are ended. */
const STOP_GRACE_MS = 2_000;

/** How many changed files are kept with the turn. All of them are counted. */
const MAXIMUM_FILES = 200;

export interface TurnRunOptions extends AgentRunsOptions {
	turn: AgentTurn;
	queue: EventQueue;
	/** Aborts when the user stops the agent. */
	signal: AbortSignal;
	/** What the user has allowed for this conversation, by who works where. */
	allowed: Map<string, Set<string>>;
}

/** Where a turn works, once that is known. */
interface Started {
	repository: GitPlace;
	before: string;
	/** The copy that the agent works in. */
	copy: string;
	edits: AllowedEdits;
}

/** One turn of an agent, from its start to the state of the files after it. */
export class TurnRun {
	private readonly options: TurnRunOptions;
	readonly questions: Questions;
	private work: AgentWork | undefined;
	private textLength = 0;
	private place: RunPlace | undefined;
	private started: Started | undefined;
	/** What requests for permission would make of the user's files. */
	private readonly planned = new WeakMap<PermissionRequest, PlannedEdit>();
	private readonly usage = { prompt: 0, cached: 0, completion: 0, reasoning: 0, isWhole: true };
	/** Why a request to the model failed last. The agent says it in words of its own. */
	private failure: unknown;

	constructor(options: TurnRunOptions) {
		this.options = options;
		this.questions = new Questions({
			rules: () => ({
				setting: options.approvals(),
				isSandboxed: this.place?.isSandboxed === true,
				folder: this.place ? seenFrom(this.place).tree : '',
				allowed: this.allowed,
			}),
			onAsk: (request, { question, isOnlyOnce }) => {
				const planned = this.planned.get(request);
				const approval: Approval = {
					state: 'waiting',
					question,
					...(isOnlyOnce ? { isOnlyOnce } : {}),
					...(planned ? { isWritten: true } : {}),
				};
				if (this.work) {
					this.set(withQuestion(this.work, request.call, approval, this.moment(), planned?.shown));
				}
				options.onQuestion(options.turn.conversation.id);
			},
			onDecide: (request, how) => {
				const planned = this.planned.get(request);
				if (planned && this.isAgreed(how)) {
					this.started?.edits.allow(request.call.id, planned);
				}
				const reason = refusalText(how);
				const { isOnlyOnce } = this.approvalOf(request) ?? {};
				this.approve(request, {
					...(reason === undefined ? { state: how as Approval['state'] } : { state: 'refused', reason }),
					...(isOnlyOnce ? { isOnlyOnce } : {}),
				});
			},
			onAllowance: allowance => this.allowed.add(allowance),
		});
	}

	/** Rejects with an error for the user. Nothing of the agent is left when it settles. */
	async run(): Promise<void> {
		const { queue } = this.options;
		const failures: unknown[] = [];
		await this.runToEnd().catch(error => {
			// What the model's service says comes before what an agent has made of it.
			failures.push(error instanceof AgentFailure ? (this.failure ?? error) : error);
		});
		await this.keepEnd().catch(error => failures.push(error));
		const { isWhole, ...counted } = this.usage;
		if (isWhole && counted.prompt + counted.completion > 0) {
			queue.push({ type: 'usage', usage: usageOf(counted) });
		}
		if (failures.length > 0) {
			throw failures[0];
		}
		queue.push({ type: 'finish', reason: 'stop' });
	}

	private async runToEnd(): Promise<void> {
		const { turn, choice, signal } = this.options;
		const { conversation, model } = turn;
		const folder = workspaceFolder(this.earlierWork(() => true)?.folder);
		const repository = await repositoryOf(folder);
		const agent = await choice.use(
			choice.idOf(conversation),
			this.options.isDemo() ? undefined : model,
			repository.directory,
		);
		const { id, label } = agent.definition;
		const sandboxed = await isSandboxed(folder, label, this.options.consent);
		signal.throwIfAborted();
		const own = new AgentFolder(this.options.folder, conversation.id);
		const before = await keepState(repository, conversation.id);
		await own.note(repository.directory);
		signal.throwIfAborted();
		const { copy } = own;
		const isSetAside = await this.fillCopy(repository, before, own);
		signal.throwIfAborted();
		const edits = new AllowedEdits({
			place: repository,
			conversation: conversation.id,
			before,
			take: this.options.takeAllowed,
			onMade: (step, isTaken) => this.made(started, step, isTaken),
		});
		const started: Started = { repository, before, copy, edits };
		this.started = started;
		this.tell({
			agent: id,
			label,
			// The copy is one of the whole repository, also where a folder of it is open.
			folder: repository.directory,
			isSandboxed: sandboxed,
			steps: [],
			...(isSetAside ? { isSetAside } : {}),
			checkpoint: { repository: repository.directory, before },
		});
		const relay = await this.openRelay(own, sandboxed);
		try {
			this.place = await this.placeFor({ agent, repository, own, relay, sandboxed, copy });
			await this.talk(agent, this.place);
		} finally {
			await relay.close();
		}
	}

	/**
	 * The copy has what the agent left in it in its last turn and the user has not taken over. What the user has taken back
	 * is not to come again. Resolves to whether what the agent had left was set aside, as it does not fit the user's files.
	 */
	private async fillCopy(repository: GitPlace, before: string, own: AgentFolder): Promise<boolean> {
		const { checkpoint: last, files = [] } = this.earlierWork(() => true) ?? {};
		const { id } = this.options.turn.conversation;
		const isHere = last?.repository === repository.directory;
		let left = isHere ? (last.after ?? (await this.leftIn(own, last))) : undefined;
		const undone = files.flatMap(({ path: name, isUndone }) => (isUndone ? [name] : []));
		if (isHere && left !== undefined && undone.length > 0) {
			left = await keepStateOf(repository, id, left, last.before, undone);
		}
		// What the user has taken is theirs: they may have changed it since, or removed it.
		const both = last && left ? await mergedState(repository, before, last.taken ?? last.before, left) : undefined;
		await own.replaceCopy(folder => makeCopy(repository, both ?? before, folder));
		return left !== undefined && both === undefined;
	}

	/** A window that was closed in the middle of a turn has kept no state after it, but the copy is still there. */
	private async leftIn(own: AgentFolder, { repository, before }: Checkpoint): Promise<string | undefined> {
		const { conversation } = this.options.turn;
		return existsSync(own.copy)
			? await this.keptCopy(placeOf(await getGitApi(), repository), conversation.id, before, own.copy)
			: undefined;
	}

	/** Throws a UserFacingError that says where the copy lies. */
	private async keptCopy(...[place, conversation, before, copy]: Parameters<typeof keepEnd>): Promise<string> {
		try {
			return await keepEnd(place, conversation, before, copy);
		} catch (error) {
			throw new UserFacingError(
				vscode.l10n.t(
					'What the agent has changed cannot be kept: {0} It lies in {1}. Take from there what you need and remove that folder, then go on.',
					sentenceOf(error),
					copy,
				),
			);
		}
	}

	/** An answer for the conversation holds for the agent and the place that it was given to. */
	private get allowed(): Set<string> {
		const { agent, folder, isSandboxed } = this.work ?? {};
		const where = JSON.stringify([agent, folder, isSandboxed]);
		const allowed = this.options.allowed.get(where) ?? new Set<string>();
		this.options.allowed.set(where, allowed);
		return allowed;
	}

	private earlierWork(fits: (work: AgentWork) => boolean): AgentWork | undefined {
		const { conversation, turnId } = this.options.turn;
		const turns = turnsUpTo(conversation, turnId);
		const replies = turns.flatMap(turn => (turn.id === turnId ? turn.replies.slice(0, -1) : [currentReply(turn)]));
		return replies.findLast(({ work }) => work !== undefined && fits(work))?.work;
	}

	private openRelay(own: AgentFolder, sandboxed: boolean): Promise<Relay> {
		const { turn, client, limits, logger } = this.options;
		return openRelay({
			listen: sandboxed ? { socket: own.socket } : 'loopback',
			handle: createClientModels({
				client,
				model: turn.model,
				provider: turn.provider,
				...limits(turn.model),
				onCall: ({ model, provider, id, usage, outcome }) => {
					if (outcome === 'whole') {
						this.failure = undefined;
					}
					this.options.queue.push({ type: 'served', model, ...(provider ? { provider } : {}), ...(id ? { id } : {}) });
					this.count(usage);
				},
				onFailure: error => {
					this.failure = error;
				},
				logger,
				clock: systemClock,
			}),
			allowsHost: () => false,
			onRefused: reason => logger.log('info', 'something that an agent asked of the relay was refused', { reason }),
		});
	}

	private async placeFor(known: {
		agent: FoundAgent;
		repository: GitPlace;
		own: AgentFolder;
		relay: Relay;
		sandboxed: boolean;
		copy: string;
	}): Promise<RunPlace> {
		const { agent, repository, own, relay, sandboxed, copy } = known;
		// What an agent has put into the home of its sandbox must not run outside of one.
		const home = await own.home(`${agent.definition.id}-${sandboxed ? 'inside' : 'outside'}`);
		await mkdir(home, { recursive: true });
		const privateFolders = [this.options.folder, repository.directory];
		return {
			tree: copy,
			lent: await lentFolders(repository),
			home,
			name: path.basename(repository.directory),
			isSandboxed: sandboxed,
			relay,
			privateFolders,
			toolchains: findToolchains(privateFolders),
			insideProgram: this.options.insideProgram,
			marker: own.directory,
			onUnsandboxed: () => {},
		};
	}

	private async talk(agent: FoundAgent, place: RunPlace): Promise<void> {
		const { turn, signal, logger, limits } = this.options;
		const ended = new AbortController();
		let session: AgentSession | undefined;
		const stop = async () => {
			// An agent that has begun may end its turn by itself.
			await Promise.race([session?.cancel(), delay(session === undefined ? 0 : STOP_GRACE_MS)]);
			ended.abort(signal.reason);
		};
		const onAbort = () => void stop();
		signal.throwIfAborted();
		signal.addEventListener('abort', onAbort, { once: true });
		const { id, askingMode } = agent.definition;
		const earlier = this.earlierWork(
			work => work.agent === id && work.isSandboxed === place.isSandboxed && work.folder === this.work?.folder,
		)?.session;
		try {
			session = await startAgentRun({
				place,
				launch: async seen => agentLaunch(agent, { ...seen, ...limits(turn.model) }),
				model: turn.model,
				isAttended: true,
				decide: () => this.decide,
				earlier,
				chosen: turn.conversation.settings?.agentOptions?.[id] ?? {},
				signal: ended.signal,
				onLimit: sentence => ended.abort(new UserFacingError(sentence)),
				onEvent: event => this.take(event),
				logger,
			});
			// Where Errand sets the mode, so that it is asked, there is none to choose.
			this.options.onOptions(
				id,
				session.agentOptions.filter(({ isMode }) => askingMode === undefined || !isMode),
			);
			const { text, resources } = promptOf(turn.conversation, turn.turnId);
			const summary = session.how === 'new' ? summaryBefore(turn.conversation, turn.turnId) : undefined;
			this.tell({ session: session.id, how: session.how, ...(summary === undefined ? {} : { summary }) });
			const told = [
				...(session.how === 'new' && turn.instructions.trim() !== ''
					? [{ uri: 'instructions', text: turn.instructions }]
					: []),
				...(summary === undefined ? [] : [{ uri: 'the conversation so far', text: summary }]),
				...resources,
			];
			const reason = await session.prompt(text, told);
			signal.throwIfAborted();
			checkEnd(agent.definition.label, reason);
		} catch (error) {
			signal.throwIfAborted();
			throw ended.signal.aborted ? ended.signal.reason : error;
		} finally {
			signal.removeEventListener('abort', onAbort);
			await session?.close();
		}
	}

	private take(event: AgentEvent): void {
		const { queue } = this.options;
		if (event.type === 'message') {
			this.textLength += event.text.length;
			queue.push({ type: 'text', text: event.text });
		} else if (event.type === 'thought') {
			queue.push({ type: 'reasoning', text: event.text });
		} else if (this.work !== undefined) {
			this.set(withAgentEvent(this.work, event, this.moment()));
			if (event.type === 'tool') {
				this.started?.edits.made(event.call);
			}
		}
	}

	/** Where nothing is asked because of the sandbox, nobody has agreed to a change outside of it. */
	private isAgreed(how: Parameters<QuestionsOptions['onDecide']>[1]): boolean {
		return how === 'setting'
			? this.options.approvals() !== 'allow-in-sandbox'
			: how === 'once' || how === 'conversation' || how === 'before';
	}

	private async made(started: Started, step: string, isTaken: boolean): Promise<void> {
		await this.tellFiles(started);
		if (this.work) {
			this.set(withStepTaken(this.work, step, isTaken));
		}
	}

	private approve({ call }: PermissionRequest, approval: Approval): void {
		if (this.work !== undefined) {
			this.set(withAnswer(this.work, call, approval, this.moment()));
		}
	}

	/** Finds out what an edit would make of the user's files before it is asked about, so that this is what is shown. */
	private readonly decide: PermissionPolicy = async (request, signal) => {
		const planned = await this.started?.edits.plan(request.call, this.moment().shownPath);
		if (planned) {
			this.planned.set(request, planned);
		}
		return this.questions.decide(request, signal);
	};

	private approvalOf({ call }: PermissionRequest): Approval | undefined {
		return this.work?.steps.findLast(({ id }) => id === call.id)?.approval;
	}

	private moment(): WorkMoment {
		const tree = this.place && seenFrom(this.place).tree;
		return {
			offset: this.textLength,
			now: Date.now(),
			shownTitle: title => (tree === undefined ? title : title.replaceAll(tree + path.sep, '')),
			shownPath: named => {
				const relative = tree === undefined ? named : path.relative(tree, path.resolve(tree, named));
				const isInside = relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
				return isInside ? relative.split(path.sep).join('/') : named;
			},
		};
	}

	/** Adds to the work, or begins it. */
	private tell(part: AgentWork | Partial<AgentWork>): void {
		this.set({ ...this.work, ...part } as AgentWork);
	}

	private set(work: AgentWork): void {
		if (work !== this.work) {
			this.work = work;
			this.options.queue.push({ type: 'work', work });
		}
	}

	private count(usage: Usage | undefined): void {
		this.usage.isWhole &&= usage !== undefined;
		this.usage.prompt += usage?.prompt_tokens ?? 0;
		this.usage.completion += usage?.completion_tokens ?? 0;
		this.usage.cached += usage?.prompt_tokens_details?.cached_tokens ?? 0;
		this.usage.reasoning += usage?.completion_tokens_details?.reasoning_tokens ?? 0;
	}

	/** Keeps the state of the files and tells what has changed. Rejects with a UserFacingError where it cannot be kept. */
	private async keepEnd(): Promise<void> {
		const { started } = this;
		if (started === undefined || this.work === undefined) {
			return;
		}
		const { repository, before, copy, edits } = started;
		await edits.settled();
		const { conversation } = this.options.turn;
		await this.tellFiles(started, await this.keptCopy(repository, conversation.id, before, copy));
	}

	/** Tells what differs from the state before, in the user's files and in the agent's once those are kept. */
	private async tellFiles({ repository, before, edits: { taken } }: Started, after?: string): Promise<void> {
		const { directory } = repository;
		const states = { repository: directory, before, taken, ...defined({ after }) };
		const files = await changedFiles(states, this.options.listChanges);
		this.tell({
			checkpoint: { repository: directory, before, ...defined({ taken: taken === before ? undefined : taken, after }) },
			files: files.slice(0, MAXIMUM_FILES),
			fileCount: files.length,
		});
	}
}

function usageOf(counted: { prompt: number; cached: number; completion: number; reasoning: number }): Usage {
	return {
		prompt_tokens: counted.prompt,
		completion_tokens: counted.completion,
		prompt_tokens_details: { cached_tokens: counted.cached },
		completion_tokens_details: { reasoning_tokens: counted.reasoning },
	} as Usage;
}

/** Throws an error with a sentence unless the agent says that it is done. */
function checkEnd(label: string, reason: StopReason): void {
	const sentence = endedText(label, reason);
	if (sentence !== undefined) {
		throw new UserFacingError(sentence);
	}
}

/** Git's words have several lines, and end without a full stop. */
function sentenceOf(error: unknown): string {
	const words = describeError(error)
		.trim()
		.replace(/\s*\n\s*/g, ' ');
	return /[.!?]$/.test(words) ? words : `${words}.`;
}
