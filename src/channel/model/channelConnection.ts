import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';

/** The present active connection. */
export interface ChannelConnection {
	connection: Connection;
	label: string;
	isLocal: boolean;
	client: Client;
}
