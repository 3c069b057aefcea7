import type { LogRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { OutputLines } from './outputLines.ts';

/** How much of a program's output one task keeps. What comes after is dropped, and the log says so. */
const MAXIMUM_OUTPUT_ENTRIES = 100_000;
const MAXIMUM_OUTPUT_LENGTH = 64 * 1024 * 1024;

/** The steps that the contract has seen (cloud-tasks.md, Log entry), and two of ours for what it does not show. */
export type TaskStep = 'git_cloning' | 'git_cloned' | 'agent_executing' | 'git_committed' | 'git_pushed' | 'task_ended';

export function logRecord(
	agent: string,
	step: TaskStep,
	type: LogRecord['type'],
	message: string,
	contentType: LogRecord['contentType'] = 'system',
): LogRecord {
	return { type, contentType, message, timestamp: new Date().toISOString(), agent, step };
}

/** Writes the log of one task: its steps, and each line that its agent prints. */
export class TaskLog {
	private readonly store: TaskStore;
	private readonly taskId: string;
	private readonly agent: string;
	private readonly lines = { stdout: new OutputLines(), stderr: new OutputLines() };
	private remainingEntries = MAXIMUM_OUTPUT_ENTRIES;
	private remainingLength = MAXIMUM_OUTPUT_LENGTH;

	constructor(store: TaskStore, taskId: string, agent: string) {
		this.store = store;
		this.taskId = taskId;
		this.agent = agent;
	}

	step(step: TaskStep, message: string, type: LogRecord['type'] = 'info'): void {
		this.store.append(this.taskId, [logRecord(this.agent, step, type, message)]);
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
				entries.push(logRecord(this.agent, 'agent_executing', 'warning', message));
				break;
			}
			const type = stream === 'stderr' ? 'warning' : 'info';
			const contentType = line.includes('\u001b') ? 'ansi' : 'plain-text';
			entries.push(logRecord(this.agent, 'agent_executing', type, line, contentType));
		}
		this.store.append(this.taskId, entries);
	}
}
