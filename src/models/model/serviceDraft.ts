import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import type { UpstreamKind } from '../../contract/upstreams.ts';
import type { ModelService } from './modelServices.ts';

/** A service that is about to be added or changed. Its key stays here until it goes into the secret storage. */
export interface ServiceDraft {
	/** The name of its entry, for a model server that has one already. */
	slug?: string;
	/** The wanted name of its entry, for a server on this machine. */
	wantedSlug?: string;
	/** Its name in titles. */
	label: string;
	url: string;
	/** The form that its entry names. If missing, the address decides. */
	form?: UpstreamKind | undefined;
	key?: string | undefined;
	/** Set if it is one of the well-known services. */
	service?: ModelService | undefined;
	/**
	 * The addresses of parts that only a service of the contract has, if it may be one. The search for them is in
	 * progress.
	 */
	parts?: Promise<Readonly<Record<string, string>>> | undefined;
	/** Set for a server that the local service has found, which has no entry: makes the local service use it. */
	agree?: () => Promise<void>;
}

/**
 * Returns the draft at another address. A key, and the facts about a well-known service, belong to the origin for which
 * they were given.
 */
export function withAddress(
	url: string,
	pasted: string | undefined,
	{ key, label, service, parts: _parts, agree: _agree, ...others }: ServiceDraft,
): ServiceDraft {
	const isSameOrigin = new URL(url).origin === new URL(others.url).origin;
	const isOwnLabel = label !== placeOf(others.url) && (service === undefined || isSameOrigin);
	return {
		...others,
		label: isOwnLabel ? label : placeOf(url),
		url,
		...defined(isSameOrigin ? { key: pasted ?? key, service } : { key: pasted }),
	};
}

/** The end of a step without a result: the user went back to the previous step, or left. */
export type StepEnd = 'back' | undefined;
