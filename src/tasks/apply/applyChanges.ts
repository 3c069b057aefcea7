import type { Change, ChangeOutcome, FileContent, FileEdit } from './change.ts';
import { type PlanOptions, plan } from './plan.ts';
import { setMode, writeEdit } from './write.ts';

/** What has become of a change. */
export type Result =
	| ChangeOutcome
	/** It could not be written. The cause is a ChangedMeanwhile or an error of the system. */
	| { kind: 'failed'; cause: unknown };

/** A file that was written, removed or moved. */
export interface AppliedFile {
	before: FileContent | undefined;
	after: FileContent | undefined;
}

export interface Applied<T extends Change> {
	results: { change: T; result: Result }[];
	/** What was done, in its order; empty where that would take more memory than allowed. */
	files: AppliedFile[];
	/** Whether `files` has all that was done, so that it can be undone. */
	isRecorded: boolean;
}

/** The editor has not changed a file that is open in it. */
export class NotEdited extends Error {
	override readonly name = 'NotEdited';

	constructor() {
		super('the editor has not changed the file');
	}
}

export interface ApplyOptions extends Omit<PlanOptions, 'withEdits'> {
	/** How many bytes of contents may be kept of what was done. */
	maximumRecord: number;
	/**
	 * Is awaited before a file is changed; undefined tells that the record has no room for it. A rejection leaves the file
	 * alone.
	 */
	beforeEdit?(file: AppliedFile | undefined): Promise<void>;
	/**
	 * Changes files that are open in the editor. Resolves with what each has now; undefined for one that the editor did
	 * not change.
	 */
	editOpen(edits: readonly FileEdit[]): Promise<(Buffer | undefined)[]>;
}

/**
 * Applies changes to the working tree. Everything is read again first. What cannot be applied is told in the results and
 * does not keep the others from being applied. Rejects only if nothing was done.
 */
export async function applyChanges<T extends Change>(
	changes: readonly T[],
	options: ApplyOptions,
): Promise<Applied<T>> {
	const applied: Applied<T> = { results: [], files: [], isRecorded: true };
	const open: OpenEdit<T>[] = [];
	let recorded = 0;
	let hasBegun = false;
	// Files that go make room for others.
	const ordered = [...changes.filter(({ after }) => !after), ...changes.filter(({ after }) => after)];
	try {
		for await (const { change, outcome, edit } of plan(ordered, {
			...options,
			tree: options.tree.again(),
			withEdits: true,
		})) {
			if (!edit) {
				applied.results.push({ change, result: outcome });
				continue;
			}
			recorded += (edit.before?.content.length ?? 0) + (edit.after?.content.length ?? 0);
			applied.isRecorded = recorded <= options.maximumRecord;
			await options.beforeEdit?.(applied.isRecorded ? { before: edit.before, after: edit.after } : undefined);
			hasBegun = true;
			if (edit.isOpen && !edit.after?.content.equals(edit.before?.content ?? Buffer.of())) {
				open.push({ change, outcome, edit });
			} else {
				await applyOne({ change, outcome, edit }, options, applied);
			}
			if (!applied.isRecorded) {
				applied.files = [];
			}
		}
	} catch (error) {
		if (!hasBegun) {
			throw error;
		}
		const known = new Set([...applied.results, ...open].map(({ change }) => change));
		const rest = ordered.filter(change => !known.has(change));
		applied.results.push(...rest.map(change => ({ change, result: { kind: 'failed', cause: error } as const })));
	}
	await applyOpen(open, options, applied);
	return applied.isRecorded ? applied : { ...applied, files: [] };
}

interface OpenEdit<T extends Change> {
	change: T;
	outcome: ChangeOutcome;
	edit: FileEdit;
}

async function applyOne<T extends Change>(
	{ change, outcome, edit }: OpenEdit<T>,
	{ tree }: ApplyOptions,
	applied: Applied<T>,
): Promise<void> {
	try {
		await writeEdit(edit, tree.again());
		applied.files.push({ before: edit.before, after: edit.after });
		applied.results.push({ change, result: outcome });
	} catch (cause) {
		applied.results.push({ change, result: { kind: 'failed', cause } });
	}
}

async function applyOpen<T extends Change>(
	open: readonly OpenEdit<T>[],
	{ tree, editOpen }: ApplyOptions,
	applied: Applied<T>,
): Promise<void> {
	let contents: (Buffer | undefined)[] = [];
	let cause: unknown;
	try {
		contents = open.length === 0 ? [] : await editOpen(open.map(({ edit }) => edit));
	} catch (error) {
		cause = error;
	}
	for (const [index, { change, outcome, edit }] of open.entries()) {
		const content = contents[index];
		const { before, after } = edit;
		if (!content || !after) {
			applied.results.push({ change, result: { kind: 'failed', cause: cause ?? new NotEdited() } });
			continue;
		}
		applied.files.push({ before, after: { ...after, content } });
		const failed = await setMode(edit, tree).then(
			() => undefined,
			(error: unknown) => ({ kind: 'failed', cause: error }) as const,
		);
		applied.results.push({ change, result: failed ?? outcome });
	}
}
