import { cutDiff } from '../../agents/session/cutText.ts';
import type { ToolCall } from '../../agents/session/events.ts';
import { append } from '../../base/append.ts';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { GitPlace } from '../../platform/git.ts';
import type { CommitRange } from '../../tasks/api.ts';
import { type RefusedPart, type StepDiff, shownDiff, type WorkMoment } from '../model/agentWork.ts';
import { isEdit } from '../model/approvalPolicy.ts';
import { type ChangedPart, changedParts, editedText, inverted, withoutHunk, withoutParts } from '../model/hunks.ts';
import { isIgnored, keepStateWith, readStateFile, type StateFile, type TurnRepository } from './checkpoints.ts';

const NEW_FILE = '100644';

/**
 * The length to which each side of a shown change is cut, in UTF-16 code units. A longer change is not written at once.
 */
const MAXIMUM_SHOWN = 64 * 1024;

/** The effect of an edit on the user's files. */
export interface PlannedEdit {
	/** The whole lines that would change, as they are shown. */
	shown: readonly StepDiff[];
	files: readonly PlannedFile[];
	/** The hunks that the user has refused, as they were shown. */
	refused: readonly StepDiff[];
}

interface PlannedFile {
	name: string;
	before: string | undefined;
	/** The state of the file to write into the user's files. */
	after: StateFile;
	/** The text of the file in the agent's copy, including the hunks that the user has refused. */
	whole: string;
}

/** Returns the plan without one hunk of one of its files; undefined if that hunk cannot be refused alone. */
export function withoutPlannedHunk(planned: PlannedEdit, index: number, hunk: number): PlannedEdit | undefined {
	const { files, shown, refused } = planned;
	const file = files[index];
	if (file?.before === undefined) {
		return undefined;
	}
	const { name, before, after } = file;
	const text = withoutHunk(before, after.text, hunk);
	const lines = text === undefined ? undefined : shownFile(name, before, text);
	return text === undefined || lines === undefined
		? undefined
		: {
				shown: shown.with(index, lines),
				files: files.with(index, { ...file, after: { ...after, text } }),
				refused: [...refused, ...changedParts(text, after.text).map(part => ({ path: name, ...part }))],
			};
}

/** Returns the whole lines that change, as they are shown; undefined if there are too many. */
function shownFile(name: string, before: string | undefined, text: string): StepDiff | undefined {
	const { isCut, ...lines } = cutDiff({ ...defined({ oldText: before }), newText: text }, MAXIMUM_SHOWN);
	return isCut ? undefined : shownDiff({ path: name, ...lines }, () => name);
}

export interface AllowedEditsOptions {
	/** Returns the repository of a path that is relative to the agent's folder, and the path in the repository. */
	locate(name: string): { kept: TurnRepository; path: string } | undefined;
	conversation: string;
	/** Writes changes into the user's files unless they conflict with the user's own. Resolves to the paths written. */
	take(range: CommitRange): Promise<string[]>;
	/** Called when an allowed step has been made. `isTaken` is true if the user's files now have all of it. */
	onMade(step: string, isTaken: boolean): Promise<void>;
}

/**
 * The edits that were allowed in a turn. Each is written into the user's files as soon as the agent reports that it has
 * made it. The text written is the one that was shown with the question, not the one in the agent's copy, so the two
 * cannot differ.
 */
export class AllowedEdits {
	private readonly options: AllowedEditsOptions;
	private readonly allowed = new Map<string, PlannedEdit>();
	/** The refused changes that the agent's copy still has, by file name. */
	private readonly refused = new Map<string, readonly ChangedPart[]>();
	/** Hunks that were refused since the last call of `takeRefused`. */
	private untold: StepDiff[] = [];
	/** Edits are written one after another, because later ones may change the same file. */
	private readonly writes = new SerialQueue();

	constructor(options: AllowedEditsOptions) {
		this.options = options;
	}

	/**
	 * Determines the effect of an edit on the user's files. Resolves to undefined if the agent's report does not
	 * determine it, because it shows a file with other content or is not an edit of text; and for a file that git
	 * ignores, which is not written to the user's files. Rejects when git fails.
	 */
	async plan(call: ToolCall, shownPath: WorkMoment['shownPath']): Promise<PlannedEdit | undefined> {
		if (!isEdit(call) || call.kind === 'delete' || call.diffs.length === 0) {
			return undefined;
		}
		await this.settled();
		const diffs = call.diffs.map(diff => shownDiff(diff, shownPath));
		const files: PlannedEdit['files'][number][] = [];
		const shown: StepDiff[] = [];
		for (const name of new Set(diffs.map(({ path }) => path))) {
			const known = await this.read(name);
			const own = diffs.filter(({ path }) => path === name);
			const edited = known === undefined ? undefined : this.edited(name, known?.text, own);
			if (edited === undefined) {
				return undefined;
			}
			const { text, whole } = edited;
			// An empty result may mean that the agent removes the file.
			if (text === known?.text || (known && text === '') || (!known && (await this.isIgnored(name)))) {
				return undefined;
			}
			const lines = shownFile(name, known?.text, text);
			if (lines === undefined) {
				return undefined;
			}
			shown.push(lines);
			files.push({ name, before: known?.text, after: { mode: known?.mode ?? NEW_FILE, text }, whole });
		}
		return { shown, files, refused: [] };
	}

	/** Records that a call may do what was planned for it. */
	allow(id: string, planned: PlannedEdit): void {
		this.allowed.set(id, planned);
	}

	/** Writes the allowed changes of a call, once the agent has made it. */
	made(call: ToolCall): void {
		const planned = this.allowed.get(call.id);
		if (planned === undefined || call.status !== 'completed') {
			return;
		}
		this.allowed.delete(call.id);
		for (const { name, after, whole } of planned.files) {
			this.refused.set(name, changedParts(after.text, whole));
		}
		append(this.untold, planned.refused);
		const take = async () => {
			const isTaken = await this.take(planned).catch(() => false);
			await this.options.onMade(call.id, isTaken);
		};
		// If one edit cannot be reported, the next one must still be written.
		this.writes.run(take).catch(() => {});
	}

	/** Returns the refused hunks of edits that the agent has made since the last call. */
	takeRefused(): readonly StepDiff[] {
		const { untold } = this;
		this.untold = [];
		return untold;
	}

	/** Returns the refused hunks that the files of a repository in the copy may have, by their paths there. */
	refusedIn(repository: TurnRepository): RefusedPart[] {
		return [...this.refused].flatMap(([name, parts]) => {
			const found = this.locate(name);
			return found?.kept === repository ? parts.map(part => ({ path: found.path, ...part })) : [];
		});
	}

	/**
	 * Returns a file after an edit: the user's, and the agent's, which still has the hunks refused before. The agent may
	 * report its change with lines of those hunks, and none of them get into the user's file.
	 */
	private edited(
		name: string,
		known: string | undefined,
		changes: readonly StepDiff[],
	): { text: string; whole: string } | undefined {
		const parts = this.refused.get(name) ?? [];
		const direct = editedText(known, changes);
		if (direct !== undefined) {
			return { text: direct, whole: editedText(direct, parts) ?? direct };
		}
		const copy = parts.length === 0 ? undefined : editedText(known, parts);
		const whole = copy === undefined ? undefined : editedText(copy, changes);
		const text = whole === undefined ? undefined : editedText(whole, parts.map(inverted));
		return text === undefined || whole === undefined ? undefined : { text, whole };
	}

	/** Resolves when no writes are pending. */
	settled(): Promise<void> {
		return this.writes.run(() => {});
	}

	/** Rejects when git fails. */
	private async take({ files }: PlannedEdit): Promise<boolean> {
		let isWhole = true;
		for (const { name, before, after } of files) {
			const now = await this.read(name);
			const found = now !== undefined && now?.text === before ? this.locate(name) : undefined;
			isWhole = found !== undefined && (await this.takeFile(found.kept, found.path, after)) && isWhole;
		}
		return isWhole;
	}

	private async takeFile(repository: TurnRepository, file: string, after: StateFile): Promise<boolean> {
		const { conversation, take } = this.options;
		const { place, taken } = repository;
		const next = await keepStateWith(place, conversation, taken, file, after);
		const done = await take({ repository: place.directory, from: taken, to: next });
		const isTaken = done.includes(file);
		if (isTaken) {
			repository.taken = next;
		}
		return isTaken;
	}

	/** Reads a file of the user by its path relative to the agent's folder, as `readStateFile` does. */
	private async read(name: string): ReturnType<typeof readStateFile> {
		const found = this.locate(name);
		return found && readStateFile(found.kept.place, found.kept.taken, found.path);
	}

	private async isIgnored(name: string): Promise<boolean> {
		const found = this.locate(name);
		return found !== undefined && isIgnored(found.kept.place, found.path);
	}

	private locate(name: string): { kept: TurnRepository; path: string } | undefined {
		return isInside(name) ? this.options.locate(name) : undefined;
	}
}

/** Resolves to a state without refused hunks, as far as they are still there. Rejects when git fails. */
export async function withoutRefused(
	place: GitPlace,
	conversation: string,
	state: string,
	refused: readonly RefusedPart[],
): Promise<string> {
	let kept = state;
	for (const [file, parts] of Map.groupBy(refused, part => part.path)) {
		const now = await readStateFile(place, kept, file);
		const text = now ? withoutParts(now.text, parts) : undefined;
		if (now && text !== undefined && text !== now.text) {
			kept = await keepStateWith(place, conversation, kept, file, { ...now, text });
		}
	}
	return kept;
}

/** Returns whether a path as it is shown lies in the agent's folder and is unambiguous. */
function isInside(name: string): boolean {
	return !name.startsWith('/') && name.split('/')[0] !== '..' && name.isWellFormed() && !/^[a-z]:/i.test(name);
}
