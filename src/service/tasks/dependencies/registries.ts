// Finds the hosts from which a repository's package managers fetch packages, in the files that name them. The files are
// not parsed: an address counts if the right text precedes it. A host that is missed is not allowed, and a wrong one is
// only suggested to the user.

import { isIP } from 'node:net';
import path from 'node:path';
import { withoutBrackets } from '../../../base/hostname.ts';
import type { ReadTreeFile } from './treeFiles.ts';

/** The number of characters before an address that are examined. */
const BEFORE = 200;

/** The settings that a package manager reads from a repository. */
export interface RegistrySettings {
	/** The names of files in the lockfile's folder, or in one above it. */
	files: readonly string[];
	/** Matches the text before the address of a registry. */
	field: RegExp;
	/** Matches a line by which the repository replaces the user's registry. Absent if the user's own takes precedence. */
	replacing?: RegExp;
	/** The variables that make the package manager use the user's registry. */
	variables: readonly string[];
}

const IN_NPMRC = /\n[ \t]*(?:@[^:\s]+:)?registry[ \t]*=[ \t"']*$|"resolved":[ \t]*"$/;
const REPLACED_IN_NPMRC = /^[ \t]*registry[ \t]*=/m;

export const npmSettings: RegistrySettings = {
	files: ['.npmrc', 'npm-shrinkwrap.json', 'package-lock.json'],
	field: IN_NPMRC,
	replacing: REPLACED_IN_NPMRC,
	variables: ['npm_config_registry'],
};
export const pnpmSettings: RegistrySettings = {
	files: ['.npmrc', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'],
	field: /\n[ \t]*(?:@[^:\s]+:)?registry[ \t]*=[ \t"']*$|\n +["']?(?:default|@[^:\s]+)["']?: +["']?$|tarball: $/,
	replacing: /^(?:[ \t]*registry[ \t]*=| +default:)/m,
	variables: ['npm_config_registry', 'pnpm_config_registry'],
};
export const classicYarnSettings: RegistrySettings = {
	files: ['.yarnrc', '.npmrc', 'yarn.lock'],
	field: /\n[ \t]*"?(?:@[^:\s]+:)?(?:registry|resolved)"?[ \t=]+["']?$/,
	replacing: /^[ \t]*registry[ \t=]/m,
	variables: ['npm_config_registry'],
};
export const yarnSettings: RegistrySettings = {
	files: ['.yarnrc.yml'],
	field: /npmRegistryServer: *["']?$/,
	replacing: /^npmRegistryServer:/m,
	variables: ['YARN_NPM_REGISTRY_SERVER'],
};
export const bunSettings: RegistrySettings = {
	files: ['bunfig.toml', '.npmrc'],
	field: /\n[ \t]*"?(?:(?:@[^:\s]+:)?registry|@[^:\s"]+)"?[ \t]*=[ \t]*(?:\{[ \t]*url[ \t]*=[ \t]*)?["']?$/,
	replacing: REPLACED_IN_NPMRC,
	variables: ['npm_config_registry'],
};
export const uvSettings: RegistrySettings = {
	files: ['pyproject.toml', 'uv.toml', 'uv.lock'],
	field: /\b(?:url|registry)[ \t]*=[^=\n]*$/,
	replacing: /^[ \t]*(?:index-url[ \t]*=|default[ \t]*=[ \t]*true)/m,
	variables: ['UV_DEFAULT_INDEX'],
};
export const poetrySettings: RegistrySettings = {
	files: ['pyproject.toml', 'poetry.lock'],
	field: /\burl[ \t]*=[ \t]*["']$/,
	variables: [],
};
export const pipenvSettings: RegistrySettings = {
	files: ['Pipfile', 'Pipfile.lock'],
	field: /\burl"?[ \t]*[=:][ \t]*["']$/,
	variables: [],
};
export const pipSettings: RegistrySettings = {
	files: ['requirements.txt'],
	field: /\n[ \t]*(?:-i|--(?:extra-)?index-url)[ \t=]+$/,
	variables: ['PIP_INDEX_URL'],
};
export const cargoSettings: RegistrySettings = {
	files: ['.cargo/config.toml', '.cargo/config'],
	field: /\n[ \t]*(?:index|registry)[ \t]*=[ \t]*["'](?:sparse\+)?$/,
	variables: [],
};
export const goSettings: RegistrySettings = { files: [], field: /$/, variables: ['GOPROXY'] };
export const bundlerSettings: RegistrySettings = {
	files: ['Gemfile', 'Gemfile.lock'],
	field: /\n[ \t]*(?:source\b[^\n]*|remote: )$/,
	variables: [],
};
export const composerSettings: RegistrySettings = {
	files: ['composer.json', 'composer.lock'],
	field: /"type":\s*"(?:composer|vcs|zip|tar)",\s*"url":\s*"$/,
	variables: [],
};

/**
 * Reads the settings for one folder, relative to the top of the tree (empty for the top itself). Returns the addresses
 * in them, and whether the repository replaces the user's registry.
 */
export async function readSettings(
	{ files, field, replacing }: RegistrySettings,
	folder: string,
	read: ReadTreeFile,
): Promise<{ addresses: string[]; replacesDefault: boolean }> {
	const places = foldersFrom(folder).flatMap(parent => files.map(name => path.posix.join(parent, name)));
	const texts = (await Promise.all(places.map(read))).map(text => `\n${text ?? ''}`);
	return {
		addresses: texts.flatMap(text =>
			[...text.matchAll(ADDRESSES)].flatMap(({ 0: address, index }) =>
				field.test(text.slice(Math.max(0, index - BEFORE), index)) ? address : [],
			),
		),
		replacesDefault: replacing !== undefined && texts.some(text => replacing.test(text)),
	};
}

const ADDRESSES = /https:\/\/(?:\[[\da-f:.]+\][^\s"'`,;<>()[\]{}]*|[^\s"'`,;<>()[\]{}]+)/gi;

/** Returns the https addresses in a text, such as a list of them. */
export function addressesIn(text: string): string[] {
	return text.match(ADDRESSES) ?? [];
}

/**
 * Returns `host:port` of an address, or undefined if it is not an https address with a valid host. Addresses of this
 * machine or its network count too: the user decides whether to allow them.
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
	const isAddress = isIP(withoutBrackets(hostname)) !== 0;
	return isName || isAddress ? `${hostname}:${port || 443}` : undefined;
}

/** Returns the folder and those above it up to the top, the nearest first. */
function foldersFrom(folder: string): string[] {
	return folder === '' ? [''] : [folder, ...foldersFrom(path.posix.dirname(folder).replace(/^\.$/, ''))];
}
