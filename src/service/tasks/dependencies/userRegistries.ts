import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../../base/defined.ts';
import { parseJson } from '../../../base/json.ts';
import { readIni, type Setting } from './configurationText.ts';
import { PUBLIC_HOSTS, registryHost, type UserRegistries } from './registries.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PIP_FILES = ['.config/pip/pip.conf', '.pip/pip.conf'];

/**
 * Reads the registries that the user's own configuration names for all repositories: variables, `~/.npmrc` and pip's
 * configuration. Credentials in it are left out, as they must not enter a sandbox; only the hosts that they are for are
 * returned.
 */
export async function readUserRegistries(environment: Environment, home: string): Promise<UserRegistries> {
	const read = (file: string) => readFile(path.join(home, file), 'utf8').catch(() => '');
	const npmrc = readIni(await read('.npmrc'));
	const pipSettings = (await Promise.all(PIP_FILES.map(read))).flatMap(readIni);
	const npm = environment['npm_config_registry'] ?? environment['NPM_CONFIG_REGISTRY'] ?? settingIn(npmrc, 'registry');
	const pip = environment['PIP_INDEX_URL'] ?? settingIn(pipSettings, 'index-url');
	const go = environment['GOPROXY']?.split(/[,|]/)[0];
	const addresses = [npm, pip, go, environment['PIP_EXTRA_INDEX_URL'], settingIn(pipSettings, 'extra-index-url')];
	const logins = [
		...npmLogins(npmrc, npm),
		...addresses.flatMap(address => (hasCredentials(address) ? address : [])),
		...netrcLogins(await read('.netrc')),
		...composerLogins(await read('.config/composer/auth.json')),
	].flatMap(address => registryHost(address) ?? []);
	const withLogin = [...new Set(logins)].filter(host => !PUBLIC_HOSTS.has(host));
	return defined({
		npm: usable(npm),
		pip: usable(pip),
		go: usable(go),
		withLogin: withLogin.length === 0 ? undefined : withLogin,
	});
}

const settingIn = (settings: readonly Setting[], wanted: string): string | undefined =>
	settings.find(({ key }) => key === wanted)?.value;

/** npm keeps credentials for an address without its protocol; earlier versions kept them for the one registry. */
function npmLogins(npmrc: readonly Setting[], registry: string | undefined): string[] {
	return npmrc.flatMap(({ key }) => {
		const [, address, name = key] = /^(\/\/.+):([^:]+)$/.exec(key) ?? [];
		if (!/^(?:_authToken|_auth|_password|certfile)$/.test(name)) {
			return [];
		}
		return address === undefined ? (registry ?? []) : `https:${address}`;
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

function hasCredentials(address: string | undefined): address is string {
	const url = URL.parse(address ?? '');
	return url !== null && (url.username !== '' || url.password !== '');
}

function usable(address: string | undefined): string | undefined {
	const url = registryHost(address ?? '') === undefined ? null : URL.parse(address ?? '');
	if (url === null) {
		return undefined;
	}
	url.username = '';
	url.password = '';
	return url.href;
}
