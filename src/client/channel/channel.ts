import type { Client } from '../client.ts';
import type { Caller } from '../core/caller.ts';
import { readHealth } from './health.ts';

/** The encrypted message channel (contract: encrypted-channel.md). */
export function createChannel(caller: Caller): Client['channel'] {
	return { health: async (address = {}) => readHealth(caller, address) };
}
