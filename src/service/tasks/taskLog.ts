import { append } from '../../base/append.ts';
import type { AGENT_LOG_STEPS } from '../../contract/tasks.ts';
import type { ExecutionRecord, LogRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { TaskEnded } from './taskEnded.ts';

/** The limits on the output of agents and other programs in one run. The rest is dropped, and the log says so. */
const MAXIMUM_OUTPUT_ENTRIES = 1_000_000;
const MAXIMUM_OUTPUT_LENGTH = 64 * 1024 * 1024;

/** The steps that appear in the contract (cloud-tasks.md, Log entry), and our own for what it does not show. */
type LogStep =
	| (typeof AGENT_LOG_STEPS)[number]
	| 'git_cloning'
	| 'git_cloned'
	| 'installing_dependencies'
	| 'agent_executing'
	| 'running_tests'
	| 'git_committed'
	| 'git_pushed'
	| 'task_continued'
	| 'task_ended';

export function logRecord(
	agent: string,
	step: LogStep,
	type: LogRecord['type'],
	message: string,
	contentType: LogRecord['contentType'] = 'system',
): LogRecord {
	return { type, contentType, message, timestamp: new Date().toISOString(), agent, step };
}

/** Returns a prefix such as `[2] ` for the second of several agents, which write to one log at the same time. */
export function logLabel(task: TaskRecord, position: number): string {
	return task.multiLaunch ? `[${position + 1}] ` : '';
}

/** Returns the change and the entry by which an execution ends without a run. */
export function endWithoutRun(
	task: TaskRecord,
	{ agent, position }: ExecutionRecord,
	{ status, message, interrupted }: TaskEnded,
): { change: Pick<ExecutionRecord, 'status' | 'interrupted' | 'error'>; entry: LogRecord } {
	const isStopped = status === 'stopped';
	return {
		change: { status, interrupted, error: isStopped ? null : message },
		entry: logRecord(agent, 'task_ended', isStopped ? 'warning' : 'error', logLabel(task, position) + message),
	};
}

/** Where an entry stands in the log. The index is known once the entry is stored, and never if it was left out. */
export interface LogPlace {
	index?: number;
}

/** Writes one execution's part of its task's log: its steps, and the output of its agent and other programs. */
export class TaskLog {
	private readonly store: TaskStore;
	private readonly taskId: string;
	private readonly agent: string;
	private readonly label: string;
	private readonly printed = { stdout: new OutputLines(), stderr: new OutputLines() };
	private remainingEntries = MAXIMUM_OUTPUT_ENTRIES;
	private remainingLength = MAXIMUM_OUTPUT_LENGTH;
	private readonly pending: { entry: LogRecord; place: LogPlace }[] = [];
	private flushing: NodeJS.Immediate | undefined;
	/** The error that kept earlier output from being stored. */
	private failure: { error: unknown } | undefined;

	constructor(store: TaskStore, task: TaskRecord, { agent, position }: ExecutionRecord) {
		this.store = store;
		this.taskId = task.id;
		this.agent = agent;
		this.label = logLabel(task, position);
	}

	/** Returns the entry for a step, to be stored in one transaction with the change that it reports. */
	record(step: LogStep, message: string, type: LogRecord['type'] = 'info'): LogRecord {
		this.flush();
		return logRecord(this.agent, step, type, this.label + message);
	}

	/**
	 * Returns the entry for the end of a run that failed. Output that cannot be stored is dropped, because it must not
	 * keep the end from being stored.
	 */
	lastRecord(step: LogStep, message: string, type: LogRecord['type']): LogRecord {
		try {
			this.flush();
		} catch {
			// If nothing at all can be stored, storing the end fails as well.
		}
		return logRecord(this.agent, step, type, this.label + message);
	}

	step(step: LogStep, message: string, type: LogRecord['type'] = 'info'): void {
		this.store.append(this.taskId, [this.record(step, message, type)]);
	}

	/** Appends lines that a program printed, such as an installation. */
	output(step: LogStep, stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
		this.lines(step, stream, this.printed[stream].push(bytes));
	}

	outputEnd(step: LogStep): void {
		for (const stream of ['stdout', 'stderr'] as const) {
			this.lines(step, stream, this.printed[stream].end());
		}
	}

	/** Appends output of an agent or a program, up to the limits of a log. Returns the place of the entry. */
	said(
		step: LogStep,
		message: string,
		type: LogRecord['type'] = 'info',
		contentType: LogRecord['contentType'] = 'plain-text',
	): LogPlace {
		this.throwFailure();
		const place: LogPlace = {};
		append(
			this.pending,
			this.withinLimits(step, [{ message, type, contentType }]).map(entry => ({ entry, place })),
		);
		// An agent's output comes in many small pieces, and each transaction costs more than an entry.
		this.flushing ??= setImmediate(() => {
			try {
				this.flush();
			} catch (error) {
				this.failure = { error };
			}
		});
		return place;
	}

	/** Stores pending output. Throws if earlier output could not be stored. */
	flush(): void {
		clearImmediate(this.flushing);
		this.flushing = undefined;
		this.throwFailure();
		const pending = this.pending.splice(0);
		const first = this.store.append(
			this.taskId,
			pending.map(({ entry }) => entry),
		);
		for (const [offset, { place }] of pending.entries()) {
			if (first !== undefined) {
				place.index = first + offset;
			}
		}
	}

	private throwFailure(): void {
		if (this.failure !== undefined) {
			throw this.failure.error;
		}
	}

	private lines(step: LogStep, stream: 'stdout' | 'stderr', lines: readonly string[]): void {
		const type = stream === 'stderr' ? 'warning' : 'info';
		const said = lines
			.filter(line => line.trim() !== '')
			.map(message => ({ message, type, contentType: contentTypeOf(message) }) as const);
		this.flush();
		this.store.append(this.taskId, this.withinLimits(step, said));
	}

	private withinLimits(
		step: LogStep,
		said: readonly Pick<LogRecord, 'message' | 'type' | 'contentType'>[],
	): LogRecord[] {
		const entries: LogRecord[] = [];
		for (const { message, type, contentType } of said) {
			if (this.remainingEntries <= 0) {
				break;
			}
			this.remainingEntries--;
			this.remainingLength -= message.length;
			if (this.remainingEntries === 0 || this.remainingLength < 0) {
				this.remainingEntries = 0;
				const full = 'The agent has said more than a log keeps. What it says from here on is left out.';
				entries.push(logRecord(this.agent, step, 'warning', this.label + full));
				break;
			}
			entries.push(logRecord(this.agent, step, type, this.label + message, contentType));
		}
		return entries;
	}
}

/** What is told of the programs that prepare or test the work of an agent, wherever that goes. */
export type ProgramLog = Pick<TaskLog, 'step' | 'output' | 'outputEnd'>;

function contentTypeOf(line: string): LogRecord['contentType'] {
	return line.includes('\u001b') ? 'ansi' : 'plain-text';
}

/** The length to which a line is cut, in UTF-16 code units. */
const MAXIMUM_LINE_LENGTH = 16 * 1024;
const CUT_MARK = ' … (line cut)';

/**
 * Splits the output of a hostile program into lines: at LF, CR LF and a lone CR, which progress displays use to
 * overwrite a line. Bytes that are not UTF-8 become U+FFFD, and never more than one line of limited length is buffered.
 */
export class OutputLines {
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private held = '';
	private cut = false;
	private afterReturn = false;

	push(bytes: Uint8Array): string[] {
		return this.take(this.decoder.decode(bytes, { stream: true }));
	}

	/** Returns the last line if it was not terminated. */
	end(): string[] {
		const lines = this.take(this.decoder.decode());
		if (this.held !== '') {
			lines.push(this.line());
		}
		return lines;
	}

	private take(text: string): string[] {
		const lines: string[] = [];
		let start = 0;
		if (this.afterReturn && text.startsWith('\n')) {
			start = 1;
		}
		if (text !== '') {
			this.afterReturn = text.endsWith('\r');
		}
		const ends = /\r\n|\n|\r/g;
		ends.lastIndex = start;
		for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
			this.hold(text.slice(start, match.index));
			lines.push(this.line());
			start = ends.lastIndex;
		}
		this.hold(text.slice(start));
		return lines;
	}

	private hold(text: string): void {
		const room = MAXIMUM_LINE_LENGTH - this.held.length;
		if (text.length > room) {
			this.cut = true;
		}
		this.held += text.slice(0, room);
	}

	private line(): string {
		const line = this.cut ? `${this.held.toWellFormed()}${CUT_MARK}` : this.held;
		this.held = '';
		this.cut = false;
		return line;
	}
}
