// The parts of a new connection: the user's input, the service's answers, and the documented forms.
import { defined } from '../../base/defined.ts';
import { connectionSchema } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { ListedModel } from '../../contract/modelList.ts';
import { isCertainKey, readTypedAddress, type TypedAddress } from './typedAddress.ts';

export type NameProblem = 'empty' | 'form' | 'key' | 'taken';

const MAXIMUM_NAME = 60;

/**
 * A name begins with a letter or digit, so that it cannot be a special property name of JavaScript such as `__proto__`.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u;

/** Returns the problem with the name. `taken` are the existing names, with or without `local`. */
export function nameProblem(name: string, taken: readonly string[]): NameProblem | undefined {
	if (name === '') {
		return 'empty';
	}
	if (!NAME.test(name)) {
		return 'form';
	}
	if (isCertainKey(name)) {
		return 'key';
	}
	return name === LOCAL_CONNECTION_NAME || taken.includes(name) ? 'taken' : undefined;
}

/** Returns the name, with a number if it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
	for (let count = 1; ; count++) {
		const suffix = count === 1 ? '' : ` ${count}`;
		const name = wanted.slice(0, MAXIMUM_NAME - suffix.length) + suffix;
		if (nameProblem(name, taken) !== 'taken') {
			return name;
		}
	}
}

/** Reads an address as it is typed. Without a scheme it gets https, except on this machine. */
export function readConnectionAddress(typed: string): TypedAddress {
	const read = readTypedAddress(typed);
	const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(read.text);
	return read.url === undefined || hasScheme || isConnectionAddress(read.url)
		? read
		: { ...read, url: read.url.replace(/^http:/, 'https:') };
}

/** Returns whether a connection can have the address: https, or http on this machine. */
export function isConnectionAddress(url: string): boolean {
	return connectionSchema.shape.apiUrl.safeParse(url).success;
}

/** The contract's paths begin with their version, so a version at the end of an address is also tried without it. */
export function inferenceAddresses(url: string): string[] {
	const bare = url.replace(/\/v\d+\w*$/, '');
	return bare === url ? [url] : [bare, url];
}

/** Returns the part of a host name that tells services apart, such as `acme` in api.acme.com; empty for a number. */
export function proposedService(address: string): string {
	const labels = domainLabels(address);
	return labels.length > 1 ? (labels.at(-2) ?? '') : '';
}

/** Returns the domain that a service's hosts have in common, such as `acme.com` for api.acme.com. */
export function domainOf(address: string): string | undefined {
	const labels = domainLabels(address);
	return labels.length > 1 ? labels.slice(-2).join('.') : undefined;
}

function domainLabels(address: string): string[] {
	const labels = (URL.parse(address)?.hostname ?? '').split('.');
	return /\p{L}/u.test(labels.at(-1) ?? '') ? labels : [];
}

/**
 * Returns the service's own name: the first part of its search model's name or of a full model path, if its list has
 * one, or else a name made from its host or from the connection's name (contract: inference.md, Model identifiers).
 */
export function serviceName(address: string, name: string, listed: readonly ListedModel[]): string {
	const inPath = listed.map(({ id }) => /^([a-z][a-z\d]*)ai\/[^/]+\/./.exec(id)?.[1]).find(part => part !== undefined);
	return (
		searchedName(address, listed) ??
		inPath ??
		(proposedService(address) || name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'))
	);
}

/**
 * Returns the name with which a search model of the list begins, if it is that of the host or of an owner of models.
 */
function searchedName(address: string, listed: readonly ListedModel[]): string | undefined {
	const owners = listed.map(model => model['owned_by']).filter(owner => typeof owner === 'string');
	return [proposedService(address), ...owners].find(
		candidate => candidate !== '' && listed.some(({ id }) => id === `${candidate}-search`),
	);
}

/**
 * Returns whether a service speaks the contract, and not only the OpenAI form of chat: it has parts that no model
 * server has, or its list has its own search model. `parts` are the addresses of such parts by their fields.
 */
export function speaksContract(
	address: string,
	listed: readonly ListedModel[],
	parts: Readonly<Record<string, string>>,
): boolean {
	return Object.keys(parts).length > 0 || searchedName(address, listed) !== undefined;
}

/** The maximum number of models that are all written; from a longer list, the user chooses. */
export const MAXIMUM_WRITTEN_MODELS = 20;

/** Returns the entry of a listed model as a user would write it. The search model is recognised by its documented name. */
export function modelEntry({ id, name, context_length }: ListedModel, service: string): Record<string, unknown> {
	return {
		id,
		...defined({
			label: typeof name === 'string' && name !== '' && name !== id ? name : undefined,
			kinds: id === `${service}-search` ? ['search'] : undefined,
			contextLength: typeof context_length === 'number' ? context_length : undefined,
		}),
	};
}

export interface NewConnection {
	name: string;
	apiUrl: string;
	/** The addresses of other parts of the service that were found, by their fields. */
	found: Readonly<Record<string, string>>;
	listed: readonly ListedModel[];
	/** The ids of the models to be written, listed or not. */
	models: readonly string[];
}

/** Returns the connection as it is written into the settings. */
export function toSetting({ name, apiUrl, found, listed, models }: NewConnection): Record<string, unknown> {
	const service = serviceName(apiUrl, name, listed);
	const entries = models.map(id => {
		const model = listed.find(candidate => candidate.id === id);
		return model ? modelEntry(model, service) : { id };
	});
	return { apiUrl, ...found, service, ...defined({ models: entries.length === 0 ? undefined : entries }) };
}
