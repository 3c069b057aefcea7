import { readRemoteUrl } from './cloneUrl.ts';

/**
 * Returns a normalised form of a repository's address, in which different spellings are equal, or undefined where the
 * address names no repository.
 */
export function repositoryKey(address: string): string | undefined {
	const place = readRemoteUrl(address);
	const text = place.kind === 'url' ? place.url.replace(/^https?:/, '').toLowerCase() : undefined;
	const key = place.kind === 'directory' ? place.path.replace(/^file:\/\//i, '').replaceAll('\\', '/') : text;
	return key?.replace(/\/+$/, '').replace(/\.git$/, '');
}
