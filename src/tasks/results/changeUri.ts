import * as vscode from 'vscode';
import * as z from 'zod';
import { mayHide } from '../../base/invisible.ts';
import { parseJson } from '../../base/json.ts';
import { isObjectName } from '../../base/objectName.ts';
import { oneLine } from '../../base/plainText.ts';
import { CHANGE_SCHEME } from '../../platform/ids.ts';
import { type ChangedFile, type FileVersion, pathOf } from '../model/changedFile.ts';
import type { ListedChanges } from './taskChanges.ts';

/** The maximum number of files in one multi-file diff, because the editor reads all of them at once. */
export const MAXIMUM_DIFFS = 200;

const objectName = z.string().refine(isObjectName);

/** A file as it was before or after a task. */
const partsSchema = z.object({
	/** For changes that no task has made, this is the commit after them. */
	resultKey: z.string(),
	taskId: z.string(),
	/** The commit before changes that no task has made. */
	from: objectName.exactOptional(),
	side: z.enum(['before', 'after']),
	/** The repository on this machine. */
	directory: z.string(),
	/** Relative to the repository's top folder, with slashes. */
	path: z.string(),
	/** Git's name for the content; undefined if the file does not exist on this side. */
	object: objectName.optional(),
	/**
	 * Set if words describe the version in place of its content: for the commit of a submodule, or a file that is not
	 * text.
	 */
	inWords: z.enum(['submodule', 'binary']).exactOptional(),
});
export type ChangeUriParts = z.infer<typeof partsSchema>;

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
	return uri.scheme === CHANGE_SCHEME ? partsSchema.safeParse(parseJson(uri.query)).data : undefined;
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
