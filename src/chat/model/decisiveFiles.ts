import { isGitsOwn } from '../../base/filePlace.ts';

/**
 * What editors, shells and agents obey that look into a folder, in lower case. They run what it says, or ask no more, so
 * that each change of it is asked about. Git's own folder is beside them.
 */
const NAMES: ReadonlySet<string> = new Set([
	'.claude',
	'.cursor',
	'.devcontainer',
	'.devcontainer.json',
	'.envrc',
	'.gitattributes',
	'.gitconfig',
	'.githooks',
	'.gitmodules',
	'.husky',
	'.idea',
	'.mcp.json',
	'.mise.toml',
	'.npmrc',
	'.opencode',
	'.pre-commit-config.yaml',
	'.vscode',
	'mise.toml',
	'opencode.json',
	'opencode.jsonc',
]);

/** The end of the name of a file with which the editor opens several folders, with tasks and settings of its own. */
const WORKSPACE = '.code-workspace';

/** Some file systems take these names for the same, as they leave out what is not seen. */
const plainName = (name: string) =>
	name
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '')
		.toLowerCase();

/**
 * Returns whether a file is one of them, or lies in one. `file` is a path from the folder that an agent works in. File
 * systems differ in whether they tell letters apart.
 */
export function isDecisive(file: string): boolean {
	return (
		isGitsOwn(file) ||
		file
			.split(/[\\/]/)
			.map(plainName)
			.some(name => NAMES.has(name) || name.endsWith(WORKSPACE))
	);
}
