// A setting that maps names to entries, as it may be in a file that people write by hand.
import { type Fields, isFields } from '../../base/fields.ts';

/** Returns the entries, or none for anything that is not an object. */
export function entriesOf(value: unknown): Readonly<Fields> {
	return isFields(value) ? value : {};
}
