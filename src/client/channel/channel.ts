import type { Client } from '../client.ts';
import type { Caller } from '../core/caller.ts';
import { readHealth } from './health.ts';
import { ChannelMemory } from './memory.ts';

/** The encrypted message channel (contract: encrypted-channel.md). */
export function createChannel(caller: Caller): Client['channel'] {
	const memory = new ChannelMemory();
	return {
		health: async (address = {}) => readHealth(caller, address),
		open: async (options = {}) => {
			// Its cryptography is large, and most clients never need it.
			const { openSession } = await import('./session.ts');
			return openSession(caller, memory, options);
		},
	};
}
