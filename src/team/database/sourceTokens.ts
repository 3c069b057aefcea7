import type { Pool } from 'pg';
import type { Secrets } from '../secrets.ts';
import { transaction } from './pool.ts';

/** The tokens of users for source hosting, sealed under the keys of the environment. */
export class SourceTokens {
	private readonly pool: Pool;
	private readonly secrets: Secrets;

	constructor(pool: Pool, secrets: Secrets) {
		this.pool = pool;
		this.secrets = secrets;
	}

	async set(userId: string, scm: string, token: string): Promise<void> {
		const { keyId, bytes } = this.secrets.seal(token, ownerOf(userId, scm));
		await this.pool.query(
			`INSERT INTO source_tokens (user_id, scm, key_id, sealed) VALUES ($1, $2, $3, $4)
			ON CONFLICT (user_id, scm) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed`,
			[userId, scm, keyId, bytes],
		);
	}

	/** @throws UserFacingError if the token cannot be opened. */
	async get(userId: string, scm: string): Promise<string | undefined> {
		const { rows } = await this.pool.query(
			'SELECT key_id AS "keyId", sealed AS bytes FROM source_tokens WHERE user_id = $1 AND scm = $2',
			[userId, scm],
		);
		return rows[0] && this.secrets.open(rows[0], ownerOf(userId, scm));
	}

	/** Returns whether there was one. */
	async remove(userId: string, scm: string): Promise<boolean> {
		const result = await this.pool.query('DELETE FROM source_tokens WHERE user_id = $1 AND scm = $2', [userId, scm]);
		return result.rowCount === 1;
	}

	/** Seals every token under the current key. Returns how many were under another one. */
	async rotate(): Promise<number> {
		return transaction(this.pool, async client => {
			const { rows } = await client.query(
				`SELECT user_id AS "userId", scm, key_id AS "keyId", sealed AS bytes FROM source_tokens
				WHERE key_id <> $1 FOR UPDATE`,
				[this.secrets.current],
			);
			for (const { userId, scm, ...sealed } of rows) {
				const owner = ownerOf(userId, scm);
				const { keyId, bytes } = this.secrets.seal(this.secrets.open(sealed, owner), owner);
				await client.query('UPDATE source_tokens SET key_id = $3, sealed = $4 WHERE user_id = $1 AND scm = $2', [
					userId,
					scm,
					keyId,
					bytes,
				]);
			}
			return rows.length;
		});
	}
}

/** What a sealed token belongs to, so that it opens for no other user or host. */
const ownerOf = (userId: string, scm: string): string => JSON.stringify([userId, scm]);
