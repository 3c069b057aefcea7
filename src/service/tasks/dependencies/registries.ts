// Which hosts the package managers of a repository are configured for.
import { isIP } from 'node:net';
import path from 'node:path';
import { parseJson } from '../../../base/json.ts';
import { addressesIn, readIni, readToml, readWords, readYaml, type Setting } from './configurationText.ts';
import type { ReadTreeFile } from './treeFiles.ts';

/** It is put together, so that a search for the addresses that the project itself uses does not find it. */
export const NPM_HOST = ['registry', ['npm', 'js'].join(''), 'org'].join('.');
/** The same registry under the name by which yarn knows it, put together likewise. */
export const YARN_HOST = ['registry', ['yarn', 'pkg'].join(''), 'com'].join('.');
const NPM = `https://${NPM_HOST}/`;
const YARN = `https://${YARN_HOST}/`;
const PYPI = ['https://pypi.org/', 'https://files.pythonhosted.org/'];
const CRATES = ['https://index.crates.io/', 'https://static.crates.io/'];
const GO = 'https://proxy.golang.org/';
const GO_SUMS = 'https://sum.golang.org/';
const GEMS = ['https://rubygems.org/', 'https://index.rubygems.org/'];
const PACKAGIST = 'https://repo.packagist.org/';
/** The packages of its list lie there. */
const PACKAGIST_ARCHIVES = ['https://api.github.com/', 'https://codeload.github.com/'];

/** The registries that the user has configured for all repositories, as https addresses. */
export interface UserRegistries {
	npm?: string | undefined;
	pip?: string | undefined;
	go?: string | undefined;
	/** The hosts that the user logs in to, as `host:port`, without those of the public registries. */
	withLogin?: readonly string[] | undefined;
}

export interface Registries {
	addresses: readonly string[];
	/** The variables that make the package manager use the user's registry. */
	environment: Readonly<Record<string, string>>;
}

/** Reads the configuration for one folder. `folder` is relative to the top of the tree, which is the empty text. */
export type ReadRegistries = (folder: string, read: ReadTreeFile, user: UserRegistries) => Promise<Registries>;

/**
 * Returns `host:port` of an address, or undefined if it is not an https address with a valid host. An address of this
 * machine or its network is one too: whether to allow it is for the user to decide.
 */
export function registryHost(address: string): string | undefined {
	const url = URL.parse(address);
	if (url?.protocol !== 'https:') {
		return undefined;
	}
	const { hostname, port } = url;
	const isName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(
		hostname,
	);
	const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
	return isName || isAddress ? `${hostname}:${port || 443}` : undefined;
}

/** Those of the public registries. Who has an account there needs it to publish, and not to install. */
export const PUBLIC_HOSTS: ReadonlySet<string> = new Set(
	[
		NPM,
		YARN,
		...PYPI,
		...CRATES,
		GO,
		GO_SUMS,
		...GEMS,
		PACKAGIST,
		...PACKAGIST_ARCHIVES,
		'https://github.com/',
	].flatMap(address => registryHost(address) ?? []),
);

/**
 * Returns the hosts of the registries that the user has configured, as `host:port`. Their names may lead to addresses of
 * the user's own network.
 */
export function hostsOf({ npm, pip, go }: UserRegistries): string[] {
	return [npm, pip, go].flatMap(address => registryHost(address ?? '') ?? []);
}

/** Returns the folder and those around it up to the top, the nearest first. */
function foldersFrom(folder: string): string[] {
	return folder === '' ? [''] : [folder, ...foldersFrom(path.posix.dirname(folder).replace(/^\.$/, ''))];
}

/** Reads the nearest file of each folder from here to the top. */
async function settingsOf(
	folder: string,
	names: readonly string[],
	read: ReadTreeFile,
	parse: (text: string) => Setting[],
): Promise<Setting[]> {
	const files = foldersFrom(folder).flatMap(parent => names.map(name => path.posix.join(parent, name)));
	const texts = await Promise.all(files.map(read));
	return texts.flatMap(text => (text === undefined ? [] : parse(text)));
}

const valuesOf = (settings: readonly Setting[], isWanted: (setting: Setting) => boolean): string[] =>
	settings.filter(isWanted).map(({ value }) => value);

const isRegistry = ({ key }: Setting): boolean => key === 'registry';
const isScoped = ({ key }: Setting): boolean => /^@[^:]+:registry$/.test(key);

/** `own` replaces the registry for all packages; if there is none, it is the user's, or `fallback`. */
function npmLike(
	own: readonly string[],
	scoped: readonly string[],
	user: UserRegistries,
	fallback: readonly string[],
	variables: readonly string[],
): Registries {
	const [nearest] = own;
	const chosen = nearest === undefined ? (user.npm === undefined ? fallback : [user.npm]) : [nearest];
	const named = nearest === undefined && user.npm !== undefined ? user.npm : undefined;
	return {
		addresses: [...chosen, ...scoped],
		environment: named === undefined ? {} : Object.fromEntries(variables.map(name => [name, named])),
	};
}

export const npmRegistries: ReadRegistries = async (folder, read, user) => {
	const settings = await settingsOf(folder, ['.npmrc'], read, readIni);
	return npmLike(valuesOf(settings, isRegistry), valuesOf(settings, isScoped), user, [NPM], ['npm_config_registry']);
};

export const pnpmRegistries: ReadRegistries = async (folder, read, user) => {
	const settings = await settingsOf(folder, ['.npmrc'], read, readIni);
	const listed = (await settingsOf(folder, ['pnpm-workspace.yaml'], read, readYaml)).filter(
		({ table }) => table === 'registries',
	);
	const own = [...valuesOf(listed, ({ key }) => key === 'default'), ...valuesOf(settings, isRegistry)];
	const scoped = [...valuesOf(listed, ({ key }) => key !== 'default'), ...valuesOf(settings, isScoped)];
	return npmLike(own, scoped, user, [NPM], ['npm_config_registry', 'COREPACK_NPM_REGISTRY']);
};

/** A lockfile of the first yarn names the whole address of each package, on either of the two usual hosts. */
export const classicYarnRegistries: ReadRegistries = async (folder, read, user) => {
	const words = await settingsOf(folder, ['.yarnrc'], read, readWords);
	const settings = [...words, ...(await settingsOf(folder, ['.npmrc'], read, readIni))];
	const variables = ['npm_config_registry', 'COREPACK_NPM_REGISTRY'];
	const found = npmLike(valuesOf(settings, isRegistry), valuesOf(settings, isScoped), user, [YARN], variables);
	return { ...found, addresses: [...new Set([...found.addresses, YARN, NPM])] };
};

export const yarnRegistries: ReadRegistries = async (folder, read, user) => {
	const settings = await settingsOf(folder, ['.yarnrc.yml'], read, readYaml);
	const isServer = ({ key }: Setting) => key === 'npmRegistryServer';
	const own = valuesOf(settings, setting => isServer(setting) && setting.table === '');
	const scoped = valuesOf(settings, setting => isServer(setting) && setting.table !== '');
	return npmLike(own, scoped, user, [YARN, NPM], ['YARN_NPM_REGISTRY_SERVER', 'COREPACK_NPM_REGISTRY']);
};

export const bunRegistries: ReadRegistries = async (folder, read, user) => {
	const toml = await settingsOf(folder, ['bunfig.toml'], read, readToml);
	const settings = await settingsOf(folder, ['.npmrc'], read, readIni);
	const inToml = (table: string, isWanted: (key: string) => boolean) =>
		valuesOf(toml, setting => setting.table === table && isWanted(setting.key)).flatMap(addressesIn);
	const own = [...inToml('install', key => key === 'registry'), ...valuesOf(settings, isRegistry)];
	const scoped = [...inToml('install.scopes', () => true), ...valuesOf(settings, isScoped)];
	return npmLike(own, scoped, user, [NPM], ['npm_config_registry']);
};

function pypiOr(user: UserRegistries): readonly string[] {
	return user.pip === undefined ? PYPI : [user.pip];
}

function pipEnvironment({ pip }: UserRegistries): Record<string, string> {
	return pip === undefined ? {} : { PIP_INDEX_URL: pip };
}

export const pipRegistries: ReadRegistries = async (folder, read, user) => {
	const text = (await read(path.posix.join(folder, 'requirements.txt'))) ?? '';
	const options = text.split('\n').flatMap(line => {
		const [, name, address] = /^(-i|--index-url|--extra-index-url)[ \t=]+(\S+)/.exec(line.trim()) ?? [];
		return name === undefined || address === undefined ? [] : [{ isExtra: name === '--extra-index-url', address }];
	});
	const own = options.filter(({ isExtra }) => !isExtra);
	const extra = options.filter(({ isExtra }) => isExtra).map(({ address }) => address);
	return own.length === 0
		? { addresses: [...pypiOr(user), ...extra], environment: pipEnvironment(user) }
		: { addresses: [...own.map(({ address }) => address), ...extra], environment: {} };
};

export const poetryRegistries: ReadRegistries = async (folder, read) => {
	const settings = await settingsOf(folder, ['pyproject.toml'], read, readToml);
	const sources = settings.filter(({ table }) => table === 'tool.poetry.source');
	const own = valuesOf(sources, ({ key }) => key === 'url');
	const replacesAll = sources.some(
		({ key, value }) => key === 'priority' && (value === 'primary' || value === 'default'),
	);
	return { addresses: [...own, ...(replacesAll && own.length > 0 ? [] : PYPI)], environment: {} };
};

export const uvRegistries: ReadRegistries = async (folder, read, user) => {
	const inProject = await settingsOf(folder, ['pyproject.toml'], read, readToml);
	const inFile = await settingsOf(folder, ['uv.toml'], read, readToml);
	const settings = [
		...inProject
			.filter(({ table }) => table === 'tool.uv' || table.startsWith('tool.uv.'))
			.map(setting => ({ ...setting, table: setting.table.slice('tool.uv.'.length) })),
		...inFile,
	];
	const isIndex = ({ table, key }: Setting) =>
		(table === 'index' && key === 'url') || (table === '' && /^(?:extra-)?index-url$/.test(key));
	const own = valuesOf(settings, isIndex).flatMap(addressesIn);
	const replaces = ({ table, key, value }: Setting) =>
		(table === 'index' && key === 'default' && value === 'true') || (table === '' && key === 'index-url');
	return settings.some(replaces)
		? { addresses: own, environment: {} }
		: {
				addresses: [...own, ...pypiOr(user)],
				environment: user.pip === undefined ? {} : { UV_DEFAULT_INDEX: user.pip },
			};
};

export const pipenvRegistries: ReadRegistries = async (folder, read) => {
	const settings = readToml((await read(path.posix.join(folder, 'Pipfile'))) ?? '');
	const own = valuesOf(settings, ({ table, key }) => table === 'source' && key === 'url');
	const hasPypi = own.length === 0 || own.some(address => registryHost(address) === 'pypi.org:443');
	return { addresses: [...new Set([...own, ...(hasPypi ? PYPI : [])])], environment: {} };
};

export const cargoRegistries: ReadRegistries = async (folder, read) => {
	const settings = await settingsOf(folder, ['.cargo/config.toml', '.cargo/config'], read, readToml);
	const own = valuesOf(
		settings,
		({ table, key }) =>
			(/^registries\./.test(table) && key === 'index') || (/^source\./.test(table) && key === 'registry'),
	).flatMap(addressesIn);
	const isReplaced = settings.some(({ table, key }) => table === 'source.crates-io' && key === 'replace-with');
	return { addresses: [...own, ...(isReplaced ? [] : CRATES)], environment: {} };
};

export const goRegistries: ReadRegistries = async (_folder, _read, { go }) => ({
	addresses: [go ?? GO, GO_SUMS],
	environment: { GOPROXY: go ?? GO },
});

export const bundlerRegistries: ReadRegistries = async (folder, read) => {
	const gemfile = (await read(path.posix.join(folder, 'Gemfile'))) ?? '';
	const own = gemfile.split('\n').flatMap(line => (/^source\b/.test(line.trim()) ? addressesIn(line) : []));
	const hasDefault = own.length === 0 || own.some(address => registryHost(address) === 'rubygems.org:443');
	return { addresses: [...new Set([...own, ...(hasDefault ? GEMS : [])])], environment: {} };
};

export const composerRegistries: ReadRegistries = async (folder, read) => {
	const manifest: unknown = parseJson((await read(path.posix.join(folder, 'composer.json'))) ?? '');
	const listed: unknown = Reflect.get(Object(manifest), 'repositories');
	const repositories: unknown[] = typeof listed === 'object' && listed !== null ? Object.values(listed) : [];
	const own = repositories.flatMap(repository => {
		const address: unknown = Reflect.get(Object(repository), 'url');
		return typeof address === 'string' ? [address] : [];
	});
	return { addresses: [...own, PACKAGIST, ...PACKAGIST_ARCHIVES], environment: {} };
};
