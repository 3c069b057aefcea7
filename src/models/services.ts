import { systemClock } from '../base/async.ts';
import type { Logger } from '../base/logger.ts';
import { createFetchTransport } from '../client/core/fetchTransport.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { FoundAnswer } from '../contract/foundServers.ts';
import { editorFetch } from '../platform/editorFetch.ts';
import type { DescribedServers } from './api.ts';
import type { HostContext } from './hosts/askHost.ts';
import type { KeyStore } from './keys/keyStore.ts';
import type { KeysFeature } from './keys/keysFeature.ts';

export type Offer = Omit<GatewayDescription, 'foundServers'>;

/** The end of a list that changes a service: it was removed, or the user goes elsewhere. */
export type ManageEnd = 'removed' | 'leave';

/** What the lists of services work on. */
export interface Services {
	/** The parts that asking a host takes. */
	context: HostContext;
	keys: KeysFeature;
	store: KeyStore;
	/** Returns a client for a connection, which sends the keys saved for it. */
	client(connection: Connection): Promise<Client>;
	/** The local service, behind which the model servers are. */
	local: {
		/** Hands the settings over and resolves with the service's offer after that. */
		offer(): Promise<Offer>;
		/** Returns the service's last report about its model servers. */
		described(): DescribedServers;
		/** Sends the user's answer about a found server. */
		answerFoundServer(answer: FoundAnswer): Promise<void>;
	};
	/** Opens the report of a diagnosis of the connection of that name. */
	diagnose(name: string): Promise<void>;
}

/** Hosts are asked through the editor's own fetch, which knows the user's proxy and certificates. */
export function hostContext(logger: Logger): HostContext {
	return { transport: createFetchTransport(editorFetch), logger, clock: systemClock };
}
