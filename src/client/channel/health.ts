import { ClientError } from '../../base/errors.ts';
import { type Health, healthSchema } from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { type ChannelAddress, channelTarget } from './address.ts';

/** The health record (contract: encrypted-channel.md). Public: no key is sent. */
export async function readHealth(caller: Caller, address: ChannelAddress): Promise<Health> {
	const reply = await caller.json({
		...channelTarget(caller.connection, 'health', address),
		firstByteMs: caller.limits.lookUpFirstByteMs,
		retry: 'idempotent',
		signal: undefined,
	});
	const health = healthSchema.safeParse(reply).data;
	if (!health) {
		throw new ClientError('bad-response', 'the reply is no health record');
	}
	return health;
}
