import type { TaskResult } from '../../contract/taskResults.ts';
import type { LogEntry } from '../../contract/tasks.ts';
import { timeOf } from './taskGroups.ts';
import { type TestsInLog, TestsReader } from './testsInLog.ts';

/** The facts about one result in a log. */
export interface LogFacts {
	tests: TestsInLog | undefined;
	/** The time from the first entry to the last, in milliseconds; undefined if the log has no times. */
	duration: number | undefined;
}

/** The local service marks the entries of several agents with their positions, counted from 1. */
const LABEL = /^\[(\d{1,3})\] /;

interface Reading {
	tests: TestsReader;
	first: number;
	last: number;
}

/** Reads the log of a task once, for each of its results. Leaves out entries that may belong to several of them. */
export class LogFactsReader {
	private readonly results: readonly TaskResult[];
	private readonly readings: Reading[];

	constructor(results: readonly TaskResult[]) {
		this.results = results;
		this.readings = results.map(() => ({ tests: new TestsReader(), first: Number.NaN, last: Number.NaN }));
	}

	/** `sentAt` (ISO 8601) replaces a missing time of the entry. */
	add(entry: LogEntry, sentAt: string | undefined): void {
		const { at, message } = this.placeOf(entry);
		const reading = this.readings[at];
		if (!reading) {
			return;
		}
		reading.tests.add({ ...entry, message });
		const time = timeOf(entry.timestamp ?? sentAt);
		if (!Number.isNaN(time)) {
			reading.first = Math.min(Number.isNaN(reading.first) ? time : reading.first, time);
			reading.last = Math.max(Number.isNaN(reading.last) ? time : reading.last, time);
		}
	}

	/** Returns the facts read so far, in the order of the results. */
	facts(): LogFacts[] {
		return this.readings.map(({ tests, first, last }) => ({
			tests: tests.result,
			duration: Number.isNaN(last - first) ? undefined : last - first,
		}));
	}

	/** `at` is -1 for an entry that belongs to no result, or of which this is not known. */
	private placeOf({ message = '', agent }: LogEntry): { at: number; message: string } {
		const { results } = this;
		if (results.length === 1 && results[0]?.key === results[0]?.taskId) {
			return { at: 0, message };
		}
		const label = LABEL.exec(message);
		if (label) {
			const position = Number(label[1]) - 1;
			const at = results.findIndex(({ key, taskId }) => key === `${taskId}:${position}`);
			return { at, message: message.slice(label[0].length) };
		}
		const named = results.flatMap((result, at) => (agent !== undefined && result.agent === agent ? [at] : []));
		return { at: named.length === 1 ? (named[0] ?? -1) : -1, message };
	}
}
