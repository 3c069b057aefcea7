import { onFirstUse } from '../../base/async.ts';
import { type Health, healthSchema } from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { readReply } from '../core/replyData.ts';
import type { Client } from '../types.ts';
import { type ChannelAddress, channelTarget } from './address.ts';
import type { ChannelContext } from './attest.ts';
import { GPU_MAKER, type HardwareAuthority } from './hardware/authority.ts';
import { ChannelMemory } from './memory.ts';

export interface ChannelOptions {
	/** The default is a memory that lasts as long as the client. */
	memory?: ChannelMemory;
	/** The default is the GPU maker. Tests use an authority of their own. */
	authority?: HardwareAuthority;
}

/** The encrypted message channel (contract: encrypted-channel.md). */
export function createChannel(
	caller: Caller,
	{ memory = new ChannelMemory(), authority = GPU_MAKER }: ChannelOptions = {},
): Client['channel'] {
	const context = onFirstUse(async (): Promise<ChannelContext> => {
		const { MakerKeys } = await import('./hardware/makerKeys.ts');
		return { caller, memory, authority, makerKeys: new MakerKeys(caller, authority.keyAddress) };
	});
	return {
		health: async (address = {}) => readHealth(caller, address),
		attest: async (options = {}) => {
			const { attest } = await import('./attest.ts');
			const { named: _, ...attested } = (await attest(await context(), options)).proof;
			return { ...attested, needsSessionPerMessage: memory.needsSessionPerMessage(attested.address) };
		},
		open: async (options = {}) => {
			// The cryptography is large, and most clients never need it.
			const { openSession } = await import('./session.ts');
			return openSession(await context(), options);
		},
	};
}

/** Reads the health record, which is public, so no key is sent (contract: encrypted-channel.md). */
async function readHealth(caller: Caller, address: ChannelAddress): Promise<Health> {
	const reply = await caller.json({
		...channelTarget(caller.connection, 'health', address),
		firstByteMs: caller.limits.lookUpFirstByteMs,
		retry: 'idempotent',
	});
	return readReply(healthSchema, reply, 'the reply is no health record');
}
