import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { append } from '../../base/append.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { readStart } from '../../base/files.ts';
import { installationOf, privateFoldersOf } from './installation.ts';

/** A program in a form that can be run in a sandbox. */
export interface ProgramPlace {
	/** Its path without links, but for that of a virtual environment to its Python, by which it finds the environment. */
	command: string;
	/** The paths that the program needs besides the system's own files, for `SandboxRequest.readOnly`. */
	readOnly: string[];
}

const NODE_MODULES = `${path.sep}node_modules`;

/** Linux ignores the rest of a longer interpreter line in a script. */
const INTERPRETER_LINE_BYTES = 256;
const CONFIGURATION_BYTES = 4096;

/**
 * Finds the files that a program needs: the outermost `node_modules` around it, or its installation, or its own folder;
 * and the same for the interpreter that a script names. A script that leaves the choice to `env` needs its interpreter
 * on the PATH inside. If a folder would show the home folder `home`, a folder of it with credentials or one of
 * `privateFolders`, the file is shown alone. Throws a `UserFacingError` if the program is gone.
 */
export async function packageFolders(
	program: string,
	home: string,
	privateFolders: readonly string[],
): Promise<ProgramPlace> {
	const hidden = privateFoldersOf(await realpath(home).catch(() => home), privateFolders);
	const real = await realProgram(program);
	const own = await realpath(path.dirname(program));
	const configuration = await configurationOf(own);
	// The Python of a virtual environment is a link, and finds the environment by its own path.
	const isEnvironment = configuration !== undefined && path.dirname(real) !== own;
	const readOnly = [packageOf(real, hidden)];
	if (isEnvironment) {
		readOnly.push(installationOf(own, hidden) ?? program);
		append(readOnly, await namedIn(configuration, real, hidden));
	}
	const interpreter = await interpreterOf(real);
	if (interpreter !== undefined) {
		const realInterpreter = await realProgram(interpreter);
		const folder = await realpath(path.dirname(interpreter));
		const named = await namedIn((await configurationOf(folder)) ?? '', realInterpreter, hidden);
		readOnly.push(packageOf(realInterpreter, hidden), installationOf(folder, hidden) ?? interpreter);
		append(readOnly, named);
	}
	return {
		command: isEnvironment ? path.join(own, path.basename(program)) : real,
		readOnly: [...new Set(readOnly)].filter(folder => !isSameOrWithin('/usr', folder)),
	};
}

/**
 * Finds what a file needs that is shown beside a program, and that nobody starts by itself: an interpreter that it names
 * is left out, as whoever has written it may name any file of the machine.
 */
export async function fileFolder(file: string, home: string, privateFolders: readonly string[]): Promise<string> {
	const hidden = privateFoldersOf(await realpath(home).catch(() => home), privateFolders);
	return packageOf(await realProgram(file), hidden);
}

/** Resolves with the beginning of the file that describes the virtual environment around a `bin`, if there is one. */
const configurationOf = (folder: string): Promise<string | undefined> =>
	readStart(path.join(folder, '..', 'pyvenv.cfg'), CONFIGURATION_BYTES).catch(() => undefined);

/**
 * Returns the installation of a Python once more, where a virtual environment names it by a path with links in it, which
 * must be there inside too. Whoever has written the configuration gets nothing shown but the installation.
 */
async function namedIn(configuration: string, python: string, hidden: readonly string[]): Promise<string[]> {
	const [, named = ''] = /^home *= *(\/.+?) *$/m.exec(configuration) ?? [];
	const shown = packageOf(python, hidden);
	const inner = path.relative(shown, path.dirname(python));
	const prefix = named.endsWith(`/${inner}`) ? named.slice(0, -inner.length - 1) : named;
	const isSame = prefix !== '' && (await realpath(prefix).catch(() => undefined)) === shown;
	return isSame ? [prefix] : [];
}

async function realProgram(program: string): Promise<string> {
	try {
		return await realpath(program);
	} catch (cause) {
		throw new UserFacingError(`The program ${program} does not exist any more. Install it again or name another one.`, {
			cause,
		});
	}
}

function packageOf(program: string, hidden: readonly string[]): string {
	const at = program.indexOf(`${NODE_MODULES}${path.sep}`);
	const folder = at < 0 ? undefined : program.slice(0, at + NODE_MODULES.length);
	return folder ?? installationOf(path.dirname(program), hidden) ?? program;
}

/** Returns the interpreter that a script names; undefined if there is none, or nobody could start it. */
async function interpreterOf(program: string): Promise<string | undefined> {
	const [, interpreter] = /^#! *(\/\S+)/.exec(await readStart(program, INTERPRETER_LINE_BYTES)) ?? [];
	const isUsable = (file: string) =>
		access(file, constants.X_OK).then(
			() => true,
			(error: NodeJS.ErrnoException) => error.code !== 'EACCES',
		);
	return interpreter !== undefined && (await isUsable(interpreter)) ? interpreter : undefined;
}
