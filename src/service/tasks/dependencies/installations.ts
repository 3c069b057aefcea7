import path from 'node:path';
import { addressesIn } from './configurationText.ts';
import { bundlerFolder } from './installationEnvironment.ts';
import { LOCKFILES, type LockfileName, lockfileNameOf } from './lockfiles.ts';
import {
	bundlerRegistries,
	bunRegistries,
	cargoRegistries,
	classicYarnRegistries,
	composerRegistries,
	goRegistries,
	npmRegistries,
	pipenvRegistries,
	pipRegistries,
	pnpmRegistries,
	poetryRegistries,
	type ReadRegistries,
	registryHost,
	type UserRegistries,
	uvRegistries,
	yarnRegistries,
} from './registries.ts';
import type { ReadTreeFile } from './treeFiles.ts';

/** The number of hosts of one repository. Whoever allows them has to read them. */
const MAXIMUM_HOSTS = 20;

interface Manager {
	/** If a folder has several managers of one kind, only the first one installs. */
	kind: 'javascript' | 'python' | 'rust' | 'go' | 'ruby' | 'php';
	command: readonly string[];
	/**
	 * The arguments that switch off the programs of packages and of the repository. Undefined if the package manager
	 * cannot do without these programs.
	 */
	withoutScripts: readonly string[] | undefined;
	registries: ReadRegistries;
	environment?: Readonly<Record<string, string>>;
	/** What the agent needs to find packages that are neither in the tree nor where it looks for them by itself. */
	agentEnvironment?(place: AgentPlace): Record<string, string>;
}

/** The agent's home folder and folders of programs (joined as in `PATH`), as it sees them. */
type AgentPlace = Readonly<{ home: string; path: string }>;

const NPM: Manager = {
	kind: 'javascript',
	command: ['npm', 'ci'],
	withoutScripts: ['--ignore-scripts'],
	registries: npmRegistries,
};
const YARN: Manager = {
	kind: 'javascript',
	command: ['yarn', 'install', '--immutable'],
	withoutScripts: ['--mode=skip-build'],
	registries: yarnRegistries,
};
const CLASSIC_YARN: Manager = {
	kind: 'javascript',
	command: ['yarn', 'install', '--frozen-lockfile', '--non-interactive'],
	withoutScripts: ['--ignore-scripts'],
	registries: classicYarnRegistries,
};
const BUN: Manager = {
	kind: 'javascript',
	command: ['bun', 'install', '--frozen-lockfile'],
	withoutScripts: ['--ignore-scripts'],
	registries: bunRegistries,
};

/** It would put its store beside the tree if that is on another mount than the home folder. */
const PNPM_STORE = { npm_config_store_dir: '~/.pnpm-store', pnpm_config_store_dir: '~/.pnpm-store' };

const MANAGERS: Readonly<Record<LockfileName, Manager>> = {
	'npm-shrinkwrap.json': NPM,
	'package-lock.json': NPM,
	'pnpm-lock.yaml': {
		kind: 'javascript',
		command: ['pnpm', 'install', '--frozen-lockfile'],
		withoutScripts: ['--ignore-scripts', '--ignore-pnpmfile'],
		registries: pnpmRegistries,
		environment: PNPM_STORE,
		// With another store it would install everything anew.
		agentEnvironment: () => PNPM_STORE,
	},
	'yarn.lock': YARN,
	'bun.lock': BUN,
	'bun.lockb': BUN,
	'uv.lock': {
		kind: 'python',
		command: ['uv', 'sync', '--locked'],
		withoutScripts: ['--no-build', '--no-install-workspace'],
		registries: uvRegistries,
	},
	// These run the builds of packages that have no finished form, and no option keeps them from it.
	'poetry.lock': {
		kind: 'python',
		command: ['poetry', 'install', '--no-interaction'],
		withoutScripts: undefined,
		registries: poetryRegistries,
	},
	'Pipfile.lock': {
		kind: 'python',
		command: ['pipenv', 'sync'],
		withoutScripts: undefined,
		registries: pipenvRegistries,
	},
	'requirements.txt': {
		kind: 'python',
		command: ['python3', '-m', 'pip', 'install', '--user', '-r', 'requirements.txt'],
		withoutScripts: undefined,
		registries: pipRegistries,
		// The programs of the packages. They come last, so that no package replaces a program of the machine.
		agentEnvironment: ({ home, path: folders }) => ({
			PATH: [folders, path.posix.join(home, '.local', 'bin')].join(path.posix.delimiter),
		}),
	},
	// These only download.
	'Cargo.lock': {
		kind: 'rust',
		command: ['cargo', 'fetch', '--locked'],
		withoutScripts: [],
		registries: cargoRegistries,
	},
	'go.sum': { kind: 'go', command: ['go', 'mod', 'download'], withoutScripts: [], registries: goRegistries },
	// Native extensions are built, and the list of packages is itself a program.
	'Gemfile.lock': {
		kind: 'ruby',
		command: ['bundle', 'install'],
		withoutScripts: undefined,
		registries: bundlerRegistries,
		agentEnvironment: ({ home }) => ({ BUNDLE_PATH: bundlerFolder(home) }),
	},
	'composer.lock': {
		kind: 'php',
		command: ['composer', 'install', '--no-interaction'],
		withoutScripts: ['--no-scripts', '--no-plugins'],
		registries: composerRegistries,
	},
};

export interface Installation {
	/** The path of the lockfile, relative to the top of the tree and with slashes. */
	lockfile: string;
	/** The folder of the lockfile, in which the command runs. It is the empty text for the top. */
	folder: string;
	/** The program and its arguments, for a user who allows programs of packages and of the repository to run. */
	command: readonly string[];
	/** The same without such programs, or undefined if the package manager cannot do without them. */
	commandWithoutScripts: readonly string[] | undefined;
	/** The variables that the command needs beside those of `installationEnvironment`. */
	environment: Readonly<Record<string, string>>;
	/** Returns the variables by which the agent finds what was installed, beside those that it has. */
	agentEnvironment(place: AgentPlace): Readonly<Record<string, string>>;
}

export interface Installations {
	installations: Installation[];
	/** The hosts that all of them are configured for, as `host:port`, at most 20. */
	hosts: string[];
	/** The hosts among them, or named in a lockfile, that the user logs in to. Neither package manager nor agent can. */
	withLogin: string[];
}

/**
 * Finds out how to install from the lockfiles of a tree (`findLockfiles`, `lockfilesAmong`). The content of the tree is
 * hostile: a host is only one that the user may allow, and is what the repository says.
 */
export async function findInstallations(
	lockfiles: readonly string[],
	read: ReadTreeFile,
	user: UserRegistries = {},
): Promise<Installations> {
	const installations: Installation[] = [];
	const hosts = new Set<string>();
	const served = new Set<string>();
	const withLogin = new Set<string>();
	for (const { lockfile, name } of inOrder(lockfiles)) {
		const manager = name === 'yarn.lock' ? await yarnOf(lockfile, read) : MANAGERS[name];
		const folder = path.posix.dirname(lockfile).replace(/^\.$/, '');
		const place = `${manager.kind} ${folder}`;
		if (served.has(place)) {
			continue;
		}
		served.add(place);
		const { addresses, environment } = await manager.registries(folder, read, user);
		for (const host of await hostsWithLogin(lockfile, addresses, read, user)) {
			withLogin.add(host);
		}
		for (const host of addresses.flatMap(address => registryHost(address) ?? [])) {
			if (hosts.size < MAXIMUM_HOSTS) {
				hosts.add(host);
			}
		}
		const { command, withoutScripts, agentEnvironment = () => ({}) } = manager;
		installations.push({
			lockfile,
			folder,
			command,
			commandWithoutScripts: withoutScripts && [...command, ...withoutScripts],
			environment: { ...manager.environment, ...environment },
			agentEnvironment,
		});
	}
	return { installations, hosts: [...hosts].sort(), withLogin: [...withLogin].sort() };
}

/** A package of a scope with a registry of its own is at the address that the lockfile has. */
async function hostsWithLogin(
	lockfile: string,
	addresses: readonly string[],
	read: ReadTreeFile,
	{ withLogin = [] }: UserRegistries,
): Promise<string[]> {
	if (withLogin.length === 0) {
		return [];
	}
	const locked = addressesIn((await read(lockfile)) ?? '');
	const named = new Set([...addresses, ...locked].flatMap(address => registryHost(address) ?? []));
	return withLogin.filter(host => named.has(host));
}

/** The order of the folders is kept. */
function inOrder(lockfiles: readonly string[]): { lockfile: string; name: LockfileName }[] {
	const known = lockfiles.flatMap(lockfile => {
		const name = lockfileNameOf(lockfile);
		return name === undefined ? [] : [{ lockfile, name, folder: path.posix.dirname(lockfile) }];
	});
	const folders = [...new Set(known.map(({ folder }) => folder))];
	const rank = ({ folder, name }: (typeof known)[number]) =>
		folders.indexOf(folder) * LOCKFILES.length + LOCKFILES.indexOf(name);
	return known.sort((one, other) => rank(one) - rank(other));
}

/** The lockfile of the later yarn begins with what it says of itself. */
async function yarnOf(lockfile: string, read: ReadTreeFile): Promise<Manager> {
	const text = (await read(lockfile)) ?? '';
	return /^__metadata:/m.test(text.slice(0, 4096)) ? YARN : CLASSIC_YARN;
}
