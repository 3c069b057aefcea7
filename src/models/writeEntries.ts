import { defined } from '../base/defined.ts';
import type { Fields } from '../base/fields.ts';
import { notWritten, readSetting, settingHolds, writeSetting } from '../platform/settings.ts';
import { entriesOf } from './model/entries.ts';

/**
 * Changes the entries of a setting, which are read again, as they may have changed while questions were answered. An
 * undefined entry is removed. Resolves once the change is visible here. @throws UserFacingError if the settings cannot be
 * written.
 */
export async function writeEntries(
	id: 'errand.connections' | 'errand.local.upstreams',
	change: (entries: Readonly<Fields>) => Fields,
	holds: (entries: Readonly<Fields>) => boolean,
): Promise<void> {
	try {
		await writeSetting(id, defined(change(entriesOf(readSetting(id)))));
	} catch (error) {
		throw notWritten(error);
	}
	await settingHolds(id, value => holds(entriesOf(value)));
}
