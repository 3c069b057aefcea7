import { ClientError } from '../../base/errors.ts';
import { attestationUrl, type ChannelAddress } from '../../client/channel/address.ts';
import type { Connection } from '../../contract/connection.ts';

/** Where a connection has an encrypted channel. */
export interface ChannelPlace {
	/** Both absent on the shared host. */
	address: ChannelAddress;
	/** Of the attestation: what is remembered is remembered of this. */
	url: string;
}

/**
 * Every place: each encrypted model with its provider on the organisation's host, or with every provider that may have
 * it where the connection names none, then the shared host. Empty where the connection has none.
 */
export function channelPlaces(connection: Connection): ChannelPlace[] {
	const { orgUrl, encryptUrl, models, providers } = connection;
	const scoped = models
		.filter(({ kinds, channelProvider }) => kinds.includes('encrypted') || channelProvider !== undefined)
		.flatMap(({ id: model, channelProvider }) => {
			const offering = providers.filter(provider => provider.models?.includes(model) ?? true).map(({ slug }) => slug);
			const found = channelProvider === undefined ? offering : [channelProvider];
			return found.map((provider): ChannelAddress => ({ model, provider }));
		});
	const addresses = [...(orgUrl === undefined ? [] : scoped), ...(encryptUrl === undefined ? [] : [{}])];
	return addresses.flatMap(address => {
		try {
			return [{ address, url: attestationUrl(connection, address) }];
		} catch (error) {
			// A host without https, or a name that cannot stand in an address: no place.
			if (ClientError.is(error) || error instanceof RangeError) {
				return [];
			}
			throw error;
		}
	});
}

export function isSame(one: ChannelAddress, other: ChannelAddress): boolean {
	return one.model === other.model && one.provider === other.provider;
}
