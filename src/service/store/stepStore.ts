import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MAXIMUM_TEST_RUNS, type TaskStep, type TestRun } from '../../contract/taskSteps.ts';
import type { TaskRecord } from './taskRecord.ts';

/** The facts about a step, without its index, which the store assigns. */
export type StepFacts = Omit<TaskStep, 'index'>;

/** Stores what is told of the steps of tasks. The files themselves are in the folders of the executions. */
export class StepStore {
	private readonly selectSteps: StatementSync;
	private readonly selectCount: StatementSync;
	private readonly selectLast: StatementSync;
	private readonly insert: StatementSync;
	private readonly update: StatementSync;
	private readonly remove: StatementSync;

	constructor(database: DatabaseSync) {
		this.selectSteps = database.prepare(
			'SELECT number, facts FROM steps WHERE taskSequence = ? AND number >= ? ORDER BY number LIMIT ?',
		);
		this.selectCount = database.prepare(
			'SELECT coalesce(max(number) + 1, 0) AS count FROM steps WHERE taskSequence = ?',
		);
		this.selectLast = database.prepare(
			'SELECT number, facts FROM steps WHERE taskSequence = ? AND position = ? ORDER BY number DESC LIMIT 1',
		);
		this.insert = database.prepare('INSERT INTO steps VALUES (?, ?, ?, ?)');
		this.update = database.prepare('UPDATE steps SET facts = ? WHERE taskSequence = ? AND number = ?');
		this.remove = database.prepare('DELETE FROM steps WHERE taskSequence = ? AND position = ?');
	}

	add(task: TaskRecord, facts: StepFacts): void {
		this.insert.run(task.sequence, this.count(task), facts.agent, JSON.stringify(facts));
	}

	/** Adds runs of tests to the last step of an execution. Nothing is told of those before the first one. */
	addTestRuns(task: TaskRecord, position: number, runs: readonly TestRun[]): void {
		const last = this.selectLast.get(task.sequence, position);
		if (last !== undefined && runs.length > 0) {
			const facts = JSON.parse(String(last['facts'])) as StepFacts;
			const testRuns = [...(facts.testRuns ?? []), ...runs].slice(-MAXIMUM_TEST_RUNS);
			this.update.run(JSON.stringify({ ...facts, testRuns }), task.sequence, Number(last['number']));
		}
	}

	/** Returns the steps from index `from` on, at most `limit`. */
	list(task: TaskRecord, from: number, limit: number): TaskStep[] {
		return this.selectSteps.all(task.sequence, from, limit).map(row => ({
			index: Number(row['number']),
			...(JSON.parse(String(row['facts'])) as StepFacts),
		}));
	}

	get(task: TaskRecord, index: number): TaskStep | undefined {
		const [step] = this.list(task, index, 1);
		return step?.index === index ? step : undefined;
	}

	count(task: TaskRecord): number {
		return Number(this.selectCount.get(task.sequence)?.['count']);
	}

	/** Removes the steps of an execution whose folder is gone. */
	forget(task: TaskRecord, position: number): void {
		this.remove.run(task.sequence, position);
	}
}
