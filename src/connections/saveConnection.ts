// Writes connections into the user's settings.
import { entriesOf, withoutEntry } from '../base/entries.ts';
import { notWritten, readSetting, settingHolds, writeSetting } from '../platform/settings.ts';

/** Writes connections beside those that are there. */
export async function saveConnections(entries: Readonly<Record<string, unknown>>): Promise<void> {
	// The settings may have changed while the questions were answered, so they are read again.
	await write({ ...entriesOf(readSetting('errand.connections')), ...entries });
	await settingHolds('errand.connections', value => Object.keys(entries).every(name => Object.hasOwn(value, name)));
}

/** Changes some fields of a connection and keeps what it says beyond them. An undefined value takes a field out. */
export async function changeConnection(name: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
	const present = entriesOf(readSetting('errand.connections'));
	const merged = { ...entriesOf(present[name]), ...changes };
	const entry = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
	await write({ ...present, [name]: entry });
	const text = JSON.stringify(entry);
	await settingHolds('errand.connections', value => JSON.stringify(entriesOf(value)[name]) === text);
}

export async function removeConnection(name: string): Promise<void> {
	await write(withoutEntry(readSetting('errand.connections'), name));
	await settingHolds('errand.connections', value => !Object.hasOwn(value, name));
}

async function write(value: Record<string, unknown>): Promise<void> {
	try {
		await writeSetting('errand.connections', value);
	} catch (error) {
		throw notWritten(error);
	}
}
