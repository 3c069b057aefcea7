import { spawn } from 'node:child_process';
import process from 'node:process';
import { root } from './bootstrap/folders.mjs';
import { endFamily, exitCodeOf, newMark, programFolders } from './processes.ts';

export interface RunOptions {
	environment?: Record<string, string>;
	/** The working directory; by default, the project's folder. */
	folder?: string;
}

/** Runs a program with the project's Node. Resolves with its exit code once none of its processes is left. */
export async function runNode(args: string[], { environment, folder = root }: RunOptions = {}): Promise<number> {
	const mark = newMark();
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
		cwd: folder,
		stdio: 'inherit',
		env: { ...process.env, PATH: programFolders(), ...environment, ...mark.environment },
	});
	const code = await exitCodeOf(child);
	// A helper that outlives its program, like esbuild's after a crash, would print into later output.
	await endFamily(undefined, mark.value);
	return code;
}

/** Resolves with true, so that a caller can distinguish it from a stop that came first. */
export async function build(...flags: string[]): Promise<true> {
	const code = await runNode(['esbuild.mjs', ...flags]);
	if (code !== 0) {
		throw new Error('The build failed; the lines above name the file and the cause.');
	}
	return true;
}
