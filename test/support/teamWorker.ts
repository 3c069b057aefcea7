// A worker of the service for a team as a process, for tests that end it in all ways. Its standard input has the options
// in one line of JSON; a line on the standard output says that it has started, and its log follows.
import { createInterface } from 'node:readline';
import { createLogger } from '../../src/base/logger.ts';
import { parseConfiguration } from '../../src/team/configuration.ts';
import { Secrets } from '../../src/team/secrets.ts';
import { startWorker } from '../../src/team/worker/worker.ts';
import { SERVICE_PROGRAM } from './programs.ts';

export interface TeamWorkerInput {
	databaseUrl: string;
	/** The content of the file of the operator. */
	configuration: object;
	keys: string;
	slots: number;
	folder: string;
	graceMs: number;
}

export const STARTED = 'started';

if (import.meta.main) {
	const line = await new Promise<string>(resolve => createInterface({ input: process.stdin }).once('line', resolve));
	const { configuration, keys, ...options } = JSON.parse(line) as TeamWorkerInput;
	const worker = await startWorker({
		...options,
		configuration: parseConfiguration(JSON.stringify(configuration), process.env),
		secrets: new Secrets(keys),
		programFile: SERVICE_PROGRAM,
		version: '1.2.3',
		logger: topic => createLogger(topic, (level, text) => console.log(`${level} ${text}`)),
	});
	process.once('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
	console.log(STARTED);
}
