import { realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { attempt } from '../../base/attempt.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { holdsPrivate, installationOf, privateFoldersOf } from './installation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The compilers, interpreters and tools on the user's PATH, as a sandbox shows them. */
export interface Toolchains {
	/** The PATH inside. */
	path: string;
	/** Folders for `SandboxRequest.readOnly`. */
	readOnly: string[];
	/** Variables without which a version manager would look for its versions in the agent's home folder. */
	variables: Record<string, string>;
}

/** Version managers whose programs on PATH only choose among the versions in a folder of their own. */
const MANAGERS = [
	{ variable: 'PYENV_ROOT', folder: '.pyenv' },
	{ variable: 'RBENV_ROOT', folder: '.rbenv' },
	{ variable: 'NODENV_ROOT', folder: '.nodenv' },
	{ variable: 'GOENV_ROOT', folder: '.goenv' },
	{ variable: 'JENV_ROOT', folder: '.jenv' },
	{ variable: 'ASDF_DATA_DIR', folder: '.asdf' },
	{ variable: 'VOLTA_HOME', folder: '.volta' },
	// The programs of rustup lie in cargo's folder, which contains credentials.
	{ variable: 'RUSTUP_HOME', folder: '.rustup', programs: '.cargo/bin' },
];

/** The program folders of a system without a PATH of its own. */
const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * Finds the files that the folders of PATH need to work inside. A folder of PATH is left out if it would show the home
 * folder `home`, a folder of it with credentials, or one of `privateFolders` (absolute paths without links).
 */
export function toolchains(
	privateFolders: readonly string[],
	environment: Environment = process.env,
	home = os.homedir(),
): Toolchains {
	const hidden = privateFoldersOf(realFolder(home) ?? home, privateFolders);
	const readOnly = new Set<string>();
	const variables: Record<string, string> = {};
	const onPath = new Set<string>();
	for (const entry of (environment['PATH'] ?? '').split(path.delimiter)) {
		const folder = path.isAbsolute(entry) ? realFolder(entry) : undefined;
		if (folder === undefined) {
			continue;
		}
		const manager = managerOf(folder, environment, home, hidden);
		const shown = manager?.shows ?? installationOf(folder, hidden);
		if (shown === undefined) {
			continue;
		}
		onPath.add(folder);
		readOnly.add(shown);
		if (manager !== undefined) {
			readOnly.add(manager.root);
			variables[manager.variable] = manager.root;
		}
	}
	return {
		path: [...new Set([...onPath, ...SYSTEM_PATH])].join(path.delimiter),
		readOnly: [...readOnly].filter(folder => !isSameOrWithin('/usr', folder)),
		variables,
	};
}

function managerOf(folder: string, environment: Environment, home: string, hidden: readonly string[]) {
	for (const { variable, folder: name, programs } of MANAGERS) {
		const root = realFolder(environment[variable] || path.join(home, name));
		if (root === undefined || holdsPrivate(root, hidden)) {
			continue;
		}
		const start = programs === undefined ? root : realFolder(path.join(home, programs));
		if (start !== undefined && isSameOrWithin(start, folder)) {
			return { variable, root, shows: programs === undefined ? root : folder };
		}
	}
	return undefined;
}

/** Returns the folder's path without links, or undefined if there is none. */
function realFolder(folder: string): string | undefined {
	const real = attempt(() => realpathSync(folder));
	return real !== undefined && attempt(() => statSync(real))?.isDirectory() ? real : undefined;
}
