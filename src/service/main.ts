// The local service's process: reads the command line, starts the service and waits until it has ended.
//
// The local service, one process for each user of the machine, shared by all windows. Its state folder holds the
// database, a lock that the system releases when the process dies, and a discovery file with address, token and
// process id. A window that finds the file sends a random nonce; only a service that knows the token can answer, and
// the answer is bound to the address. Then the window opens one long response, its lease. Soon after the last lease
// and the last request have ended, and with no task waiting or running, the service ends.
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describeError, UserFacingError } from '../base/errors.ts';
import type { StartLine } from '../contract/control.ts';
import type { UpstreamHandover } from '../contract/upstreams.ts';
import { DEMO_AGENT_ARGUMENT } from './tasks/agent.ts';

const MAXIMUM_HANDOVER = 1024 * 1024;

async function main(programFile: string, args: string[]): Promise<number> {
	// The window that reads this output may close while the service keeps running.
	process.stdout.on('error', () => {});
	process.stderr.on('error', () => {});
	// These modules are loaded dynamically because this program is also the demo agent, which is started for every task
	// and needs none of them.
	const [{ readStartOptions, USAGE }, { programVersion }, { startService }] = await Promise.all([
		import('./startOptions.ts'),
		import('../base/programVersion.ts'),
		import('./service.ts'),
	]);
	const options = readStartOptions(args, process.env);
	if (options === 'help') {
		process.stdout.write(USAGE);
		return 0;
	}
	const handover = options.upstreamsFromStdin ? await handoverFromStdin() : { upstreams: [], findOllama: false };
	const service = await startService({ ...options, handover, programFile, version: programVersion(programFile) });
	if (service === undefined) {
		print({ ready: false, message: `A local service is running already with the data of ${options.stateFolder}.` });
		return 0;
	}
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
		process.on(signal, () => void service.stop());
	}
	process.on('uncaughtException', error => service.fail(error));
	print({ ready: true, address: service.address, pid: process.pid });
	return (await service.ended) ? 0 : 1;
}

/**
 * Keys are read from the standard input because no other program of the machine can read that, unlike a command line.
 * A window leaves the input open behind its one line. A person's file may have several.
 */
async function handoverFromStdin(): Promise<UpstreamHandover> {
	const [{ readHandover }, { parseJson }] = await Promise.all([import('./controlPipe.ts'), import('../base/json.ts')]);
	const lines = createInterface({ input: process.stdin });
	let text = '';
	let value: unknown;
	for await (const line of lines) {
		text += `${line}\n`;
		if (text.length > MAXIMUM_HANDOVER) {
			throw new UserFacingError('The list of upstreams is longer than 1 MB.');
		}
		value = parseJson(text);
		if (value !== undefined) {
			break;
		}
	}
	lines.close();
	process.stdin.destroy();
	if (text.trim() === '') {
		throw new UserFacingError('The standard input ended before the list of upstreams. See --help.');
	}
	const handover = value === undefined ? 'The upstreams are not valid JSON.' : readHandover(value);
	if (typeof handover === 'string') {
		throw new UserFacingError(`${handover.replace(/\.?$/, '.')} See --upstreams-from-stdin of --help.`);
	}
	return handover;
}

function print(line: StartLine): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}

function fail(error: unknown): void {
	process.stderr.write(`${error instanceof UserFacingError ? error.message : describeError(error)}\n`);
	process.exitCode = 1;
}

/** Runs the program that the arguments ask for. `programFile` is the file that the process was started with. */
export function run(programFile: string, args: string[]): void {
	if (args[0] === DEMO_AGENT_ARGUMENT) {
		import('./tasks/demoAgent.ts').then(({ runDemoAgent }) => runDemoAgent()).catch(fail);
	} else {
		main(programFile, args).then(code => process.exit(code), fail);
	}
}
