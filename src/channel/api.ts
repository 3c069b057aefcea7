// What other features use of the encrypted channel.
import type { Event } from '../base/event.ts';
import type { ChannelAddress } from '../client/channel/address.ts';
import type { ChannelMessage } from '../contract/channel.ts';
import type { Explanation } from '../platform/notify.ts';

/** A channel that the user can choose. */
export interface OfferedChannel {
	readonly address: ChannelAddress;
	readonly label: string;
	readonly description?: string;
	readonly detail?: string;
}

/** The channels of the active connection. */
export interface ChannelOffer {
	/** The connection's name in the settings; `label` is its name for the user. */
	readonly connection: string;
	readonly label: string;
	readonly channels: readonly OfferedChannel[];
	/** Why there is no channel, as a sentence. */
	readonly refusal?: string;
}

/** A conversation's session with the enclave, whose attestation was accepted. */
export interface EncryptedSession {
	/** What is proven about the session now. `details` are sentences for the tooltip. */
	readonly badge: { readonly label: string; readonly details: readonly string[] };
	readonly onDidChangeBadge: Event<void>;
	/** The fingerprint of the key, which a conversation remembers so that the user is asked about another key. */
	readonly keyFingerprint: string | undefined;
	/** Whether a reply failed verification, so that nothing is sent or shown any more. */
	readonly hasEnded: boolean;
	/**
	 * Takes one message at a time, and throws like a `ChannelSession`. Each text was verified before it is yielded. `isWhole`
	 * asks for the reply in one piece, whatever the settings say.
	 */
	stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal; isWhole?: boolean },
	): AsyncIterable<{ type: 'text'; text: string }>;
	close(): Promise<void>;
}

/** Encrypted sessions for conversations, with the user's settings and answers. */
export interface EncryptedChannels {
	offer(): Promise<ChannelOffer>;
	/**
	 * Opens a session. Refuses where another connection than `expected` is the active one. `knownKey` is the conversation's
	 * key; without it, the key that was last seen at the address is used. `around` runs each question to the user, also
	 * later, when the session is renewed.
	 */
	open(
		address: ChannelAddress,
		options: {
			expected: string;
			knownKey?: string;
			signal: AbortSignal;
			around?: <T>(run: () => PromiseLike<T>) => PromiseLike<T>;
		},
	): Promise<EncryptedSession>;
	/**
	 * Explains an error of a session in one or two sentences, with a button. `asked` says how a reply was asked for by the
	 * conversation; without it there was no session yet.
	 */
	explain(error: unknown, connection: string, asked?: 'whole' | 'streamed'): Promise<Explanation>;
}
