import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSameOrWithin } from '../../base/filePlace.ts';

const MAXIMUM_PACKAGE_BYTES = 1024 * 1024;
const MAXIMUM_VERSION_LENGTH = 60;

export interface ProgramSearch {
	/** The folders to search, joined as in `PATH`. */
	path: string;
	/** Absolute paths of repositories. Programs that lie in one, or are found through a folder in one, are skipped. */
	outside?: readonly string[];
}

export interface Program {
	/** The absolute path at which the program was found. */
	file: string;
	/** The absolute path without links. */
	real: string;
}

/**
 * Looks up a program by its name on PATH, or by its absolute path, without executing anything. Relative folders of PATH
 * are skipped, as is anything that is not an executable file. Resolves with undefined if there is none.
 */
export async function findProgram(command: string, search: ProgramSearch): Promise<Program | undefined> {
	if (command === '' || command.includes('\0')) {
		return undefined;
	}
	const { outside = [] } = search;
	const real = await Promise.all(outside.map(folder => realpath(folder).catch(() => folder)));
	const isOutside = (file: string) => ![...outside, ...real].some(folder => isSameOrWithin(folder, file));
	for (const file of candidates(command, search.path)) {
		const program = await executable(file);
		if (program !== undefined && isOutside(file) && isOutside(program)) {
			return { file, real: program };
		}
	}
	return undefined;
}

/**
 * Resolves with the real paths of programs by their names, each looked up by its command, or with undefined if one of them
 * is missing.
 */
export async function findPrograms(
	commands: readonly (readonly [name: string, command: string])[],
	search: ProgramSearch,
): Promise<Record<string, string> | undefined> {
	const programs: [string, string][] = [];
	for (const [name, command] of commands) {
		const program = await findProgram(command, search);
		if (program === undefined) {
			return undefined;
		}
		programs.push([name, program.real]);
	}
	return Object.fromEntries(programs);
}

function candidates(command: string, folders: string): string[] {
	// Windows starts only an .exe file by its name when no shell is used.
	const fileOf = (name: string) =>
		process.platform === 'win32' && path.extname(name).toLowerCase() !== '.exe' ? `${name}.exe` : name;
	if (path.isAbsolute(command)) {
		return [fileOf(path.normalize(command))];
	}
	if (/[/\\]/.test(command) || command === '.' || command === '..') {
		return [];
	}
	return folders
		.split(path.delimiter)
		.filter(folder => path.isAbsolute(folder) && !folder.includes('\0'))
		.map(folder => path.join(folder, fileOf(command)));
}

async function executable(file: string): Promise<string | undefined> {
	try {
		const real = await realpath(file);
		if (!(await stat(real)).isFile()) {
			return undefined;
		}
		await access(real, constants.X_OK);
		return real;
	} catch {
		return undefined;
	}
}

/**
 * Resolves with the version of the npm package that a program belongs to: the innermost folder of a `node_modules`
 * around it. Resolves with undefined if there is none, or if the package does not state its version.
 */
export async function packageVersion(program: string): Promise<string | undefined> {
	const parts = program.split(path.sep);
	const modules = parts.lastIndexOf('node_modules');
	const name = parts[modules + 1];
	if (modules < 0 || name === undefined) {
		return undefined;
	}
	const folder = parts.slice(0, modules + (name.startsWith('@') ? 3 : 2)).join(path.sep);
	const file = path.join(folder, 'package.json');
	try {
		const status = await stat(file);
		if (!status.isFile() || status.size > MAXIMUM_PACKAGE_BYTES) {
			return undefined;
		}
		const { version } = JSON.parse(await readFile(file, 'utf8'));
		const isVersion = typeof version === 'string' && /^[\w.+-]+$/.test(version);
		return isVersion && version.length <= MAXIMUM_VERSION_LENGTH ? version : undefined;
	} catch {
		return undefined;
	}
}
