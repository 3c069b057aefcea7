import type { Pool } from 'pg';

/**
 * Lets the database note each change of an execution's state from here on, so that `integrityProblems` can tell how many
 * final states a turn had, and not only which it shows at the end.
 */
export async function noteStates(pool: Pool): Promise<void> {
	await pool.query(`
		CREATE TABLE noted_states (task_sequence bigint, position integer, turn integer, status text);
		CREATE FUNCTION note_state() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO noted_states
					SELECT NEW.task_sequence, NEW.position, turn, NEW.status FROM tasks WHERE sequence = NEW.task_sequence;
				RETURN NULL;
			END
		$$;
		CREATE TRIGGER note_state AFTER UPDATE OF status ON executions FOR EACH ROW
			WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_state();
	`);
}

const IS_FINAL = "IN ('completed', 'error', 'stopped', 'timeout')";
/** What a row of the log says of an end. The text is searched as it is, as the JSON may hold what no text can. */
const IS_END = `entry::text LIKE '%"step":"task_ended"%'`;

/** Queries that find nothing in a database in which every task has ended, by what a row of theirs means. */
const QUERIES: Readonly<Record<string, string>> = {
	'an execution has no final state': `SELECT task_sequence, position FROM executions WHERE NOT status ${IS_FINAL}`,
	'a turn has had another number of final states than one': `
		SELECT e.task_sequence, e.position, turns.turn, count(n.status) FROM executions e
		JOIN tasks t ON t.sequence = e.task_sequence
		CROSS JOIN LATERAL generate_series(1, t.turn) AS turns (turn)
		LEFT JOIN noted_states n ON n.task_sequence = e.task_sequence AND n.position = e.position
			AND n.turn = turns.turn AND n.status ${IS_FINAL}
		GROUP BY 1, 2, 3 HAVING count(n.status) <> 1`,
	'a task is not in the state of its only execution': `
		SELECT t.id FROM tasks t JOIN executions e ON e.task_sequence = t.sequence
		WHERE NOT EXISTS (SELECT FROM executions o WHERE o.task_sequence = t.sequence AND o.position > 0)
			AND (t.status <> e.status OR t.interrupted <> (e.record ->> 'interrupted')::boolean)`,
	'a task is final before its executions, or the other way round': `
		SELECT t.id FROM tasks t JOIN executions e ON e.task_sequence = t.sequence
		GROUP BY t.id, t.status HAVING bool_and(e.status ${IS_FINAL}) <> (t.status ${IS_FINAL})`,
	'a log has gaps, or another length than its task says': `
		SELECT t.id FROM tasks t LEFT JOIN log_entries l ON l.task_sequence = t.sequence
		GROUP BY t.id, t.entry_count
		HAVING count(l.position) <> t.entry_count OR coalesce(max(l.position) + 1, 0) <> t.entry_count`,
	'a log tells of more ends than there were': `
		SELECT t.id FROM tasks t JOIN log_entries l ON l.task_sequence = t.sequence
		WHERE ${IS_END}
		GROUP BY t.sequence, t.id, t.turn
		HAVING count(*) > t.turn * (SELECT count(*) FROM executions e WHERE e.task_sequence = t.sequence)`,
	'an attempt has written more entries than there are': `
		SELECT t.id FROM tasks t JOIN executions e ON e.task_sequence = t.sequence
		GROUP BY t.id, t.entry_count HAVING sum(e.sent_entries) > t.entry_count`,
	'model use belongs to an attempt that never was': `
		SELECT m.task_sequence FROM model_use m JOIN tasks t ON t.sequence = m.task_sequence
		JOIN executions e ON e.task_sequence = m.task_sequence AND e.position = m.position
		WHERE m.turn > t.turn OR (m.turn = t.turn AND m.attempt > e.attempt) OR m.user_id <> t.user_id`,
};

/**
 * Returns what is wrong in a database in which every task has ended, with the rows that show it. `noteStates` must have
 * been called before the first task.
 */
export async function integrityProblems(pool: Pool): Promise<string[]> {
	const problems: string[] = [];
	for (const [problem, query] of Object.entries(QUERIES)) {
		const { rows } = await pool.query(query);
		problems.push(...rows.map(row => `${problem}: ${JSON.stringify(row)}`));
	}
	return problems;
}
