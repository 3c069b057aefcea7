import * as vscode from 'vscode';
import { systemClock } from '../../base/async.ts';
import type { Disposable } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import type { Client } from '../../client/types.ts';
import { logDocumentWords } from '../common/messages.ts';
import { LogDocument } from './logDocument.ts';
import type { LogFollower } from './logFollower.ts';
import { createLineFormatter, type LogLine, noteLine } from './logLine.ts';
import { readRange } from './readEntries.ts';

/** The longest message that the document shows in full, in UTF-16 code units; the saved log has all of it. */
const MAXIMUM_MESSAGE = 10_000;

/** The time for which the editor waits for a log before it shows that nothing has come yet, in milliseconds. */
const PATIENCE_MS = 2_000;

/** The time after a failure until a log in view is read again, in milliseconds. */
const RETRY_MS = 5_000;

/** A followed log, as the source of a document. */
export interface FoundLog {
	source: Pick<LogFollower, 'target' | 'name' | 'nextIndex' | 'lastLine' | 'onRecord'>;
	client: Pick<Client, 'tasks'>;
}

export interface OpenLogOptions {
	/** Finds the log of the document. */
	find(): Promise<FoundLog>;
	/** Returns who failed, why, and what to do. */
	explain(error: unknown): string;
	isVisible(): boolean;
	/** Called when the editor must read the text again. */
	onChange(): void;
}

/** A log that is open as a document. Reading it is retried until it succeeds. */
export class OpenLog implements Disposable {
	private readonly options: OpenLogOptions;
	/** The log; undefined until it was found. */
	found: FoundLog | undefined;
	/** The lines of the text that the editor got last. */
	shown: LogLine[] = [];
	/** True if it is known which entries are shown. */
	isRead = false;
	private log: LogDocument | undefined;
	private heard: Disposable | undefined;
	/** Why the log is not shown from its beginning. */
	private problem: string[] = [];
	private reading: Promise<void> | undefined;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private wasHidden = false;
	/** True if something has changed while the document was hidden. */
	private isOld = false;
	private version = 1;
	private size = 0;
	private isDisposed = false;

	constructor(options: OpenLogOptions) {
		this.options = options;
	}

	/** The editor reads a text only if its time or its size has changed. */
	get stat(): vscode.FileStat {
		return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size: this.size };
	}

	/** Sets the log that the document shows from now on. */
	attach(found: FoundLog): void {
		const { source } = found;
		if (this.found?.source === source) {
			return;
		}
		this.heard?.dispose();
		this.found = found;
		const isNew = this.log === undefined;
		const log = this.log ?? this.create(source);
		this.log = log;
		this.heard = source.onRecord(record => log.accept(record));
		if (isNew && source.lastLine) {
			log.accept(source.lastLine);
		}
	}

	private create({ target: { taskId }, nextIndex }: FoundLog['source']): LogDocument {
		const format = createLineFormatter(MAXIMUM_MESSAGE, logDocumentWords.cut);
		const read = async (from: number, to: number) =>
			this.found ? readRange({ client: this.found.client, taskId, from }, to) : [];
		const onChange = () => this.changed();
		return new LogDocument({ format, read, onChange }, nextIndex);
	}

	/** Finds and reads the log, unless that is done or in progress. Never rejects. */
	read(): Promise<void> {
		if (this.isRead) {
			return Promise.resolve();
		}
		this.reading ??= this.readOnce().finally(() => {
			this.reading = undefined;
			this.changed();
		});
		return this.reading;
	}

	private async readOnce(): Promise<void> {
		clearTimeout(this.timer);
		try {
			if (!this.log) {
				const found = await this.options.find();
				if (this.isDisposed) {
					return;
				}
				this.attach(found);
			}
			await this.log?.load();
			this.isRead = true;
			this.problem = [];
		} catch (error) {
			this.problem = [this.options.explain(error)];
			if (ClientError.is(error) && error.retryable && !this.isDisposed) {
				this.problem.push(logDocumentWords.triedAgain);
				this.timer = setTimeout(() => this.readIfVisible(), RETRY_MS);
			}
		}
	}

	/** Retries a log that could not be read. A hidden document is read when it becomes visible. */
	readIfVisible(): void {
		if (this.options.isVisible()) {
			void this.read();
		}
	}

	/** The text of the document; never empty. */
	async text(): Promise<string> {
		if (this.reading) {
			await Promise.race([this.reading, systemClock.sleep(PATIENCE_MS)]);
		}
		const notes = this.problem.map(line => noteLine(line, -1));
		this.shown = [...notes, ...(this.log?.take() ?? [])];
		if (this.shown.length === 0) {
			this.shown = [noteLine(logDocumentWords.empty, -1)];
		}
		const text = this.shown.map(({ text }) => text).join('\n');
		this.size = text.length;
		return text;
	}

	/** A document that is not visible is updated when it becomes visible. */
	private changed(): void {
		this.version++;
		// Until the editor has a text, it is about to read one.
		if (this.size === 0 || this.isDisposed) {
			return;
		}
		if (this.options.isVisible()) {
			this.options.onChange();
		} else {
			this.isOld = true;
		}
	}

	/** Must be called when the set of visible documents may have changed. */
	visibilityChanged(): void {
		const isVisible = this.options.isVisible();
		if (isVisible && this.isOld) {
			this.isOld = false;
			this.options.onChange();
		}
		if (this.wasHidden) {
			this.readIfVisible();
		}
		this.wasHidden = !isVisible;
	}

	dispose(): void {
		this.isDisposed = true;
		clearTimeout(this.timer);
		this.heard?.dispose();
		this.log?.dispose();
	}
}
