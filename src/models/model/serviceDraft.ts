import { defined } from '../../base/defined.ts';
import { placeOf } from '../../base/hostname.ts';
import type { UpstreamKind } from '../../contract/upstreams.ts';
import type { ModelService } from './modelServices.ts';

/** A service that is about to be added or changed. Its key stays here until it goes into the secret storage. */
export interface ServiceDraft {
	/** The name of its entry, for a model server that has one already. */
	slug?: string;
	/** The wanted name of its entry, for one that runs on this machine. */
	wantedSlug?: string;
	/** How it is called in titles. */
	label: string;
	url: string;
	/** The form that its entry names. If missing, the address decides. */
	form?: UpstreamKind;
	key?: string;
	/** Set where it is one of the well-known services. */
	service?: ModelService;
	/** The addresses of parts that only a service of the contract has, where it may be one. They are looked for meanwhile. */
	parts?: Promise<Readonly<Record<string, string>>>;
}

/**
 * Returns the draft at another address. A key, and what is known of a well-known service, belong to the origin that they
 * were given for.
 */
export function movedTo(
	url: string,
	pasted: string | undefined,
	{ key, label, service, parts: _, ...others }: ServiceDraft,
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

/** How a step ended beside its own result: the user went back to the step before, or left. */
export type StepEnd = 'back' | undefined;
