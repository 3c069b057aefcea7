import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { isWithin, realPathOf } from '../../base/filePlace.ts';
import { shortName } from '../../base/plainText.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import type { ApplyOptions } from './applyChanges.ts';
import { MAXIMUM_RECORD } from './applyRecord.ts';
import { gitContents } from './contents.ts';
import { editOpenFiles, openFile } from './editorFiles.ts';
import { Merger } from './merge.ts';
import { WorkingTree } from './tree.ts';

/**
 * Runs an action with what is needed to change the working tree of a repository. `like` is the name of any of its
 * objects. Throws a UserFacingError if this window does not show the repository.
 */
export async function inWorkingTree<T>(
	place: GitPlace,
	like: string,
	run: (options: ApplyOptions) => Promise<T>,
): Promise<T> {
	const { gitPath, directory } = place;
	const folders = (vscode.workspace.workspaceFolders ?? [])
		.filter(({ uri }) => uri.scheme === 'file')
		.map(({ uri }) => uri.fsPath);
	if (!vscode.workspace.isTrusted) {
		throw new UserFacingError(
			vscode.l10n.t(
				'This workspace is not trusted, so its files are not changed. Trust it (“Workspaces: Manage Workspace Trust”), then try again.',
			),
		);
	}
	if (!(await isShown(directory, folders))) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The repository {0} is not open in this window, so its files are not changed. Open its folder, then try again.',
				shortName(directory),
			),
		);
	}
	const ignoresCase = await runGit(gitPath, directory, ['config', '--type=bool', '--get', 'core.ignoreCase']).then(
		output => output.trim() === 'true',
		() => false,
	);
	const isWindows = process.platform === 'win32';
	const tree = new WorkingTree({ directory, folders, openFile, ignoresCase, isWindows, like });
	const merger = new Merger(gitPath);
	try {
		return await run({
			place,
			tree,
			contents: gitContents(place),
			merger,
			heedsRules: true,
			conflictRule: 'markers',
			maximumRecord: MAXIMUM_RECORD,
			editOpen: edits => editOpenFiles(edits, name => tree.fileOf(name)),
		});
	} finally {
		await merger.close();
	}
}

/** Shows in the status bar, until `run` has ended, that something is being done, because it may take a while. */
export function whileTold<T>(title: string, run: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, run);
}

/** Returns whether a folder of the workspace is the repository, is in it, or has it. */
async function isShown(directory: string, folders: readonly string[]): Promise<boolean> {
	const [root, ...all] = await Promise.all([directory, ...folders].map(realPathOf));
	return all.some(
		folder =>
			root !== undefined &&
			folder !== undefined &&
			(folder === root || isWithin(folder, root) || isWithin(root, folder)),
	);
}
