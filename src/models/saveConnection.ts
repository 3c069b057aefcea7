// Writes connections into the user's settings.

import { readSetting } from '../platform/settings.ts';
import { entriesOf, withoutEntry } from './model/entries.ts';
import { writeEntries } from './writeEntries.ts';

/** Writes a connection in addition to the others, or in place of the one of its name. */
export async function saveConnection(name: string, entry: Readonly<Record<string, unknown>>): Promise<void> {
	const text = JSON.stringify(entry);
	// The settings may have changed while the questions were answered, so they are read again.
	const entries = { ...entriesOf(readSetting('errand.connections')), [name]: entry };
	await writeEntries('errand.connections', entries, value => JSON.stringify(entriesOf(value)[name]) === text);
}

/** Changes some fields of a connection and keeps its other fields. An undefined value removes a field. */
export async function changeConnection(name: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
	const merged = { ...entriesOf(entriesOf(readSetting('errand.connections'))[name]), ...changes };
	await saveConnection(name, Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)));
}

export async function removeConnection(name: string): Promise<void> {
	const entries = withoutEntry(readSetting('errand.connections'), name);
	await writeEntries('errand.connections', entries, value => !Object.hasOwn(value, name));
}
