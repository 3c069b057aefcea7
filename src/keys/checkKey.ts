import type { Client } from '../client/types.ts';
import type { KeyKind } from '../contract/routes.ts';
import { failedCheck, type KeyCheck } from './model/keyCheck.ts';

/**
 * Asks the service what it makes of a key, by the cheapest request of its kind that costs nothing. `client` sends
 * that key. Never rejects.
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

/** Throws what the service refused with; false where its answer says nothing about the key. */
async function isAccepted(client: Pick<Client, 'tasks' | 'agentTasks' | 'models'>, kind: KeyKind): Promise<boolean> {
	switch (kind) {
		case 'cloud':
			await client.tasks.list({ limit: 1 });
			return true;
		case 'agent':
			await client.agentTasks.list({ limit: 1 });
			return true;
		case 'inference':
			// contract: not shown. The one inference route that costs nothing, where a service has it.
			return (await client.models.discover()) !== undefined;
	}
}
