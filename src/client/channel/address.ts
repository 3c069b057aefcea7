import { ClientError } from '../../base/errors.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import type { Connection } from '../../contract/connection.ts';
import { channelRoute, fillPath } from '../../contract/routes.ts';
import type { Call } from '../core/caller.ts';

export interface ChannelAddress {
	model?: string;
	/** The default is the provider that the connection names for the model. */
	provider?: string;
}

/**
 * Returns the endpoint on the organisation's host, scoped to model and provider, if all three are known; otherwise the
 * one on the shared host (contract: encrypted-channel.md). Throws `not-supported` if there is no host or it does not
 * use https.
 */
export function channelTarget(
	connection: Connection,
	endpoint: Parameters<typeof channelRoute>[0],
	{ model, provider = providerOf(connection, model) }: ChannelAddress,
): Pick<Call, 'route' | 'values'> {
	const { name, orgUrl, encryptUrl } = connection;
	const isScoped = orgUrl !== undefined && model !== undefined && provider !== undefined;
	const host = isScoped ? orgUrl : encryptUrl;
	if (host === undefined) {
		const scope = orgUrl === undefined ? '' : '; its orgUrl takes a model and a provider';
		throw new ClientError('not-supported', `the connection "${name}" has no encryptUrl${scope}`, { unsent: true });
	}
	const { protocol, hostname } = new URL(host);
	if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
		const message = `the encrypted channel of the connection "${name}" is not on https`;
		throw new ClientError('not-supported', message, { unsent: true });
	}
	return isScoped
		? { route: channelRoute(endpoint, 'org'), values: { model, provider } }
		: { route: channelRoute(endpoint, 'encrypt') };
}

function providerOf({ models }: Connection, model: string | undefined): string | undefined {
	return models.find(({ id }) => id === model)?.channelProvider;
}

/** Returns the address of the attestation, to which a session belongs. Throws like `channelTarget`. */
export function attestationUrl(connection: Connection, address: ChannelAddress): string {
	const { route, values } = channelTarget(connection, 'attestation', address);
	const host = route.host === 'org' ? connection.orgUrl : connection.encryptUrl;
	return `${host}${fillPath(route.path, values)}`;
}
