import type { Event } from '../../base/event.ts';
import type { ChannelAddress } from '../../client/channel/address.ts';
import type { ChannelMessage } from '../../contract/channel.ts';
import type { Explanation } from '../../platform/notify.ts';

/** A channel to choose. */
export interface OfferedChannel {
	readonly address: ChannelAddress;
	readonly label: string;
	readonly description?: string;
	readonly detail?: string;
}

/** Of the active connection. */
export interface ChannelOffer {
	/** Its name in the settings. */
	readonly connection: string;
	readonly label: string;
	readonly channels: readonly OfferedChannel[];
	/** Why there is none, as a sentence. */
	readonly refusal?: string;
}

/** A way to the other end, which it proved itself worthy of. */
export interface OpenChannel {
	/** What may be said of it now. */
	readonly badge: { readonly label: string; readonly details: readonly string[] };
	readonly onDidChangeBadge: Event<void>;
	readonly keyFingerprint: string | undefined;
	/** A reply did not hold. */
	readonly hasEnded: boolean;
	/** One message at a time. A text was verified before it comes out of here. */
	stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal },
	): AsyncIterable<{ type: 'text'; text: string }>;
	close(): Promise<void>;
}

/** What encrypted conversations need of the encrypted channel. */
export interface EncryptedChannels {
	offer(): Promise<ChannelOffer>;
	/**
	 * Refuses where another connection than `expected` is the active one. Each question to the user is run by `around`, also
	 * later, when a session is renewed.
	 */
	open(
		address: ChannelAddress,
		options: {
			expected: string;
			knownKey?: string;
			signal: AbortSignal;
			around?: <T>(run: () => PromiseLike<T>) => PromiseLike<T>;
		},
	): Promise<OpenChannel>;
	explain(error: unknown, connection: string): Promise<Explanation>;
}
