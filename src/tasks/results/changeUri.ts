import * as vscode from 'vscode';
import { mayHide } from '../../base/invisible.ts';
import { parseJson } from '../../base/json.ts';
import { isObjectName } from '../../base/objectName.ts';
import { oneLine } from '../../base/plainText.ts';
import { CHANGE_SCHEME } from '../../platform/ids.ts';
import { type ChangedFile, type FileVersion, pathOf } from '../model/changedFile.ts';
import type { ListedChanges } from './taskChanges.ts';

/** A file as it was before or after a task. */
export interface ChangeUriParts {
	/** For changes that no task has made, this is the commit after them. */
	resultKey: string;
	taskId: string;
	/** The commit before changes that no task has made. */
	from?: string;
	side: 'before' | 'after';
	/** The repository on this machine. */
	directory: string;
	/** Relative to the repository's top folder, with slashes. */
	path: string;
	/** Git's name for the content; undefined if the file does not exist on this side. */
	object: string | undefined;
	/**
	 * Set if words describe the version in place of its content: for the commit of a submodule, or a file that is not
	 * text.
	 */
	inWords?: 'submodule' | 'binary';
}

/**
 * Returns the URI of a file of a task. Its path is the file's, so that the editor finds language and icon; hidden
 * characters are left out, because the path becomes the title of a tab. `folder` tells files of several repositories
 * apart.
 */
export function changeUri(version: ChangeUriParts, folder = ''): vscode.Uri {
	const path = `${folder}/${version.path}`;
	const shown = mayHide(path)
		? path
				.split('/')
				.map(name => oneLine(name))
				.join('/')
		: path;
	return vscode.Uri.from({
		scheme: CHANGE_SCHEME,
		path: `/${shown.replace(/^\/+/, '')}`,
		query: JSON.stringify(version),
	});
}

/** Returns undefined for any other URI. Anyone may have written it. */
export function readChangeUri(uri: vscode.Uri): ChangeUriParts | undefined {
	if (uri.scheme !== CHANGE_SCHEME) {
		return undefined;
	}
	const parts = parseJson(uri.query) as Partial<ChangeUriParts> | null | undefined;
	const { resultKey, taskId, from, side, directory, path, object, inWords } = parts ?? {};
	if (
		typeof resultKey !== 'string' ||
		typeof taskId !== 'string' ||
		(side !== 'before' && side !== 'after') ||
		typeof directory !== 'string' ||
		typeof path !== 'string' ||
		(object !== undefined && !isObjectName(object))
	) {
		return undefined;
	}
	const words = inWords === 'submodule' || inWords === 'binary' ? { inWords } : {};
	return { resultKey, taskId, ...(isObjectName(from) && { from }), side, directory, path, object, ...words };
}

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
