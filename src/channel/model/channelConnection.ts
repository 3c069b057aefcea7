import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';

/** The active connection as it is now. */
export interface ChannelConnection {
	connection: Connection;
	label: string;
	isLocal: boolean;
	client: Client;
}
