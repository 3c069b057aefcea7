import type { ClientBase, Pool } from 'pg';
import type { Disposable } from '../../base/disposable.ts';
import type { ExecutionUse } from '../../service/store/modelUseStore.ts';
import type { AgentChoice, ExecutionRecord, LogRecord, NewTask, TaskRecord } from '../../service/store/taskRecord.ts';
import type { ExecutionChange, TaskPageQuery } from '../../service/store/taskStore.ts';
import type { Notifications } from './pool.ts';

/** Whose a task is, and who else sees it. */
export interface TaskOwner {
	userId: string;
	teamId: string | null;
	isPublic: boolean;
}

export interface TeamTask extends TaskRecord, TaskOwner {
	creatorName: string;
	/** The user wants the task to end, and a worker has yet to see to it. */
	stopRequested: boolean;
}

/** One turn of an execution, which is what a job of the queue is about. */
export interface Turn {
	taskId: string;
	position: number;
	turn: number;
}

/** One attempt at a turn. The attempts are counted from 1. */
export interface Attempt extends Turn {
	attempt: number;
}

/** Puts turns into the queue, in the transaction that stores them. */
export type Enqueue = (client: ClientBase, turns: readonly Turn[]) => Promise<void>;

/** How turns come into the queue. */
export interface Queueing {
	enqueue: Enqueue;
	/** The number of tasks of the same owner that may be active at a time; not limited by default. */
	tasksAtOnce?: number | undefined;
}

/** Why a task is not stored: `active` is still at work, `several` has more than one agent. */
export type ConflictReason = 'tooMany' | 'active' | 'several' | 'noBranch';

export declare class TaskConflict extends Error {
	readonly reason: ConflictReason;
	constructor(reason: ConflictReason);
}

export interface TeamPageQuery extends TaskPageQuery {
	/** The tasks of a user, or those of a team. */
	of: { userId: string } | { teamId: string };
}

export interface FollowUpTurn extends AgentChoice {
	prompt: string;
}

/** What the worker of an attempt begins with. */
export interface BegunAttempt {
	task: TeamTask;
	/** As it was at the beginning of the turn. */
	execution: ExecutionRecord;
	/** The cost of earlier attempts at this turn in US dollars, as far as it is known. */
	spent: number;
	/** The use by earlier turns and attempts of this execution. */
	use: ExecutionUse[];
}

/** What a write of an attempt brings. */
export interface AttemptWrite {
	/** The number of entries of this attempt before `entries`. */
	sent: number;
	entries: readonly LogRecord[];
	/** The fields of the execution that are to be set. */
	change?: ExecutionChange | undefined;
	/** The whole use by this attempt so far, without that of earlier turns and attempts. */
	use?: readonly ExecutionUse[] | undefined;
}

export declare class TaskDatabase {
	constructor(pool: Pool, notifications: Notifications);

	/** @throws TaskConflict `tooMany`. */
	create(task: NewTask, owner: TaskOwner, queueing: Queueing): Promise<TeamTask>;
	get(id: string): Promise<TeamTask | undefined>;
	executions(task: TaskRecord, options?: { diffs?: boolean }): Promise<ExecutionRecord[]>;
	modelUse(task: TaskRecord): Promise<ExecutionUse[]>;
	/** A page of tasks, newest first. */
	list(query: TeamPageQuery): Promise<{ tasks: TeamTask[]; hasMore: boolean }>;
	/** @throws TaskConflict */
	followUp(id: string, followUp: FollowUpTurn, queueing: Queueing): Promise<TeamTask>;
	/** Ends what waits at once, and asks the workers to end what runs. Nothing happens to an ended task. */
	requestStop(id: string): Promise<TeamTask | undefined>;
	/** As TaskStore.entries. */
	entries(task: TaskRecord, from: number, limit: number): Promise<LogRecord[]>;
	entryCount(task: TaskRecord): Promise<number>;
	/** Calls `listener` after every change of the task or its log, and when one may have been missed. */
	watch(id: string, listener: () => void): Disposable;

	/** Makes an attempt the current one. Undefined if there is nothing to do: ended, stopped, or a later attempt. */
	begin(attempt: Attempt): Promise<BegunAttempt | undefined>;
	/** Stores what an attempt has done, once, however often the same write is repeated; nothing of one that is over. */
	write(attempt: Attempt, write: AttemptWrite): Promise<'stored' | 'over'>;
	isCurrent(attempt: Attempt): Promise<boolean>;
	/** Ends an execution whose worker is gone for good, if this turn has not ended. */
	endInterrupted(turn: Turn): Promise<void>;
	/** Whether the user has asked for the end of any of these tasks; returns those. */
	stopsRequested(ids: readonly string[]): Promise<string[]>;
}
