import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { UserFacingError } from '../base/errors.ts';
import { stateFolderOf } from '../contract/control.ts';

export interface StartOptions {
	/** 0 stands for any free port. */
	port: number;
	stateFolder: string;
	/** The time that the service keeps running without a lease and without a running task. */
	idleSeconds: number;
	runningTasks: number;
	/** The file that holds the token. If undefined, each start generates a new token. */
	tokenFile: string | undefined;
	upstreamsFromStdin: boolean;
}

export const USAGE = `Errand's local service: models of your own servers, the built-in demo, and agent tasks, on 127.0.0.1 only.

Usage: node service.js [options]

  --port <number>          port to listen on (default 0: any free one)
  --data <folder>          where tasks and their logs are kept (default: the state folder of the OS user)
  --idle-seconds <number>  ends after so long without a window and without a task (default 30)
  --running-tasks <number> how many agents run at once, 1 to 16 (default 2); other tasks wait
  --token-file <file>      the token that requests carry; made when missing, refused when others can read it
                           (default: a new token at each start)
  --upstreams-from-stdin   reads the model servers from the standard input, as JSON:
                           {"upstreams":[{"slug":"…","url":"http://…/v1","key":"…"}]}
                           (default: none; a server that runs on this machine is used only where it is named)
  --help                   shows this text

The first line printed is JSON: {"ready":true,"address":"…","pid":…}. Address and token stand in discovery.json in the
data folder. One service runs for each data folder; a second start says so and ends.
`;

const MAXIMUM_IDLE_SECONDS = 7 * 24 * 3600;

function numberOption(name: string, text: string | undefined, fallback: number, maximum: number, minimum = 0): number {
	if (text === undefined) {
		return fallback;
	}
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value) || value < minimum || value > maximum) {
		throw new UserFacingError(
			`--${name} takes a number from ${minimum} to ${maximum}; ${JSON.stringify(text)} is none.`,
		);
	}
	return value;
}

function parsed(args: readonly string[]) {
	try {
		return parseArgs({
			args: [...args],
			options: {
				help: { type: 'boolean' },
				port: { type: 'string' },
				data: { type: 'string' },
				'idle-seconds': { type: 'string' },
				'running-tasks': { type: 'string' },
				'token-file': { type: 'string' },
				'upstreams-from-stdin': { type: 'boolean' },
			},
		}).values;
	} catch (error) {
		throw new UserFacingError(`${(error as Error).message} Start with --help to see the options.`);
	}
}

/**
 * Reads the command line. Returns `'help'` if the help text was requested.
 * @throws UserFacingError naming the invalid option.
 */
export function readStartOptions(
	args: readonly string[],
	environment: Readonly<Record<string, string | undefined>>,
): StartOptions | 'help' {
	const values = parsed(args);
	if (values.help) {
		return 'help';
	}
	return {
		port: Math.trunc(numberOption('port', values.port, 0, 65_535)),
		stateFolder: values.data ? path.resolve(values.data) : stateFolderOf(environment, process.platform, os.homedir()),
		idleSeconds: numberOption('idle-seconds', values['idle-seconds'], 30, MAXIMUM_IDLE_SECONDS),
		runningTasks: Math.trunc(numberOption('running-tasks', values['running-tasks'], 2, 16, 1)),
		tokenFile: values['token-file'] ? path.resolve(values['token-file']) : undefined,
		upstreamsFromStdin: values['upstreams-from-stdin'] ?? false,
	};
}
