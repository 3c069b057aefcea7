// Looks for the model servers of this machine at their usual ports.
import type { PortOwner } from '../../base/portOwner.ts';
import type { ListedModel } from '../../contract/modelList.ts';
import type { UsualServer } from '../../contract/usualServers.ts';
import { type AskingContext, askHost } from './askHost.ts';

/** A server that answers at a usual port. */
export interface ServerHere {
	server: UsualServer;
	/** True if it is certainly the program for which the port is usual. */
	isNamed: boolean;
	owner: PortOwner;
	/** Undefined if it wants a key first. */
	models: ListedModel[] | undefined;
}

export interface FindOptions extends AskingContext {
	ownerOf(port: number): Promise<PortOwner>;
}

/** A server on this machine that is silent for this long cannot be used. */
const PATIENCE = { silence: 2_000, whole: 4_000 };

export async function findServers(servers: readonly UsualServer[], options: FindOptions): Promise<ServerHere[]> {
	const found = await Promise.all(servers.map(server => look(server, options)));
	return found.filter(server => server !== undefined);
}

async function look(server: UsualServer, { ownerOf, ...options }: FindOptions): Promise<ServerHere | undefined> {
	const answer = await askHost({ kind: 'server', url: server.url, milliseconds: PATIENCE }, options);
	const models = answer.state === 'fits' ? answer.models : undefined;
	if (models === undefined && answer.state !== 'wants-key') {
		return undefined;
	}
	const { ownedBy } = server;
	const isNamed = ownedBy === undefined || models?.some(model => model['owned_by'] === ownedBy) === true;
	return { server, isNamed, models, owner: await ownerOf(Number(new URL(server.url).port)) };
}
