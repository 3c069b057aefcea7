import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { showMessage } from '../../platform/notify.ts';
import type { CommitRange } from '../api.ts';
import { rowWords } from '../common/messages.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { taskTitle } from '../model/taskRow.ts';
import { changeUri, readChangeUri } from '../results/changeUri.ts';
import { Applier, type ApplierDependencies } from './applier.ts';
import type { Applied, ApplyOptions } from './applyChanges.ts';
import { isComplete, nothingWords, refusalWords, undoneWords } from './applyMessages.ts';
import { inWorkingTree, withStatusTitle } from './applyPlace.ts';
import {
	type AppliedChanges,
	type ApplySubjectDependencies,
	fileOfEditor,
	findSubject,
	listRange,
	placeIn,
	shownChange,
	subjectOfEditor,
} from './applySubject.ts';
import { findHunks, hunksAt, takeHunks } from './hunks.ts';
import { type Planned, plan } from './plan.ts';
import { choosePlanned } from './previewList.ts';

const MAXIMUM_TITLE = 60;

const NO_FILE = () => vscode.l10n.t('Open a changed file of a task, then put the cursor in a change.');

/** The time for which the status bar says that a hunk was taken. */
const TOLD_MS = 5_000;

export type ApplyCommandsDependencies = ApplySubjectDependencies & ApplierDependencies;

/** The commands that take a task's changes into the user's own files. Each shows its errors itself. */
export class ApplyCommands {
	private readonly dependencies: ApplyCommandsDependencies;
	private readonly applier: Applier;

	constructor(dependencies: ApplyCommandsDependencies) {
		this.dependencies = dependencies;
		this.applier = new Applier(dependencies);
	}

	/**
	 * Shows the effect on each file of a result, or on one file, and applies the files that the user leaves checked.
	 */
	apply(argument: unknown): Promise<void> {
		const command = vscode.l10n.t('Apply Task Changes');
		return this.reporting(async () => {
			const subject = await findSubject(subjectOfEditor(argument), command, this.dependencies);
			if (subject) {
				const { task, changes, file } = subject;
				const title = task
					? vscode.l10n.t('Apply: {0}', taskTitle(task, rowWords.untitled, MAXIMUM_TITLE))
					: vscode.l10n.t('Apply Changes');
				await inTreeOf(changes, options => this.preview(title, file ? [file] : changes.files, options));
			}
		});
	}

	/** Takes the hunks that the selection touches, in an editor with a version of a task's file. */
	takeHunk(argument: unknown): Promise<void> {
		return this.reporting(async () => {
			const editor = shownChange(argument instanceof vscode.Uri ? argument : undefined);
			const parts = editor && readChangeUri(editor.document.uri);
			if (!editor || !parts) {
				throw new UserFacingError(NO_FILE());
			}
			const subject = await findSubject(parts, vscode.l10n.t('Apply Hunk at Cursor to Your File'), this.dependencies);
			if (subject?.file) {
				const { file, changes } = subject;
				await inTreeOf(changes, options => this.takeHunkOf(file, parts.side, editor, options));
			}
		});
	}

	/** Opens the task's version of a file beside the user's own, in a diff whose arrows take hunks. */
	compareWithFile(argument: unknown): Promise<void> {
		return this.reporting(async () => {
			const named = fileOfEditor(argument);
			if (named === undefined) {
				throw new UserFacingError(NO_FILE());
			}
			const subject = await findSubject(named, vscode.l10n.t('Compare Task Version with Your File'), this.dependencies);
			if (subject?.file) {
				const { file, changes } = subject;
				await inTreeOf(changes, options => compare(file, changes, options));
			}
		});
	}

	/**
	 * Does the same as `apply` with changes that no task has made, of all files or of the `named` one. Resolves with the
	 * paths of the files that have the changes, with or without conflicts.
	 */
	take(range: CommitRange, title: string, named?: string): Promise<string[]> {
		return this.withRange(range, (files, options) => this.preview(title, filesIn(files, named), options));
	}

	/**
	 * Takes changes that the user has seen and allowed into their own files, except where their own edits are in the
	 * way. Resolves with the paths of the files that now have the changes.
	 */
	takeAllowed(range: CommitRange): Promise<string[]> {
		return this.withRange(range, async (files, options) => {
			// The user saw only the content of the files, so no file may be removed or renamed.
			const seen = files.filter(({ before, after }) => after && (before?.path ?? after.path) === after.path);
			return donePaths(await this.applier.apply(seen, { ...options, conflictRule: 'refuse', isForgotten: true }));
		});
	}

	/**
	 * Takes the changes of all files, or of the `named` one, back out of the user's files, but none of the edits made
	 * since. Tells the user what could not be taken back. Resolves with the paths of the files that no longer have any
	 * of the changes.
	 */
	takeBack({ repository, from, to }: CommitRange, named?: string): Promise<string[]> {
		return this.withRange({ repository, from: to, to: from }, async (all, options) => {
			const files = filesIn(all, named);
			const applied = await this.applier.apply(files, {
				...options,
				heedsRules: false,
				conflictRule: 'yours',
				isForgotten: true,
			});
			// If everything was taken back, the turn itself says so.
			if (!isComplete(applied)) {
				void showMessage('warning', undoneWords(applied));
			}
			return donePaths(applied);
		});
	}

	/** Tells the user the result of an application that the window before this one had begun. */
	resume(): Promise<void> {
		return this.reporting(() => this.applier.resume());
	}

	/** Takes the last application back. */
	undo(): Promise<void> {
		return this.reporting(() => this.applier.undo());
	}

	/** Does something with the files that differ between two commits, in the user's working tree. */
	private async withRange(
		range: CommitRange,
		run: (files: readonly ChangedFile[], options: ApplyOptions) => Promise<string[]>,
	): Promise<string[]> {
		const done = await this.reporting(async () => {
			const files = await listRange(range);
			return inWorkingTree(await placeIn(range.repository), range.to, options => run(files, options));
		});
		return done ?? [];
	}

	/** Resolves with the paths of the files that have the changes, with or without conflicts. */
	private async preview(title: string, files: readonly ChangedFile[], options: ApplyOptions): Promise<string[]> {
		let checked: ReadonlySet<string> | undefined;
		let planned = await planAll(files, options);
		for (;;) {
			if (checked === undefined && !planned.some(isApplicable)) {
				void showMessage('information', nothingWords(planned));
				return planned.flatMap(({ change, outcome }) => (outcome.kind === 'there' ? [pathOf(change)] : []));
			}
			const chosen = await choosePlanned(planned, { title, checked, hasChanged: checked !== undefined });
			if (!chosen || chosen.length === 0) {
				return [];
			}
			// The user's files may have changed while the list was open.
			const again = await planAll(files, options);
			const byPath = new Map(again.map(file => [pathOf(file.change), file]));
			if (chosen.every(file => byPath.get(pathOf(file.change))?.outcome.kind === file.outcome.kind)) {
				const applied = await this.applier.apply(
					chosen.map(({ change }) => change),
					options,
				);
				this.applier.tell(applied, name => options.tree.fileOf(name));
				return donePaths(applied, ['applies', 'there', 'conflicts']);
			}
			checked = new Set(chosen.map(({ change }) => pathOf(change)));
			planned = again;
		}
	}

	private async takeHunkOf(
		file: ChangedFile,
		side: 'before' | 'after',
		editor: vscode.TextEditor,
		options: ApplyOptions,
	): Promise<void> {
		const { before, after } = file;
		if (!before || !after) {
			// The change is the whole file.
			await this.applyHunks([file], 1, options);
			return;
		}
		const hunks = await findHunks(options.place, before, after, options.contents);
		const lines = editor.selections.map(({ start, end }) => ({ first: start.line, last: end.line }));
		const wanted = hunks?.filter(hunk => lines.some(range => hunksAt([hunk], side, range).length > 0)) ?? [];
		const taken = hunks && (await takeHunks(file, hunks, wanted, options));
		if (!hunks || !taken || hunks.length === 0) {
			throw new UserFacingError(
				vscode.l10n.t('This file has no line hunks. Apply the whole file from its row in the Tasks view.'),
			);
		}
		if (wanted.length === 0) {
			const line = editor.selection.active.line;
			const next = (hunks.find(hunk => hunk[side].start > line) ?? hunks[0])?.[side].start ?? 0;
			const place = editor.document.validateRange(new vscode.Range(next, 0, next, 0));
			editor.selection = new vscode.Selection(place.start, place.start);
			editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
			void showMessage(
				'information',
				vscode.l10n.t('The cursor wasn’t in a change, so nothing was applied. It’s now at the next change.'),
			);
			return;
		}
		await this.applyHunks([taken.change], wanted.length, { ...options, contents: taken.contents });
	}

	/** A hunk that was taken without a question is only mentioned in the status bar, as many may follow. */
	private async applyHunks(
		changes: Parameters<Applier['apply']>[0],
		count: number,
		options: ApplyOptions,
	): Promise<void> {
		const applied = await this.applier.apply(changes, options);
		const [{ change, result }] = applied.results as [(typeof applied.results)[0]];
		const name = shortName(path.posix.basename((change.after ?? change.before)?.path ?? ''));
		if (result.kind === 'applies') {
			const words =
				count === 1
					? vscode.l10n.t('Applied the hunk to {0}', name)
					: vscode.l10n.t('Applied {0} hunks to {1}', count, name);
			vscode.window.setStatusBarMessage(`$(check) ${escapeIcons(words)}`, TOLD_MS);
		} else if (result.kind === 'there') {
			vscode.window.setStatusBarMessage(escapeIcons(vscode.l10n.t('{0} already has this', name)), TOLD_MS);
		} else {
			this.applier.tell(applied, file => options.tree.fileOf(file));
		}
	}

	/** Shows the error with which `run` rejects, and then resolves with undefined. */
	private async reporting<T>(run: () => Promise<T>): Promise<T | undefined> {
		try {
			return await run();
		} catch (error) {
			this.dependencies.explain(error);
			return undefined;
		}
	}
}

function inTreeOf<T>({ repository, tip }: AppliedChanges, run: (options: ApplyOptions) => Promise<T>): Promise<T> {
	return inWorkingTree(repository.place, tip, run);
}

function planAll(files: readonly ChangedFile[], options: ApplyOptions): Thenable<Planned<ChangedFile>[]> {
	return withStatusTitle(vscode.l10n.t('Checking your files…'), async () => {
		const planned: Planned<ChangedFile>[] = [];
		for await (const file of plan(files, { ...options, tree: options.tree.again(), withEdits: false })) {
			planned.push(file);
		}
		return planned;
	});
}

const isApplicable = ({ outcome }: Planned<ChangedFile>) => outcome.kind === 'applies' || outcome.kind === 'conflicts';

async function compare(file: ChangedFile, changes: AppliedChanges, { tree }: ApplyOptions): Promise<void> {
	const { result, repository, from } = changes;
	const name = pathOf(file);
	const { after } = file;
	const refusal = file.hasUnreadableName ? 'unreadableName' : await tree.refusal(name);
	const own = (await tree.mode(name)) === undefined ? file.before?.path : name;
	if (refusal !== undefined) {
		throw new UserFacingError(vscode.l10n.t('Couldn’t compare {0}: {1}.', shortName(name), refusalWords(refusal)));
	}
	if (!after || own === undefined || (await tree.refusal(own)) !== undefined || (await tree.mode(own)) === undefined) {
		throw new UserFacingError(
			after
				? vscode.l10n.t('You don’t have a file {0} to compare with. Apply the task’s file to add it.', shortName(name))
				: vscode.l10n.t('The task deleted {0}, so there’s nothing to compare with.', shortName(name)),
		);
	}
	const { key, taskId } = result;
	const { directory } = repository.place;
	const version = { side: 'after', directory, path: after.path, object: after.object } as const;
	const parts = { resultKey: key, taskId, ...(from !== undefined && { from }), ...version };
	const title = vscode.l10n.t('{0} (Task ↔ Yours)', shortName(path.posix.basename(name)));
	// A preview editor would replace the review from which it was opened.
	await vscode.commands.executeCommand('vscode.diff', changeUri(parts), vscode.Uri.file(tree.fileOf(own)), title, {
		preview: false,
	});
}

const filesIn = (files: readonly ChangedFile[], named: string | undefined): ChangedFile[] =>
	files.filter(({ before, after }) => named === undefined || before?.path === named || after?.path === named);

/** A renamed file counts at both its paths. */
const donePaths = ({ results }: Applied<ChangedFile>, kinds = ['applies', 'there']): string[] =>
	results.flatMap(({ change: { before, after }, result }) =>
		kinds.includes(result.kind) ? [...new Set([before, after].flatMap(version => version?.path ?? []))] : [],
	);
