// Changes between two commits of a repository that no task has made, for other features: a list of them, a look at them,
// and taking them into the user's files or back out of them.
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { CommitRange, ComparedRange, RangeFile } from '../api.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { type ChangeUriParts, changeUri } from '../results/changeUri.ts';
import { versionWords } from '../results/fileUris.ts';
import { listChangedFiles } from '../results/readChanges.ts';
import type { ApplyCommands } from './applyCommands.ts';

/** How many files one multi-file diff shows, because the editor reads all of them at once. */
const MAXIMUM_SHOWN = 200;

/** Resolves with the files that differ, sorted by path. Rejects with a UserFacingError. */
export async function describeRange(range: CommitRange): Promise<RangeFile[]> {
	return (await listRange(range)).map(file => ({ path: pathOf(file), status: file.status, ...file.lines }));
}

async function listRange({ repository, from, to }: CommitRange): Promise<ChangedFile[]> {
	try {
		return await listChangedFiles(await placeIn(repository), from, to);
	} catch (error) {
		throw gitFailure(error, vscode.l10n.t('Git could not read what has changed: {0}', gitReason(error)));
	}
}

/** Opens the changes as one multi-file diff, or the change of the file that is named. Rejects with a UserFacingError. */
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

/** A changed file, with the addresses of both sides. A side that is not there has an address of nothing. */
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
 * Shows what would become of each file, or of the one that is named, and takes what the user leaves checked into their own
 * files. Resolves with the paths of the files that are as the changes want them. It shows every problem itself.
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
 * Takes changes that the user has seen and allowed into their own files, as far as nothing of theirs is in the way. Resolves
 * with the paths of the files that are as the changes want them. It shows every problem itself.
 */
export async function takeAllowedRange(apply: ApplyCommands, range: CommitRange): Promise<string[]> {
	let done: string[] = [];
	await apply.reporting(async () => {
		// Nothing but the content of a file was shown, so that nothing of another name may go or move for it.
		const files = (await listRange(range)).filter(
			({ before, after }) => after && (before?.path ?? after.path) === after.path,
		);
		done = await apply.takeAllowed(files, await placeIn(range.repository), range.to);
	});
	return done;
}

/**
 * Takes the changes of all files, or of the one that is named, back out of the user's files, and none of the edits made
 * since. Resolves with the paths of the files that no longer have any of the changes. It shows every problem itself.
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

async function placeIn(repository: string): Promise<GitPlace> {
	if (!vscode.workspace.isTrusted) {
		throw new UserFacingError(
			vscode.l10n.t(
				'This workspace is not trusted, so no repository is read. Trust it (“Workspaces: Manage Workspace Trust”), then try again.',
			),
		);
	}
	return placeOf(await getGitApi(), repository);
}
