import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { identify, type ProcessIdentity } from '../../base/leftProcesses.ts';

const FILE = 'process.json';

const identitySchema = z.object({ pid: z.int().min(2), start: z.string().min(1) });

/**
 * Writes down which program an execution has started without a sandbox, in the execution's folder, for a service that
 * starts after this one was killed. Never rejects: what cannot be written down is found by its marker, if at all.
 */
export async function recordStarted(folder: string, pid: number): Promise<void> {
	const identity = await identify(pid);
	if (identity !== undefined) {
		await writeFile(path.join(folder, FILE), JSON.stringify(identity), { mode: 0o600 }).catch(() => {});
	}
}

/** Returns the last one that was written down for an execution's folder. It may have ended long ago. */
export async function readStarted(folder: string): Promise<ProcessIdentity | undefined> {
	try {
		return identitySchema.parse(JSON.parse(await readFile(path.join(folder, FILE), 'utf8')));
	} catch {
		return undefined;
	}
}
