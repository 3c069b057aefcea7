import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { replaceFileSync } from '../base/files.ts';
import { DISCOVERY_FILE, type Discovery, discoverySchema } from '../contract/control.ts';

/** Writes the discovery file atomically, readable by its owner only. The caller holds the instance lock. */
export function writeDiscovery(stateFolder: string, discovery: Discovery): void {
	const file = path.join(stateFolder, DISCOVERY_FILE);
	replaceFileSync(file, `${JSON.stringify(discovery)}\n`, { flush: true });
}

export function removeDiscovery(stateFolder: string): void {
	rmSync(path.join(stateFolder, DISCOVERY_FILE), { force: true });
}

/** Returns the content of the file, or undefined if it does not exist or is invalid. The content proves nothing. */
export function readDiscovery(stateFolder: string): Discovery | undefined {
	try {
		return discoverySchema.parse(JSON.parse(readFileSync(path.join(stateFolder, DISCOVERY_FILE), 'utf8')));
	} catch {
		return undefined;
	}
}
