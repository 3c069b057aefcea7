import type { TaskResult } from '../../contract/taskResults.ts';
import type { LogEntry } from '../../contract/tasks.ts';
import { timeOf } from './taskGroups.ts';

/** The local service marks the entries of several agents with their positions, counted from 1. */
const LABEL = /^\[(\d{1,3})\] /;

interface Reading {
	first: number;
	last: number;
}

/** Reads the log of a task once, for each of its results. Leaves out entries that may belong to several of them. */
export class LogTimes {
	private readonly results: readonly TaskResult[];
	private readonly readings: Reading[];

	constructor(results: readonly TaskResult[]) {
		this.results = results;
		this.readings = results.map(() => ({ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }));
	}

	/** `sentAt` (ISO 8601) replaces a missing time of the entry. */
	add(entry: LogEntry, sentAt: string | undefined): void {
		const reading = this.readings[this.placeOf(entry)];
		const time = timeOf(entry.timestamp ?? sentAt);
		if (reading && !Number.isNaN(time)) {
			reading.first = Math.min(reading.first, time);
			reading.last = Math.max(reading.last, time);
		}
	}

	/**
	 * Returns the times from the first entry to the last, in milliseconds and in the order of the results; undefined
	 * where the log has no times.
	 */
	durations(): (number | undefined)[] {
		return this.readings.map(({ first, last }) => (last < first ? undefined : last - first));
	}

	/** Returns -1 for an entry that belongs to no result, or of which this is not known. */
	private placeOf({ message = '', agent }: LogEntry): number {
		const { results } = this;
		if (results.length === 1 && results[0]?.key === results[0]?.taskId) {
			return 0;
		}
		const label = LABEL.exec(message);
		if (label) {
			return results.findIndex(({ key, taskId }) => key === `${taskId}:${Number(label[1]) - 1}`);
		}
		const named = results.flatMap((result, at) => (agent !== undefined && result.agent === agent ? [at] : []));
		return named.length === 1 ? (named[0] ?? -1) : -1;
	}
}
