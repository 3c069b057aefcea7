import { setImmediate as nextTurn } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { baseCommitOf, type TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { ChangedFile } from '../model/changedFile.ts';
import { listChangedFiles, listChangedNames } from './readChanges.ts';
import type { ResultReferences } from './resultReferences.ts';
import {
	type BranchEnds,
	BranchProblem,
	type BranchRange,
	branchEnds,
	fetchBranch,
	rangeOf,
	type TaskStart,
} from './taskBranch.ts';
import { findTaskRepository, type TaskRepository } from './taskRepository.ts';

/** The files that a branch of a task has changed since it began. */
export interface ListedChanges {
	result: TaskResult;
	repository: TaskRepository;
	/** The commit of the branch, once it is known. */
	tip: string | undefined;
	/** Sorted by path. */
	files: ChangedFile[];
	/** True if the lines of the files are counted, which takes longer than all the rest and therefore comes later. */
	isCounted: boolean;
}

/** The changes with all their facts. */
export type ResultChanges = ListedChanges & BranchRange;

export type ChangesState =
	| { kind: 'reading' }
	/** The rest is being read. */
	| { kind: 'listed'; changes: ListedChanges }
	| { kind: 'read'; changes: ResultChanges }
	/** `error` has a sentence for the user. */
	| { kind: 'failed'; error: UserFacingError };

export interface TaskChangesDependencies {
	/** Returns whether the tasks are those of the service on this machine. */
	isLocal(): boolean;
	/** Returns the commit from which this machine started a task, if it did. */
	startCommit(taskId: string): string | undefined;
	/** Remembers the repositories with references of Errand's own, and removes the references. */
	references: Pick<ResultReferences, 'remember' | 'remove'>;
}

interface Entry {
	/** The state of the task for which the changes were read. A task that continues gets another one. */
	version: string;
	state: ChangesState;
	/** The changes that were read last, while newer ones are being read or if they cannot be read. */
	last: ListedChanges | undefined;
	listing: Promise<ListedChanges>;
	reading: Promise<ResultChanges>;
}

/** The changes of tasks, each read once, and again when its task has moved on. */
export class TaskChanges implements Disposable {
	private readonly dependencies: TaskChangesDependencies;
	private readonly entries = new Map<string, Entry>();
	private readonly changed = new Emitter<TaskResult>();
	/**
	 * Fires when a result is read again, and when more is known about it: its files, their lines, or why there are
	 * none.
	 */
	readonly onDidChange = this.changed.event;

	constructor(dependencies: TaskChangesDependencies) {
		this.dependencies = dependencies;
	}

	/** Returns the state of a result, or undefined if nothing was read or the task has moved on since. */
	state(task: Task, { key }: TaskResult): ChangesState | undefined {
		const entry = this.entries.get(key);
		return entry?.version === versionOf(task) ? entry.state : undefined;
	}

	/** Returns the files that were listed last, even if the task has moved on since. */
	last(key: string): ListedChanges | undefined {
		return this.entries.get(key)?.last;
	}

	/**
	 * Returns the changes of a result. Reads them if they are not known, or with `again`. Rejects with a
	 * UserFacingError.
	 */
	read(task: Task, result: TaskResult, again = false): Promise<ResultChanges> {
		return this.entryOf(task, result, again).reading;
	}

	/** Like `read`, but returns the files as soon as they are known. */
	list(task: Task, result: TaskResult, again = false): Promise<ListedChanges> {
		return this.entryOf(task, result, again).listing;
	}

	/** Forgets the results of a task. */
	forget(taskId: string): void {
		for (const key of this.entries.keys()) {
			if (key === taskId || key.startsWith(`${taskId}:`)) {
				this.entries.delete(key);
			}
		}
	}

	/** Forgets a result whose branch is gone, and removes Errand's references to it. Rejects when git fails. */
	async remove(result: TaskResult): Promise<void> {
		this.entries.delete(result.key);
		await this.dependencies.references.remove(result.key);
		this.changed.fire(result);
	}

	dispose(): void {
		this.changed.dispose();
	}

	private entryOf(task: Task, result: TaskResult, again: boolean): Entry {
		const version = versionOf(task);
		const known = this.entries.get(result.key);
		const isUnderWay = known?.state.kind === 'reading' || known?.state.kind === 'listed';
		if (known?.version === version && (isUnderWay || !again)) {
			return known;
		}
		const listing = this.listNow(task, result).catch(inWords);
		const reading = listing.then(({ rest }) => rest()).catch(inWords);
		const entry: Entry = { version, state: { kind: 'reading' }, last: known?.last, listing, reading };
		this.entries.set(result.key, entry);
		const became = (state: ChangesState) => {
			entry.state = state;
			if (state.kind === 'listed' || state.kind === 'read') {
				entry.last = state.changes;
			}
			if (this.entries.get(result.key) === entry) {
				this.changed.fire(result);
			}
		};
		listing.then(
			changes => became({ kind: 'listed', changes }),
			() => {},
		);
		reading.then(
			changes => became({ kind: 'read', changes }),
			(error: UserFacingError) => became({ kind: 'failed', error }),
		);
		if (again) {
			this.changed.fire(result);
		}
		return entry;
	}

	/** Lists the files with as few processes as possible; `rest` reads the less urgent facts. */
	private async listNow(task: Task, result: TaskResult): Promise<ListedChanges & { rest(): Promise<ResultChanges> }> {
		const repository = await findTaskRepository(task, this.dependencies.isLocal());
		const { place, remote } = repository;
		const commit = baseCommitOf(task, result) ?? this.dependencies.startCommit(task.id);
		const start = { branch: task.selectedBranch, commit };
		// Each process takes as long as the comparison, so it is not preceded by one that looks up its ends.
		const named = branchEnds(remote, result, start);
		const early = named && (await listChangedNames(place, named.start, named.tip).catch(() => undefined));
		const known = early ? undefined : await this.listSlowly(repository, result, start);
		const changes = { result, repository, tip: known?.tip, files: early ?? known?.files ?? [], isCounted: false };
		const rest = async () => {
			// The listed files are shown first: merely starting a process blocks the thread.
			await nextTurn();
			const ends = known ?? (await fetchBranch(place, remote, result, start));
			const range = known?.range ?? (await rangeOf(place, result, ends));
			this.dependencies.references.remember(result, place.directory);
			return count({ ...changes, ...range });
		};
		return { ...changes, rest };
	}

	/**
	 * Like `listNow`, but for ends that have no names here, or of which one is gone, or that have no single merge base.
	 */
	private async listSlowly(
		{ place, remote }: TaskRepository,
		result: TaskResult,
		start: TaskStart,
	): Promise<BranchEnds & { files: ChangedFile[]; range: BranchRange | undefined }> {
		const ends = await fetchBranch(place, remote, result, start);
		const { tip, starts } = ends;
		const [from = tip] = starts;
		const quick = await listChangedNames(place, from, tip).catch(() => undefined);
		if (quick) {
			return { ...ends, files: quick, range: undefined };
		}
		const range = await rangeOf(place, result, ends);
		return { ...ends, files: await listChangedNames(place, range.base, tip), range };
	}
}

/** Returns the changes with the lines of their files, or unchanged if git cannot count them. */
async function count(changes: ResultChanges): Promise<ResultChanges> {
	const { repository, base, tip } = changes;
	try {
		return { ...changes, files: await listChangedFiles(repository.place, base, tip), isCounted: true };
	} catch {
		return changes;
	}
}

const versionOf = ({ status, updatedAt, completedAt, branchName }: Task): string =>
	JSON.stringify([status, updatedAt, completedAt, branchName]);

/** Throws an error as a UserFacingError. */
function inWords(error: unknown): never {
	if (!(error instanceof BranchProblem)) {
		throw gitFailure(error, vscode.l10n.t('Git couldn’t read the changes of the task: {0}', gitReason(error)));
	}
	const branch = shortName(error.branch);
	throw new UserFacingError(
		error.reason === 'missing'
			? vscode.l10n.t(
					'Can’t show the changes of branch “{0}” because it doesn’t exist. It was deleted, renamed or never pushed.',
					branch,
				)
			: vscode.l10n.t(
					'Couldn’t find where the branch “{0}” started because this repository has no commits in common with it. Fetch the branch that the task started from, then try again.',
					branch,
				),
		{ cause: error },
	);
}
