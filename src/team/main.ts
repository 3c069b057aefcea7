// The service for a team: one program with the commands of operators, front ends and workers. It is the demo agent too,
// which workers start for every task, so that nothing else is loaded before it is known what is wanted.
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { describeError, UserFacingError } from '../base/errors.ts';
import { nullLogger } from '../base/logger.ts';
import { DEMO_AGENT_ARGUMENT } from '../service/tasks/agent.ts';
import type { CommandLine } from './commandLine.ts';

const programFile = import.meta.filename;

/** The longest time that a stopped worker waits for its tasks. */
const LONGEST_GRACE_SECONDS = 24 * 3_600;

async function main(args: readonly string[]): Promise<void> {
	const { readCommandLine, USAGE } = await import('./commandLine.ts');
	const line = readCommandLine(args);
	if (line === 'help') {
		print(USAGE);
		return;
	}
	if (line.command === 'serve') {
		await runServe(line);
	} else if (line.command === 'work') {
		await runWork(line);
	} else {
		await runOperation(line);
	}
}

async function runServe(line: CommandLine): Promise<void> {
	const [{ readListenOptions, readPlace }, { serve }, { Secrets }] = await Promise.all([
		import('./commandLine.ts'),
		import('./serve/serve.ts'),
		import('./secrets.ts'),
	]);
	const { values } = line;
	const frontEnd = await serve({
		...(await common(line)),
		secrets: new Secrets(process.env['ERRAND_SERVICE_KEYS']),
		listen: readListenOptions(values),
		metrics: values.metrics === undefined ? undefined : readPlace('metrics', values.metrics),
	});
	const { address, metricsAddress } = frontEnd;
	print(`${JSON.stringify({ ready: true, address, metricsAddress, pid: process.pid })}\n`);
	stopOnSignal(() => frontEnd.stop());
}

async function runWork(line: CommandLine): Promise<void> {
	const [{ numberOption }, { startWorker }, { Secrets }, path] = await Promise.all([
		import('./commandLine.ts'),
		import('./worker/worker.ts'),
		import('./secrets.ts'),
		import('node:path'),
	]);
	const { slots, data = 'errand-worker', 'grace-seconds': grace } = line.values;
	const worker = await startWorker({
		...(await common(line)),
		secrets: new Secrets(process.env['ERRAND_SERVICE_KEYS']),
		slots: numberOption('slots', slots, 4, [1, 64]),
		graceMs: numberOption('grace-seconds', grace, 600, [0, LONGEST_GRACE_SECONDS]) * 1000,
		folder: path.resolve(data),
		programFile,
	});
	print(`${JSON.stringify({ ready: true, pid: process.pid })}\n`);
	stopOnSignal(() => worker.stop());
}

/** What front ends and workers have in common. */
async function common(line: CommandLine) {
	const [{ createLoggers }, { programVersion }] = await Promise.all([
		import('./log.ts'),
		import('../base/programVersion.ts'),
	]);
	return {
		databaseUrl: databaseUrlOf(line),
		configuration: await configurationOf(line),
		version: programVersion(programFile),
		logger: createLoggers(),
	};
}

/** Runs a command that changes something in the database and ends. */
async function runOperation(line: CommandLine): Promise<void> {
	const { command, values } = line;
	const [first = '', second = ''] = line.arguments;
	const [{ openPool }, { checkSchema, migrate }, { People }, { SourceTokens }, { Secrets }] = await Promise.all([
		import('./database/pool.ts'),
		import('./database/migrations.ts'),
		import('./database/people.ts'),
		import('./database/sourceTokens.ts'),
		import('./secrets.ts'),
	]);
	const pool = openPool(databaseUrlOf(line), nullLogger, 1);
	const people = new People(pool);
	const tokens = () => new SourceTokens(pool, new Secrets(process.env['ERRAND_SERVICE_KEYS']));
	try {
		if (command === 'migrate') {
			await migrate(pool);
			print('The schema of the database is of this version.\n');
			return;
		}
		await checkSchema(pool);
		switch (command) {
			case 'user add':
				await people.addUser(first, values.email);
				print(`Added the user ${first}. Make a token with: errand-service token add ${first}\n`);
				break;
			case 'team add':
				await people.addTeam(first);
				print(`Added the team ${first}. Add members with: errand-service team join ${first} USER\n`);
				break;
			case 'team join':
				await people.join(first, second);
				print(`${second} is a member of ${first}.\n`);
				break;
			case 'team leave':
				await people.leave(first, second);
				print(`${second} is no longer a member of ${first}.\n`);
				break;
			case 'token add': {
				const { id, token } = await people.addToken(first);
				print(`${token}\n`);
				process.stderr.write(`This is the token ${id} of ${first}. It is shown only now.\n`);
				break;
			}
			case 'token list':
				for (const { id, createdAt, revokedAt } of await people.tokensOf(first)) {
					const end = revokedAt === null ? 'in force' : `revoked ${revokedAt.toISOString()}`;
					print(`${id}\tmade ${createdAt.toISOString()}\t${end}\n`);
				}
				break;
			case 'token revoke':
				await people.revokeToken(first);
				print(`Revoked the token ${first}.\n`);
				break;
			case 'source set':
				await setSource(line, (userId, token) => tokens().set(userId, second, token), (await people.user(first)).id);
				break;
			case 'source remove':
				if (!(await tokens().remove((await people.user(first)).id, second))) {
					throw new UserFacingError(`No token of ${first} for a source host ${second} is kept.`);
				}
				print(`The token of ${first} for ${second} is no longer kept.\n`);
				break;
			case 'keys rotate':
				print(`Sealed ${await tokens().rotate()} tokens under the current key. Those under it already stay.\n`);
				break;
		}
	} finally {
		await pool.end();
	}
}

async function setSource(
	line: CommandLine,
	keep: (userId: string, token: string) => Promise<void>,
	userId: string,
): Promise<void> {
	const [user = '', scm = ''] = line.arguments;
	const { sources } = await configurationOf(line);
	if (!sources.some(source => source.scm === scm)) {
		const names = sources.map(source => source.scm).join(', ') || 'none';
		throw new UserFacingError(`The configuration has no source host ${scm}. It has: ${names}. See --config.`);
	}
	const token = (await readText(process.stdin)).trim();
	if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
		throw new UserFacingError('The standard input must have the token, in one line of visible characters.');
	}
	await keep(userId, token);
	print(`Keeps the token of ${user} for ${scm}, sealed.\n`);
}

function databaseUrlOf({ values }: CommandLine): string {
	const url = values.database ?? process.env['DATABASE_URL'];
	if (url === undefined || !/^postgres(?:ql)?:\/\//.test(url)) {
		throw new UserFacingError(
			'Name the database as postgres://user:password@host/name, in DATABASE_URL of the environment or with --database.',
		);
	}
	return url;
}

async function configurationOf({ values }: CommandLine) {
	const { parseConfiguration, readConfiguration } = await import('./configuration.ts');
	return values.config === undefined
		? parseConfiguration('{}', process.env)
		: readConfiguration(values.config, process.env);
}

function print(text: string): void {
	process.stdout.write(text);
}

/** Stops at the first signal, and ends with it. */
function stopOnSignal(stop: () => Promise<void>): void {
	for (const signal of ['SIGTERM', 'SIGINT'] as const) {
		process.on(signal, () => stop().then(() => process.exit(0), fail));
	}
}

function fail(error: unknown): void {
	process.stderr.write(
		`${error instanceof UserFacingError ? error.message : `The command failed (${describeError(error)}).`}\n`,
	);
	process.exit(1);
}

// A program that reads this output may end while the service runs.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
const args = process.argv.slice(2);
if (args[0] === DEMO_AGENT_ARGUMENT) {
	import('../service/tasks/demoAgent.ts').then(({ runDemoAgent }) => runDemoAgent()).catch(fail);
} else {
	main(args).catch(fail);
}
