import { notWritten, settingHolds, writeSetting } from '../platform/settings.ts';

/**
 * Writes the entries of a setting, and resolves once the change is visible here. @throws UserFacingError if the
 * settings cannot be written.
 */
export async function writeEntries(
	id: 'errand.connections' | 'errand.local.upstreams',
	entries: Record<string, unknown>,
	holds: (value: Record<string, unknown>) => boolean,
): Promise<void> {
	try {
		await writeSetting(id, entries);
	} catch (error) {
		throw notWritten(error);
	}
	await settingHolds(id, holds);
}
