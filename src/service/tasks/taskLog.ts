import type { ExecutionRecord, LogRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { OutputLines } from './outputLines.ts';

/** How much of a program's output one run keeps. The rest is dropped, and the log says so. */
const MAXIMUM_OUTPUT_ENTRIES = 1_000_000;
const MAXIMUM_OUTPUT_LENGTH = 64 * 1024 * 1024;

/** The steps that the contract has seen (cloud-tasks.md, Log entry), and ours for what it does not show. */
export type TaskStep =
	| 'git_cloning'
	| 'git_cloned'
	| 'installing_dependencies'
	| 'agent_executing'
	| 'git_committed'
	| 'git_pushed'
	| 'task_continued'
	| 'task_ended';

export function logRecord(
	agent: string,
	step: TaskStep,
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

/** Writes the part of one execution to the log of its task: its steps, and each line that its agent prints. */
export class TaskLog {
	private readonly store: TaskStore;
	private readonly taskId: string;
	private readonly agent: string;
	private readonly label: string;
	private readonly lines = { stdout: new OutputLines(), stderr: new OutputLines() };
	private remainingEntries = MAXIMUM_OUTPUT_ENTRIES;
	private remainingLength = MAXIMUM_OUTPUT_LENGTH;

	constructor(store: TaskStore, task: TaskRecord, { agent, position }: ExecutionRecord) {
		this.store = store;
		this.taskId = task.id;
		this.agent = agent;
		this.label = logLabel(task, position);
	}

	/** Returns the entry for a step, to be stored in one transaction with the change that it reports. */
	record(step: TaskStep, message: string, type: LogRecord['type'] = 'info'): LogRecord {
		return logRecord(this.agent, step, type, this.label + message);
	}

	step(step: TaskStep, message: string, type: LogRecord['type'] = 'info'): void {
		this.store.append(this.taskId, [this.record(step, message, type)]);
	}

	output(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
		this.append(stream, this.lines[stream].push(bytes));
	}

	outputEnd(): void {
		this.append('stdout', this.lines.stdout.end());
		this.append('stderr', this.lines.stderr.end());
	}

	private append(stream: 'stdout' | 'stderr', lines: readonly string[]): void {
		const entries: LogRecord[] = [];
		for (const line of lines) {
			if (this.remainingEntries <= 0) {
				break;
			}
			this.remainingEntries--;
			this.remainingLength -= line.length;
			if (this.remainingEntries === 0 || this.remainingLength < 0) {
				this.remainingEntries = 0;
				const message = 'The agent has printed more than a log keeps. What it prints from here on is left out.';
				entries.push(this.record('agent_executing', message, 'warning'));
				break;
			}
			const type = stream === 'stderr' ? 'warning' : 'info';
			const contentType = line.includes('\u001b') ? 'ansi' : 'plain-text';
			entries.push(logRecord(this.agent, 'agent_executing', type, this.label + line, contentType));
		}
		this.store.append(this.taskId, entries);
	}
}
