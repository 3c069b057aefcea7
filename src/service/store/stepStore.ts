import type { DatabaseSync } from 'node:sqlite';
import { MAXIMUM_TEST_RUNS, type TaskStep, type TestRun } from '../../contract/taskSteps.ts';
import type { TaskRecord } from './taskRecord.ts';

/** The facts about a step, without its index, which the store assigns. */
export type StepFacts = Omit<TaskStep, 'index'>;

/** Stores what is told of the steps of tasks. The files themselves are in the folders of the executions. */
export class StepStore {
	private readonly database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	add(task: TaskRecord, facts: StepFacts): void {
		this.database
			.prepare('INSERT INTO steps VALUES (?, ?, ?, ?)')
			.run(task.sequence, this.count(task), facts.agent, JSON.stringify(facts));
	}

	/** Adds runs of tests to the last step of an execution. Nothing is told of those before the first one. */
	addTestRuns(task: TaskRecord, position: number, runs: readonly TestRun[]): void {
		const last = this.database
			.prepare('SELECT number, facts FROM steps WHERE taskSequence = ? AND position = ? ORDER BY number DESC LIMIT 1')
			.get(task.sequence, position);
		if (last !== undefined && runs.length > 0) {
			const facts = JSON.parse(String(last['facts'])) as StepFacts;
			const testRuns = [...(facts.testRuns ?? []), ...runs].slice(-MAXIMUM_TEST_RUNS);
			this.database
				.prepare('UPDATE steps SET facts = ? WHERE taskSequence = ? AND number = ?')
				.run(JSON.stringify({ ...facts, testRuns }), task.sequence, Number(last['number']));
		}
	}

	/** Returns the steps from index `from` on, at most `limit`. */
	list(task: TaskRecord, from: number, limit: number): TaskStep[] {
		return this.database
			.prepare('SELECT number, facts FROM steps WHERE taskSequence = ? AND number >= ? ORDER BY number LIMIT ?')
			.all(task.sequence, from, limit)
			.map(row => ({ index: Number(row['number']), ...(JSON.parse(String(row['facts'])) as StepFacts) }));
	}

	get(task: TaskRecord, index: number): TaskStep | undefined {
		const [step] = this.list(task, index, 1);
		return step?.index === index ? step : undefined;
	}

	count(task: TaskRecord): number {
		const sql = 'SELECT coalesce(max(number) + 1, 0) AS count FROM steps WHERE taskSequence = ?';
		return Number(this.database.prepare(sql).get(task.sequence)?.['count']);
	}

	/** Removes the steps of an execution whose folder is gone. */
	forget(task: TaskRecord, position: number): void {
		this.database.prepare('DELETE FROM steps WHERE taskSequence = ? AND position = ?').run(task.sequence, position);
	}
}
