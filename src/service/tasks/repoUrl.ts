import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserFacingError } from '../../base/errors.ts';

const SCHEME = /^[a-z][a-z\d+.-]+:/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/**
 * Returns the folder that a task's `repoUrl` names, which is an absolute path or a `file:` URL. Anything else is
 * refused with a sentence before git sees it, because git reads some texts as a command to run (`ext::…`) or as an
 * option (`-…`).
 */
export function folderOfRepoUrl(repoUrl: string): string {
	if (CONTROL_CHARACTERS.test(repoUrl)) {
		throw new UserFacingError('repoUrl: a path has no control characters. Give the absolute path of a local clone.');
	}
	// A drive letter looks like a scheme of one letter.
	if (!SCHEME.test(repoUrl)) {
		return absolute(repoUrl);
	}
	const scheme = repoUrl.slice(0, repoUrl.indexOf(':')).toLowerCase();
	if (scheme === 'file') {
		try {
			return absolute(fileURLToPath(repoUrl));
		} catch {
			throw new UserFacingError('repoUrl: this file: URL names no folder of this machine. Give the path instead.');
		}
	}
	if (scheme === 'https' || scheme === 'ssh') {
		throw new UserFacingError(
			'repoUrl: the local service does not clone from a network address. Give the absolute path of a local clone.',
		);
	}
	throw new UserFacingError('repoUrl: only the absolute path or file: URL of a local repository is accepted.');
}

/**
 * Returns the folder for which the user's answers about a repository are stored. It is the real path, because a link
 * could lead to another repository later.
 * @throws UserFacingError if `repoUrl` names no folder of this machine.
 */
export async function consentFolder(repoUrl: string): Promise<string> {
	const folder = folderOfRepoUrl(repoUrl);
	return realpath(folder).catch(() => folder);
}

/** Removes the field's name at the beginning of a refusal, for readers that did not send such a field. */
export function withoutFieldName(message: string): string {
	return message.replace(/^(?:repoUrl|selectedBranch): /, '');
}

function absolute(folder: string): string {
	// This is a network share. Merely opening it would send the user's credentials there.
	if (/^[\\/]{2}/.test(folder)) {
		throw new UserFacingError('repoUrl: network shares are not accepted. Give the path of a clone on this machine.');
	}
	if (!path.isAbsolute(folder)) {
		throw new UserFacingError('repoUrl: only the absolute path or file: URL of a local repository is accepted.');
	}
	return path.normalize(folder);
}

/**
 * Returns whether git accepts the text as the name of a branch (git-check-ref-format) and cannot read it as an option.
 */
export function isBranchName(name: string): boolean {
	return (
		name.length <= 250 &&
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
		!/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^\/|^-/.test(name) &&
		name !== '@' &&
		name.split('/').every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
	);
}
