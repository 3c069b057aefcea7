import type { ClientBase, Pool } from 'pg';
import { type ExecutionUse, knownCost } from '../../service/store/modelUseStore.ts';
import { type ExecutionRecord, FINAL_STATUSES, type LogRecord } from '../../service/store/taskRecord.ts';
import type { ExecutionChange } from '../../service/store/taskStore.ts';
import { TaskEnded } from '../../service/tasks/taskEnded.ts';
import { endWithoutRun, logLabel, logRecord } from '../../service/tasks/taskLog.ts';
import { transaction } from './pool.ts';
import type { Turn } from './taskDatabase.ts';
import {
	announce,
	type ExecutionRow,
	insertEntries,
	lockTask,
	readExecutions,
	resetExecution,
	STOPPED,
	type TeamTask,
	writeExecution,
	writeTask,
} from './taskRows.ts';

const AGAIN =
	'The worker that ran this was lost, or has stopped before the end. The task runs once more from the start.';
const LOST = new TaskEnded(
	'error',
	'Interrupted: the worker that ran the task was lost, and so was the one before it.',
	true,
);

/** One attempt at a turn of an execution. The attempts are counted from 1. */
export interface Attempt extends Turn {
	attempt: number;
}

/** What a worker begins an attempt with. */
export interface BegunAttempt {
	task: TeamTask;
	/** As it was at the beginning of the turn. */
	execution: ExecutionRecord;
	/** The cost of earlier attempts at this turn in US dollars, as far as it is known. */
	spent: number;
	/** The use by earlier turns and attempts of this execution. */
	use: ExecutionUse[];
}

export interface AttemptWrite {
	/** The number of entries of this attempt before `entries`. */
	sent: number;
	entries: readonly LogRecord[];
	/** The fields of the execution that are to be set. */
	change?: ExecutionChange | undefined;
	/** The whole use by this attempt so far, without that of earlier turns and attempts. */
	use?: readonly ExecutionUse[] | undefined;
}

/** A locked execution, and what can be done with it. */
interface LockedExecution {
	client: ClientBase;
	task: TeamTask;
	row: ExecutionRow;
	store(after: ExecutionRow): Promise<TeamTask>;
	end(reason: TaskEnded): Promise<void>;
}

/**
 * What workers do with the tasks of a team. Several workers may believe that they run the same execution, because one of
 * them was taken for dead: each write names its attempt, and one that is not the current attempt changes nothing.
 */
export class Attempts {
	private readonly pool: Pool;

	constructor(pool: Pool) {
		this.pool = pool;
	}

	/**
	 * Makes an attempt the current one, and sets the execution back to where the turn began. Returns undefined if there is
	 * nothing to do, because the execution has ended, its end is asked for, or a later attempt or turn has begun.
	 */
	async begin({ attempt, ...turn }: Attempt): Promise<BegunAttempt | undefined> {
		return this.change(turn, async ({ client, task, row, store, end }) => {
			if (FINAL_STATUSES.has(row.execution.status) || row.attempt > attempt) {
				return undefined;
			}
			if (task.stopRequested) {
				await end(STOPPED);
				return undefined;
			}
			if (row.attempt === attempt && row.sentEntries > 0) {
				throw new Error('An attempt has begun twice.');
			}
			const { rows } = await client.query(
				`SELECT turn, use FROM model_use WHERE task_sequence = $1 AND position = $2 AND (turn, attempt) < ($3, $4)
				ORDER BY turn, attempt`,
				[task.sequence, turn.position, turn.turn, attempt],
			);
			const earlier: { turn: number; use: ExecutionUse[] }[] = rows;
			const isAgain = row.attempt > 0 && row.attempt < attempt;
			const execution: ExecutionRecord = {
				...(await resetExecution(client, task, turn.position)),
				// It waits no more, even if the worker before has not got beyond that.
				status: isAgain ? 'processing' : row.execution.status,
			};
			if (isAgain) {
				const message = logLabel(task, turn.position) + AGAIN;
				await insertEntries(client, task, [logRecord(execution.agent, 'task_continued', 'warning', message)]);
			}
			return {
				task: await store({ execution, attempt, sentEntries: 0 }),
				execution,
				spent: knownCost(earlier.flatMap(part => (part.turn === turn.turn ? part.use : []))),
				use: earlier.flatMap(({ use }) => use),
			};
		});
	}

	/**
	 * Stores what an attempt has done, or nothing if it is over, or even its turn is past. The same entries are stored
	 * once, however often a write whose end is not known is repeated.
	 */
	async write(
		{ attempt, ...turn }: Attempt,
		{ sent, entries, change, use }: AttemptWrite,
	): Promise<'stored' | 'over' | 'past'> {
		const result = await this.change(turn, async ({ client, task, row, store }) => {
			if (row.attempt !== attempt) {
				return 'over';
			}
			if (row.sentEntries < sent) {
				throw new Error('Entries of an attempt are missing.');
			}
			const fresh = entries.slice(row.sentEntries - sent);
			if (FINAL_STATUSES.has(row.execution.status)) {
				// This attempt has ended it, so this is the repetition of that write.
				return fresh.length === 0 ? 'stored' : 'over';
			}
			await insertEntries(client, task, fresh);
			if (use !== undefined && use.length > 0) {
				await client.query(
					`INSERT INTO model_use (task_sequence, position, turn, attempt, user_id, cost, use)
					VALUES ($1, $2, $3, $4, $5, $6, $7)
					ON CONFLICT (task_sequence, position, turn, attempt) DO UPDATE SET cost = excluded.cost, use = excluded.use`,
					[task.sequence, turn.position, turn.turn, attempt, task.userId, knownCost(use), JSON.stringify(use)],
				);
			}
			const sentEntries = row.sentEntries + fresh.length;
			if (change === undefined) {
				// The prompt and the like can be long, so they are written again only where something has changed.
				await client.query('UPDATE executions SET sent_entries = $3 WHERE task_sequence = $1 AND position = $2', [
					task.sequence,
					turn.position,
					sentEntries,
				]);
				await announce(client, task);
			} else {
				await store({ execution: { ...row.execution, ...change }, attempt, sentEntries });
			}
			return 'stored';
		});
		return result ?? 'past';
	}

	async isCurrent({ taskId, position, turn, attempt }: Attempt): Promise<boolean> {
		const { rows } = await this.pool.query(
			`SELECT e.status FROM tasks t JOIN executions e ON e.task_sequence = t.sequence
			WHERE t.id = $1 AND t.turn = $2 AND e.position = $3 AND e.attempt = $4`,
			[taskId, turn, position, attempt],
		);
		return rows[0] !== undefined && !FINAL_STATUSES.has(rows[0].status);
	}

	/** Ends an execution whose workers were lost, if this turn of it has not ended. */
	async endInterrupted(turn: Turn): Promise<void> {
		await this.change(turn, async ({ task, row, end }) => {
			if (!FINAL_STATUSES.has(row.execution.status)) {
				await end(task.stopRequested ? STOPPED : LOST);
			}
		});
	}

	/** Returns those of these tasks that somebody wants to end. */
	async stopsRequested(ids: readonly string[]): Promise<string[]> {
		const { rows } = await this.pool.query('SELECT id FROM tasks WHERE id = ANY($1) AND stop_requested', [ids]);
		return rows.map(({ id }) => id);
	}

	/** Locks a task and runs `body` in a transaction. Returns undefined if the turn of the task is another one. */
	private async change<T>(
		{ taskId, position, turn }: Turn,
		body: (locked: LockedExecution) => Promise<T>,
	): Promise<T | undefined> {
		return transaction(this.pool, async client => {
			const task = await lockTask(client, taskId);
			const rows = task === undefined ? [] : await readExecutions(client, task);
			const row = rows[position];
			if (task === undefined || row === undefined || task.turn !== turn) {
				return undefined;
			}
			const store = async (after: ExecutionRow) => {
				await writeExecution(client, task, after);
				return writeTask(
					client,
					task,
					rows.map(other => (other === row ? after : other).execution),
				);
			};
			const end = async (reason: TaskEnded) => {
				const { change, entry } = endWithoutRun(task, row.execution, reason);
				await insertEntries(client, task, [entry]);
				// Whoever still runs it is no longer the current attempt.
				await store({ ...row, execution: { ...row.execution, ...change }, attempt: row.attempt + 1 });
			};
			return body({ client, task, row, store, end });
		});
	}
}
