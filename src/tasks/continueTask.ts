import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { ClientError, UserFacingError } from '../base/errors.ts';
import { escapeIcons, firstLine, shortName } from '../base/plainText.ts';
import type { ContinuedTask, EditorOutcome } from '../contract/editorPipe.ts';
import { isRace, type TaskResult } from '../contract/taskResults.ts';
import type { TaskStep } from '../contract/taskSteps.ts';
import { isActiveTask, type Task, type TaskCreateRequest, type TaskFollowUp } from '../contract/tasks.ts';
import type { ShownFollowUp } from '../mcp/api.ts';
import { type askModal, showMessage } from '../platform/notify.ts';
import { choose, inputDraft } from '../platform/pick.ts';
import { refusedByUser } from '../platform/refusalMessages.ts';
import { StateEntries } from '../platform/sharedState.ts';
import { untrustedText } from '../platform/trust.ts';
import type { findWorktreeBranch, WorktreeBranch } from './branches/worktreeBranch.ts';
import type { ActiveConnection } from './common/activeConnection.ts';
import { rowWords } from './common/messages.ts';
import { stepTitle } from './common/stepMessages.ts';
import { choiceName, type LaunchAgent, offeredChoices } from './launch/launchChoices.ts';
import type { TaskListStore } from './list/taskListStore.ts';
import { FOLLOW_UP_ENTRIES } from './model/storageKeys.ts';
import type { TaskConnection, TaskTarget } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import { chooseResult, resultKeyOf } from './results/pickResult.ts';

const MAXIMUM_TITLE = 60;

/**
 * The errors after which it is unknown whether the service accepted the prompt, because its reply is missing or cut.
 */
const UNSURE: ReadonlySet<string> = new Set(['offline', 'timeout', 'truncated', 'server', 'upstream', 'bad-response']);

export interface TaskFollowUpsDependencies {
	workspaceState: vscode.Memento;
	tasks: {
		store: TaskListStore;
		findWorktree: typeof findWorktreeBranch;
	};
	active: ActiveConnection;
	/** Returns the connection's agents as its service describes them now. */
	agents(): Promise<TaskConnection['agents']>;
	/** Starts the work on a follow-up. */
	runner: {
		/** Shows and follows a task that continues. */
		goesOn(task: Task, target: TaskTarget): void;
		/**
		 * Starts a task from the branch of another one and shows it. Resolves with its id, or with undefined after a
		 * failure, which is shown to the user.
		 */
		start(request: TaskCreateRequest, target: TaskTarget): Promise<string | undefined>;
	};
	user: {
		/** Returns whether the workspace is trusted. In an untrusted one no agent runs on this machine. */
		isTrusted(): boolean;
		askModal: typeof askModal;
		explain(error: unknown): void;
	};
}

/** The branch of one of several agents that had the same prompt. */
export interface AgentBranch {
	branch: string;
	agent: string | undefined;
	model: string | undefined;
}

/** Returns the branch of one of several agents, or undefined for the branch of the task itself. */
export function agentBranchOf(task: Task, { key, branch, agent }: TaskResult): AgentBranch | undefined {
	if (key === task.id) {
		return undefined;
	}
	const model = task.selectedAgents?.[Number(key.slice(task.id.length + 1))]?.model;
	return { branch, agent, model };
}

/**
 * Gives a further prompt to tasks that have ended, with one request at a time for each task. A branch that is checked
 * out must not be moved, so a new task starts from it instead.
 */
export class TaskFollowUps {
	private readonly dependencies: TaskFollowUpsDependencies;
	private readonly drafts: StateEntries<string>;
	private readonly requests = new Set<string>();

	constructor(dependencies: TaskFollowUpsDependencies) {
		this.dependencies = dependencies;
		const isText = (value: unknown): value is string => typeof value === 'string';
		this.drafts = new StateEntries(dependencies.workspaceState, FOLLOW_UP_ENTRIES, isText);
	}

	/**
	 * Asks for the task's next prompt and sends it. It stays as a draft until the service has accepted it. If the task
	 * has several agents, `argument` may be the row of one; otherwise the user is asked first.
	 */
	async goOn(id: string, argument?: unknown): Promise<void> {
		await this.once(id, async ({ task, target }) => {
			const result = isRace(task) ? await this.chooseAgent(task, argument) : undefined;
			if (isRace(task) && !result) {
				return false;
			}
			const agent = result && agentBranchOf(task, result);
			const inWorktree = agent ? undefined : await this.dependencies.tasks.findWorktree(task, target);
			const from = result ? agentText(result) : inWorktree && staysText(inWorktree);
			const branch = agent?.branch ?? inWorktree?.branch;
			const prompt = await this.ask(task, from);
			const isSent =
				prompt !== undefined &&
				(branch === undefined
					? await this.send(task, { prompt }, target)
					: (await this.startFrom(task, branch, prompt, target, agent)) !== undefined);
			if (isSent) {
				this.keep(id, '');
			}
			return isSent;
		});
	}

	/** Asks who goes on from the files of a step, and with which prompt, and sends it as `goOn` does. */
	async goOnFrom(id: string, step: TaskStep): Promise<void> {
		await this.once(id, async ({ task, target }) => {
			if (isRace(task)) {
				throw new UserFacingError(
					vscode.l10n.t('Several agents worked on this task, so it can’t be continued from one of their steps.'),
				);
			}
			const agents = await this.dependencies.agents();
			const successor = await chooseSuccessor(task, { ...target.connection, agents });
			const from = vscode.l10n.t('The files are those of step {0}', stepTitle(step));
			const prompt = successor && (await this.ask(task, from));
			if (!successor || prompt === undefined) {
				return false;
			}
			await this.send(task, { prompt, ...defined(successor), fromStep: step.index }, target);
			this.keep(id, '');
			return true;
		});
	}

	/**
	 * Sends a prompt that the user has written elsewhere and wants to be sent, after the same checks. `agent` is one of
	 * several that worked on the task; a new task then starts from that agent's branch, as it does from a branch that
	 * is checked out. Resolves with true if the service has accepted it; errors are shown to the user.
	 */
	sendPrompt(id: string, prompt: string, agent?: AgentBranch): Promise<boolean> {
		return this.once(id, async ({ task, target }) => {
			const inWorktree = agent ? undefined : await this.dependencies.tasks.findWorktree(task, target);
			const branch = agent?.branch ?? inWorktree?.branch;
			if (branch === undefined) {
				return this.send(task, { prompt }, target);
			}
			const start = vscode.l10n.t('Start Task');
			const detail = inWorktree
				? staysText(inWorktree)
				: vscode.l10n.t('Several agents worked on this task, so it can’t be continued itself.');
			const chosen = await this.dependencies.user.askModal(
				vscode.l10n.t('A new task starts from the branch “{0}”.', shortName(branch)),
				detail,
				start,
			);
			return chosen === start && (await this.startFrom(task, branch, prompt, target, agent)) !== undefined;
		});
	}

	/**
	 * Sends a prompt for another program, after the same checks, once `allow` has resolved with true for it. Rejects
	 * with an error to be explained.
	 */
	async sendForProgram(
		id: string,
		prompt: string,
		allow: (shown: ShownFollowUp) => Promise<boolean>,
	): Promise<EditorOutcome<ContinuedTask>> {
		if (this.requests.has(id)) {
			return { done: false, reason: vscode.l10n.t('A prompt for this task is already being sent.') };
		}
		this.requests.add(id);
		try {
			const target = await this.targetFor();
			const task = await target.client.tasks.get(id);
			if (isActiveTask(task)) {
				return { done: false, reason: vscode.l10n.t('The task is still running. Wait for it to finish, or stop it.') };
			}
			if (isRace(task)) {
				const reason = vscode.l10n.t(
					'Several agents worked on this task. The user can continue with one in the editor.',
				);
				return { done: false, reason };
			}
			const inWorktree = await this.dependencies.tasks.findWorktree(task, target);
			const from = inWorktree && { branch: inWorktree.branch, text: staysText(inWorktree) };
			if (!(await allow({ task, prompt, connection: target.connection.label, from }))) {
				return { done: false, reason: refusedByUser() };
			}
			if (!inWorktree) {
				await this.send(task, { prompt }, target);
				return { done: true, value: { task: { ...task, status: 'pending', completedAt: undefined }, isNew: false } };
			}
			const made = await this.startFrom(task, inWorktree.branch, prompt, target);
			return made === undefined
				? { done: false, reason: vscode.l10n.t('Couldn’t start the new task. See the editor for details.') }
				: { done: true, value: { task: await target.client.tasks.get(made), isNew: true } };
		} finally {
			this.requests.delete(id);
		}
	}

	/** Checks that a task can continue, and runs one request for it at a time. */
	private async once(
		id: string,
		run: (ready: { task: Task; target: TaskTarget }) => Promise<boolean>,
	): Promise<boolean> {
		if (this.requests.has(id)) {
			return false;
		}
		this.requests.add(id);
		try {
			const target = await this.targetFor();
			const task = this.dependencies.tasks.store.get(id) ?? (await target.client.tasks.get(id));
			if (isActiveTask(task)) {
				void showMessage(
					'information',
					vscode.l10n.t(
						'“{0}” is still running. Wait for it to finish, or stop it.',
						taskTitle(task, rowWords.untitled),
					),
				);
				return false;
			}
			return await run({ task, target });
		} catch (error) {
			this.dependencies.user.explain(error);
			return false;
		} finally {
			this.requests.delete(id);
		}
	}

	private async targetFor(): Promise<TaskTarget> {
		const target = await this.dependencies.active.target();
		if (target.connection.isLocal && !this.dependencies.user.isTrusted()) {
			throw new UserFacingError(untrustedText());
		}
		return target;
	}

	private async send(task: Task, followUp: TaskFollowUp, target: TaskTarget): Promise<true> {
		const { id } = task;
		try {
			await target.client.tasks.continue(id, followUp);
		} catch (error) {
			// The prompt is never sent again automatically, because the agent would do the same work twice.
			const now =
				ClientError.is(error) && error.wasSent && UNSURE.has(error.code)
					? await target.client.tasks.get(id).catch(() => undefined)
					: undefined;
			if (!now || !isActiveTask(now)) {
				throw error;
			}
		}
		const going: Task = { ...task, status: 'pending', completedAt: undefined, error: undefined };
		if (this.dependencies.active.is(target.connection.name)) {
			this.dependencies.tasks.store.put(going);
		}
		this.dependencies.runner.goesOn(going, target);
		return true;
	}

	private async startFrom(
		task: Task,
		branch: string,
		prompt: string,
		target: TaskTarget,
		agent?: AgentBranch,
	): Promise<string | undefined> {
		const { repoUrl = '', installDependencies, maxDuration = 0 } = task;
		const request: TaskCreateRequest = {
			prompt,
			repoUrl,
			selectedBranch: branch,
			...defined({
				selectedAgent: agent ? agent.agent : task.selectedAgent,
				selectedModel: agent ? agent.model : task.selectedModel,
				installDependencies,
				maxDuration: maxDuration > 0 ? maxDuration : undefined,
			}),
		};
		return this.dependencies.runner.start(request, target);
	}

	private chooseAgent(task: Task, argument: unknown): Promise<TaskResult | undefined> {
		return chooseResult(task, resultKeyOf(argument), {
			title: titleOf(task),
			placeHolder: vscode.l10n.t('Select the agent whose work a new task continues'),
			none: vscode.l10n.t('None of the agents created a branch, so there’s nothing to continue.'),
		});
	}

	/** `from` is the branch from which a new task starts, if the task itself cannot continue. */
	private async ask(task: Task, from: string | undefined): Promise<string | undefined> {
		const { draft, isAccepted } = await inputDraft({
			title: titleOf(task),
			placeholder:
				from === undefined
					? vscode.l10n.t('Describe what the task should do next, on the same branch')
					: vscode.l10n.t('Describe what a new task should do next, on its own branch'),
			...defined({ prompt: from }),
			value: this.drafts.get(task.id) ?? '',
			emptyProblem: vscode.l10n.t('Describe what the task should do.'),
		});
		this.keep(task.id, draft);
		return isAccepted ? draft.trim() : undefined;
	}

	private keep(id: string, draft: string): void {
		if (draft !== (this.drafts.get(id) ?? '')) {
			this.drafts.note(id, draft === '' ? undefined : draft);
		}
	}
}

/** Lets the user choose the agent that goes on, if there are several. Resolves with undefined when dismissed. */
function chooseSuccessor(
	{ selectedAgent: agent, selectedModel: model }: Task,
	connection: TaskConnection,
): Promise<Pick<LaunchAgent, 'agent' | 'model'> | undefined> | Pick<LaunchAgent, 'agent' | 'model'> {
	const others = offeredChoices(connection).filter(offered => offered.agent !== agent || offered.model !== model);
	if (others.length === 0) {
		return { agent, model };
	}
	const items = [{ agent, model }, ...others].map((value, at) => ({
		label: escapeIcons(choiceName(connection, value)),
		description: at === 0 ? vscode.l10n.t('has worked on it until here') : '',
		value,
	}));
	return choose(vscode.l10n.t('Continue from Here'), items, {
		placeHolder: vscode.l10n.t('Select the agent that continues'),
	});
}

const titleOf = ({ prompt = '' }: Task) =>
	vscode.l10n.t('Continue “{0}”', firstLine(prompt, MAXIMUM_TITLE) || rowWords.untitled);

function agentText({ name = '', branch }: TaskResult): string {
	return vscode.l10n.t('A new task starts from the branch of {0}, “{1}”.', shortName(name), shortName(branch));
}

function staysText({ branch, worktree }: WorktreeBranch): string {
	return vscode.l10n.t(
		'“{0}” is checked out in {1}, so it isn’t changed. A new task starts from it, whose branch you can merge when it’s done.',
		shortName(branch),
		worktree,
	);
}
