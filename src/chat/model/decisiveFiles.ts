import { isGitsOwn } from '../../base/filePlace.ts';

/**
 * What editors, shells and agents obey that look into a folder, in lower case. They run what it says, or ask no more, so
 * that each change of it is asked about. Git's own folder is beside them.
 */
const NAMES: ReadonlySet<string> = new Set([
	'.devcontainer',
	'.devcontainer.json',
	'.envrc',
	'.gitattributes',
	'.gitconfig',
	'.gitmodules',
	'.husky',
	'.opencode',
	'.vscode',
	'opencode.json',
	'opencode.jsonc',
]);

/**
 * Returns whether a file is one of them, or lies in one. `file` is a path from the folder that an agent works in. File
 * systems differ in whether they tell letters apart.
 */
export function isDecisive(file: string): boolean {
	return isGitsOwn(file) || file.split(/[\\/]/).some(name => NAMES.has(name.toLowerCase()));
}
