// Measures how long things have been in the trash, in days on which the trash was examined: a clock that is wrong for a
// while, or was wrong when something was deleted, would otherwise remove it at once or never.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { replaceFile } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const countSchema = z.object({
	/** The time of the last examination, in milliseconds since the epoch. */
	lookedAt: z.number(),
	/** The number of days that have passed between examinations. */
	days: z.number(),
	/** That number when each name was first seen. */
	since: z.record(z.string(), z.number()),
});

/**
 * Records in `file` that the trash is examined now and contains these names. Returns those that have been there for at
 * least `days` days. Each examination adds the time since the previous one, but at most a day. Rejects with the
 * system's error if nothing can be recorded, and then nothing may be removed.
 */
export async function expiredTrash(
	days: number,
	file: string,
	names: readonly string[],
	now: number,
): Promise<string[]> {
	const before = countSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
	const passed = before === undefined ? 0 : Math.min(Math.max(0, now - before.lookedAt), DAY_MS) / DAY_MS;
	const count = (before?.days ?? 0) + passed;
	const since = Object.fromEntries(names.map(name => [name, before?.since[name] ?? count]));
	await replaceFile(file, JSON.stringify({ lookedAt: now, days: count, since } satisfies z.output<typeof countSchema>));
	return names.filter(name => count - (since[name] ?? count) >= days);
}
