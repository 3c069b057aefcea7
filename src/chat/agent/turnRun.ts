// An agent's turn in the chat. Before and after it, the state of each repository is stored as a commit below
// `refs/errand/turns/<conversation>`, without touching index, HEAD or stash. The agent works in a copy, so nothing it
// does reaches the user's files by itself. An edit that was shown and allowed is written to them as soon as the agent
// reports that it has made it, from the lines that were shown and never from the copy. The commit `taken` is the state
// before the turn plus those of the agent's changes that the user's files have: Take Changes applies the difference
// from `taken` to the agent's state, Undo Turn the one from `taken` to the state before.
import path from 'node:path';
import * as vscode from 'vscode';
import type { FoundAgent } from '../../agents/catalogue/entry.ts';
import type { McpServers } from '../../agents/mcp/mcpServers.ts';
import { agentLaunch } from '../../agents/run/agentLaunch.ts';
import { type AgentRunOptions, runAgent } from '../../agents/run/agentRun.ts';
import { type PlaceOptions, placeInside } from '../../agents/run/runPlace.ts';
import { AgentFailure } from '../../agents/session/agentFailure.ts';
import { type AgentEvent, isOver, type PermissionRequest, type ToolCall } from '../../agents/session/events.ts';
import type { PermissionPolicy } from '../../agents/session/permissions.ts';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { pathWithin } from '../../base/filePlace.ts';
import { OWN_ACCOUNT } from '../../contract/localConnection.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import { promptOf, summaryBefore } from '../model/agentPrompt.ts';
import {
	type AgentWork,
	type Approval,
	type WorkMoment,
	withAgentEvent,
	withAnswer,
	withQuestion,
	withStepState,
	withStepTaken,
} from '../model/agentWork.ts';
import { type Allowance, shownRule } from '../model/approvalPolicy.ts';
import type { ApprovalLevel } from '../model/approvals.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { findTurn } from '../model/conversation.ts';
import { withForm } from '../model/formSteps.ts';
import { AgentFolder } from './agentFolder.ts';
import { isSandboxed, workspaceFolders } from './agentPlace.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';
import { type PlannedEdit, withoutPlannedHunk } from './allowedEdits.ts';
import { ApprovalQuestions, isAgreement } from './approvalQuestions.ts';
import { changedFiles } from './changedFiles.ts';
import { repositoriesOf, type TurnRepository } from './checkpoints.ts';
import type { EventQueue } from './eventQueue.ts';
import { earlierWork } from './leftWork.ts';
import { refusalText } from './messages.ts';
import { accountLogin, checkAccountUse } from './ownAccount.ts';
import { imageNotice, instructionNotice, placeNotices, planNotice, refusedHunksNotice } from './promptNotices.ts';
import { TurnFiles } from './turnFiles.ts';
import { TurnModels } from './turnModels.ts';
import { failedCall, newCall, turnServers, unreachedText } from './turnServers.ts';
import { TurnSteps } from './turnSteps.ts';
import { TurnWeb } from './turnWeb.ts';

/** The id of the step for what no call has reported. */
const AFTER_LAST = 'errand-after';

/** The turn that an agent is to work on, and the queue for its events. */
export interface StartedTurn {
	turn: AgentTurn;
	queue: EventQueue;
	/** Aborts when the user stops the agent. */
	signal: AbortSignal;
	/** The user's allowances for this conversation, by agent and place. */
	allowed: Map<string, Allowance[]>;
}

/** One turn of an agent, from its start to the state of the files after it. */
export class TurnRun {
	private readonly options: AgentRunsOptions;
	private readonly started: StartedTurn;
	readonly questions: ApprovalQuestions;
	private readonly web: TurnWeb;
	/** The approval level of this turn. Another choice applies from the next message on. */
	private readonly approvals: ApprovalLevel;
	private readonly isPlan: boolean;
	private work: AgentWork | undefined;
	private textLength = 0;
	/** The folder with the files, as the agent sees it. */
	private tree: string | undefined;
	private files: TurnFiles | undefined;
	/** The effects of permission requests on the user's files. */
	private readonly planned = new WeakMap<PermissionRequest, PlannedEdit>();
	/** The last question to the user. */
	private asked: { question: string; request: PermissionRequest } | undefined;
	private steps: TurnSteps | undefined;
	private readonly models: TurnModels;

	constructor(options: AgentRunsOptions, started: StartedTurn) {
		this.options = options;
		this.started = started;
		const { approvals, onQuestion } = options.permissions;
		const setting = approvals();
		this.isPlan = setting === 'plan';
		this.approvals = setting === 'plan' ? 'ask' : setting;
		this.web = new TurnWeb(options.models, started.turn);
		this.models = new TurnModels(options.models, started);
		this.questions = new ApprovalQuestions({
			rules: () => ({
				setting: this.approvals,
				isPlan: this.isPlan,
				isSandboxed: this.work?.isSandboxed === true,
				folder: this.tree ?? '',
				isKept: file => this.files?.locate(file) !== undefined,
				isExecutable: file => this.files?.isExecutable(file) === true,
				linkedPlace: file => this.files?.linkedPlace(file),
				allowed: this.allowed,
			}),
			onAsk: (request, { question, allowances, decides }) => {
				const isAgain = this.asked?.request === request;
				this.asked = { question, request };
				const planned = this.planned.get(request);
				const approval: Approval = {
					state: 'waiting',
					question,
					...defined({
						isOnlyOnce: allowances.length === 0 || undefined,
						rule: shownRule(allowances),
						decides,
						isWritten: planned !== undefined || undefined,
					}),
				};
				if (this.work) {
					this.set(withQuestion(this.work, request.call, approval, this.moment(), planned?.shown));
				}
				if (!isAgain) {
					onQuestion(started.turn.conversation.id);
				}
			},
			onDecide: (request, how) => {
				const planned = this.planned.get(request);
				if (planned && isAgreement(how, this.approvals)) {
					this.files?.edits.allow(request.call.id, planned);
				}
				const reason = refusalText(how);
				const { isOnlyOnce } = this.approvalOf(request) ?? {};
				this.approve(request, {
					...(reason === undefined ? { state: how as Approval['state'] } : { state: 'refused', reason }),
					...defined({ isOnlyOnce: isOnlyOnce || undefined }),
				});
			},
			onAllowance: allowances => append(this.allowed, allowances),
			onForm: (form, state) => {
				if (this.work) {
					this.set(withForm(this.work, form, state, this.moment()));
				}
				if (state.approval.state === 'waiting') {
					onQuestion(started.turn.conversation.id);
				}
			},
		});
	}

	/**
	 * Leaves a hunk of one of a question's changes out of what is written, and asks about the rest. Does nothing if the
	 * question no longer waits, or if the hunk cannot be refused alone.
	 */
	refuseHunk(question: string, change: number, hunk: number): void {
		const { asked, questions } = this;
		const planned = asked?.question === question ? this.planned.get(asked.request) : undefined;
		const left = planned && withoutPlannedHunk(planned, change, hunk);
		if (asked && left && questions.askAgain(question)) {
			this.planned.set(asked.request, left);
		}
	}

	/** Rejects with an error for the user. When it settles, no process of the agent is left. */
	async run(): Promise<void> {
		const { queue, turn } = this.started;
		const own = new AgentFolder(this.options.folder, turn.conversation.id);
		const release = await own.claim();
		if (release === undefined) {
			throw new UserFacingError(
				vscode.l10n.t(
					'An agent is working on this conversation in another window. Wait for it to finish or stop it there, then send the message again.',
				),
			);
		}
		const failures: unknown[] = [];
		await this.runToEnd(own).catch(error => {
			// The error of the model's service takes precedence over the agent's version of it.
			failures.push(error instanceof AgentFailure ? (this.models.failure ?? error) : error);
		});
		await this.steps?.end();
		await this.keepEnd().catch(error => failures.push(error));
		await release().catch(error => failures.push(error));
		const { usage } = this.models;
		if (usage) {
			queue.push({ type: 'usage', usage });
		}
		if (failures.length > 0) {
			throw failures[0];
		}
		queue.push({ type: 'finish', reason: 'stop' });
	}

	private async runToEnd(own: AgentFolder): Promise<void> {
		const { agents, permissions, changes } = this.options;
		const { turn, signal } = this.started;
		const { conversation, model } = turn;
		const { from } = findTurn(conversation, turn.turnId) ?? {};
		const folders = workspaceFolders();
		const { places, leftOut } = await repositoriesOf(folders);
		const agent = await agents.use(
			agents.idOf(conversation),
			model,
			places.map(({ directory }) => directory),
		);
		const { id, label, account } = agent.definition;
		if (account) {
			await checkAccountUse(turn, label);
			this.started.queue.push({ type: 'served', model: OWN_ACCOUNT });
		}
		const sandboxed = await isSandboxed(folders, label, permissions);
		signal.throwIfAborted();
		const files = await TurnFiles.begin(places, {
			conversation: conversation.id,
			own,
			earlier: earlierWork(turn),
			from,
			changes,
			signal,
			onMade: (step, isTaken) => this.made(files, step, isTaken),
		});
		this.files = files;
		const { checkpoints, isSetAside } = files;
		const missing = [...leftOut, ...files.leftOut];
		const isNews = missing.length > 0 && !this.earlierWork(work => isSame(work.leftOut, missing));
		this.tell({
			agent: id,
			label,
			isSandboxed: sandboxed,
			approvals: this.approvals,
			...defined({ isPlan: this.isPlan || undefined, startedFrom: from?.title }),
			steps: [],
			...defined({ isSetAside: isSetAside || undefined }),
			checkpoints,
			...defined({ leftOut: isNews ? missing : undefined }),
		});
		const servers = await turnServers(this.options.servers, {
			...{ folders, isSandboxed: sandboxed, own: own.directory, logger: this.options.logger },
			...{ steps: () => this.work?.steps ?? [], decide: this.questions.decide },
			show: this.show,
		});
		await this.talk(agent, await this.placeFor({ agent, own, sandboxed, files }), servers);
	}

	/** An answer for the conversation holds only for the agent and the place that it was given for. */
	private get allowed(): Allowance[] {
		const { agent, checkpoints = [], isSandboxed } = this.work ?? {};
		const where = JSON.stringify([agent, foldersOf(checkpoints), isSandboxed]);
		const allowed = this.started.allowed.get(where) ?? [];
		this.started.allowed.set(where, allowed);
		return allowed;
	}

	private earlierWork(fits: (work: AgentWork) => boolean): AgentWork | undefined {
		return earlierWork(this.started.turn).find(({ work, isOnPath }) => isOnPath && fits(work))?.work;
	}

	/** Finds the last work whose agent knows nothing that the agent of this turn is not to be told. */
	private knownWork(fits: (work: AgentWork) => boolean): AgentWork | undefined {
		const { turn } = this.started;
		if (findTurn(turn.conversation, turn.turnId)?.from) {
			return undefined;
		}
		const path = earlierWork(turn).filter(({ isOnPath }) => isOnPath);
		const fresh = path.findIndex(({ isFresh }) => isFresh);
		return path.slice(0, fresh < 0 ? undefined : fresh + 1).find(({ work }) => fits(work))?.work;
	}

	private async placeFor(known: {
		agent: FoundAgent;
		own: AgentFolder;
		sandboxed: boolean;
		files: TurnFiles;
	}): Promise<PlaceOptions> {
		const { agent, own, sandboxed, files } = known;
		const { repositories, copy } = files;
		const [{ place }, ...others] = repositories as [TurnRepository, ...TurnRepository[]];
		return {
			tree: copy,
			...defined({ treeFolders: this.isPlan ? [] : files.folders }),
			lent: await files.lentFolders(),
			// Files that an agent has put into its home in a sandbox must not run outside of one.
			home:
				this.options.agents.accountHome(agent) ??
				own.home(`${agent.definition.id}-${sandboxed ? 'inside' : 'outside'}`),
			folder: own.directory,
			name: others.length === 0 ? path.basename(place.directory) : 'workspace',
			isSandboxed: sandboxed,
			privateFolders: [this.options.folder, ...repositories.map(({ place: { directory } }) => directory)],
			insideProgram: this.options.models.insideProgram,
			marker: own.directory,
		};
	}

	private async talk(agent: FoundAgent, place: PlaceOptions, mcpServers: McpServers): Promise<void> {
		const { agents, logger } = this.options;
		const { connection } = this.options.models;
		const { turn, signal } = this.started;
		const { id, label, account, instructionFiles: reads = [], readsAllInstructions: readsAll } = agent.definition;
		const isSamePlace = ({ isSandboxed: was, checkpoints }: AgentWork) =>
			was === place.isSandboxed && isSame(foldersOf(checkpoints), foldersOf(this.work?.checkpoints ?? []));
		const options: AgentRunOptions = {
			label,
			place,
			relay: this.models.answersFor(agent, this.web, logger),
			...defined({ login: account && accountLogin(label) }),
			mcpServers,
			launch: async seen => {
				const takesImages = connection.takesImages(turn.model) === true;
				return agentLaunch(agent, { ...seen, ...connection.limitsOf(turn.model), takesImages });
			},
			model: turn.model,
			decide: this.decide,
			earlier: this.knownWork(work => work.agent === id && isSamePlace(work))?.session,
			chosen: turn.conversation.settings?.agentOptions?.[id] ?? {},
			signal,
			fillIn: this.questions.askForm,
			settle: async () => this.steps?.settled(),
			onEvent: event => {
				agents.keepNews(agent.definition, event);
				this.take(event);
			},
			logger,
		};
		await runAgent(options, async ({ session, place: opened, prompt }) => {
			const { tree } = placeInside(opened);
			this.tree = tree;
			this.steps = this.files && !this.isPlan ? await this.beginSteps(this.files, tree) : undefined;
			agents.keepNews(agent.definition, { type: 'options', options: session.agentOptions });
			const { text, resources } = promptOf(turn.conversation, turn.turnId, uri => this.pathOf(uri));
			const summary = session.how === 'new' ? summaryBefore(turn.conversation, turn.turnId) : undefined;
			this.tell({ session: session.id, how: session.how, ...defined({ summary }) });
			const told = [
				...planNotice(this.isPlan),
				...instructionNotice(turn, {
					session,
					reads: readsAll ? reads : [this.files?.firstOf(reads)],
					pathOf: uri => this.pathOf(uri),
				}),
				...(summary === undefined ? [] : [{ uri: 'the conversation so far', text: summary }]),
				...(session.how === 'new' && this.files
					? placeNotices(this.files.checkpoints, await this.files.filtered())
					: []),
				...imageNotice(turn.images.length, session),
				...resources,
			];
			await prompt(text, told, turn.images);
			// The protocol's answer to a question is one of the offered ones, without any words. So an edit is allowed as a
			// whole, and the agent is told about the refused hunks at the next opportunity.
			for (;;) {
				const refused = this.files?.edits.takeRefused() ?? [];
				if (refused.length === 0) {
					break;
				}
				this.take({ type: 'message', text: '\n\n' });
				await prompt(refusedHunksNotice(refused));
			}
			const unreached = unreachedText(label, mcpServers);
			if (unreached && !this.earlierWork(work => work.steps.some(({ title }) => title === unreached))) {
				this.show(failedCall(unreached));
			}
		});
	}

	private beginSteps(files: TurnFiles, tree: string): Promise<TurnSteps> {
		return TurnSteps.begin(files, tree, {
			onState: (call, state) => {
				if (call === undefined) {
					this.show({ ...newCall(vscode.l10n.t('After the last step')), id: AFTER_LAST, status: 'completed' });
				}
				if (this.work) {
					this.set(withStepState(this.work, call ?? AFTER_LAST, state));
				}
			},
			onFailure: sentence => this.show(failedCall(sentence)),
		});
	}

	private readonly show = (call: ToolCall): void => this.take({ type: 'tool', call, isNew: false, changed: [] });

	private take(event: AgentEvent): void {
		const { queue } = this.started;
		if (event.type === 'message') {
			this.textLength += event.text.length;
			queue.push({ type: 'text', text: event.text });
		} else if (event.type === 'thought') {
			queue.push({ type: 'reasoning', text: event.text });
		} else if (event.type === 'form-refused') {
			this.questions.refuse(event.form, refusalText(event.refusal));
		} else if (this.work !== undefined) {
			this.set(withAgentEvent(this.work, event, this.moment()));
			if (event.type === 'tool') {
				this.files?.edits.made(event.call);
				if (event.changed.includes('status') && isOver(event.call)) {
					this.steps?.add(event.call);
				}
			}
		}
	}

	private async made(files: TurnFiles, step: string, isTaken: boolean): Promise<void> {
		await this.tellFiles(files);
		if (this.work) {
			this.set(withStepTaken(this.work, step, isTaken));
		}
	}

	/** Returns the agent's path of an attached file, as it is shown. */
	private pathOf(uri: string): string | undefined {
		const { scheme, fsPath } = vscode.Uri.parse(uri);
		return scheme === 'file' ? this.files?.pathOf(fsPath) : undefined;
	}

	private approve({ call }: PermissionRequest, approval: Approval): void {
		if (this.work !== undefined) {
			this.set(withAnswer(this.work, call, approval, this.moment()));
		}
	}

	/** Determines the effect of an edit on the user's files before the question, so that exactly this is shown. */
	private readonly decide: PermissionPolicy = async (request, signal) => {
		const planned = await this.files?.edits.plan(request.call, this.moment().shownPath);
		if (planned) {
			this.planned.set(request, planned);
		}
		const answer = await this.questions.decide(request, signal);
		this.web.answered(request, answer);
		return answer;
	};

	private approvalOf({ call }: PermissionRequest): Approval | undefined {
		return this.work?.steps.findLast(({ id }) => id === call.id)?.approval;
	}

	private moment(): WorkMoment {
		const { tree } = this;
		return {
			offset: this.textLength,
			now: Date.now(),
			shownTitle: title => (tree === undefined ? title : title.replaceAll(tree + path.sep, '')),
			shownPath: named => {
				const inside = tree === undefined ? undefined : pathWithin(tree, path.resolve(tree, named));
				return inside ? inside.split(path.sep).join('/') : named;
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
			this.started.queue.push({ type: 'work', work });
		}
	}

	/** Stores the state of the files and reports the changes. Rejects with a UserFacingError if it cannot be stored. */
	private async keepEnd(): Promise<void> {
		const { files } = this;
		if (files !== undefined && this.work !== undefined) {
			// The states that could be stored are reported even if others could not.
			await files.keepEnd().finally(() => this.tellFiles(files));
		}
	}

	/** Reports the changes. The states come before the list of their files, because git may fail to list them. */
	private async tellFiles(files: TurnFiles): Promise<void> {
		const { checkpoints } = files;
		this.tell({ checkpoints });
		this.tell(await changedFiles(checkpoints, this.options.changes.list));
	}
}

/** Returns the repositories and their folders in the copy, as keys. */
const foldersOf = (checkpoints: readonly Checkpoint[]) =>
	checkpoints.map(({ repository, at }) => JSON.stringify([at, repository]));

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
