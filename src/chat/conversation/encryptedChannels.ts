import type { Event } from '../../base/event.ts';
import type { ChannelAddress } from '../../client/channel/address.ts';
import type { ChannelMessage } from '../../contract/channel.ts';
import type { Explanation } from '../../platform/notify.ts';

/** A channel that the user can choose. */
export interface OfferedChannel {
	readonly address: ChannelAddress;
	readonly label: string;
	readonly description?: string;
	readonly detail?: string;
}

/** The channels of the active connection. */
export interface ChannelOffer {
	/** The connection's name in the settings. */
	readonly connection: string;
	readonly label: string;
	readonly channels: readonly OfferedChannel[];
	/** Why there is no channel, as a sentence. */
	readonly refusal?: string;
}

/** A session with the other end, whose attestation was accepted. */
export interface OpenChannel {
	/** What can be said about the session now. */
	readonly badge: { readonly label: string; readonly details: readonly string[] };
	readonly onDidChangeBadge: Event<void>;
	readonly keyFingerprint: string | undefined;
	/** Whether the session ended because a reply could not be verified. */
	readonly hasEnded: boolean;
	/**
	 * Takes one message at a time. Each text was verified before it is delivered. `isWhole` asks for the reply in one
	 * piece, whatever the settings say.
	 */
	stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal; isWhole?: boolean },
	): AsyncIterable<{ type: 'text'; text: string }>;
	close(): Promise<void>;
}

/** What encrypted conversations need of the encrypted channel, whose feature the root hands over. */
export interface EncryptedChannels {
	offer(): Promise<ChannelOffer>;
	/**
	 * Opens a session. Refuses where another connection than `expected` is the active one. `around` runs each question to the
	 * user, also later, when the session is renewed.
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
	/** `asked` says how a reply was asked for; without it there was no session yet. */
	explain(error: unknown, connection: string, asked?: 'whole' | 'streamed'): Promise<Explanation>;
}
