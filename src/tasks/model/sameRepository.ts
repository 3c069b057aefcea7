import { readRemoteUrl } from './cloneUrl.ts';

/** A form of a repository's address in which two ways of writing it are the same; undefined where it names none. */
export function repositoryKey(address: string): string | undefined {
	const place = readRemoteUrl(address);
	const text = place.kind === 'url' ? place.url.replace(/^https?:/, '').toLowerCase() : undefined;
	const key = place.kind === 'directory' ? place.path.replace(/^file:\/\//i, '').replaceAll('\\', '/') : text;
	return key?.replace(/\/+$/, '').replace(/\.git$/, '');
}
