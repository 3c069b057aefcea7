import { isDeepStrictEqual } from 'node:util';
import { defined } from '../base/defined.ts';
import type { Disposable } from '../base/disposable.ts';
import { ClientError, UserFacingError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { attestationUrl, type ChannelAddress } from '../client/channel/address.ts';
import { ChannelMemory, type MemoryStore } from '../client/channel/memory.ts';
import { demandHardwareProof, hasOtherVerdicts, isDowngrade, RefusedAttestation } from '../client/channel/verdicts.ts';
import type { ChannelSession } from '../client/types.ts';
import type { ChannelMessage } from '../contract/channel.ts';
import { onDidChangeSetting, readSetting } from '../platform/settings.ts';
import { areRepliesWhole } from '../platform/streamedReplyMessages.ts';
import type { ChannelOffer, EncryptedChannels, EncryptedSession } from './api.ts';
import type { ChannelConsent } from './channelConsent.ts';
import { type Badge, badgeWords, noChannelText, otherConnectionText, placeWords } from './messages.ts';
import { type ChannelConnection, channelPlaces } from './model/places.ts';
import { summarise } from './model/summary.ts';

export interface EncryptedDependencies {
	active(): Promise<ChannelConnection>;
	store: MemoryStore;
	consent: ChannelConsent;
}

/** Opens sessions if the user's settings and answers allow it. */
export class Encrypted {
	private readonly dependencies: EncryptedDependencies;

	constructor(dependencies: EncryptedDependencies) {
		this.dependencies = dependencies;
	}

	/** Lists the channels of the active connection, or says why it has none. */
	async offer(): Promise<ChannelOffer> {
		const active = await this.dependencies.active();
		const channels = channelPlaces(active.connection).map(place => ({
			address: place.address,
			...placeWords(place, active),
		}));
		const { name } = active.connection;
		const refusal = channels.length === 0 ? noChannelText(active.label) : undefined;
		return { connection: name, label: active.label, channels, ...defined({ refusal }) };
	}

	async open(
		address: ChannelAddress,
		{ knownKey, expected, signal, around = run => run() }: Partial<Parameters<EncryptedChannels['open']>[1]> = {},
	): Promise<EncryptedSession> {
		const { client, connection, label, isLocal } = await this.dependencies.active();
		if (expected !== undefined && expected !== connection.name) {
			throw new UserFacingError(otherConnectionText(expected), { action: 'switchConnection' });
		}
		const { consent, store } = this.dependencies;
		const url = attestationUrl(connection, address);
		// The local service creates a new key each time it starts.
		const isAnyKey = () => isLocal || consent.takesNewKeys(url);
		const key = isAnyKey() ? undefined : (knownKey ?? new ChannelMemory(store).accepted(url)?.keyFingerprint);
		const session = await client.channel.open({
			...address,
			requireHardwareProof: readSetting('errand.channel.requireHardwareProof'),
			askMaker: () => consent.askMaker({ around }),
			confirm: async (before, now, sending) =>
				(isAnyKey() && !isDowngrade(now) && !hasOtherVerdicts(before, now)) ||
				around(() => consent.confirm(label, before, now, sending)),
			...defined({ knownKey: key, signal }),
		});
		return new WatchedSession(session, isLocal);
	}
}

class WatchedSession implements EncryptedSession {
	private readonly session: ChannelSession;
	private readonly isLocal: boolean;
	private readonly changed = new Emitter<void>();
	private confirmedKey: string | undefined;
	/** True once a reply was streamed, whatever the settings say later. */
	private hasStreamed = false;
	/** True if the last message was asked for in one piece, whatever the settings say. */
	private asksWhole = false;
	private readonly watching: Disposable;
	private told: Badge;
	private isBroken = false;

	constructor(session: ChannelSession, isLocal: boolean) {
		this.session = session;
		this.isLocal = isLocal;
		this.told = this.badge;
		this.watching = onDidChangeSetting(['errand.channel.wholeReplies'], () => this.tell());
	}

	get onDidChangeBadge(): Event<void> {
		return this.changed.event;
	}

	get keyFingerprint(): string | undefined {
		return this.session.keyFingerprint;
	}

	get hasEnded(): boolean {
		return this.isBroken;
	}

	get badge(): Badge {
		const isKeyConfirmed = this.confirmedKey !== undefined && this.confirmedKey === this.keyFingerprint;
		const isWhole = (areRepliesWhole() || this.asksWhole) && !this.hasStreamed;
		return badgeWords(summarise(this.session, this.isLocal), { isKeyConfirmed, isWhole });
	}

	async *stream(
		history: readonly ChannelMessage[],
		{ isWhole = false, ...options }: { signal?: AbortSignal; isWhole?: boolean } = {},
	): AsyncGenerator<{ type: 'text'; text: string }, void> {
		// The setting may have been turned on since the session was opened.
		if (readSetting('errand.channel.requireHardwareProof')) {
			demandHardwareProof(this.session);
		}
		try {
			this.asksWhole = isWhole;
			for await (const event of this.reply(history, isWhole || areRepliesWhole(), options)) {
				this.confirmedKey = this.keyFingerprint;
				this.tell();
				yield event;
			}
		} catch (error) {
			// If an attestation is refused while the session is renewed, nothing has been sent, so the user can try again.
			this.isBroken ||= ClientError.is(error, 'tampered') && !(error.cause instanceof RefusedAttestation);
			throw error;
		} finally {
			// A renewed session may prove less, even if no reply came.
			this.tell();
		}
	}

	private async *reply(
		history: readonly ChannelMessage[],
		isWhole: boolean,
		options: { signal?: AbortSignal },
	): AsyncGenerator<{ type: 'text'; text: string }, void> {
		if (isWhole) {
			const { text } = await this.session.send(history, options);
			yield { type: 'text', text };
			return;
		}
		for await (const event of this.session.stream(history, options)) {
			this.hasStreamed = true;
			yield event;
		}
	}

	private tell(): void {
		const { badge } = this;
		if (!isDeepStrictEqual(badge, this.told)) {
			this.told = badge;
			this.changed.fire();
		}
	}

	async close(): Promise<void> {
		this.watching.dispose();
		this.changed.dispose();
		await this.session.close();
	}
}
