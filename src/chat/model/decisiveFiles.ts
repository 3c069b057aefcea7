import { isGitsOwn } from '../../base/filePlace.ts';

/**
 * The names, in lower case, of files and folders that editors, shells and agents obey when they look into a folder. What
 * they say can run programs or end the questions, so the user is asked about each change of them. Git's own folder is
 * checked separately.
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

/** Some file systems ignore invisible characters and case, so that different names mean the same file there. */
const plainName = (name: string) =>
	name
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '')
		.toLowerCase();

/**
 * Returns whether a file is one of them, or lies in one of them. `file` is a path from the folder that an agent works in.
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
