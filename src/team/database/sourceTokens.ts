import type { Pool } from 'pg';
import type { Secrets } from '../secrets.ts';

/** The tokens of users for source hosting, sealed under the keys of the environment. */
export declare class SourceTokens {
	constructor(pool: Pool, secrets: Secrets);
	set(userId: string, scm: string, token: string): Promise<void>;
	get(userId: string, scm: string): Promise<string | undefined>;
	/** Seals every token under the current key, and returns how many were under another. */
	rotate(): Promise<number>;
}
