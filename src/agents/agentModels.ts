import type { GatewayDescription } from '../contract/control.ts';
import { realModels } from '../contract/localConnection.ts';
import { isUsableModel } from './agentLaunch.ts';
import type { ModelApi } from './entry.ts';

/** What is read of the gateway's description. */
export type OfferedModels = Pick<GatewayDescription, 'models' | 'providers'>;

/**
 * Returns the models that an agent can work with: those that chat by the agent's API and take tools, as far as is known.
 * The demo's are left out, because they only pretend.
 */
export function modelsFor(api: ModelApi, offered: OfferedModels): string[] {
	return realModels(offered)
		.filter(({ id, kinds, tools }) => kinds.includes(api) && tools !== false && isUsableModel(id))
		.map(({ id }) => id);
}
