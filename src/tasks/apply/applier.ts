import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { removeTemporaries } from '../../base/files.ts';
import { gitReason } from '../../base/gitReason.ts';
import { setContextKey } from '../../platform/commands.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { showMessage } from '../../platform/notify.ts';
import { type Applied, type AppliedFile, type ApplyOptions, applyChanges } from './applyChanges.ts';
import {
	appliedWords,
	interruptedWords,
	isComplete,
	isWritten,
	unattendedEndText,
	undoneWords,
} from './applyMessages.ts';
import { inWorkingTree, withStatusTitle } from './applyPlace.ts';
import { type ApplyRecord, type ApplyRecordFile, type Interrupted, type Running, undoing } from './applyRecord.ts';
import type { Change } from './change.ts';
import { plan } from './plan.ts';

/** Git's marker of a conflict, at the start of a line. */
const MARKER = '<<<<<<< ';

/**
 * The time for which a window that has just opened waits for the application of the window before it, and the interval
 * between its checks.
 */
const PATIENCE_MS = 60_000;
const POLL_MS = 500;

export interface ApplierDependencies {
	/**
	 * The files that keep the last application and the one in progress; undefined in a window without storage of its
	 * own.
	 */
	recordFile: ApplyRecordFile | undefined;
	explain(error: unknown): void;
}

/** Changes the user's files, tells the user the result, and takes the last application back. */
export class Applier {
	private readonly dependencies: ApplierDependencies;
	private readonly kept: ApplyRecordFile | undefined;
	/** The last application, in a window without storage. */
	private last: ApplyRecord | undefined;
	/** The application in progress. The next one waits for it. */
	private running: Promise<unknown> = Promise.resolve();

	constructor(dependencies: ApplierDependencies) {
		this.dependencies = dependencies;
		this.kept = dependencies.recordFile;
	}

	/**
	 * Applies changes and remembers them for undo, unless `isForgotten` says that they are undone in another way. Opens
	 * the first file with conflicts. Rejects with an error for the user if nothing was done.
	 */
	apply<T extends Change>(
		changes: readonly T[],
		{ isForgotten = false, ...options }: ApplyOptions & { isForgotten?: boolean },
	): Promise<Applied<T>> {
		return this.inTurn(async () => {
			const title = vscode.l10n.t('Applying changes…');
			const { directory, like } = options.tree.options;
			const applied = await withStatusTitle(title, () =>
				this.noted({ directory, like, count: changes.length, isUndo: false }, beforeEdit =>
					applyChanges(changes, { ...options, beforeEdit }),
				),
			);
			if (!isForgotten && applied.results.some(({ result }) => isWritten(result))) {
				await this.remember(applied.isRecorded ? { directory, like, files: applied.files } : undefined);
			}
			await this.kept?.end();
			const conflicted = firstConflict(applied);
			if (conflicted !== undefined) {
				await openConflict(options.tree.fileOf(conflicted)).catch(error => this.dependencies.explain(error));
			}
			return applied;
		});
	}

	/** Tells the user the result of an application and offers to take it back. Does not wait for an answer. */
	tell(applied: Applied<Change>, fileOf: (name: string) => string): void {
		const conflicted = firstConflict(applied);
		const canUndo = applied.isRecorded && applied.files.length > 0;
		this.offer(severityOf(applied), appliedWords(applied), {
			...(conflicted !== undefined && { [vscode.l10n.t('Open Conflict')]: () => openConflict(fileOf(conflicted)) }),
			...(canUndo && { [vscode.l10n.t('Undo')]: () => this.undo(applied) }),
		});
	}

	/** Tells the user something, with buttons for actions. Does not wait for an answer. */
	private offer(
		severity: 'information' | 'warning',
		message: string,
		actions: Readonly<Record<string, () => Promise<void>>>,
	): void {
		showMessage(severity, message, ...Object.keys(actions))
			.then(chosen => (chosen === undefined ? undefined : actions[chosen]?.()))
			.then(undefined, error => this.dependencies.explain(error));
	}

	/**
	 * Takes the last application back, but none of the edits made since. If `only` is given, that application must
	 * still be the last one. Rejects with an error for the user.
	 */
	undo(only?: Applied<Change>): Promise<void> {
		return this.inTurn(async () => {
			const record = await this.read();
			if (!record || (only && !isOf(record, only))) {
				throw new UserFacingError(
					record
						? vscode.l10n.t('Other changes have been applied since, so this can no longer be undone.')
						: vscode.l10n.t('There’s nothing to undo.'),
				);
			}
			const place = placeOf(await getGitApi(), record.directory);
			const { changes, fileOf, contents } = undoing(record);
			const { directory, like } = record;
			const undone = await this.noted({ directory, like, count: changes.length, isUndo: true }, beforeEdit =>
				inWorkingTree(place, like, options =>
					applyChanges(changes, { ...options, contents, heedsRules: false, conflictRule: 'yours', beforeEdit }),
				),
			);
			// The user can try the files again that could not be taken back.
			const left = undone.results.filter(({ result }) => result.kind === 'cannot' || result.kind === 'failed');
			const leftFiles = new Set(left.map(({ change }) => fileOf.get(change)));
			const files = record.files.filter(file => leftFiles.has(file));
			await this.remember(files.length === 0 ? undefined : { ...record, files });
			await this.kept?.end();
			void showMessage(severityOf(undone), undoneWords(undone));
		});
	}

	/**
	 * Tells the user the result of an application that was in progress when this window was opened, and offers to take
	 * it back. Does not wait for an answer.
	 */
	resume(): Promise<void> {
		return this.inTurn(async () => {
			const running = await this.outcomeOfRunning();
			if (!running) {
				return;
			}
			const written = running.isOver ? await this.takeOver(running) : undefined;
			const words = running.isOver ? interruptedWords(running, written) : unattendedEndText(running);
			const canUndo = written !== 0 && (await this.read()) !== undefined;
			const undo = { [vscode.l10n.t('Undo')]: () => this.undo() };
			this.offer(running.isOver ? 'warning' : 'information', words, canUndo ? undo : {});
		});
	}

	/**
	 * Returns the application that was in progress, once it is over. After a reload, the process of the window before
	 * may still be at work.
	 */
	private async outcomeOfRunning(): Promise<Interrupted | undefined> {
		const end = Date.now() + PATIENCE_MS;
		let running = await this.kept?.readRunning();
		while (running && !running.isOver) {
			if (Date.now() >= end) {
				// It belongs to another window of this workspace, which tells the user the result.
				return undefined;
			}
			await delay(POLL_MS);
			const now = await this.kept?.readRunning();
			if (!now) {
				break;
			}
			running = now;
		}
		return running;
	}

	/**
	 * Makes an interrupted application the last one. Returns how many files it has changed, if that is known. An
	 * interrupted undo can be continued.
	 */
	private async takeOver({ directory, like, files, isUndo, isRecorded }: Interrupted): Promise<number | undefined> {
		const last = files.at(-1)?.after;
		await (last && removeTemporaries(path.join(directory, last.path)));
		let written: readonly AppliedFile[] | undefined;
		if (!isUndo) {
			written = isRecorded ? await writtenOf({ directory, like, files }).catch(() => undefined) : undefined;
			if (written?.length !== 0) {
				await this.remember(isRecorded ? { directory, like, files: written ?? files } : undefined);
			}
		}
		await this.kept?.end();
		return written?.length;
	}

	/**
	 * Runs an application and keeps a note of it on file, in case the window closes meanwhile. Rejects with an error
	 * for the user.
	 */
	private async noted<T extends Change>(
		running: Running,
		run: (beforeEdit: (file: AppliedFile | undefined) => Promise<void>) => Promise<Applied<T>>,
	): Promise<Applied<T>> {
		try {
			await this.kept?.begin(running);
			return await run(async file => this.kept?.add(file));
		} catch (error) {
			await this.kept?.end();
			return failure(error);
		}
	}

	private inTurn<T>(run: () => Promise<T>): Promise<T> {
		const next = this.running.then(run);
		this.running = next.catch(() => {});
		return next;
	}

	private async read(): Promise<ApplyRecord | undefined> {
		return this.last ?? (await this.kept?.read());
	}

	/** Keeps the record for later windows too, if possible. */
	private async remember(record: ApplyRecord | undefined): Promise<void> {
		this.last = this.kept ? undefined : record;
		try {
			await (record ? this.kept?.write(record) : this.kept?.remove());
		} catch (error) {
			this.last = record;
			this.dependencies.explain(error);
		}
		setContextKey('errand.canUndoApply', record !== undefined);
	}
}

const severityOf = (applied: Applied<Change>) => (isComplete(applied) ? 'information' : 'warning');

function failure(error: unknown): never {
	throw gitFailure(
		error,
		vscode.l10n.t('Nothing was changed because a file or Git couldn’t be read: {0}', gitReason(error)),
	);
}

function firstConflict({ results }: Applied<Change>): string | undefined {
	return results.find(({ result }) => result.kind === 'conflicts')?.change.after?.path;
}

/** Returns the files that already have the changes of the application. */
async function writtenOf(record: ApplyRecord): Promise<AppliedFile[]> {
	if (record.files.length === 0) {
		return [];
	}
	const { changes, fileOf, contents } = undoing(record);
	const place = placeOf(await getGitApi(), record.directory);
	return inWorkingTree(place, record.like, async options => {
		const written = new Set<AppliedFile | undefined>();
		for await (const { change, outcome } of plan(changes, {
			...options,
			contents,
			heedsRules: false,
			withEdits: false,
		})) {
			if (outcome.kind !== 'there') {
				written.add(fileOf.get(change));
			}
		}
		return record.files.filter(file => written.has(file));
	});
}

/** Returns whether a record describes this application. */
function isOf({ files }: ApplyRecord, applied: Applied<Change>): boolean {
	return (
		files.length === applied.files.length &&
		files.every(({ before, after }, index) => {
			const other = applied.files[index];
			return isSame(before, other?.before) && isSame(after, other?.after);
		})
	);
}

type File = ApplyRecord['files'][number]['before'];

function isSame(one: File, other: File): boolean {
	return one?.path === other?.path && (one === undefined || (other !== undefined && one.content.equals(other.content)));
}

async function openConflict(file: string): Promise<void> {
	const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
	const lines = Array.from({ length: document.lineCount }, (_, line) => line);
	const line = lines.find(number => document.lineAt(number).text.startsWith(MARKER)) ?? 0;
	await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(line, 0, line, 0) });
}
