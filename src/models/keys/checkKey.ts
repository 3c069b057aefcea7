import type { Client } from '../../client/types.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { failedCheck, type KeyCheck } from '../model/keyCheck.ts';

/**
 * Checks whether the service accepts a key by sending a request that costs nothing. `client` must send that key. Never
 * rejects.
 */
export async function checkKey(
	client: Pick<Client, 'tasks' | 'agentTasks' | 'models'>,
	kind: KeyKind,
): Promise<KeyCheck> {
	try {
		if (!(await isAccepted(client, kind))) {
			return { at: Date.now(), answer: 'not-checkable' };
		}
		return { at: Date.now(), answer: 'accepted' };
	} catch (error) {
		return failedCheck(kind, error, Date.now());
	}
}

/**
 * Throws the service's error if it refused the request. Resolves with false if the reply says nothing about the key.
 */
async function isAccepted(client: Pick<Client, 'tasks' | 'agentTasks' | 'models'>, kind: KeyKind): Promise<boolean> {
	switch (kind) {
		case 'cloud':
			await client.tasks.list({ limit: 1 });
			return true;
		case 'agent':
			await client.agentTasks.list({ limit: 1 });
			return true;
		case 'inference':
			// contract: not shown. This is the only inference route that costs nothing, if a service offers it.
			return (await client.models.discover()) !== undefined;
	}
}
