import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { abortedError } from '../../client/core/exchange.ts';
import type { ChannelMessage } from '../../contract/channel.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import { addressOf, type Encryption } from '../model/encryption.ts';
import type { EncryptedChannels, OpenChannel } from './channels.ts';

/** How the way stands. The texts are sentences. */
export type ConversationChannelState =
	| { kind: 'idle' | 'connecting' | 'ended' }
	| { kind: 'open'; label: string; details: readonly string[] }
	| { kind: 'refused'; message: string };

/**
 * The only way on which messages of one encrypted conversation go: a session that opens with the first of them, and no
 * other way where it does not.
 */
export class ConversationChannel {
	private readonly channels: EncryptedChannels;
	private readonly closing = new AbortController();
	private readonly changed = new Emitter<void>();
	/** Its state, or what there is to remember of it. */
	readonly onDidChange = this.changed.event;
	private current: Encryption;
	private currentState: ConversationChannelState;
	private opening: Promise<OpenChannel> | undefined;
	private session: OpenChannel | undefined;
	private failure: { error: unknown; explanation: Explanation } | undefined;

	constructor(channels: EncryptedChannels, encryption: Encryption) {
		this.channels = channels;
		this.current = encryption;
		this.currentState = { kind: encryption.hasEnded ? 'ended' : 'idle' };
	}

	/** To be kept with the conversation. */
	get encryption(): Encryption {
		return this.current;
	}

	get state(): ConversationChannelState {
		const { session } = this;
		return this.currentState.kind === 'open' && session ? { kind: 'open', ...session.badge } : this.currentState;
	}

	/** Opens it ahead of the first message. What stands in the way is its state. */
	async connect(): Promise<void> {
		try {
			await this.open();
		} catch (error) {
			await this.failed(error);
		}
	}

	/** What an error that came out of here means. */
	explain(error: unknown): Explanation | undefined {
		return this.failure?.error === error ? this.failure?.explanation : undefined;
	}

	/** Answers the last message of `history`. */
	async *stream(history: readonly ChannelMessage[], signal: AbortSignal): AsyncGenerator<ReplyEvent, void> {
		try {
			const session = await this.open();
			// Whoever has stopped while a question was open has sent nothing.
			if (signal.aborted) {
				throw abortedError();
			}
			for await (const event of session.stream(history, { signal })) {
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

	async close(): Promise<void> {
		this.changed.dispose();
		this.closing.abort();
		await this.session?.close();
	}

	private open(): Promise<OpenChannel> {
		this.opening ??= this.openNew().catch((error: unknown) => {
			this.opening = undefined;
			throw error;
		});
		return this.opening;
	}

	private async openNew(): Promise<OpenChannel> {
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

	private noteKey({ keyFingerprint }: OpenChannel): void {
		if (keyFingerprint !== undefined && keyFingerprint !== this.current.keyFingerprint) {
			this.current = { ...this.current, keyFingerprint };
			this.changed.fire();
		}
	}

	private async failed(error: unknown): Promise<void> {
		const { session } = this;
		const { connection = '', label = connection } = this.current;
		const explanation = await this.channels.explain(error, label);
		this.failure = { error, explanation };
		if (session?.hasEnded) {
			this.current = { ...this.current, hasEnded: true };
			await this.drop();
			this.setState({ kind: 'ended' });
		} else if (!session || ClientError.is(error, 'tampered')) {
			// What a refused attestation leaves behind takes no message any more; the next one opens it anew.
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
