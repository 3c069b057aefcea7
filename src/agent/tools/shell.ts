import { randomUUID } from 'node:crypto';
import type { ChildOptions } from '../../base/childProcess.ts';
import { markerWithin } from '../../base/processFamily.ts';

/** The prefix of the variables that configure this agent. Commands do not need them. */
const OWN_PREFIX = 'ERRAND_AGENT_';

/** Returns how to run a shell command in a folder: as a group of processes that can be ended as a whole. */
export function shellCommand(
	command: string,
	folder: string,
): Pick<ChildOptions, 'command' | 'args' | 'cwd' | 'env' | 'marker'> {
	const shell = process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
	const [program = '', ...options] = shell;
	const env = Object.entries(process.env).filter(([name]) => !name.startsWith(OWN_PREFIX));
	return {
		command: program,
		args: [...options, command],
		cwd: folder,
		env: Object.fromEntries(env) as Record<string, string>,
		marker: markerWithin(process.env, randomUUID()),
	};
}

/** Returns a sentence about how a command ended. `exitCode` is undefined if a signal ended it. */
export function endWords(exitCode: number | undefined): string {
	return exitCode === undefined ? 'It was ended by a signal.' : `Exit code ${exitCode}.`;
}

/** Appends a sentence about a command to its output. */
export function withState(output: string, state: string): string {
	return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${state}`;
}
