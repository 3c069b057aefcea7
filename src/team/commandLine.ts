import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { parseArgs } from 'node:util';
import { describeError, UserFacingError } from '../base/errors.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import type { ListenOptions } from '../service/server.ts';

export const USAGE = `Errand's service for many users on many machines. See docs/many-machines.md.

Usage: errand-service <command> [options]

  serve                      answers users; any number of them, behind one address
    --listen <host:port>     where (default 127.0.0.1:8443; port 0 takes any free one)
    --tls-cert <file>        the certificate and
    --tls-key <file>         its key, as PEM
    --behind-proxy           speaks plain HTTP elsewhere than on loopback too: a proxy in front of it speaks TLS
    --metrics <host:port>    where metrics can be read without a token (default: nowhere)
  work                       runs tasks; any number of them, on any machine
    --slots <number>         how many at a time, 1 to 64 (default 4)
    --data <folder>          the folder of this worker alone (default: errand-worker in the current folder)
    --grace-seconds <number> how long tasks get to end when it is stopped (default 600); others run what is left
  migrate                    brings the schema of the database up to this version
  user add NAME [--email ADDRESS]
  team add NAME
  team join TEAM USER        makes a user a member of a team
  team leave TEAM USER       ends that, for every request from then on
  token add USER             prints a new token, which is shown only now
  token list USER
  token revoke TOKEN-ID
  source set USER SCM        keeps a user's token for a source host, read from the standard input
  source remove USER SCM     forgets that token
  keys rotate                seals what is secret in the database under the first key of ERRAND_SERVICE_KEYS

For every command:
  --database <url>           the PostgreSQL (default: DATABASE_URL of the environment, which no other user can read)
  --config <file>            the configuration, for serve, work and source (default: none)
  --help                     shows this text

ERRAND_SERVICE_KEYS has the keys that seal secrets in the database: base64 of 32 bytes each, separated by commas.
`;

const OPTIONS = {
	help: { type: 'boolean' },
	database: { type: 'string' },
	config: { type: 'string' },
	listen: { type: 'string' },
	'tls-cert': { type: 'string' },
	'tls-key': { type: 'string' },
	'behind-proxy': { type: 'boolean' },
	metrics: { type: 'string' },
	slots: { type: 'string' },
	data: { type: 'string' },
	'grace-seconds': { type: 'string' },
	email: { type: 'string' },
} as const;

type Name = keyof typeof OPTIONS;

/** The options that a command has besides those of every command, and the names of its arguments. */
const COMMANDS: Readonly<Record<string, { options?: readonly Name[]; arguments?: readonly string[] }>> = {
	serve: { options: ['config', 'listen', 'tls-cert', 'tls-key', 'behind-proxy', 'metrics'] },
	work: { options: ['config', 'slots', 'data', 'grace-seconds'] },
	migrate: {},
	'user add': { options: ['email'], arguments: ['NAME'] },
	'team add': { arguments: ['NAME'] },
	'team join': { arguments: ['TEAM', 'USER'] },
	'team leave': { arguments: ['TEAM', 'USER'] },
	'token add': { arguments: ['USER'] },
	'token list': { arguments: ['USER'] },
	'token revoke': { arguments: ['TOKEN-ID'] },
	'source set': { options: ['config'], arguments: ['USER', 'SCM'] },
	'source remove': { arguments: ['USER', 'SCM'] },
	'keys rotate': {},
};

export interface CommandLine {
	/** One or two words. */
	command: string;
	arguments: readonly string[];
	values: Partial<Record<Exclude<Name, 'help' | 'behind-proxy'>, string>> & { 'behind-proxy'?: boolean };
}

/** @throws UserFacingError that names what is wrong. */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
	let parsed: ReturnType<typeof parse>;
	try {
		parsed = parse(args);
	} catch (error) {
		throw new UserFacingError(`${(error as Error).message} ${SEE_HELP}`);
	}
	const { values, positionals } = parsed;
	if (values.help || args.length === 0) {
		return 'help';
	}
	const words = [positionals.slice(0, 2), positionals.slice(0, 1)];
	const command = words.map(found => found.join(' ')).find(name => Object.hasOwn(COMMANDS, name));
	if (command === undefined) {
		throw new UserFacingError(`There is no command ${JSON.stringify(positionals.slice(0, 2).join(' '))}. ${SEE_HELP}`);
	}
	const { options = [], arguments: names = [] } = COMMANDS[command] ?? {};
	const unknown = Object.keys(values).find(name => name !== 'database' && !options.includes(name as Name));
	if (unknown !== undefined) {
		throw new UserFacingError(`"${command}" has no option --${unknown}. ${SEE_HELP}`);
	}
	const given = positionals.slice(command.split(' ').length);
	if (given.length !== names.length) {
		throw new UserFacingError(`"${command}" takes ${names.join(' and ') || 'no arguments'}. ${SEE_HELP}`);
	}
	return { command, arguments: given, values };
}

const SEE_HELP = 'Start with --help to see the commands.';

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });

/** @throws UserFacingError if the number is missing or outside of its range. */
export function numberOption(name: Name, text: string | undefined, fallback: number, range: [number, number]): number {
	const value = text === undefined ? fallback : Number(text);
	if (text?.trim() === '' || !Number.isInteger(value) || value < range[0] || value > range[1]) {
		throw new UserFacingError(`--${name} takes a number from ${range[0]} to ${range[1]}, not ${JSON.stringify(text)}.`);
	}
	return value;
}

/** @throws UserFacingError if the text is no host and port. */
export function readPlace(name: Name, text: string): { host: string; port: number } {
	const [, address, hostname, port = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
	const host = address ?? hostname;
	if (host === undefined || Number(port) > 65_535) {
		throw new UserFacingError(`--${name} takes host:port, such as 127.0.0.1:8443, not ${JSON.stringify(text)}.`);
	}
	return { host, port: Number(port) };
}

/**
 * Returns where a front end listens. Tokens cross no network in the clear: without TLS of its own, it listens on loopback
 * alone, unless a proxy before it speaks TLS.
 * @throws UserFacingError
 */
export function readListenOptions(values: CommandLine['values']): ListenOptions {
	const place = readPlace('listen', values.listen ?? '127.0.0.1:8443');
	const { 'tls-cert': certFile, 'tls-key': keyFile, 'behind-proxy': isBehindProxy = false } = values;
	if (certFile !== undefined && keyFile !== undefined) {
		return { ...place, tls: readTls(certFile, keyFile) };
	}
	if (certFile !== undefined || keyFile !== undefined) {
		throw new UserFacingError('--tls-cert and --tls-key belong together: give both files, or none.');
	}
	const isLoopback = isLoopbackHost(place.host.includes(':') ? `[${place.host}]` : place.host);
	if (!isLoopback && !isBehindProxy) {
		throw new UserFacingError(
			`Without TLS, the service listens on this machine alone, and ${place.host} is more. Give --tls-cert and --tls-key, or --behind-proxy if a proxy before it speaks TLS.`,
		);
	}
	return place;
}

function readTls(certFile: string, keyFile: string): { cert: string; key: string } {
	const [cert, key] = [readPem('tls-cert', certFile), readPem('tls-key', keyFile)];
	try {
		createSecureContext({ cert, key });
	} catch (error) {
		throw new UserFacingError(
			`--tls-cert and --tls-key are no certificate with its key (${describeError(error)}). Give both as PEM.`,
		);
	}
	return { cert, key };
}

function readPem(name: Name, file: string): string {
	try {
		return readFileSync(path.resolve(file), 'utf8');
	} catch (error) {
		throw new UserFacingError(`--${name}: ${file} cannot be read (${describeError(error)}).`);
	}
}
