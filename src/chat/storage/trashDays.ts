// For how long things have been in the trash. It is counted in days on which somebody has looked: a clock that is wrong
// for a while, or was wrong when something was deleted, would else remove it at once or never.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const countSchema = z.object({
	/** When somebody last looked, in milliseconds since the epoch. */
	lookedAt: z.number(),
	/** The number of days that have passed between looks. */
	days: z.number(),
	/** That number when a thing was first seen, by the thing's name. */
	since: z.record(z.string(), z.number()),
});

/**
 * Takes note in `file` that somebody looks now and sees these names. Returns those that have been there for at least `days`
 * days. A look adds the time since the one before, and at most a day. Rejects with the system's error where nothing can be
 * noted, and then nothing may be removed.
 */
export async function seenFor(days: number, file: string, names: readonly string[], now: number): Promise<string[]> {
	const before = countSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
	const passed = before === undefined ? 0 : Math.min(Math.max(0, now - before.lookedAt), DAY_MS) / DAY_MS;
	const count = (before?.days ?? 0) + passed;
	const since = Object.fromEntries(names.map(name => [name, before?.since[name] ?? count]));
	await replaceFile(file, JSON.stringify({ lookedAt: now, days: count, since } satisfies z.output<typeof countSchema>));
	return names.filter(name => count - (since[name] ?? count) >= days);
}
