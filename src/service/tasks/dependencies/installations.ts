import path from 'node:path';
import { proxyAddress } from '../../../agents/relay/relay.ts';
import { LOCKFILES, type LockfileName, lockfileNameOf, MANIFEST } from './lockfiles.ts';
import { dependenciesIn } from './packageManifest.ts';
import {
	bundlerSettings,
	bunSettings,
	cargoSettings,
	classicYarnSettings,
	composerSettings,
	goSettings,
	npmSettings,
	pipenvSettings,
	pipSettings,
	pnpmSettings,
	poetrySettings,
	type RegistrySettings,
	readSettings,
	registryHost,
	uvSettings,
	yarnSettings,
} from './registries.ts';
import type { ReadTreeFile } from './treeFiles.ts';
import type { Language, UserRegistries } from './userRegistries.ts';

/** The maximum number of hosts of one repository, as the user who allows them has to read them. */
const MAXIMUM_HOSTS = 20;

interface Manager {
	/** If a folder has several package managers for one language, only the first one installs. */
	language: Language;
	command: readonly string[];
	/**
	 * The arguments that disable the scripts of packages and of the repository, or undefined if the package manager
	 * cannot do without them.
	 */
	withoutScripts: readonly string[] | undefined;
	settings: RegistrySettings;
	environment?: Readonly<Record<string, string>>;
	/** Returns variables that lead the agent to packages that are neither in the tree nor where it looks anyway. */
	agentEnvironment?(place: AgentPlace): Record<string, string>;
}

/** The agent's home folder and program folders (joined as in `PATH`), as the agent sees them. */
type AgentPlace = Readonly<{ home: string; path: string }>;

const NPM: Manager = {
	language: 'javascript',
	command: ['npm', 'ci'],
	withoutScripts: ['--ignore-scripts'],
	settings: npmSettings,
};
const YARN: Manager = {
	language: 'javascript',
	command: ['yarn', 'install', '--immutable'],
	withoutScripts: ['--mode=skip-build'],
	settings: yarnSettings,
};
const CLASSIC_YARN: Manager = {
	language: 'javascript',
	command: ['yarn', 'install', '--frozen-lockfile', '--non-interactive'],
	withoutScripts: ['--ignore-scripts'],
	settings: classicYarnSettings,
};
const BUN: Manager = {
	language: 'javascript',
	command: ['bun', 'install', '--frozen-lockfile'],
	withoutScripts: ['--ignore-scripts'],
	settings: bunSettings,
};

/** The tree gets no lockfile, as nobody asked for one. */
const NPM_WITHOUT_LOCKFILE: Manager = { ...NPM, command: ['npm', 'install', '--no-package-lock'] };

/** By default, pnpm puts its store beside the tree if that is on another mount than the home folder. */
const PNPM_STORE = { npm_config_store_dir: '~/.pnpm-store', pnpm_config_store_dir: '~/.pnpm-store' };

const MANAGERS: Readonly<Record<LockfileName, Manager>> = {
	'npm-shrinkwrap.json': NPM,
	'package-lock.json': NPM,
	'pnpm-lock.yaml': {
		language: 'javascript',
		command: ['pnpm', 'install', '--frozen-lockfile'],
		withoutScripts: ['--ignore-scripts', '--ignore-pnpmfile'],
		settings: pnpmSettings,
		environment: PNPM_STORE,
		// With another store, it would install everything again.
		agentEnvironment: () => PNPM_STORE,
	},
	'yarn.lock': YARN,
	'bun.lock': BUN,
	'bun.lockb': BUN,
	[MANIFEST]: NPM_WITHOUT_LOCKFILE,
	'uv.lock': {
		language: 'python',
		command: ['uv', 'sync', '--locked'],
		withoutScripts: ['--no-build', '--no-install-workspace'],
		settings: uvSettings,
	},
	// These run the builds of packages that have no built distribution, and no option prevents that.
	'poetry.lock': {
		language: 'python',
		command: ['poetry', 'install', '--no-interaction'],
		withoutScripts: undefined,
		settings: poetrySettings,
	},
	'Pipfile.lock': {
		language: 'python',
		command: ['pipenv', 'sync'],
		withoutScripts: undefined,
		settings: pipenvSettings,
	},
	'requirements.txt': {
		language: 'python',
		command: ['python3', '-m', 'pip', 'install', '--user', '-r', 'requirements.txt'],
		withoutScripts: undefined,
		settings: pipSettings,
		// The packages' own programs come last, so that none of them replaces a program of the machine.
		agentEnvironment: ({ home, path: folders }) => ({
			PATH: [folders, path.posix.join(home, '.local', 'bin')].join(path.posix.delimiter),
		}),
	},
	// These only download.
	'Cargo.lock': {
		language: 'rust',
		command: ['cargo', 'fetch', '--locked'],
		withoutScripts: [],
		settings: cargoSettings,
	},
	'go.sum': { language: 'go', command: ['go', 'mod', 'download'], withoutScripts: [], settings: goSettings },
	// Native extensions are built, and the list of packages is a program itself.
	'Gemfile.lock': {
		language: 'ruby',
		command: ['bundle', 'install'],
		withoutScripts: undefined,
		settings: bundlerSettings,
		agentEnvironment: ({ home }) => ({ BUNDLE_PATH: bundlerFolder(home) }),
	},
	'composer.lock': {
		language: 'php',
		command: ['composer', 'install', '--no-interaction'],
		withoutScripts: ['--no-scripts', '--no-plugins'],
		settings: composerSettings,
	},
};

export interface Installation {
	/** The path of the lockfile, relative to the top of the tree, with slashes. */
	lockfile: string;
	/** The folder of the lockfile, in which the command runs. It is empty for the top. */
	folder: string;
	/** The program and its arguments, for users who allow scripts of packages and of the repository to run. */
	command: readonly string[];
	/** The same without scripts, or undefined if the package manager cannot do without them. */
	commandWithoutScripts: readonly string[] | undefined;
	/** The variables that the command needs in addition to those of `installationEnvironment`. */
	environment: Readonly<Record<string, string>>;
	/** True if the package manager has reported its default registry. */
	hasDefault: boolean;
	/** Returns the variables by which the agent finds the installed packages, in addition to those that it has. */
	agentEnvironment(place: AgentPlace): Readonly<Record<string, string>>;
}

export interface Installations {
	installations: Installation[];
	/** The hosts that all of the package managers are configured for, as `host:port`, at most 20. */
	hosts: string[];
	/** The hosts of the user's own registries. Their names may lead to addresses in the user's own network. */
	own: string[];
	/** The hosts that the user logs in to, which neither package managers nor agents can. */
	withLogin: string[];
}

/**
 * Finds out how to install from the lockfiles of a tree (`findLockfiles`, `lockfilesAmong`). The content of the tree is
 * hostile: a host in it is only what the repository claims, and only a suggestion for the user to allow.
 */
export async function findInstallations(
	lockfiles: readonly string[],
	read: ReadTreeFile,
	user: UserRegistries,
): Promise<Installations> {
	const installations: Installation[] = [];
	const hosts = new Set<string>();
	const own = new Set<string>();
	const served = new Set<string>();
	for (const { lockfile, name } of inOrder(lockfiles)) {
		const manager = name === 'yarn.lock' ? await yarnOf(lockfile, read) : MANAGERS[name];
		const { command, withoutScripts, language, settings, agentEnvironment = () => ({}) } = manager;
		const folder = path.posix.dirname(lockfile).replace(/^\.$/, '');
		const place = `${language} ${folder}`;
		if (served.has(place) || (name === MANIFEST && dependenciesIn(await read(lockfile)).size === 0)) {
			continue;
		}
		served.add(place);
		const defaults = await user.defaultsOf(language);
		const { addresses, replacesDefault } = await readSettings(settings, folder, read);
		for (const host of defaults.flatMap(address => registryHost(address) ?? [])) {
			own.add(host);
			hosts.add(host);
		}
		for (const host of addresses.flatMap(address => registryHost(address) ?? [])) {
			hosts.add(host);
		}
		const [registry] = defaults;
		const variables = [
			...(replacesDefault ? [] : settings.variables),
			// Corepack, which may start the package manager, downloads it from there.
			...(language === 'javascript' ? ['COREPACK_NPM_REGISTRY'] : []),
		];
		installations.push({
			lockfile,
			folder,
			command,
			commandWithoutScripts: withoutScripts && [...command, ...withoutScripts],
			environment: {
				...manager.environment,
				...(registry === undefined ? {} : Object.fromEntries(variables.map(variable => [variable, registry]))),
			},
			hasDefault: registry !== undefined,
			agentEnvironment,
		});
	}
	const listed = [...hosts].slice(0, MAXIMUM_HOSTS).sort();
	const logins = installations.length === 0 ? [] : await user.hostsWithLogin();
	return {
		installations,
		hosts: listed,
		own: [...own].sort(),
		withLogin: logins.filter(host => hosts.has(host)).sort(),
	};
}

/** Returns the language of a lockfile by its path, or undefined for any other file. */
export function languageOf(lockfile: string): Language | undefined {
	const name = lockfileNameOf(lockfile);
	return name && MANAGERS[name].language;
}

/** Sorts the lockfiles by precedence within each folder. The order of the folders is kept. */
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

/** The lockfile of newer yarn versions begins with metadata. */
async function yarnOf(lockfile: string, read: ReadTreeFile): Promise<Manager> {
	const text = (await read(lockfile)) ?? '';
	return /^__metadata:/m.test(text.slice(0, 4096)) ? YARN : CLASSIC_YARN;
}

export interface InstallationPlace {
	/** The address of the relay for the command: `http://127.0.0.1:<port>`. */
	relay: string;
	token: string;
	/** The home folder of the run, as the command sees it. Package managers store all their data there. */
	home: string;
}

/** Returns the folder that Bundler installs into. By default, it would use the operating system's own. */
function bundlerFolder(home: string): string {
	return path.posix.join(home, '.bundle', 'packages');
}

/** Returns the variables for the commands of an installation, for all package managers. */
export function installationEnvironment({ relay, token, home }: InstallationPlace): Record<string, string> {
	const address = proxyAddress(relay, token);
	return {
		HOME: home,
		CI: '1',
		// Programs differ in which of these they read.
		HTTPS_PROXY: address,
		HTTP_PROXY: address,
		https_proxy: address,
		http_proxy: address,
		YARN_HTTPS_PROXY: address,
		YARN_HTTP_PROXY: address,
		// Nothing but packages is to be fetched.
		NO_UPDATE_NOTIFIER: '1',
		npm_config_update_notifier: 'false',
		npm_config_audit: 'false',
		npm_config_fund: 'false',
		// The repository's own configuration could name programs of its own for these.
		npm_config_git: 'git',
		YARN_IGNORE_PATH: '1',
		CARGO_BUILD_RUSTC: 'rustc',
		CARGO_BUILD_RUSTC_WRAPPER: '',
		YARN_ENABLE_TELEMETRY: '0',
		COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
		PIP_DISABLE_PIP_VERSION_CHECK: '1',
		UV_PYTHON_DOWNLOADS: 'never',
		// If the system manages its Python, pip must be told explicitly to install into the user's own folder.
		PIP_BREAK_SYSTEM_PACKAGES: '1',
		BUNDLE_FROZEN: 'true',
		BUNDLE_PATH: bundlerFolder(home),
	};
}
