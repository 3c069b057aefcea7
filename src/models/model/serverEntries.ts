// The entries of `errand.local.upstreams` and their changes.

import { defined } from '../../base/defined.ts';
import { type Fields, fieldsOf } from '../../base/fields.ts';
import { isUpstreamSlug, LISTED_MODELS, type UpstreamKind } from '../../contract/upstreams.ts';
import { proposedService } from './newConnection.ts';

/** An entry as a user would write it by hand for a server. */
export interface ServerEntry {
	url: string;
	/** Set if the address does not decide it. */
	kind?: UpstreamKind;
	label?: string;
	/** The names of its models, if the server does not list all of them. */
	models?: string[];
}

/** Returns an entry with another address, and with models added to its own. What else it has stays. */
export function mergedEntry(before: Readonly<Fields>, { models = [], ...entry }: ServerEntry): Readonly<Fields> {
	const own: unknown[] | undefined = Array.isArray(before['models']) ? before['models'] : undefined;
	const known = own ?? [];
	// A user who names the models of a server wants no others from its list.
	const wanted = own === undefined ? models : models.filter(id => id !== LISTED_MODELS);
	const added = wanted.filter(id => !known.some(model => model === id || fieldsOf(model)['id'] === id));
	return {
		...entry,
		...before,
		url: entry.url,
		...defined({ models: added.length > 0 ? [...known, ...added] : undefined }),
	};
}

/** The name of an entry whose address suggests none. */
const UNNAMED = 'server';

/** Returns whether an entry has a default name, which does not distinguish its server from others. */
export function isUnnamed(slug: string): boolean {
	return new RegExp(`^${UNNAMED}(?:-\\d+)?$`).test(slug);
}

/** Returns the name for a new entry: the wanted one, with a number if it is taken or cannot be used. */
export function freeSlug(wanted: string, value: unknown): string {
	const entries = fieldsOf(value);
	const base = isUpstreamSlug(wanted) ? wanted : UNNAMED;
	for (let count = 1; ; count++) {
		const slug = count === 1 ? base : `${base}-${count}`;
		if (!Object.hasOwn(entries, slug)) {
			return slug;
		}
	}
}

/** Proposes a name for a server: that of its service, or of a host in the own network. */
export function slugOfAddress(url: string): string {
	const { hostname } = new URL(url);
	const name = proposedService(url) || (hostname.includes('.') ? '' : hostname);
	return name !== 'localhost' && isUpstreamSlug(name) ? name : UNNAMED;
}

/**
 * Returns the addresses below which a server may list its models: the given one, then those at which servers usually
 * have their version.
 */
export function serverAddresses(url: string): string[] {
	if (/\/v\d+\w*$/.test(url)) {
		return [url];
	}
	return new URL(url).pathname === '/' ? [`${url}/v1`, `${url}/api/v1`] : [url, `${url}/v1`];
}
