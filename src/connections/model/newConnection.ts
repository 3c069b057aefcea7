import { type Connection, connectionSchema } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';

/** The answers of the user as texts. An empty text means that there is no value. */
export interface Answers {
	name: string;
	apiUrl: string;
	enterpriseUrl: string;
	/** The user is asked for the plan only if there is an enterprise host. */
	plan: Connection['plan'];
	cloudUrl: string;
	agentUrl: string;
	service: string;
	/** The first chat model's id. */
	model: string;
}

export type NameProblem = 'empty' | 'form' | 'taken';

/**
 * A name begins with a letter or digit, so that it cannot be a special property name of JavaScript such as `__proto__`.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u;

/** Returns what is wrong with the name. `taken` are the existing names, with or without `local`. */
export function nameProblem(name: string, taken: readonly string[]): NameProblem | undefined {
	if (name === '') {
		return 'empty';
	}
	if (!NAME.test(name)) {
		return 'form';
	}
	return name === LOCAL_CONNECTION_NAME || taken.includes(name) ? 'taken' : undefined;
}

/**
 * Returns the address as the settings store it, or undefined if a connection cannot have it (`apiUrl` of the schema).
 */
export function readAddress(text: string): string | undefined {
	const url = connectionSchema.shape.apiUrl.safeParse(text.trim()).success ? URL.parse(text.trim()) : null;
	return url ? (url.origin + url.pathname).replace(/\/+$/, '') : undefined;
}

/**
 * Guesses the service's slug from its host name: it is the part before the last one, such as `acme` in api.acme.com.
 */
export function proposedService(apiUrl: string): string {
	const { hostname = '' } = URL.parse(apiUrl) ?? {};
	const labels = hostname.split('.');
	const isName = labels.length > 1 && /\p{L}/u.test(labels.at(-1) ?? '');
	return isName ? (labels.at(-2) ?? '') : '';
}

/** Returns the connection as it is written into the settings. */
export function toSetting(answers: Answers): Record<string, unknown> {
	const { apiUrl, enterpriseUrl, plan, cloudUrl, agentUrl, service, model } = answers;
	const address = (field: string, text: string) => {
		const url = readAddress(text);
		return url === undefined ? {} : { [field]: url };
	};
	return {
		...address('apiUrl', apiUrl),
		...address('enterpriseUrl', enterpriseUrl),
		...(enterpriseUrl.trim() !== '' && plan === 'enterprise' ? { plan } : {}),
		...address('cloudUrl', cloudUrl),
		...address('agentUrl', agentUrl),
		service: service.trim(),
		...(model.trim() === '' ? {} : { models: [{ id: model.trim(), kinds: ['chat'] }] }),
	};
}
