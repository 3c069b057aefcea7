// The interface of the encrypted channel for other features.
import type { Event } from '../base/event.ts';
import type { ChannelAddress } from '../client/channel/address.ts';
import type { ChannelMessage } from '../contract/channel.ts';
import type { Explanation } from '../platform/notify.ts';

/** Runs a question to the user, so that the caller can restore what the editor loses through it, such as the focus. */
export type AroundQuestion = <T>(run: () => PromiseLike<T>) => PromiseLike<T>;

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
	/** The reason why there is no channel, as a sentence. */
	readonly refusal?: string;
}

/** A conversation's session with the enclave, whose attestation was accepted. */
export interface EncryptedSession {
	/** The facts that are proven about the session now. `details` are sentences for the tooltip. */
	readonly badge: { readonly label: string; readonly details: readonly string[] };
	readonly onDidChangeBadge: Event<void>;
	/** The fingerprint of the key, which a conversation remembers so that the user is asked about another key. */
	readonly keyFingerprint: string | undefined;
	/** True if a reply failed verification, so that nothing more is sent or shown. */
	readonly hasEnded: boolean;
	/**
	 * Sends one message at a time, and throws like a `ChannelSession`. Each text was verified before it is yielded.
	 * `isWhole` asks for the reply in one piece, whatever the settings say.
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
	 * Opens a session. Refuses if a connection other than `expected` is active. `knownKey` is the conversation's key;
	 * without it, the key that was last seen at the address is used. `around` runs each question to the user, including
	 * later ones when the session is renewed.
	 */
	open(
		address: ChannelAddress,
		options: {
			expected: string;
			knownKey?: string;
			signal: AbortSignal;
			around?: AroundQuestion;
		},
	): Promise<EncryptedSession>;
	/**
	 * Explains an error of a session in one or two sentences, with a button. `asked` is the form in which the
	 * conversation asked for a reply; without it there was no session yet.
	 */
	explain(error: unknown, connection: string, asked?: 'whole' | 'streamed'): Promise<Explanation>;
}
