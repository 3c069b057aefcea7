import { existsSync } from 'node:fs';
import { UserFacingError } from '../../base/errors.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { AgentTurn, AgentTurns } from '../conversation/replyRequest.ts';
import type { AgentWork } from '../model/agentWork.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import type { Allowance } from '../model/approvalPolicy.ts';
import type { ApprovalAnswer } from '../model/approvals.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Conversation } from '../model/conversation.ts';
import { AgentFolder } from './agentFolder.ts';
import { workspaceFolders } from './agentPlace.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';
import type { ApprovalQuestions } from './approvalQuestions.ts';
import { withChanges } from './changedFiles.ts';
import { forgetStates, holdStates, keepStateOf } from './checkpoints.ts';
import { EventQueue } from './eventQueue.ts';
import { StepStates } from './stepStates.ts';
import { TurnRun } from './turnRun.ts';

/** The agents that work for the conversations of this window. */
export class AgentRuns implements AgentTurns {
	private readonly options: AgentRunsOptions;
	private readonly running = new Map<string, TurnRun>();
	/** The user's allowances, by conversation. They end with the window. */
	private readonly allowed = new Map<string, Map<string, Allowance[]>>();

	constructor(options: AgentRunsOptions) {
		this.options = options;
	}

	async refusal(): Promise<Explanation | undefined> {
		try {
			workspaceFolders();
			return undefined;
		} catch (error) {
			if (error instanceof UserFacingError) {
				return { message: error.message };
			}
			throw error;
		}
	}

	run(turn: AgentTurn, signal: AbortSignal): AsyncIterable<ReplyEvent> {
		const queue = new EventQueue();
		const run = new TurnRun(this.options, { turn, queue, signal, allowed: this.allowedIn(turn.conversation.id) });
		this.running.set(turn.turnId, run);
		run
			.run()
			.then(
				() => queue.close(),
				error => queue.close({ error }),
			)
			.finally(() => this.running.delete(turn.turnId));
		return queue.events();
	}

	/** Passes on the user's answer to a question. */
	answer(turnId: string, question: string, answer: ApprovalAnswer): void {
		this.running.get(turnId)?.questions.answer(question, answer);
	}

	/** Sends the user's answers to a form, as `ApprovalQuestions.fillIn` does. */
	fillIn(turnId: string, ...filled: Parameters<ApprovalQuestions['fillIn']>): ReturnType<ApprovalQuestions['fillIn']> {
		return this.running.get(turnId)?.questions.fillIn(...filled);
	}

	/** Leaves a hunk out of the changes that a question is about, as `TurnRun.refuseHunk` does. */
	refuseHunk(turnId: string, question: string, change: number, hunk: number): void {
		this.running.get(turnId)?.refuseHunk(question, change, hunk);
	}

	/**
	 * Stores which of an agent's changes the user's files have, once these files are as `source` has them. Resolves to
	 * the commit. Rejects when git fails.
	 */
	async keepTaken(
		conversation: string,
		{ repository, taken }: { repository: string; taken: string },
		source: string,
		paths: readonly string[],
	): Promise<string> {
		return keepStateOf(placeOf(await getGitApi(), repository), conversation, taken, source, paths);
	}

	/** Returns the states after the steps of an agent's work in a conversation. */
	statesOf(conversation: string, work: AgentWork): StepStates {
		return new StepStates(new AgentFolder(this.options.folder, conversation), conversation, work);
	}

	/** Lists the changes of checkpoints, as `withChanges` does. */
	withChanges(work: AgentWork, checkpoints: readonly Checkpoint[]): Promise<AgentWork> {
		return withChanges(work, checkpoints, this.options.changes.list);
	}

	/** Rejects when git or the file system fails. */
	async adopt({ id, turns }: Conversation): Promise<void> {
		const folder = new AgentFolder(this.options.folder, id);
		const git = await getGitApi();
		const works = turns.flatMap(({ replies }) => replies.flatMap(({ work }) => work ?? []));
		const states = Map.groupBy(
			works.flatMap(({ checkpoints }) => checkpoints),
			({ repository }) => repository,
		);
		for (const [repository, kept] of states) {
			if (existsSync(repository)) {
				await folder.note(repository);
				const commits = kept.flatMap(({ before, taken = before, after = before }) => [before, taken, after]);
				await holdStates(placeOf(git, repository), id, commits);
			}
		}
	}

	/** Removes the agents' data of a deleted conversation. Rejects when git or the file system fails. */
	async forget(conversation: string): Promise<void> {
		this.allowed.delete(conversation);
		const folder = new AgentFolder(this.options.folder, conversation);
		// A repository that is gone has nothing to remove, and one that cannot be read must not prevent the other removals.
		const repositories = (await folder.repositories()).filter(existsSync);
		const removals = await Promise.allSettled(repositories.map(one => forgetStates(one, conversation)));
		await folder.remove();
		const failed = removals.find(({ status }) => status === 'rejected');
		if (failed) {
			throw (failed as PromiseRejectedResult).reason;
		}
	}

	private allowedIn(conversation: string): Map<string, Allowance[]> {
		const allowed = this.allowed.get(conversation) ?? new Map<string, Allowance[]>();
		this.allowed.set(conversation, allowed);
		return allowed;
	}
}
