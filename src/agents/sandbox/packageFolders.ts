import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { installationOf, privateFoldersOf } from './installation.ts';

/** A program in a form that can be run in a sandbox. */
export interface ProgramPlace {
	/** Its path without links. */
	command: string;
	/** The paths that the program needs besides the system's own files, for `SandboxRequest.readOnly`. */
	readOnly: string[];
}

const NODE_MODULES = `${path.sep}node_modules`;

/** Linux ignores the rest of a longer interpreter line in a script. */
const INTERPRETER_LINE_BYTES = 256;

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
	const command = await realProgram(program);
	const readOnly = [packageOf(command, hidden)];
	const interpreter = await interpreterOf(command);
	if (interpreter !== undefined) {
		// A script of a virtual environment names a link in it, beside which files describe the environment.
		const real = await realProgram(interpreter);
		const own = await realpath(path.dirname(interpreter));
		readOnly.push(packageOf(real, hidden), installationOf(own, hidden) ?? interpreter);
	}
	return { command, readOnly: [...new Set(readOnly)].filter(folder => !isSameOrWithin('/usr', folder)) };
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

async function interpreterOf(program: string): Promise<string | undefined> {
	const file = await open(program);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(INTERPRETER_LINE_BYTES), 0);
		const [, interpreter] = /^#! *(\/\S+)/.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
		return interpreter;
	} finally {
		await file.close();
	}
}
