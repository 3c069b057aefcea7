import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { UserFacingError } from '../base/errors.ts';
import { stateFolderOf } from '../contract/control.ts';

export interface StartOptions {
	/** 0 takes any free port. */
	port: number;
	stateFolder: string;
	/** How long the service stays when no window holds it and no task runs. */
	idleSeconds: number;
}

export const USAGE = `Errand's local service: the built-in demo model and agent tasks, on 127.0.0.1 only.

Usage: node service.js [options]

  --port <number>          port to listen on (default 0: any free one)
  --data <folder>          where tasks and their logs are kept (default: the state folder of the OS user)
  --idle-seconds <number>  ends after so long without a window and without a task (default 30)
  --help                   shows this text

The first line printed is JSON: {"ready":true,"address":"…","pid":…}. Address and token stand in discovery.json in the
data folder. One service runs for each data folder; a second start says so and ends.
`;

const MAXIMUM_IDLE_SECONDS = 7 * 24 * 3600;

function numberOption(name: string, text: string | undefined, fallback: number, maximum: number): number {
	if (text === undefined) {
		return fallback;
	}
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value) || value < 0 || value > maximum) {
		throw new UserFacingError(`--${name} takes a number from 0 to ${maximum}; ${JSON.stringify(text)} is none.`);
	}
	return value;
}

/** Reads the command line; `'help'` when that is what was asked for. Throws a UserFacingError naming the option. */
export function readStartOptions(
	args: readonly string[],
	environment: Readonly<Record<string, string | undefined>>,
): StartOptions | 'help' {
	let values: { help?: boolean; port?: string; data?: string; 'idle-seconds'?: string };
	try {
		({ values } = parseArgs({
			args: [...args],
			options: {
				help: { type: 'boolean' },
				port: { type: 'string' },
				data: { type: 'string' },
				'idle-seconds': { type: 'string' },
			},
		}));
	} catch (error) {
		throw new UserFacingError(`${(error as Error).message} Start with --help to see the options.`);
	}
	if (values.help) {
		return 'help';
	}
	return {
		port: Math.trunc(numberOption('port', values.port, 0, 65_535)),
		stateFolder: values.data ? path.resolve(values.data) : stateFolderOf(environment, process.platform, os.homedir()),
		idleSeconds: numberOption('idle-seconds', values['idle-seconds'], 30, MAXIMUM_IDLE_SECONDS),
	};
}
