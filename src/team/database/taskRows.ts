// The rows of tasks, executions and entries. Whoever changes a task locks its row first, so that the changes of one task
// come one after another, and its entries get their numbers in the order in which they become visible.
import type { ClientBase } from 'pg';
import { taskAfter } from '../../service/store/taskProgress.ts';
import type { ExecutionRecord, LogRecord, TaskRecord } from '../../service/store/taskRecord.ts';
import { TaskEnded } from '../../service/tasks/taskEnded.ts';
import { TASK_CHANNEL } from './notifications.ts';

/** Whose a task is, and who else sees it. */
export interface TaskOwner {
	userId: string;
	teamId: string | null;
	isPublic: boolean;
}

export interface TeamTask extends TaskRecord, TaskOwner {
	creatorName: string;
	/** The user wants the task to end, and its workers have yet to see to it. */
	stopRequested: boolean;
}

/** An execution with what only the database knows of it. */
export interface ExecutionRow {
	execution: ExecutionRecord;
	attempt: number;
	sentEntries: number;
}

export const STOPPED = new TaskEnded('stopped', 'Stopped by the user.');

export type Queries = Pick<ClientBase, 'query'>;

export const SELECT_TASKS = `SELECT t.sequence, t.id, t.turn, t.status, t.interrupted, t.record,
	t.user_id AS "userId", t.team_id AS "teamId", t.is_public AS "isPublic", t.stop_requested AS "stopRequested",
	u.name AS "creatorName"
	FROM tasks t JOIN users u ON u.id = t.user_id`;

interface TaskRow extends Omit<TeamTask, keyof StoredRecord> {
	record: StoredRecord;
}
type StoredRecord = Omit<TaskRecord, 'sequence' | 'id' | 'turn' | 'status' | 'interrupted'>;

export const toTask = ({ record, ...columns }: TaskRow): TeamTask => ({ ...record, ...columns });

/** Returns the part of a task that has no columns of its own. */
export function recordOf(task: Omit<TaskRecord, 'sequence' | 'id' | 'turn'> & Partial<TeamTask>): string {
	const { sequence, id, turn, status, interrupted, userId, teamId, isPublic, stopRequested, creatorName, ...record } =
		task;
	return JSON.stringify(record satisfies StoredRecord);
}

export async function lockTask(client: Queries, id: string): Promise<TeamTask | undefined> {
	const { rows } = await client.query(`${SELECT_TASKS} WHERE t.id = $1 FOR UPDATE OF t`, [id]);
	return rows[0] && toTask(rows[0]);
}

export async function readExecutions(
	client: Queries,
	{ sequence }: TaskRecord,
	{ diffs = false } = {},
): Promise<ExecutionRow[]> {
	const { rows } = await client.query(
		`SELECT status, attempt, sent_entries AS "sentEntries", record, ${diffs ? 'git_diff' : 'NULL'} AS "gitDiff"
		FROM executions WHERE task_sequence = $1 ORDER BY position`,
		[sequence],
	);
	return rows.map(({ status, attempt, sentEntries, record, gitDiff }) => ({
		execution: { ...record, status, gitDiff },
		attempt,
		sentEntries,
	}));
}

/** Stores an execution. A diff that is not given stays as it is. */
export async function writeExecution(
	client: Queries,
	{ sequence }: TaskRecord,
	{ execution, attempt, sentEntries }: ExecutionRow,
): Promise<void> {
	const { gitDiff } = execution;
	await client.query(
		`UPDATE executions SET status = $3, record = $4, git_diff = coalesce($5, git_diff), attempt = $6, sent_entries = $7
		WHERE task_sequence = $1 AND position = $2`,
		[
			sequence,
			execution.position,
			execution.status,
			executionRecordOf(execution),
			gitDiff === null ? null : JSON.stringify(gitDiff),
			attempt,
			sentEntries,
		],
	);
}

/** Returns an execution as it was when its turn began, and forgets the diff of an earlier attempt. */
export async function resetExecution(
	client: Queries,
	{ sequence }: TaskRecord,
	position: number,
): Promise<Omit<ExecutionRecord, 'status'>> {
	const { rows } = await client.query(
		'UPDATE executions SET git_diff = NULL WHERE task_sequence = $1 AND position = $2 RETURNING first_record',
		[sequence, position],
	);
	return { ...rows[0]?.first_record, gitDiff: null };
}

/** Returns the part of an execution that has no columns of its own. */
export function executionRecordOf({ status: _, gitDiff: __, ...record }: ExecutionRecord): string {
	return JSON.stringify(record);
}

/** Appends entries to the log of a locked task. */
export async function insertEntries(
	client: Queries,
	{ sequence }: TaskRecord,
	entries: readonly LogRecord[],
): Promise<void> {
	if (entries.length === 0) {
		return;
	}
	await client.query(
		`WITH task AS (UPDATE tasks SET entry_count = entry_count + $2 WHERE sequence = $1 RETURNING entry_count - $2 AS next)
		INSERT INTO log_entries (task_sequence, position, length, entry)
		SELECT $1, next + n - 1, length, entry::json
		FROM task, unnest($3::integer[], $4::text[]) WITH ORDINALITY AS entries (length, entry, n)`,
		[
			sequence,
			entries.length,
			entries.map(({ message }) => message.length),
			entries.map(entry => JSON.stringify(entry)),
		],
	);
}

/** Stores a locked task with the progress of its executions, and announces the change. */
export async function writeTask(
	client: Queries,
	task: TeamTask,
	executions: readonly ExecutionRecord[],
): Promise<TeamTask> {
	const after = taskAfter(task, executions, new Date().toISOString());
	await client.query(
		`UPDATE tasks SET turn = $2, status = $3, interrupted = $4, stop_requested = $5, record = $6 WHERE sequence = $1`,
		[task.sequence, after.turn, after.status, after.interrupted, after.stopRequested, recordOf(after)],
	);
	await announce(client, task);
	return after;
}

/** Announces a change of a task or its log, once it is committed. */
export async function announce(client: Queries, { id }: TaskRecord): Promise<void> {
	await client.query('SELECT pg_notify($1, $2)', [TASK_CHANNEL, id]);
}
