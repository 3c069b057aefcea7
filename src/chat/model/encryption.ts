import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { ChannelAddress } from '../../client/channel/address.ts';

/** The form in a file. If it cannot be read, the conversation still counts as encrypted. */
export const encryptionSchema = z
	.object({
		/** The name of the connection in the settings. */
		connection: z.string().exactOptional(),
		/** The label under which the user knew the connection. */
		label: z.string().exactOptional(),
		/** Model and provider are both absent for the shared address. */
		model: z.string().exactOptional(),
		provider: z.string().exactOptional(),
		/** The fingerprint of the key that was accepted last. The user is asked before another key is accepted. */
		keyFingerprint: z.string().exactOptional(),
		/** Set if replies are requested in one piece, because what the service streams is not an encrypted reply. */
		wantsWhole: z.literal(true).exactOptional(),
		/** Set if a reply failed verification, so that the conversation cannot be continued. */
		hasEnded: z.literal(true).exactOptional(),
	})
	.catch({});

/**
 * The target of an encrypted conversation, which gets all of its messages. Without a connection, the conversation can
 * be read but never continued.
 */
export interface Encryption extends Readonly<z.output<typeof encryptionSchema>> {
	/** Set if nothing of the conversation is written, so it is lost with its window. Never stored in a file. */
	readonly isUnkept?: true;
}

export function addressOf({ model, provider }: Encryption): ChannelAddress {
	return defined({ model, provider });
}
