import type { BenchRow } from './row.ts';
import { databaseWrites, followers } from './teamLoad.ts';

/** Measures goal 24: what one front end and one database of the service for a team bear. */
export async function rows(): Promise<BenchRow[]> {
	return [await followers(), await databaseWrites()];
}
