// This store adds up the model calls of tasks by model, provider and calendar month. It holds names and numbers, and
// nothing of a request or a reply.
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { defined } from '../../base/defined.ts';
import { monthOf } from '../../base/replySums.ts';

/** The sum of the calls for one model that one provider has served. */
export interface ModelUse {
	model: string;
	/** The slug of the provider, or `null` if none served the calls or it is not known. */
	provider: string | null;
	/** The number of calls, or 0 if they were not counted, as in files of earlier versions. */
	calls: number;
	failedCalls: number;
	/** The number of calls whose tokens were estimated from the length of the text. */
	estimatedCalls: number;
	inputTokens: number;
	outputTokens: number;
	/** The cost in US dollars, or `null` where no price is known. Calls with and without a price are kept apart. */
	cost: number | null;
}

/** A part of the model use of one agent of a task. */
export interface ExecutionUse extends ModelUse {
	position: number;
	/** The number of the turn: 1 for the prompt, plus one for each follow-up. */
	turn: number;
	agent: string;
}

export interface MonthUse {
	/** The month in the form `2026-11`. */
	month: string;
	/** The number of tasks whose agents called a model in the month. */
	tasks: number;
	models: ModelUse[];
}

/** One call, or several with the same price or none. */
export interface CountedCalls extends Omit<ExecutionUse, 'provider'> {
	taskSequence: number;
	provider: string | undefined;
}

const SUMS = `sum(calls) AS calls, sum(failedCalls) AS failedCalls, sum(estimatedCalls) AS estimatedCalls,
	sum(inputTokens) AS inputTokens, sum(outputTokens) AS outputTokens, sum(cost) AS cost`;

/** Every method has stored its change when it returns. Nothing is ever removed. */
export class ModelUseStore {
	private readonly database: DatabaseSync;
	private readonly insert: StatementSync;
	private readonly selectOfTask: StatementSync;

	constructor(database: DatabaseSync) {
		this.database = database;
		this.insert = database.prepare(`
			INSERT INTO modelUse VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failedCalls = failedCalls + excluded.failedCalls,
				estimatedCalls = estimatedCalls + excluded.estimatedCalls, inputTokens = inputTokens + excluded.inputTokens,
				outputTokens = outputTokens + excluded.outputTokens, cost = cost + excluded.cost`);
		this.selectOfTask = database.prepare(`
			SELECT position, turn, agent, model, provider, ${SUMS} FROM modelUse WHERE taskSequence = ?
			GROUP BY position, turn, agent, model, provider, isPriced ORDER BY position, turn, agent, model, provider, isPriced`);
	}

	add(calls: CountedCalls, at: Date): void {
		this.insert.run(
			calls.taskSequence,
			calls.position,
			calls.turn,
			monthOf(at.getTime()),
			calls.agent,
			calls.model,
			calls.provider ?? '',
			Number(calls.cost !== null),
			calls.calls,
			calls.failedCalls,
			calls.estimatedCalls,
			calls.inputTokens,
			calls.outputTokens,
			calls.cost,
		);
	}

	/** Returns the use by all agents of a task in all of its turns, in the order of agents and turns. */
	ofTask({ sequence }: { sequence: number }): ExecutionUse[] {
		return this.selectOfTask.all(sequence).map(row => withProvider<ExecutionUse>(row));
	}

	/** Returns the months in which there were calls, the latest first. */
	months(): MonthUse[] {
		const months = new Map<string, MonthUse>();
		for (const row of this.database
			.prepare('SELECT month, count(DISTINCT taskSequence) AS tasks FROM modelUse GROUP BY month ORDER BY month DESC')
			.all()) {
			const month = String(row['month']);
			months.set(month, { month, tasks: Number(row['tasks']), models: [] });
		}
		for (const { month, ...row } of this.database
			.prepare(
				`SELECT month, model, provider, ${SUMS} FROM modelUse
				GROUP BY month, model, provider, isPriced ORDER BY month, model, provider, isPriced`,
			)
			.all()) {
			months.get(String(month))?.models.push(withProvider<ModelUse>(row));
		}
		return [...months.values()];
	}
}

/** Adds up the costs that are known, in US dollars. */
export function knownCost(use: readonly Pick<ModelUse, 'cost'>[]): number {
	return use.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}

/** Returns a use in the form that replies have (contract/agents.ts, `modelUseSchema`): unknown values are left out. */
export function useForReply({ provider, cost, calls, ...others }: ModelUse): object {
	return {
		...others,
		...defined({ provider: provider ?? undefined, cost: cost ?? undefined, calls: calls || undefined }),
	};
}

function withProvider<T extends ModelUse>(row: Record<string, SQLOutputValue>): T {
	return { ...(row as unknown as T), provider: row['provider'] === '' ? null : String(row['provider']) };
}
