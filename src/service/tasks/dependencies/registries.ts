// Finds the hosts that a repository's package managers get packages from, in the files that name them. The files are not
// parsed: an address counts by what stands before it. One that is not found is not allowed, and one too many is only
// offered to the user.

import { isIP } from 'node:net';
import path from 'node:path';
import { withoutBrackets } from '../../../base/hostname.ts';
import type { ReadTreeFile } from './treeFiles.ts';

/** How much of a file is looked at before an address, in characters. */
const BEFORE = 200;

/** What a package manager reads of a repository. */
export interface RegistrySettings {
	/** The names of files in the folder of the lockfile, or in one around it. */
	files: readonly string[];
	/** What stands before the address of a registry. */
	field: RegExp;
	/** A line by which the repository has another registry than the user's. Absent if the user's own goes before it. */
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
 * Reads the settings for one folder, relative to the top of the tree, which is the empty text. Returns the addresses in
 * them, and whether the repository has another registry than the user's.
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
	const isAddress = isIP(withoutBrackets(hostname)) !== 0;
	return isName || isAddress ? `${hostname}:${port || 443}` : undefined;
}

/** Returns the folder and those around it up to the top, the nearest first. */
function foldersFrom(folder: string): string[] {
	return folder === '' ? [''] : [folder, ...foldersFrom(path.posix.dirname(folder).replace(/^\.$/, ''))];
}
