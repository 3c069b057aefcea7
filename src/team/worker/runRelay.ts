import { SerialQueue, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { Disposable } from '../../base/disposable.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ExecutionRecord, LogRecord, TaskRecord } from '../../service/store/taskRecord.ts';
import type { ExecutionChange, TaskStore } from '../../service/store/taskStore.ts';
import { TaskEnded } from '../../service/tasks/taskEnded.ts';
import type { Attempt, Attempts, AttemptWrite } from '../database/attempts.ts';

const PAGE = 1_000;
/** The waits while the database is away. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 3_000;

/** The database as a run writes to it. */
export type RunWriter = Pick<Attempts, 'write' | 'isCurrent'>;

export interface RelayOptions {
	writer: RunWriter;
	attempt: Attempt;
	/** The store of this run alone, and the task in it. */
	store: TaskStore;
	task: TaskRecord;
	/** What earlier attempts at the turn have cost, in US dollars. */
	spent: number;
	/** Returns a text of the run as everybody may read it. */
	shown(text: string): string;
	/** Ends the run. Called once, when another attempt has begun or the task has ended. */
	end(reason: TaskEnded): void;
	logger: Logger;
}

/**
 * Brings what a run writes into its own store to the database that all share. A write holds the entries that are not
 * there yet and all that has changed, so that it can be repeated: nobody knows whether a commit that was not answered
 * has taken place. The database takes none from an attempt that is over, and then the run ends.
 */
export class RunRelay {
	private readonly options: RelayOptions;
	private readonly writing = new SerialQueue();
	private readonly watch: Disposable;
	private readonly over = new AbortController();
	private isAsked = false;
	/** True if nobody knows whether the last write has been stored. */
	isInDoubt = false;
	/** The number of entries that are in the database. */
	private sent = 0;
	/** The rest of what is in the database, as JSON by the names of the fields. */
	private readonly stored = new Map<string, string>();
	private failure: { error: unknown } | undefined;

	constructor(options: RelayOptions) {
		this.options = options;
		this.watch = options.store.watch(options.task.id, () => this.ask());
		this.ask();
	}

	/** Resolves when all that the run has done by now is in the database. Throws a TaskEnded if it takes nothing more. */
	async flush(): Promise<void> {
		if (!(await this.writing.run(() => this.writeAll()))) {
			this.check();
		}
	}

	/** Throws a TaskEnded if the attempt is over. Waits while the database is away. */
	async checkCurrent(): Promise<void> {
		const { writer, attempt } = this.options;
		if (!(await this.persistently(() => writer.isCurrent(attempt)))) {
			this.giveUp();
		}
		this.check();
	}

	/** Writes nothing from here on, whatever the run does. */
	giveUp(): void {
		if (!this.over.signal.aborted) {
			const reason = new TaskEnded('error', 'Another worker has begun anew, or the task has ended.', true);
			this.watch.dispose();
			this.over.abort(reason);
			this.options.end(reason);
		}
	}

	private check(): void {
		if (this.failure !== undefined) {
			throw this.failure.error;
		}
		this.over.signal.throwIfAborted();
	}

	private ask(): void {
		if (!this.isAsked) {
			this.isAsked = true;
			void this.writing.run(() => {
				this.isAsked = false;
				return this.writeAll();
			});
		}
	}

	/** Returns whether all is written. Never rejects. */
	private async writeAll(): Promise<boolean> {
		const { writer, attempt } = this.options;
		for (;;) {
			const write = this.next();
			if (write === undefined || this.over.signal.aborted) {
				return write === undefined;
			}
			try {
				this.isInDoubt = true;
				let tries = 0;
				const result = await this.persistently(() => {
					tries++;
					return writer.write(attempt, write);
				});
				// The try that was not answered may have ended the turn, and another one goes on with its branch.
				this.isInDoubt = result === 'past' && tries > 1;
				if (result === 'stored') {
					this.sent += write.entries.length;
					this.keep(write);
				} else {
					this.giveUp();
				}
			} catch (error) {
				if (!this.over.signal.aborted) {
					this.isInDoubt = false;
					this.failure = { error };
					this.giveUp();
				}
			}
		}
	}

	/** The store answers at once, so that all parts of a write are of the same moment. */
	private next(): AttemptWrite | undefined {
		const { store, task, attempt } = this.options;
		const entries = store.entries(task, this.sent, PAGE).map(entry => this.shownEntry(entry));
		const write = { sent: this.sent, entries };
		if (this.sent + entries.length < store.entryCount(task)) {
			// A state is not seen before the entries that came before it.
			return write;
		}
		const present = store.executions(task, { diffs: true })[attempt.position];
		const change = present && this.newIn(this.changeOf(present));
		const all = store.modelUse.ofTask(task).filter(({ turn }) => turn === attempt.turn);
		const use = this.newIn({ use: all })?.use;
		return entries.length === 0 && change === undefined && use === undefined
			? undefined
			: { ...write, ...defined({ change, use }) };
	}

	private shownEntry(entry: LogRecord): LogRecord {
		return { ...entry, message: this.options.shown(entry.message) };
	}

	/** The folder of a run goes with its attempt, so nothing of it can be kept later. */
	private changeOf(execution: ExecutionRecord): ExecutionChange {
		const { position: _, agent: __, model: ___, composedOf: ____, ...change } = execution;
		const { error, maxCost } = change;
		return {
			...change,
			error: error && this.options.shown(error),
			maxCost: maxCost && maxCost + this.options.spent,
			hasWork: false,
		};
	}

	/** Returns the fields that are not in the database yet, or undefined if there are none. */
	private newIn<T extends object>(fields: T): Partial<T> | undefined {
		const changed = Object.entries(fields).filter(([name, value]) => this.stored.get(name) !== JSON.stringify(value));
		return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<T>);
	}

	private keep({ change, use }: AttemptWrite): void {
		for (const [name, value] of Object.entries({ ...change, ...defined({ use }) })) {
			this.stored.set(name, JSON.stringify(value));
		}
	}

	private persistently<T>(ask: () => Promise<T>): Promise<T> {
		return untilAnswered(ask, { signal: this.over.signal, logger: this.options.logger });
	}
}

/** Repeats a request until the database is there to answer it. Rejects with other failures, and the signal's reason. */
export async function untilAnswered<T>(
	ask: () => Promise<T>,
	{ signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<T> {
	for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
		signal.throwIfAborted();
		try {
			return await ask();
		} catch (error) {
			if (!isAway(error)) {
				throw error;
			}
			logger.log('warn', 'the database cannot be reached', { reason: describeError(error) });
		}
		await systemClock.sleep(wait, signal);
	}
}

/**
 * PostgreSQL's classes for lost connections, full resources, rollbacks that others caused, and its own end. Errors of
 * the system begin with E, and those of the driver have no code.
 */
function isAway(error: unknown): boolean {
	const code = systemErrorCode(error);
	return code === undefined ? /connection|timeout/i.test(describeError(error)) : /^(?:08|40|53|55|57|58|E)/.test(code);
}
