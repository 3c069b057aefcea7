// The interface of connections, their keys, and the model servers behind the local one, for other features.
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Connection } from '../contract/connection.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';

/**
 * `not-needed`: includes connections without a host for the kind. `unconfirmed`: the hosts have changed since the key
 * was saved.
 */
export type KeyState = 'not-needed' | 'missing' | 'unconfirmed' | 'set';

export interface Keys {
	/**
	 * Returns the key for a request.
	 * @throws UserFacingError when the connection's hosts have changed since it was saved.
	 */
	key(connection: Connection, kind: KeyKind): Promise<string | undefined>;
	state(connection: Connection, kind: KeyKind): Promise<KeyState>;
	/**
	 * Asks for the key if it is missing, after calling `onAsk`. For actions of the user, never for background work.
	 * Resolves with false if the user gave none, which a notification then says.
	 */
	ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean>;
	/** Fires when a key has changed, in this or in another window. */
	readonly onDidChange: Event<void>;
}

/** A connection of the settings, which may be unusable. */
export interface NamedConnection {
	/** The name in the settings; `label` is its name for the user. */
	name: string;
	label: string;
	/** True if it names a service for tasks. */
	hasTasks: boolean;
}

/** A model server whose models would be listed if the user agreed to it, or if it answered. */
export interface UnusedServer {
	/**
	 * `found`: it was found on this machine and is not used. `failing`: it is in the settings but does not list its
	 * models.
	 */
	kind: 'found' | 'failing';
	label: string;
	/** Its host and port. */
	place: string;
	/** Sentences that say why its models are missing. */
	reason: string;
	/** Lets the user solve the problem. */
	ask(): void;
}

/** The model that chat uses now, by its name in requests. */
export interface AddedModel {
	name: string;
	/** The service's name for the user. */
	server: string;
}

/** The local service's report about model servers whose models it does not offer. */
export type DescribedServers = Pick<GatewayDescription, 'foundServers' | 'upstreamProblems'>;

/** The sources of models: connections, and the model servers behind the local one. */
export interface Models extends Disposable {
	keys: Keys;
	/**
	 * Returns the connection that the settings name, as far as they describe it. @throws UserFacingError when they name
	 * no usable connection.
	 */
	active(): Promise<Connection>;
	/** Returns all connections of the settings, the local one first. */
	all(): Promise<NamedConnection[]>;
	/** Fires when another connection becomes active, or when a connection changes. */
	readonly onDidChange: Event<void>;
	/** Returns the model servers for the local service to use, with their keys. Never rejects. */
	upstreams(): Promise<Pick<UpstreamHandoverInput, 'upstreams' | 'findOllama'>>;
	/** Fires when these or their keys have changed. */
	readonly onDidChangeUpstreams: Event<void>;
	/** Must be called with each description by the local service. Asks the user about servers that it has found. */
	noteDescription(described: DescribedServers): void;
	/**
	 * Returns the model servers whose models were missing when the local service was last asked: those that were found
	 * on this machine but are not used, and those of the settings that did not list them.
	 */
	unusedServers(): Promise<UnusedServer[]>;
	/**
	 * Lets the user add a service, or choose a model of the server of that name. Resolves with the model that chat uses
	 * then, or with undefined if that has not changed.
	 */
	addService(slug?: unknown): Promise<AddedModel | undefined>;
}
