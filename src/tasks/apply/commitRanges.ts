// Changes between two commits of a repository that no task has made, for other features: they are listed and shown.
import path from 'node:path';
import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import type { CommitRange, ComparedRange, RangeFile } from '../api.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { type ChangeUriParts, changeUri, MAXIMUM_DIFFS, versionWords } from '../results/changeUri.ts';
import { listRange } from './applySubject.ts';

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
		.slice(0, MAXIMUM_DIFFS)
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
