// Reads addresses of git repositories in the forms of remotes and services.
import { withoutEndSlashes } from './endSlashes.ts';

/** The target of a git remote: an address that a remote service can clone, a directory on this machine, or neither. */
export type RemotePlace =
	| { kind: 'url'; url: string }
	/** A path or `file:` URL as it was written. Relative paths are relative to the repository. */
	| { kind: 'directory'; path: string }
	| { kind: 'unknown' };

const DRIVE = /^[A-Za-z]:[\\/]/;

/** Returns a part of an address as a person would write it, or as it is if it is not encoded properly. */
export function decodedPart(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The form `user@host:path`, which git recognises when no slash precedes the first colon. */
const SCP = /^(?:[^@/\\:]+@)?(\[[^\]]+\]|[^/\\:@[\]]+):(?!\/\/)(.*)$/s;

/**
 * Reads a remote's URL. The ssh, `git:` and `user@host:path` forms become an https address, and credentials, query and
 * fragment are removed (contract: cloud-tasks.md, `clone_url` is HTTPS). Transports that run a program (`ext::`) are
 * unknown.
 */
export function readRemoteUrl(remoteUrl: string): RemotePlace {
	const text = remoteUrl.trim();
	if (text === '' || text.startsWith('-') || /^[\w-]+::/.test(text)) {
		return { kind: 'unknown' };
	}
	if (/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(text)) {
		return readUrl(text);
	}
	const scp = DRIVE.test(text) ? null : SCP.exec(text);
	if (scp) {
		// A second user part would be credentials in a form that git does not know, so the address is not passed on.
		if (/^[^/]*@/.test(scp[2] ?? '')) {
			return { kind: 'unknown' };
		}
		return httpsUrl(scp[1] ?? '', scp[2] ?? '');
	}
	return { kind: 'directory', path: text };
}

function readUrl(text: string): RemotePlace {
	const url = URL.parse(text);
	switch (url?.protocol) {
		case 'https:':
		case 'http:': {
			const path = url.pathname;
			return path === '/' ? { kind: 'unknown' } : { kind: 'url', url: `${url.protocol}//${url.host}${path}` };
		}
		case 'ssh:':
		case 'git:':
		case 'git+ssh:':
		case 'ssh+git:':
			return httpsUrl(url.hostname, url.pathname);
		case 'file:':
			return { kind: 'directory', path: text };
		default:
			return { kind: 'unknown' };
	}
}

function httpsUrl(host: string, path: string): RemotePlace {
	const url = URL.parse(`https://${host}/${path.replace(/^\/+/, '')}`);
	return url && url.hostname !== '' && url.pathname !== '/'
		? { kind: 'url', url: `https://${url.host}${url.pathname}` }
		: { kind: 'unknown' };
}

/**
 * Returns whether a web address contains a user name or a password. The name in an ssh address belongs to the host and
 * is not secret.
 */
export function hasCredentials(remoteUrl: string): boolean {
	const url = URL.parse(remoteUrl.trim());
	return (url?.protocol === 'https:' || url?.protocol === 'http:') && (url.username !== '' || url.password !== '');
}

/** Removes the user name and the password from a web address, in every spelling that is read as one. */
export function withoutCredentials(address: string): string {
	const rest = address.replace(/^(\s*https?:[/\\]*)[^/\\]*@/i, '$1');
	const url = hasCredentials(rest) ? URL.parse(rest.trim()) : null;
	return url === null ? rest : Object.assign(url, { username: '', password: '' }).href;
}

/**
 * Returns whether the address of a directory names another machine, as Windows understands it. Even looking there
 * reveals to that machine who the user is.
 */
export function isOnOtherMachine(address: string): boolean {
	const text = address.trim();
	const url = /^file:/i.test(text) ? URL.parse(text) : null;
	return (url?.host ?? '') !== '' || /^(?:[\\/]|%5c|%2f){2}/i.test(url?.pathname ?? text);
}

/**
 * Returns a normalised form of a repository's address, in which different spellings are equal, or undefined if the
 * address names no repository.
 */
export function repositoryKey(address: string): string | undefined {
	const place = readRemoteUrl(address);
	switch (place.kind) {
		case 'url':
			return withoutEndSlashes(place.url.replace(/^https?:/, '').toLowerCase()).replace(/\.git$/, '');
		case 'directory':
			// A bare repository often lies beside its clone, and only its ending tells them apart.
			return withoutEndSlashes(place.path.replace(/^file:\/\//i, '').replaceAll('\\', '/'));
		case 'unknown':
			return undefined;
	}
}

/** Returns whether two addresses name the same repository. Addresses that cannot be read are compared as they are. */
export function isSameRepository(one: string, other: string): boolean {
	return (repositoryKey(one) ?? one) === (repositoryKey(other) ?? other);
}
