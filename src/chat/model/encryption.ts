import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { ChannelAddress } from '../../client/channel/address.ts';

/**
 * The target of an encrypted conversation, which gets all of its messages. Without a connection, the conversation can
 * be read but never continued.
 */
export interface Encryption {
	/** The name of the connection in the settings. */
	readonly connection?: string;
	/** The label under which the user knew the connection. */
	readonly label?: string;
	/** Model and provider are both absent for the shared address. */
	readonly model?: string;
	readonly provider?: string;
	/** The fingerprint of the key that was accepted last. The user is asked before another key is accepted. */
	readonly keyFingerprint?: string;
	/** Set if replies are requested in one piece, because what the service streams is not an encrypted reply. */
	readonly wantsWhole?: true;
	/** Set if a reply failed verification, so that the conversation cannot be continued. */
	readonly hasEnded?: true;
	/** Set if nothing of the conversation is written, so it is lost with its window. Never stored in a file. */
	readonly isUnkept?: true;
}

/** The form in a file. If it cannot be read, the conversation still counts as encrypted. */
export const encryptionSchema = z
	.object({
		connection: z.string().exactOptional(),
		label: z.string().exactOptional(),
		model: z.string().exactOptional(),
		provider: z.string().exactOptional(),
		keyFingerprint: z.string().exactOptional(),
		wantsWhole: z.literal(true).exactOptional(),
		hasEnded: z.literal(true).exactOptional(),
	})
	.catch({});

export function addressOf({ model, provider }: Encryption): ChannelAddress {
	return defined({ model, provider });
}
