// The user's registries, whatever the repository says: the defaults of the user's package managers, and the hosts that
// the user logs in to.
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../../../agents/catalogue/findProgram.ts';
import { childEnvironment } from '../../../base/childEnvironment.ts';
import { runChild } from '../../../base/childProcess.ts';
import { isSameOrWithin } from '../../../base/filePlace.ts';
import { parseJson } from '../../../base/json.ts';
import { removeFolder } from '../../../base/removeFolder.ts';
import { addressesIn, registryHost } from './registries.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Language = 'javascript' | 'python' | 'rust' | 'go' | 'ruby' | 'php';

export interface UserRegistries {
	/**
	 * Resolves with the https addresses, without credentials, from which a language's packages come by default. The first
	 * one is the registry. The list is empty if no package manager reports any.
	 */
	defaultsOf(language: Language): Promise<readonly string[]>;
	/**
	 * Resolves with the hosts that the user logs in to, as `host:port`, except npm's default registry: an account there
	 * is needed to publish, not to install.
	 */
	hostsWithLogin(): Promise<readonly string[]>;
}

export interface UserPlace {
	environment: Environment;
	home: string;
	/** The folder of the repository. No program in it is started. */
	repository: string;
	/** The folder for temporary ones. It lies in no repository. */
	parent: string;
}

/**
 * The commands that print it; the first one that succeeds counts. pip shows its settings as the defaults of its
 * options. Cargo and Composer have no such command, and Bundler needs none, as a Gemfile names the registry.
 */
const QUESTIONS: Readonly<Partial<Record<Language, readonly (readonly [string, ...string[]])[]>>> = {
	javascript: [
		['npm', 'config', 'get', 'registry'],
		['pnpm', 'config', 'get', 'registry'],
		['yarn', 'config', 'get', 'registry'],
	],
	python: [['python3', '-m', 'pip', 'install', '--help']],
	go: [['go', 'env', 'GOPROXY', 'GOSUMDB']],
};
const ANSWER_MS = 10_000;
const MAXIMUM_ANSWER = 64 * 1024;

/** Matches variables that say where the user's package manager configuration is, or that are part of it. */
const CONFIGURATION = /^(?:HOME|XDG_CONFIG_HOME|(?:npm_config|pnpm_config|yarn|pip)_.*|GOPROXY|GOSUMDB|GOENV)$/i;

/** Keeps package managers from using the network, starting other versions of themselves, or breaking addresses. */
const QUIETLY = {
	COREPACK_ENABLE_NETWORK: '0',
	COREPACK_ENABLE_PROJECT_SPEC: '0',
	COLUMNS: '10000',
	GOTOOLCHAIN: 'local',
	NO_UPDATE_NOTIFIER: '1',
	PIP_DISABLE_PIP_VERSION_CHECK: '1',
	YARN_IGNORE_PATH: '1',
	npm_config_update_notifier: 'false',
	npm_config_logs_max: '0',
};

const PIP_FILES = ['.config/pip/pip.conf', '.pip/pip.conf'];

/**
 * Returns the user's registries. The package managers are asked in an empty folder: in the repository, its settings
 * would count, and they can name programs.
 */
export function userRegistries(place: UserPlace): UserRegistries {
	const answers = new Map<Language, Promise<readonly string[]>>();
	const { environment, home } = place;
	const settings = Object.fromEntries(
		Object.entries(environment).flatMap(([name, value]) =>
			CONFIGURATION.test(name) && value !== undefined ? [[name, value]] : [],
		),
	);
	return {
		defaultsOf(language) {
			const answer = answers.get(language) ?? ask(language, place, { ...settings, HOME: home });
			answers.set(language, answer);
			return answer;
		},
		async hostsWithLogin() {
			const hosts = await loginsOf(environment, home);
			const usual = hosts.length === 0 ? [] : await ask('javascript', place, {});
			return hosts.filter(host => !usual.some(address => registryHost(address) === host));
		},
	};
}

/** If the settings have no `HOME`, the empty folder is used. */
async function ask(
	language: Language,
	place: UserPlace,
	settings: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
	const folders = (place.environment['PATH'] ?? '')
		.split(path.delimiter)
		.filter(folder => !isSameOrWithin(place.repository, folder))
		.join(path.delimiter);
	const folder = await mkdtemp(path.join(place.parent, 'empty-'));
	try {
		const env = childEnvironment({ ...place.environment, PATH: folders }, { HOME: folder, ...settings, ...QUIETLY });
		for (const [name, ...args] of QUESTIONS[language] ?? []) {
			const program = await findProgram(name, { path: folders, outside: [place.repository] });
			const printed = program && (await outputOf(program.file, args, folder, env));
			const addresses = printed === undefined ? [] : answerIn(language, printed);
			if (addresses.length > 0) {
				return addresses;
			}
		}
		return [];
	} finally {
		await removeFolder(folder);
	}
}

async function outputOf(
	command: string,
	args: readonly string[],
	cwd: string,
	env: Record<string, string>,
): Promise<string | undefined> {
	let printed = '';
	try {
		const { exitCode } = await runChild({
			command,
			args,
			cwd,
			env,
			signal: AbortSignal.timeout(ANSWER_MS),
			onOutput: (stream, bytes) => {
				printed = stream === 'stdout' ? (printed + bytes.toString('utf8')).slice(0, MAXIMUM_ANSWER) : printed;
			},
		});
		return exitCode === 0 ? printed : undefined;
	} catch {
		return undefined;
	}
}

function answerIn(language: Language, printed: string): string[] {
	switch (language) {
		case 'python':
			return usable(/--index-url[\s\S]{0,200}?\(default:? (https:\S+)\)/.exec(printed)?.[1] ?? '');
		case 'go':
			return goAnswer(printed);
		default:
			return addressesIn(printed).flatMap(usable);
	}
}

/** The checksum database is given by its host, which a key may follow, and after that an address. */
function goAnswer(printed: string): string[] {
	const [proxies = '', sums = ''] = printed.split('\n');
	const proxy = usable(proxies.split(/[,|]/)[0] ?? '');
	const [name = '', address = `https://${name.split('+')[0]}`] = sums.trim().split(/\s+/);
	return proxy.length === 0 || name === 'off' ? proxy : [...proxy, ...usable(address)];
}

/** Returns the address without credentials, or an empty list if it is not an https address. */
function usable(address: string): string[] {
	const url = registryHost(address) === undefined ? null : URL.parse(address);
	if (url === null) {
		return [];
	}
	url.username = '';
	url.password = '';
	return [url.href.replace(/\/$/, '')];
}

/** Reads the hosts for which the user's own configuration has credentials, without the credentials. */
async function loginsOf(environment: Environment, home: string): Promise<string[]> {
	const read = (file: string) => readFile(path.join(home, file), 'utf8').catch(() => '');
	const npmrc = await read('.npmrc');
	const variables = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'GOPROXY'];
	const texts = [npmrc, ...(await Promise.all(PIP_FILES.map(read))), ...variables.map(name => environment[name] ?? '')];
	const logins = [
		...npmLogins(npmrc),
		...texts.flatMap(addressesIn).filter(hasCredentials),
		...netrcLogins(await read('.netrc')),
		...composerLogins(await read('.config/composer/auth.json')),
	];
	return [...new Set(logins.flatMap(address => registryHost(address) ?? []))];
}

/** npm stores credentials by an address without its protocol; earlier versions stored them for the only registry. */
function npmLogins(npmrc: string): string[] {
	const [, registry] = /^[ \t]*registry[ \t]*=[ \t]*["']?(\S+?)["']?[ \t]*$/m.exec(npmrc) ?? [];
	return npmrc.split('\n').flatMap(line => {
		const [, address] = /^[ \t]*(?:(\/\/[^=]+):)?(?:_authToken|_auth|_password|certfile)[ \t]*=/.exec(line) ?? [null];
		return address === null ? [] : address === undefined ? (registry ?? []) : `https:${address}`;
	});
}

function netrcLogins(text: string): string[] {
	return [...text.matchAll(/^[ \t]*machine[ \t]+([^\s/]+)/gm)].map(([, host]) => `https://${host}/`);
}

function composerLogins(text: string): string[] {
	const all: unknown = parseJson(text);
	return ['http-basic', 'bearer'].flatMap(kind => {
		const hosts: unknown = Reflect.get(Object(all), kind);
		return typeof hosts === 'object' && hosts !== null ? Object.keys(hosts).map(host => `https://${host}/`) : [];
	});
}

function hasCredentials(address: string): boolean {
	const url = URL.parse(address);
	return url !== null && (url.username !== '' || url.password !== '');
}
