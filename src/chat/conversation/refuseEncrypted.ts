import type { Encryption } from '../model/encryption.ts';
import type { TurnMode } from '../model/mode.ts';
import type { SendRefusal } from './chatOptions.ts';

/** Why a message of an encrypted conversation is not taken. `connection`: the name of the active one. */
export function refuseEncrypted(
	{ connection: expected, label = expected, hasEnded }: Encryption,
	mode: TurnMode,
	connection: string,
): SendRefusal | undefined {
	if (hasEnded) {
		return { reason: 'encryption-ended' };
	}
	if (expected === undefined) {
		return { reason: 'encryption-lost' };
	}
	if (mode !== 'chat') {
		return { reason: 'encrypted-mode' };
	}
	return expected === connection ? undefined : { reason: 'other-connection', expected: label ?? expected };
}
