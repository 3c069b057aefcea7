import type { Memento } from 'vscode';
import { StateEntries } from '../../platform/sharedState.ts';
import type { ChangedFile } from '../model/changedFile.ts';
import { type FileMark, isReviewSnapshot, markOf, type ReviewSnapshot, snapshotOf } from '../model/reviewSnapshot.ts';
import { SNAPSHOT_ENTRIES } from '../model/storageKeys.ts';
import type { ListedChanges } from './taskChanges.ts';

/** Beyond this number, the oldest snapshots are forgotten. */
const MAXIMUM_SNAPSHOTS = 100;

interface KeptSnapshot extends ReviewSnapshot {
	key: string;
}

/** Remembers the changes of each result as the user has seen them, across reloads. */
export class ReviewSnapshots {
	private readonly entries: StateEntries<KeptSnapshot>;
	/** The snapshots that were read or written in this window, as rows ask for them often. */
	private readonly known = new Map<string, ReviewSnapshot | undefined>();

	constructor(workspaceState: Memento) {
		this.entries = new StateEntries(workspaceState, SNAPSHOT_ENTRIES, isKeptSnapshot);
	}

	has(key: string): boolean {
		return this.get(key) !== undefined;
	}

	/** Returns the change of a file since the user looked, as far as it is known. */
	markOf({ result, tip }: ListedChanges, file: ChangedFile): FileMark | undefined {
		return tip === undefined ? undefined : markOf(this.get(result.key), tip, file);
	}

	/** Records that the user has seen these changes, if their commit is known. */
	take({ result: { key }, tip, files }: ListedChanges): void {
		if (tip === undefined || this.get(key)?.tip === tip) {
			return;
		}
		const snapshot = snapshotOf(tip, files, Date.now());
		const isNew = this.get(key) === undefined;
		this.known.set(key, snapshot);
		this.entries.note(key, { key, ...snapshot });
		if (isNew) {
			this.forgetOldest();
		}
	}

	private get(key: string): ReviewSnapshot | undefined {
		if (!this.known.has(key)) {
			this.known.set(key, this.entries.get(key));
		}
		return this.known.get(key);
	}

	private forgetOldest(): void {
		const snapshots = this.entries.values().sort((one, other) => other.at - one.at);
		for (const { key } of snapshots.slice(MAXIMUM_SNAPSHOTS)) {
			this.known.delete(key);
			this.entries.note(key);
		}
	}
}

function isKeptSnapshot(value: unknown): value is KeptSnapshot {
	return isReviewSnapshot(value) && typeof (value as { key?: unknown }).key === 'string';
}
