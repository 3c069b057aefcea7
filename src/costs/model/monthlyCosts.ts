// This module computes the cost of each connection in each month from the records of its tasks and its replies.
import { addCosts, type KnownCost } from '../../base/knownCost.ts';
import type { ModelReplies } from '../../base/replySums.ts';
import type { NamedConnection } from '../../models/api.ts';

/** The use of one model of a connection by tasks, by the chat, or by the editor's chat and other extensions. */
export interface ModelPart extends Omit<ModelReplies, 'count'> {
	kind: 'tasks' | 'chat' | 'others';
	/** The number of requests of tasks, or of replies of the others. Undefined if they were not counted. */
	count: number | undefined;
}

/** The months of one connection; `connection` is undefined for replies whose connection was not recorded. */
export interface ConnectionMonths {
	connection: string | undefined;
	/** `month` has the form `2026-11`. */
	months: { month: string; parts: ModelPart[] }[];
}

export interface ConnectionSum {
	/** Undefined for replies whose connection was not recorded. */
	connection: NamedConnection | undefined;
	parts: ModelPart[];
	/** Undefined if nothing was used. */
	cost: KnownCost | undefined;
}

export interface MonthSums {
	month: string;
	/** The connections in the order of the settings, followed by those that are no longer in the settings. */
	sums: ConnectionSum[];
}

/**
 * Adds up the use, month by month with the latest first. The current month is always included, with every connection.
 */
export function monthlyCosts(
	connections: readonly NamedConnection[],
	used: readonly ConnectionMonths[],
	currentMonth: string,
): MonthSums[] {
	const months = new Set([currentMonth, ...used.flatMap(one => one.months.map(({ month }) => month))]);
	const names = [...connections.map(({ name }) => name), ...used.map(({ connection }) => connection)];
	return [...months]
		.sort()
		.reverse()
		.map(month => ({
			month,
			sums: [...new Set(names)].flatMap(name => {
				const parts = partsOf(used, name, month);
				const known = connections.find(connection => connection.name === name);
				return parts.length === 0 && (month !== currentMonth || !known)
					? []
					: [
							{
								connection: name === undefined ? undefined : (known ?? { name, label: name, hasTasks: false }),
								parts,
								cost: addCosts(parts.map(({ cost }) => cost)),
							},
						];
			}),
		}));
}

function partsOf(used: readonly ConnectionMonths[], connection: string | undefined, month: string): ModelPart[] {
	return used
		.filter(one => one.connection === connection)
		.flatMap(({ months }) => months.filter(one => one.month === month).flatMap(({ parts }) => parts));
}
