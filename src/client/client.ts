import { onFirstUse, systemClock } from '../base/async.ts';
import { nullLogger } from '../base/logger.ts';
import { createAgentTasks } from './agentTasks.ts';
import { type ChannelOptions, createChannel } from './channel/channel.ts';
import { createChat, createImages, createSearch } from './chat.ts';
import { type CallerOptions, createCaller } from './core/caller.ts';
import { LIMITS } from './core/limits.ts';
import type { Transport } from './core/transport.ts';
import { createDecisions } from './decisions.ts';
import { createModels } from './models.ts';
import { createResponses } from './responses.ts';
import { createSources } from './sources.ts';
import { createTasks } from './tasks.ts';
import type { Client } from './types.ts';

/** The default transport is undici, for programs outside the editor. */
export interface ClientOptions
	extends Pick<CallerOptions, 'connection' | 'keys'>,
		Partial<Pick<CallerOptions, 'transport' | 'logger' | 'clock'>> {
	/** The memory of the encrypted channel, and the authority that it trusts. */
	channel?: ChannelOptions;
}

export function createClient(options: ClientOptions): Client {
	const { connection, keys, transport = undiciOnDemand(), logger = nullLogger, clock = systemClock } = options;
	const caller = createCaller({ connection, keys, transport, logger, clock, random: Math.random, limits: LIMITS });
	return {
		chat: createChat(caller),
		search: createSearch(caller),
		images: createImages(caller),
		models: createModels(caller),
		responses: createResponses(caller),
		decisions: createDecisions(caller),
		channel: createChannel(caller, options.channel),
		tasks: createTasks(caller),
		sources: createSources(caller),
		agentTasks: createAgentTasks(caller),
	};
}

/** undici is loaded only at the first request: the extension never uses it, and its bundle leaves it out. */
function undiciOnDemand(): Transport {
	const load = onFirstUse(async () => (await import('./core/undiciTransport.ts')).createUndiciTransport());
	return { request: async request => (await load()).request(request) };
}
