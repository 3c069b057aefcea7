import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { ChannelAddress } from '../../client/channel/address.ts';

/**
 * The target of an encrypted conversation, to which all its messages go. Without a connection, the conversation can be
 * read but never continued.
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
	/** Replies are asked for in one piece, because what the service streams is no encrypted reply. */
	readonly wantsWhole?: true;
	/** A reply failed verification, so the conversation cannot be continued. */
	readonly hasEnded?: true;
	/** Nothing of the conversation is written, and it is lost with its window. This is never stored in a file. */
	readonly isUnkept?: true;
}

/** The form in a file. Where it cannot be read, the conversation still counts as encrypted. */
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
