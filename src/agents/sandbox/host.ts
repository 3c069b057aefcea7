import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../../base/attempt.ts';

/** A path of the host that is shown inside at the same place: as a link, or bound read-only from `source`. */
export type SystemPath = { path: string; link: string } | { path: string; source: string };

/** The facts besides the request that determine the sandbox's command line. */
export interface SandboxHost {
	/** True if this process is root, in which case the sandbox runs as another user. */
	isRoot: boolean;
	/** True if Node is part of Electron here, which must be told to run as Node. */
	isElectron: boolean;
	/** The processor's architecture, as Node names it. */
	architecture: string;
	/** The absolute paths of the programs. One that was not found is also in `missing`. */
	programs: Record<HostProgram, string>;
	missing: HostProgram[];
	/** The paths that the system's programs need. They hold no secrets of the host. */
	system: SystemPath[];
	/** This process's hard limits, which cannot be raised, by the name in /proc/self/limits, without unlimited ones. */
	hardLimits: Record<string, number>;
}

/** The possible names of each program. Unlike bash, a shell like dash cannot close descriptors of several digits. */
const PROGRAMS = { bwrap: ['bwrap'], prlimit: ['prlimit'], setpriv: ['setpriv'], shell: ['bash', 'sh'] } as const;
export type HostProgram = keyof typeof PROGRAMS;

const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/**
 * Folders of /etc may hold keys and passwords. These are the few files in it that compilers, interpreters and TLS
 * libraries read. Files that name users and hosts are the sandbox's own.
 */
const CONFIGURATION = [
	'alternatives',
	'ca-certificates',
	'crypto-policies',
	'fonts',
	'host.conf',
	'ld.so.cache',
	'ld.so.conf',
	'ld.so.conf.d',
	'localtime',
	'mime.types',
	'os-release',
	'pki/ca-trust',
	'pki/tls/cert.pem',
	'pki/tls/certs',
	'pki/tls/openssl.cnf',
	'protocols',
	'services',
	'ssl/cert.pem',
	'ssl/certs',
	'ssl/openssl.cnf',
	'timezone',
];

/** Debian keeps the configuration of Java runtimes here. They do not start without it. */
const JAVA_CONFIGURATION = /^java-\d+-openjdk$/;

/** Reads these facts from the machine on which this process runs, which must be Linux. */
export function readHost(folders: readonly string[] = PROGRAM_FOLDERS): SandboxHost {
	const isRoot = process.getuid?.() === 0;
	const found = (Object.keys(PROGRAMS) as HostProgram[]).map(name => ({
		name,
		file: findProgram(PROGRAMS[name], folders),
	}));
	const configuration = [
		...CONFIGURATION,
		...(attempt(() => readdirSync('/etc')) ?? []).filter(name => JAVA_CONFIGURATION.test(name)),
	];
	return {
		isRoot,
		isElectron: process.versions['electron'] !== undefined,
		architecture: process.arch,
		programs: Object.fromEntries(found.map(({ name, file }) => [name, file ?? `/usr/bin/${name}`])) as Record<
			HostProgram,
			string
		>,
		missing: found
			.filter(({ name, file }) => file === undefined && (isRoot || name !== 'setpriv'))
			.map(({ name }) => name),
		system: [
			{ path: '/usr', source: '/usr' },
			...[...SYSTEM_FOLDERS, ...configuration.map(name => `/etc/${name}`)].flatMap(systemPath),
		],
		hardLimits: readHardLimits(),
	};
}

/**
 * Returns the path of the first of these programs that is found. The folders are not those of PATH: whoever can write
 * to one of those must not be able to choose the program that confines them.
 */
export function findProgram(
	names: readonly string[],
	folders: readonly string[] = PROGRAM_FOLDERS,
): string | undefined {
	for (const file of names.flatMap(name => folders.map(folder => path.join(folder, name)))) {
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {}
	}
	return undefined;
}

function systemPath(file: string): SystemPath[] {
	try {
		if (!lstatSync(file).isSymbolicLink()) {
			return [{ path: file, source: file }];
		}
		const source = realpathSync(file);
		// Programs read the name of the time zone from the link, so a link stays one if it leads into /usr.
		return [source.startsWith('/usr/') ? { path: file, link: readlinkSync(file) } : { path: file, source }];
	} catch {
		return [];
	}
}

function readHardLimits(): Record<string, number> {
	const limits: Record<string, number> = {};
	for (const line of readFileSync('/proc/self/limits', 'utf8').split('\n')) {
		// The columns are the name, the soft limit, the hard limit and the unit.
		const [, name, hard] = /^(Max .+?) {2,}\S+ +(\d+)/.exec(line) ?? [];
		if (name !== undefined) {
			limits[name] = Number(hard);
		}
	}
	return limits;
}
