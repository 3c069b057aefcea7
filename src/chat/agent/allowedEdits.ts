import type { ToolCall } from '../../agents/session/events.ts';
import type { GitPlace } from '../../platform/git.ts';
import { type StepDiff, shownDiff, type WorkMoment } from '../model/agentWork.ts';
import { allowanceOf } from '../model/approvalPolicy.ts';
import { editedText } from '../model/editedText.ts';
import type { CommitRange } from './agentRunsOptions.ts';
import { keepStateWith, readStateFile, type StateFile } from './checkpoints.ts';

const NEW_FILE = '100644';

export interface AllowedEditsOptions {
	place: GitPlace;
	conversation: string;
	/** The state of the user's files at the start of the turn, as a commit. */
	before: string;
	/** Takes changes into the user's files where nothing of theirs is in the way. Resolves with the paths that have them. */
	take(range: CommitRange): Promise<string[]>;
	/** Called when a step has been made that was allowed, with whether the user's files have all of it now. */
	onMade(step: string, isTaken: boolean): Promise<void>;
}

/**
 * The edits that were allowed in a turn. Each comes into the user's files as soon as the agent says that it has made it. What
 * is written there is made from the lines that were shown and not from the agent's copy, so it cannot be anything else.
 */
export class AllowedEdits {
	private readonly options: AllowedEditsOptions;
	private readonly allowed = new Map<string, readonly StepDiff[]>();
	/** What is being taken. One edit follows the other, as later ones may be about the same file. */
	private taking: Promise<void> = Promise.resolve();
	/** The state at the start with everything that has been taken, as a commit. */
	taken: string;

	constructor(options: AllowedEditsOptions) {
		this.options = options;
		this.taken = options.before;
	}

	/** Notes what was allowed. Anything but a change of files is left alone. */
	allow(call: ToolCall, shownPath: WorkMoment['shownPath']): void {
		if (allowanceOf(call) === 'edits' && call.diffs.length > 0) {
			this.allowed.set(
				call.id,
				call.diffs.map(diff => shownDiff(diff, shownPath)),
			);
		}
	}

	/** Takes what a call was allowed to change, once the agent has made it. */
	made(call: ToolCall): void {
		const diffs = this.allowed.get(call.id);
		if (diffs === undefined || call.status !== 'completed') {
			return;
		}
		this.allowed.delete(call.id);
		this.taking = this.taking.then(async () => {
			const isTaken = await this.take(diffs).catch(() => false);
			await this.options.onMade(call.id, isTaken);
		});
	}

	/** Resolves when nothing is being taken any more. */
	settled(): Promise<void> {
		return this.taking;
	}

	/** Rejects when git fails. */
	private async take(diffs: readonly StepDiff[]): Promise<boolean> {
		const { place, conversation, take } = this.options;
		const names = [...new Set(diffs.map(({ path }) => path))];
		let isWhole = true;
		for (const name of names) {
			const file = await this.edited(
				name,
				diffs.filter(({ path }) => path === name),
			);
			const next = file && (await keepStateWith(place, conversation, this.taken, name, file));
			const done = next === undefined ? [] : await take({ repository: place.directory, from: this.taken, to: next });
			if (next !== undefined && done.includes(name)) {
				this.taken = next;
			} else {
				isWhole = false;
			}
		}
		return isWhole;
	}

	/** Resolves with a file as the shown changes make it; undefined where it is not the file that they show. */
	private async edited(name: string, diffs: readonly StepDiff[]): Promise<StateFile | undefined> {
		const file = await readStateFile(this.options.place, this.taken, name);
		const text = file === undefined ? undefined : editedText(file?.text, diffs);
		return text === undefined ? undefined : { mode: file?.mode ?? NEW_FILE, text };
	}
}
