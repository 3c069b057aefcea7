import { isDeepStrictEqual } from 'node:util';
import { Emitter, type Event } from '../base/event.ts';
import { attestationUrl, type ChannelAddress } from '../client/channel/address.ts';
import { demandHardwareProof, hasOtherVerdicts, isDowngrade } from '../client/channel/ladder.ts';
import { ChannelMemory, type MemoryStore } from '../client/channel/memory.ts';
import type { Client } from '../client/client.ts';
import type { ChannelSession } from '../client/types.ts';
import type { ChannelMessage } from '../contract/channel.ts';
import type { Connection } from '../contract/connection.ts';
import { readSetting } from '../platform/settings.ts';
import type { Consent } from './consent.ts';
import { type ChannelPlace, channelPlaces } from './model/places.ts';
import { summarise } from './model/summary.ts';
import { type Badge, badgeWords } from './strings.ts';

/** The active connection as it is now. */
export interface ActiveConnection {
	connection: Connection;
	label: string;
	isLocal: boolean;
	client: Client;
}

/** A conversation's own way to the enclave. */
export interface EncryptedSession {
	/** What may be said of it now. */
	readonly badge: Badge;
	readonly onDidChangeBadge: Event<void>;
	/** Of the key: what a conversation remembers, to be asked about another one. */
	readonly keyFingerprint: string | undefined;
	/** Throws as a `ChannelSession`. A text was verified before it comes out of here. */
	stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal },
	): AsyncIterable<{ type: 'text'; text: string }>;
	close(): Promise<void>;
}

export interface EncryptedDependencies {
	active(): Promise<ActiveConnection>;
	store: MemoryStore;
	consent: Consent;
}

/** Opens sessions as the user's settings and answers allow. */
export class Encrypted {
	private readonly dependencies: EncryptedDependencies;

	constructor(dependencies: EncryptedDependencies) {
		this.dependencies = dependencies;
	}

	/** Where the active connection has a channel; empty where it has none. */
	async places(): Promise<ChannelPlace[]> {
		return channelPlaces((await this.dependencies.active()).connection);
	}

	/** `knownKey`: of the conversation. Without one it is the key that was seen at the address last. */
	async open(
		address: ChannelAddress,
		{ knownKey, signal }: { knownKey?: string; signal?: AbortSignal } = {},
	): Promise<EncryptedSession> {
		const { client, connection, label, isLocal } = await this.dependencies.active();
		const { consent, store } = this.dependencies;
		const url = attestationUrl(connection, address);
		// The local service has a new key each time it starts.
		const isAnyKey = () => isLocal || consent.takesNewKeys(url);
		const key = isAnyKey() ? undefined : (knownKey ?? new ChannelMemory(store).accepted(url)?.keyFingerprint);
		const session = await client.channel.open({
			...address,
			requireHardwareProof: readSetting('errand.channel.requireHardwareProof'),
			askMaker: () => consent.askMaker(),
			confirm: async (before, now) =>
				(isAnyKey() && !isDowngrade(now) && !hasOtherVerdicts(before, now)) || consent.confirm(label, before, now),
			...(key === undefined ? {} : { knownKey: key }),
			...(signal ? { signal } : {}),
		});
		return new WatchedSession(session, isLocal);
	}
}

class WatchedSession implements EncryptedSession {
	private readonly session: ChannelSession;
	private readonly isLocal: boolean;
	private readonly changed = new Emitter<void>();
	/** With which a reply was verified. */
	private confirmedKey: string | undefined;
	private told: Badge;

	constructor(session: ChannelSession, isLocal: boolean) {
		this.session = session;
		this.isLocal = isLocal;
		this.told = this.badge;
	}

	get onDidChangeBadge(): Event<void> {
		return this.changed.event;
	}

	get keyFingerprint(): string | undefined {
		return this.session.keyFingerprint;
	}

	get badge(): Badge {
		const isKeyConfirmed = this.confirmedKey !== undefined && this.confirmedKey === this.keyFingerprint;
		return badgeWords(summarise(this.session, this.isLocal), isKeyConfirmed);
	}

	async *stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal },
	): AsyncGenerator<{ type: 'text'; text: string }, void> {
		// The settings may have come to demand it since the session was opened.
		if (readSetting('errand.channel.requireHardwareProof')) {
			demandHardwareProof(this.session);
		}
		try {
			for await (const event of this.session.stream(history, options)) {
				this.confirmedKey = this.keyFingerprint;
				this.tell();
				yield event;
			}
		} finally {
			// A session that was renewed may prove less, also where no reply came.
			this.tell();
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
		this.changed.dispose();
		await this.session.close();
	}
}
