// The way a provider treats prompts and replies. The local service states it as fields; the user's settings describe it
// in words, of which a few are understood.
import * as z from 'zod';

/**
 * The facts that somebody vouches for. A missing field is unknown, which a service counts as the worst case (contract:
 * inference.md, Zero data retention, rule 5).
 */
export const dataPolicySchema = z.strictObject({
	zeroDataRetention: z.boolean().optional(),
	storesData: z.boolean().optional(),
});
export type DataPolicy = z.output<typeof dataPolicySchema>;

/** A provider's data policy in a connection. `text` is the user's own description if it comes from the settings. */
export interface StatedDataPolicy extends DataPolicy {
	text?: string | undefined;
}

const ZERO_DATA_RETENTION = 'zero data retention';
const STORES_NO_DATA = 'stores no data';
const STORES_DATA = 'stores data';

/** The descriptions that are understood. Zero retention is more than storing nothing, so it must be stated. */
const UNDERSTOOD: Readonly<Record<string, DataPolicy>> = {
	[ZERO_DATA_RETENTION]: { zeroDataRetention: true, storesData: false },
	[STORES_NO_DATA]: { zeroDataRetention: false, storesData: false },
	[STORES_DATA]: { zeroDataRetention: false, storesData: true },
};

/** The data policy as the user describes it in the settings. Any other text leaves the provider's behaviour unknown. */
export const describedDataPolicySchema = z.string().transform((description): StatedDataPolicy | undefined => {
	const text = description.trim();
	return text === '' ? undefined : { text, ...UNDERSTOOD[text.toLowerCase().replace(/\.$/, '')] };
});

/** Returns the data policy in the words of the settings, or undefined if nothing is known about it. */
export function dataPolicyText(dataPolicy: StatedDataPolicy | undefined): string | undefined {
	if (dataPolicy?.text !== undefined) {
		return dataPolicy.text;
	}
	if (dataPolicy?.zeroDataRetention) {
		return dataPolicy.storesData ? `${ZERO_DATA_RETENTION}, ${STORES_DATA}` : ZERO_DATA_RETENTION;
	}
	return dataPolicy?.storesData === undefined ? undefined : dataPolicy.storesData ? STORES_DATA : STORES_NO_DATA;
}
