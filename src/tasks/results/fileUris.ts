import type * as vscode from 'vscode';
import { type ChangedFile, type FileVersion, pathOf } from '../model/changedFile.ts';
import { type ChangeUriParts, changeUri } from './changeUri.ts';
import type { ListedChanges } from './taskChanges.ts';

/**
 * Returns the URI of a changed file's version; a missing version is an empty document. `isTextOnly` asks for words in
 * place of a file that is not text.
 */
export function versionUri(
	changes: ListedChanges,
	file: ChangedFile,
	side: ChangeUriParts['side'],
	isTextOnly = false,
): vscode.Uri {
	const version: FileVersion | undefined = file[side];
	const { result, repository } = changes;
	return changeUri({
		resultKey: result.key,
		taskId: result.taskId,
		side,
		directory: repository.place.directory,
		path: version?.path ?? pathOf(file),
		object: version?.object,
		...versionWords(version, isTextOnly && changes.isCounted && file.lines === undefined),
	});
}

/** Returns the kind of words that describe a version in place of its content, if any. */
export function versionWords(version: FileVersion | undefined, isBinary: boolean): Pick<ChangeUriParts, 'inWords'> {
	if (version?.kind === 'submodule') {
		return { inWords: 'submodule' };
	}
	return isBinary ? { inWords: 'binary' } : {};
}
