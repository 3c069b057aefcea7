// The only way out for the messages of an encrypted conversation, which is encrypted from its first message on and
// stays so. Its file has its own version and a mark in every line, so that neither an older version of Errand nor a
// repair turns it into an unencrypted one. For a conversation that is not kept, nothing that is typed or sent is
// written anywhere.
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { EncryptedChannels, EncryptedSession } from '../../channel/api.ts';
import { abortedError } from '../../client/core/exchange.ts';
import type { ChannelMessage } from '../../contract/channel.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import { addressOf, type Encryption } from '../model/encryption.ts';
import type { TurnMode } from '../model/mode.ts';

/** The state of a conversation's channel. The texts are sentences. */
export type ConversationChannelState =
	| { kind: 'idle' | 'connecting' | 'ended' }
	| { kind: 'open'; label: string; details: readonly string[] }
	| { kind: 'refused'; message: string };

/**
 * Sends the messages of one encrypted conversation, and is the only way to send them: through a session that opens with
 * the first message.
 */
export class ConversationChannel {
	private readonly channels: EncryptedChannels;
	private readonly closing = new AbortController();
	private readonly changed = new Emitter<void>();
	/** Fires when the state changes, or the part of it that the conversation's file stores. */
	readonly onDidChange = this.changed.event;
	private current: Encryption;
	private currentState: ConversationChannelState;
	private opening: Promise<EncryptedSession> | undefined;
	private session: EncryptedSession | undefined;
	private failure: { error: unknown; explanation: Explanation } | undefined;

	constructor(channels: EncryptedChannels, encryption: Encryption) {
		this.channels = channels;
		this.current = encryption;
		this.currentState = { kind: encryption.hasEnded ? 'ended' : 'idle' };
	}

	/** The part that is stored with the conversation. */
	get encryption(): Encryption {
		return this.current;
	}

	get state(): ConversationChannelState {
		const { session } = this;
		return this.currentState.kind === 'open' && session ? { kind: 'open', ...session.badge } : this.currentState;
	}

	/** Opens the session ahead of the first message. A failure becomes the state. */
	async connect(): Promise<void> {
		try {
			await this.open();
		} catch (error) {
			await this.failed(error);
		}
	}

	/** Explains an error that `stream` threw. */
	explain(error: unknown): Explanation | undefined {
		return this.failure?.error === error ? this.failure?.explanation : undefined;
	}

	/** Streams the reply to the last message of `history`. */
	async *stream(history: readonly ChannelMessage[], signal: AbortSignal): AsyncGenerator<ReplyEvent, void> {
		try {
			const session = await this.open();
			// A reply that was stopped while a question was open sends nothing.
			if (signal.aborted) {
				throw abortedError();
			}
			const isWhole = this.current.wantsWhole === true;
			for await (const event of session.stream(history, isWhole ? { signal, isWhole } : { signal })) {
				this.noteKey(session);
				yield event;
			}
			yield { type: 'finish', reason: 'stop' };
		} catch (error) {
			if (!signal.aborted || this.session?.hasEnded) {
				await this.failed(error);
			}
			throw error;
		}
	}

	/** Requests whole replies from now on. */
	useWholeReplies(): void {
		this.current = { ...this.current, wantsWhole: true };
		this.changed.fire();
	}

	async close(): Promise<void> {
		this.changed.dispose();
		this.closing.abort();
		await this.session?.close();
	}

	private open(): Promise<EncryptedSession> {
		this.opening ??= this.openNew().catch((error: unknown) => {
			this.opening = undefined;
			throw error;
		});
		return this.opening;
	}

	private async openNew(): Promise<EncryptedSession> {
		const { connection, keyFingerprint } = this.current;
		if (connection === undefined || this.current.hasEnded) {
			throw new ClientError('invalid-request', 'this encrypted conversation does not go on', { unsent: true });
		}
		this.setState({ kind: 'connecting' });
		const session = await this.channels.open(addressOf(this.current), {
			expected: connection,
			...defined({ knownKey: keyFingerprint }),
			signal: this.closing.signal,
		});
		if (this.closing.signal.aborted) {
			await session.close();
			throw abortedError();
		}
		this.session = session;
		this.failure = undefined;
		session.onDidChangeBadge(() => this.changed.fire());
		this.noteKey(session);
		this.setState({ kind: 'open', ...session.badge });
		return session;
	}

	private noteKey({ keyFingerprint }: EncryptedSession): void {
		if (keyFingerprint !== undefined && keyFingerprint !== this.current.keyFingerprint) {
			this.current = { ...this.current, keyFingerprint };
			this.changed.fire();
		}
	}

	private async failed(error: unknown): Promise<void> {
		const { session } = this;
		const { connection = '', label = connection } = this.current;
		const explanation = await this.channels.explain(
			error,
			label,
			session && (this.current.wantsWhole ? 'whole' : 'streamed'),
		);
		this.failure = { error, explanation };
		if (session?.hasEnded) {
			this.current = { ...this.current, hasEnded: true };
			await this.drop();
			this.setState({ kind: 'ended' });
		} else if (!session || ClientError.is(error, 'tampered')) {
			// A session whose attestation was refused accepts no more messages; the next message opens a new one.
			await this.drop();
			this.setState({ kind: 'refused', message: explanation.message });
		}
	}

	private async drop(): Promise<void> {
		const { session } = this;
		this.session = undefined;
		this.opening = undefined;
		await session?.close();
	}

	private setState(state: ConversationChannelState): void {
		this.currentState = state;
		this.changed.fire();
	}
}

/** The reasons why a message of an encrypted conversation is not accepted. */
export type EncryptionRefusal =
	/** Agents, search and images cannot be encrypted. */
	| { reason: 'encrypted-mode' }
	/** A reply could not be verified. */
	| { reason: 'encryption-ended' }
	/** The file no longer says which connection the conversation is encrypted to. */
	| { reason: 'encryption-lost' }
	/** The conversation is encrypted to this connection, which is not the active one. */
	| { reason: 'other-connection'; expected: string };

/** Returns why a message of an encrypted conversation is not accepted. `connection` is the name of the active one. */
export function refuseEncrypted(
	{ connection: expected, label = expected, hasEnded }: Encryption,
	mode: TurnMode,
	connection: string,
): EncryptionRefusal | undefined {
	if (hasEnded) {
		return { reason: 'encryption-ended' };
	}
	if (expected === undefined) {
		return { reason: 'encryption-lost' };
	}
	if (mode !== 'chat') {
		return { reason: 'encrypted-mode' };
	}
	return expected === connection ? undefined : { reason: 'other-connection', expected: label ?? expected };
}
