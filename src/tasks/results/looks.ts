import type { Memento } from 'vscode';
import { StateEntries } from '../../platform/sharedState.ts';
import type { ChangedFile } from '../model/changedFile.ts';
import { isLook, type Look, type LookMark, lookAt, markOf } from '../model/look.ts';
import { LOOK_ENTRIES } from '../model/storageKeys.ts';
import type { ListedChanges } from './taskChanges.ts';

/** Beyond this number, the oldest are forgotten. */
const MAXIMUM_LOOKS = 100;

interface KeptLook extends Look {
	key: string;
}

/** Remembers what the user has seen of the changes of each result, across reloads. */
export class Looks {
	private readonly entries: StateEntries<KeptLook>;
	/** What was read or written in this window, as rows ask for it often. */
	private readonly known = new Map<string, Look | undefined>();

	constructor(workspaceState: Memento) {
		this.entries = new StateEntries(workspaceState, LOOK_ENTRIES, isKeptLook);
	}

	has(key: string): boolean {
		return this.get(key) !== undefined;
	}

	/** Returns what has become of a file since the user looked, as far as that is known. */
	markOf({ result, tip }: ListedChanges, file: ChangedFile): LookMark | undefined {
		return tip === undefined ? undefined : markOf(this.get(result.key), tip, file);
	}

	/** Takes note that the user has seen these changes, if their commit is known. */
	look({ result: { key }, tip, files }: ListedChanges): void {
		if (tip === undefined || this.get(key)?.tip === tip) {
			return;
		}
		const look = lookAt(tip, files, Date.now());
		const isNew = this.get(key) === undefined;
		this.known.set(key, look);
		this.entries.note(key, { key, ...look });
		if (isNew) {
			this.forgetOldest();
		}
	}

	private get(key: string): Look | undefined {
		if (!this.known.has(key)) {
			this.known.set(key, this.entries.get(key));
		}
		return this.known.get(key);
	}

	private forgetOldest(): void {
		const looks = this.entries.values().sort((one, other) => other.at - one.at);
		for (const { key } of looks.slice(MAXIMUM_LOOKS)) {
			this.known.delete(key);
			this.entries.note(key);
		}
	}
}

function isKeptLook(value: unknown): value is KeptLook {
	return isLook(value) && typeof (value as { key?: unknown }).key === 'string';
}
