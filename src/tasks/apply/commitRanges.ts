// Changes between two commits of a repository that no task has made, for other features: they are listed, shown, taken
// into the user's files, or taken back out of them.
import path from 'node:path';
import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import type { CommitRange, ComparedRange, RangeFile } from '../api.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { type ChangeUriParts, changeUri, versionWords } from '../results/changeUri.ts';
import type { ApplyCommands } from './applyCommands.ts';
import { listRange, placeIn } from './applySubject.ts';

/** The maximum number of files in one multi-file diff, because the editor reads all of them at once. */
const MAXIMUM_SHOWN = 200;

/** Resolves with the files that differ, sorted by path. Rejects with a UserFacingError. */
export async function describeRange(range: CommitRange): Promise<RangeFile[]> {
	return (await listRange(range)).map(file => ({ path: pathOf(file), status: file.status, ...file.lines }));
}

/** Opens the changes as one multi-file diff, or the change of the `named` file. Rejects with a UserFacingError. */
export async function compareRanges(title: string, parts: readonly ComparedRange[], named?: string): Promise<void> {
	const pairs = (await Promise.all(parts.map(comparedFiles))).flat();
	if (named !== undefined) {
		const [pair] = pairs.filter(({ file }) => pathOf(file) === named);
		if (pair) {
			const name = shortName(path.posix.basename(named));
			await vscode.commands.executeCommand('vscode.diff', pair.before, pair.after, `${name} (${title})`);
		}
		return;
	}
	const resources = pairs
		.slice(0, MAXIMUM_SHOWN)
		.map(({ file, before, after }) => [
			file.after ? after : before,
			file.before ? before : undefined,
			file.after ? after : undefined,
		]);
	await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** A changed file with the URIs of both sides. A missing side has the URI of an empty document. */
interface ComparedFile {
	file: ChangedFile;
	before: vscode.Uri;
	after: vscode.Uri;
}

async function comparedFiles({ range, own, folder }: ComparedRange): Promise<ComparedFile[]> {
	const owned = new Set(own);
	const addressOf = (file: ChangedFile, side: ChangeUriParts['side']) => {
		const version = file[side];
		if (side === 'after' && version && owned.has(version.path)) {
			return vscode.Uri.file(path.join(range.repository, version.path));
		}
		const parts = {
			resultKey: range.to,
			taskId: '',
			from: range.from,
			side,
			directory: range.repository,
			path: version?.path ?? pathOf(file),
			object: version?.object,
			...versionWords(version, file.lines === undefined),
		};
		return changeUri(parts, folder);
	};
	return (await listRange(range)).map(file => ({
		file,
		before: addressOf(file, 'before'),
		after: addressOf(file, 'after'),
	}));
}

/**
 * Shows the effect on each file, or on the `named` one, and takes the files that the user leaves checked into their
 * own. Resolves with the paths of the files that now have the changes. Shows every error itself.
 */
export async function takeRange(
	apply: ApplyCommands,
	range: CommitRange,
	title: string,
	named?: string,
): Promise<string[]> {
	let done: string[] = [];
	await apply.reporting(async () => {
		const files = filesIn(await listRange(range), named);
		done = await apply.takeFiles(title, files, await placeIn(range.repository), range.to);
	});
	return done;
}

/**
 * Takes changes that the user has seen and allowed into their own files, except where their own edits are in the way.
 * Resolves with the paths of the files that now have the changes. Shows every error itself.
 */
export async function takeAllowedRange(apply: ApplyCommands, range: CommitRange): Promise<string[]> {
	let done: string[] = [];
	await apply.reporting(async () => {
		// The user saw only the content of the files, so no file may be removed or renamed.
		const files = (await listRange(range)).filter(
			({ before, after }) => after && (before?.path ?? after.path) === after.path,
		);
		done = await apply.takeAllowed(files, await placeIn(range.repository), range.to);
	});
	return done;
}

/**
 * Takes the changes of all files, or of the `named` one, back out of the user's files, but none of the edits made
 * since. Resolves with the paths of the files that no longer have any of the changes. Shows every error itself.
 */
export async function takeBackRange(apply: ApplyCommands, range: CommitRange, named?: string): Promise<string[]> {
	let done: string[] = [];
	await apply.reporting(async () => {
		const { repository, from, to } = range;
		const files = filesIn(await listRange({ repository, from: to, to: from }), named);
		done = await apply.takeBackFiles(files, await placeIn(repository), to);
	});
	return done;
}

function filesIn(files: readonly ChangedFile[], named: string | undefined): ChangedFile[] {
	return files.filter(({ before, after }) => named === undefined || before?.path === named || after?.path === named);
}
