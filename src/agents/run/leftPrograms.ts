// Programs of a run that outlive the process that started them, because that one was killed.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import { endLeftProcesses, identify } from '../../base/leftProcesses.ts';

const FILE = 'process.json';

/** The time for them to end: git removes its lock files when it is asked to terminate. */
const GRACE_MS = 2_000;

const identitySchema = z.object({ pid: z.int().min(2), start: z.string().min(1) });

/**
 * Records in the folder of a run which program was started last. Never rejects: a program that cannot be recorded can
 * only be found by its marker.
 */
export async function recordStarted(folder: string, pid: number): Promise<void> {
	const identity = await identify(pid);
	if (identity !== undefined) {
		await writeFile(path.join(folder, FILE), JSON.stringify(identity), { mode: 0o600 }).catch(() => {});
	}
}

/** Ends the remaining programs of a run whose process has ended, by its folder and its marker. */
export async function endLeftPrograms(folder: string, marker: string): Promise<void> {
	const text = await readFile(path.join(folder, FILE), 'utf8').catch(() => '');
	await endLeftProcesses(identitySchema.safeParse(parseJson(text)).data, marker, GRACE_MS);
}
