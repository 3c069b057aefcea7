import * as z from 'zod';
import type { ChannelAddress } from '../../client/channel/address.ts';

/** Of an encrypted conversation: where all of its messages go. Without a connection it can be read, and never goes on. */
export interface Encryption {
	/** The connection, by its name in the settings. */
	readonly connection?: string;
	/** How the user knew it. */
	readonly label?: string;
	/** Both absent on the shared address. */
	readonly model?: string;
	readonly provider?: string;
	/** Of the key that was accepted last: another one is asked about. */
	readonly keyFingerprint?: string;
	/** A reply did not hold: it does not go on. */
	readonly hasEnded?: true;
	/** Nothing of it is written; it goes with the window. Never in a file. */
	readonly isUnkept?: true;
}

/** As it stands in a file. What cannot be read is an encrypted conversation still. */
export const encryptionSchema = z
	.object({
		connection: z.string().exactOptional(),
		label: z.string().exactOptional(),
		model: z.string().exactOptional(),
		provider: z.string().exactOptional(),
		keyFingerprint: z.string().exactOptional(),
		hasEnded: z.literal(true).exactOptional(),
	})
	.catch({});

export function addressOf({ model, provider }: Encryption): ChannelAddress {
	return { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) };
}
