import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import * as z from 'zod';
import { systemErrorCode } from './errors.ts';
import { parseJson } from './json.ts';
import { identify } from './leftProcesses.ts';

/** A claim is void if its process is gone, or if another one has its number. */
const claimSchema = z.object({ pid: z.number(), start: z.string() });

/** Cached, because some systems take a while to identify this process. */
let self: ReturnType<typeof identify> | undefined;

/**
 * Claims something for this process with a file that names it, whose folder must exist. Resolves to a function that
 * releases the claim, or to undefined if a living process has it. Rejects with the system's error. The file is linked
 * into place whole, so that nobody reads half of it.
 */
export async function claimForProcess(file: string): Promise<(() => Promise<void>) | undefined> {
	self ??= identify(process.pid);
	const own = `${file}.${randomUUID()}`;
	await writeFile(own, JSON.stringify((await self) ?? {}), { mode: 0o600 });
	try {
		return (await isLinked(own, file)) || (!(await isHeld(file)) && (await isLinked(own, file)))
			? () => rm(file, { force: true })
			: undefined;
	} finally {
		await rm(own, { force: true });
	}
}

async function isLinked(own: string, file: string): Promise<boolean> {
	try {
		await link(own, file);
		return true;
	} catch (error) {
		if (systemErrorCode(error) === 'EEXIST') {
			return false;
		}
		throw error;
	}
}

/** Removes the claim of a process that has ended without releasing it. */
async function isHeld(file: string): Promise<boolean> {
	const holder = claimSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
	if (holder && (await identify(holder.pid))?.start === holder.start) {
		return true;
	}
	await rm(file, { force: true });
	return false;
}
