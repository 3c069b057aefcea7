import { ClientError } from '../../base/errors.ts';
import { attestationUrl, type ChannelAddress } from '../../client/channel/address.ts';
import type { Client, ReportedAttestation } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';

/** The present active connection. */
export interface ChannelConnection {
	connection: Connection;
	label: string;
	isLocal: boolean;
	client: Client;
}

/** A place where a connection has an encrypted channel. */
export interface ChannelPlace {
	/** Model and provider are absent on the shared host. */
	address: ChannelAddress;
	/** The URL of the attestation, under which accepted attestations are remembered. */
	url: string;
}

/**
 * Lists every place: each encrypted model on the organisation's host with its provider, or with every possible provider
 * if the connection names none, and then the shared host. The list is empty if the connection has no channel.
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
			// A host without https, or a name that cannot be part of a URL, gives no place.
			if (ClientError.is(error) || error instanceof RangeError) {
				return [];
			}
			throw error;
		}
	});
}

/** An attestation as the report shows it. */
export type AttestationResult = Omit<ReportedAttestation, 'address'> & Partial<Pick<ReportedAttestation, 'address'>>;

/**
 * The local service listens at another port after each start, so the address of its connection is only a placeholder.
 */
export function withoutAddress({ address: _, ...attested }: ReportedAttestation): AttestationResult {
	const verdicts = attested.verdicts.map(({ input, ...verdict }) =>
		input === undefined || verdict.check === 'transport' ? verdict : { ...verdict, input },
	);
	return { ...attested, verdicts };
}

export function isSame(one: ChannelAddress, other: ChannelAddress): boolean {
	return one.model === other.model && one.provider === other.provider;
}
