import type { ClientBase, Pool } from 'pg';
import type { Disposable } from '../../base/disposable.ts';
import type { ExecutionUse } from '../../service/store/modelUseStore.ts';
import { NO_PROGRESS, nextTurn } from '../../service/store/taskProgress.ts';
import {
	type AgentChoice,
	type ExecutionRecord,
	FINAL_STATUSES,
	type LogRecord,
	type NewTask,
	type TaskRecord,
} from '../../service/store/taskRecord.ts';
import { MAXIMUM_PAGE_LENGTH, type TaskPageQuery } from '../../service/store/taskStore.ts';
import { TaskWatchers } from '../../service/store/taskWatchers.ts';
import type { FollowedTask } from '../../service/tasks/logStream.ts';
import { endWithoutRun, logRecord } from '../../service/tasks/taskLog.ts';
import { commitSubject } from '../../service/tasks/taskNames.ts';
import type { Notifications } from './notifications.ts';
import { transaction } from './pool.ts';
import {
	executionRecordOf,
	insertEntries,
	lockTask,
	readExecutions,
	recordOf,
	SELECT_TASKS,
	STOPPED,
	type TaskOwner,
	type TeamTask,
	toTask,
	writeExecution,
	writeTask,
} from './taskRows.ts';

/** One turn of an execution, which is what a job of the queue is about. */
export interface Turn {
	taskId: string;
	position: number;
	turn: number;
}

/** Puts turns into the queue, in the transaction that stores them. */
export type Enqueue = (client: ClientBase, turns: readonly Turn[]) => Promise<void>;

/** How turns come into the queue. */
export interface Queueing {
	enqueue: Enqueue;
	/** The number of tasks of the same owner that may be active at a time; not limited by default. */
	tasksAtOnce?: number | undefined;
}

const CONFLICTS = {
	tooMany: 'The user has as many tasks at work as are allowed.',
	active: 'The task is still at work.',
	several: 'The task has several agents.',
	noBranch: 'The task has made no branch.',
};

/** Says why a task or a follow-up is not stored. */
export class TaskConflict extends Error {
	override readonly name = 'TaskConflict';
	readonly reason: keyof typeof CONFLICTS;

	constructor(reason: keyof typeof CONFLICTS) {
		super(CONFLICTS[reason]);
		this.reason = reason;
	}
}

/** What is shown of a task besides its own fields. */
export interface TaskParts {
	executions: ExecutionRecord[];
	use: ExecutionUse[];
}

/** The tasks of a team in PostgreSQL, for any number of front ends; `Attempts` is what workers do with them. */
export class TaskDatabase {
	private readonly pool: Pool;
	private readonly watchers = new TaskWatchers();

	constructor(pool: Pool, notifications: Notifications) {
		this.pool = pool;
		// There is one listener for all tasks, or each of thousands of followers would look at the news of all the others.
		notifications.onTask(id => (id === undefined ? this.watchers.tellAll() : this.watchers.tell(id)));
	}

	/** @throws TaskConflict `tooMany`. */
	async create(task: NewTask, owner: TaskOwner, queueing: Queueing): Promise<TeamTask> {
		const { id, agents, ...others } = task;
		const [first] = agents;
		const now = new Date().toISOString();
		const record = recordOf({
			...others,
			mcpServers: task.mcpServers ?? [],
			selectedAgent: first.agent,
			selectedModel: first.model,
			multiLaunch: agents.length > 1,
			currentPrompt: null,
			fromStep: null,
			...NO_PROGRESS,
			createdAt: now,
			updatedAt: now,
			startedAt: null,
			completedAt: null,
		});
		return transaction(this.pool, async client => {
			await checkRoom(client, owner.userId, queueing);
			await client.query(
				`INSERT INTO tasks (id, user_id, team_id, is_public, status, record) VALUES ($1, $2, $3, $4, 'pending', $5)`,
				[id, owner.userId, owner.teamId, owner.isPublic, record],
			);
			const created = (await lockTask(client, id)) as TeamTask;
			for (const [position, choice] of agents.entries()) {
				const execution = executionRecordOf({ ...NEW_EXECUTION, ...choice, position });
				await client.query(
					`INSERT INTO executions (task_sequence, position, status, record, first_record) VALUES ($1, $2, 'pending', $3, $3)`,
					[created.sequence, position, execution],
				);
			}
			await queueing.enqueue(
				client,
				agents.map((_, position) => ({ taskId: id, position, turn: 1 })),
			);
			return created;
		});
	}

	async get(id: string): Promise<TeamTask | undefined> {
		// An id comes from a client, and PostgreSQL takes no U+0000 in a text.
		if (id.includes('\0')) {
			return undefined;
		}
		const { rows } = await this.pool.query(`${SELECT_TASKS} WHERE t.id = $1`, [id]);
		return rows[0] && toTask(rows[0]);
	}

	/** Returns what followers of a task's log see of it. */
	async followed(id: string): Promise<(FollowedTask & TaskOwner) | undefined> {
		// Until its end, a task has no error, so the long text of its other fields is not read either. PostgreSQL itself
		// cannot take a field out of JSON that has U+0000 in it.
		const { rows } = await this.pool.query(
			`SELECT sequence, id, status, user_id AS "userId", team_id AS "teamId", is_public AS "isPublic",
				CASE WHEN status IN ('error', 'timeout') THEN record END AS record
			FROM tasks WHERE id = $1`,
			[id],
		);
		if (rows[0] === undefined) {
			return undefined;
		}
		const { record, ...columns } = rows[0];
		return { ...columns, error: record?.error ?? null };
	}

	/** Returns the executions in the order of the request, with their diffs only if they are needed. */
	async executions(task: TaskRecord, options: { diffs?: boolean } = {}): Promise<ExecutionRecord[]> {
		return (await readExecutions(this.pool, task, options)).map(({ execution }) => execution);
	}

	/** Returns the use by all agents in all turns. What several attempts at a turn have used is listed separately. */
	async modelUse({ sequence }: TaskRecord): Promise<ExecutionUse[]> {
		const { rows } = await this.pool.query(
			'SELECT use FROM model_use WHERE task_sequence = $1 ORDER BY position, turn, attempt',
			[sequence],
		);
		return rows.flatMap(({ use }) => use);
	}

	/** Reads the executions, without diffs, and the use of all tasks of a page at once. Returns a function that has them. */
	async parts(tasks: readonly TaskRecord[]): Promise<(task: TaskRecord) => TaskParts> {
		const sequences = [tasks.map(({ sequence }) => sequence)];
		const [executions, use] = await Promise.all([
			this.pool.query(
				`SELECT task_sequence AS sequence, status, record FROM executions
				WHERE task_sequence = ANY($1::bigint[]) ORDER BY position`,
				sequences,
			),
			this.pool.query(
				`SELECT task_sequence AS sequence, use FROM model_use
				WHERE task_sequence = ANY($1::bigint[]) ORDER BY position, turn, attempt`,
				sequences,
			),
		]);
		const [executionsOf, useOf] = [executions, use].map(({ rows }) => Map.groupBy(rows, row => row.sequence));
		return ({ sequence }) => ({
			executions: (executionsOf?.get(sequence) ?? []).map(({ record, status }) => ({
				...record,
				status,
				gitDiff: null,
			})),
			use: (useOf?.get(sequence) ?? []).flatMap(row => row.use),
		});
	}

	/** Returns a page of the tasks of a user or a team, newest first. */
	async list(
		query: TaskPageQuery & { of: { userId: string } | { teamId: string } },
	): Promise<{ tasks: TeamTask[]; hasMore: boolean }> {
		const { of, limit, offset, filter, statuses = [], interrupted } = query;
		// Nothing creates batches, so this list is always empty.
		if (filter === 'batch') {
			return { tasks: [], hasMore: false };
		}
		const [column, owner] = 'userId' in of ? ['user_id', of.userId] : ['team_id', of.teamId];
		const { rows } = await this.pool.query(
			`${SELECT_TASKS} WHERE t.${column} = $1 AND (cardinality($2::text[]) = 0 OR t.status = ANY($2))
				AND ($3::boolean IS NULL OR t.interrupted = $3)
			ORDER BY t.sequence DESC LIMIT $4 OFFSET $5`,
			[owner, statuses, interrupted ?? null, limit + 1, offset],
		);
		return { tasks: rows.slice(0, limit).map(toTask), hasMore: rows.length > limit };
	}

	/** Sets a task with one agent back to waiting, for a follow-up on its branch. @throws TaskConflict */
	async followUp(id: string, turn: AgentChoice & { prompt: string }, queueing: Queueing): Promise<TeamTask> {
		const { prompt, agent, model } = turn;
		return transaction(this.pool, async client => {
			const task = await required(client, id);
			const [first, ...others] = await readExecutions(client, task);
			if (first === undefined || others.length > 0) {
				throw new TaskConflict('several');
			}
			if (!FINAL_STATUSES.has(first.execution.status)) {
				throw new TaskConflict('active');
			}
			if (first.execution.branchName === null) {
				throw new TaskConflict('noBranch');
			}
			await checkRoom(client, task.userId, queueing);
			const message = `Asked to go on: ${commitSubject(prompt)}`;
			await insertEntries(client, task, [logRecord(agent, 'task_continued', 'info', message)]);
			const execution = nextTurn(first.execution, { agent, model });
			await writeExecution(client, task, { execution, attempt: 0, sentEntries: 0 });
			await client.query('UPDATE executions SET first_record = record WHERE task_sequence = $1', [task.sequence]);
			const next = task.turn + 1;
			const asked = { currentPrompt: prompt, selectedAgent: agent, selectedModel: model, turn: next, startedAt: null };
			await queueing.enqueue(client, [{ taskId: id, position: 0, turn: next }]);
			return writeTask(client, { ...task, ...asked, stopRequested: false }, [execution]);
		});
	}

	/** Ends what waits at once, and asks the workers to end what runs. An ended task stays as it is. */
	async requestStop(id: string): Promise<TeamTask> {
		return transaction(this.pool, async client => {
			const task = await required(client, id);
			if (FINAL_STATUSES.has(task.status)) {
				return task;
			}
			const executions: ExecutionRecord[] = [];
			for (const row of await readExecutions(client, task)) {
				const { execution, attempt } = row;
				if (FINAL_STATUSES.has(execution.status) || attempt > 0) {
					executions.push(execution);
					continue;
				}
				const { change, entry } = endWithoutRun(task, execution, STOPPED);
				await insertEntries(client, task, [entry]);
				await writeExecution(client, task, { ...row, execution: { ...execution, ...change } });
				executions.push({ ...execution, ...change });
			}
			return writeTask(client, { ...task, stopRequested: true }, executions);
		});
	}

	/**
	 * Returns the entries from position `from` on, without gaps: at most `limit`, and no further ones once their text is
	 * longer than `MAXIMUM_PAGE_LENGTH`. The list is empty only if there are no more entries.
	 */
	async entries({ sequence }: FollowedTask, from: number, limit: number): Promise<LogRecord[]> {
		const { rows } = await this.pool.query(
			`SELECT entry FROM log_entries JOIN (
				SELECT position, sum(length) OVER (ORDER BY position) - length AS before FROM (
					SELECT position, length FROM log_entries WHERE task_sequence = $1 AND position >= $2::bigint
					ORDER BY position LIMIT $3
				) AS next
			) AS page USING (position)
			WHERE task_sequence = $1 AND before <= ${MAXIMUM_PAGE_LENGTH} ORDER BY position`,
			[sequence, from, limit],
		);
		return rows.map(({ entry }) => entry);
	}

	async entryCount({ sequence }: FollowedTask): Promise<number> {
		const { rows } = await this.pool.query('SELECT entry_count FROM tasks WHERE sequence = $1', [sequence]);
		return rows[0]?.entry_count ?? 0;
	}

	/** Calls `listener` after every change of the task or its log, and when one may have been missed, until disposed. */
	watch(id: string, listener: () => void): Disposable {
		return this.watchers.watch(id, listener);
	}
}

const NEW_EXECUTION = {
	...NO_PROGRESS,
	sandboxed: null,
	maxCost: null,
	hasWork: false,
	tests: null,
	testFilesChanged: null,
	baseCommit: null,
	composedOf: null,
	gitDiff: null,
} as const;

async function required(client: ClientBase, id: string): Promise<TeamTask> {
	const task = await lockTask(client, id);
	if (task === undefined) {
		throw new Error('A task that was to be changed is not in the database.');
	}
	return task;
}

/** Refuses a further active task of a user who has as many as are allowed. */
async function checkRoom(client: ClientBase, userId: string, { tasksAtOnce }: Queueing): Promise<void> {
	if (tasksAtOnce === undefined) {
		return;
	}
	// The row of the user is locked, or two requests at the same time would both find room.
	await client.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
	const { rows } = await client.query(
		`SELECT count(*) AS active FROM tasks WHERE user_id = $1 AND status IN ('pending', 'processing', 'saving')`,
		[userId],
	);
	if (rows[0]?.active >= tasksAtOnce) {
		throw new TaskConflict('tooMany');
	}
}
