import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DatabaseError, type Pool, type QueryResultRow } from 'pg';
import { UserFacingError } from '../../base/errors.ts';

const TOKEN_BYTES = 32;
const MAXIMUM_NAME_LENGTH = 100;
const UNIQUE_VIOLATION = '23505';

export interface Team {
	id: string;
	name: string;
}

export interface User {
	id: string;
	name: string;
	email: string | null;
	teams: readonly Team[];
}

export interface TokenRecord {
	id: string;
	createdAt: Date;
	revokedAt: Date | null;
}

const SELECT_USERS = `SELECT u.id, u.name, u.email, coalesce((
		SELECT json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY t.name)
		FROM members m JOIN teams t ON t.id = m.team_id WHERE m.user_id = u.id
	), '[]') AS teams
	FROM users u`;

/** Users, teams and tokens, by the names that operators give. */
export class People {
	private readonly pool: Pool;

	constructor(pool: Pool) {
		this.pool = pool;
	}

	/** @throws UserFacingError if the name is taken or cannot be one. */
	async addUser(name: string, email?: string): Promise<User> {
		const id = randomUUID();
		const values = [id, nameOf(name), email ?? null];
		await this.add(`user ${name}`, 'INSERT INTO users (id, name, email) VALUES ($1, $2, $3)', values);
		return { id, name, email: email ?? null, teams: [] };
	}

	/** @throws UserFacingError if the name is taken or cannot be one. */
	async addTeam(name: string): Promise<Team> {
		const id = randomUUID();
		await this.add(`team ${name}`, 'INSERT INTO teams (id, name) VALUES ($1, $2)', [id, nameOf(name)]);
		return { id, name };
	}

	/** Makes a user a member of a team. @throws UserFacingError if there is no such user or team. */
	async join(team: string, user: string): Promise<void> {
		const { id } = await this.user(user);
		const result = await this.pool.query(
			'INSERT INTO members (user_id, team_id) SELECT $1, id FROM teams WHERE name = $2 ON CONFLICT (user_id, team_id) DO UPDATE SET user_id = excluded.user_id',
			[id, team],
		);
		if (result.rowCount === 0) {
			throw new UserFacingError(`There is no team ${team}. Add it with: errand-service team add`);
		}
	}

	/** Ends a user's membership of a team. @throws UserFacingError if the user is no member of it. */
	async leave(team: string, user: string): Promise<void> {
		const { id } = await this.user(user);
		const result = await this.pool.query(
			'DELETE FROM members m USING teams t WHERE t.id = m.team_id AND m.user_id = $1 AND t.name = $2',
			[id, team],
		);
		if (result.rowCount === 0) {
			throw new UserFacingError(`${user} is no member of a team ${team}.`);
		}
	}

	/** Returns a user by name. @throws UserFacingError if there is none. */
	async user(name: string): Promise<User> {
		const { rows } = await this.pool.query<User & QueryResultRow>(`${SELECT_USERS} WHERE u.name = $1`, [name]);
		if (rows[0] === undefined) {
			throw new UserFacingError(`There is no user ${name}. Add one with: errand-service user add`);
		}
		return rows[0];
	}

	/** Makes a token, which can be shown only now: its hash alone is kept. */
	async addToken(user: string): Promise<{ id: string; token: string }> {
		const { id: userId } = await this.user(user);
		// The prefix is that of keys of the agent API, so that logs and scanners know it for a secret.
		const token = `sk-errand-${randomBytes(TOKEN_BYTES).toString('base64url')}`;
		const id = randomUUID();
		await this.pool.query('INSERT INTO tokens (id, hash, user_id) VALUES ($1, $2, $3)', [id, hashOf(token), userId]);
		return { id, token };
	}

	/** @throws UserFacingError if there is no such token in force. */
	async revokeToken(id: string): Promise<void> {
		const result = await this.pool.query('UPDATE tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL', [
			id,
		]);
		if (result.rowCount === 0) {
			throw new UserFacingError(`There is no token ${id} in force. List them with: errand-service token list USER`);
		}
	}

	/** Returns the tokens of a user, the latest first. */
	async tokensOf(user: string): Promise<TokenRecord[]> {
		const { id } = await this.user(user);
		const { rows } = await this.pool.query<TokenRecord & QueryResultRow>(
			'SELECT id, created_at AS "createdAt", revoked_at AS "revokedAt" FROM tokens WHERE user_id = $1 ORDER BY created_at DESC, id',
			[id],
		);
		return rows;
	}

	/** Returns whose token this is. Nothing is kept in memory, so that a revoked token is refused at once. */
	async userOfToken(token: string): Promise<User | undefined> {
		const { rows } = await this.pool.query<User & QueryResultRow>(
			`${SELECT_USERS} JOIN tokens k ON k.user_id = u.id WHERE k.hash = $1 AND k.revoked_at IS NULL`,
			[hashOf(token)],
		);
		return rows[0];
	}

	/** Counts a request of a user. Returns the number of them in this minute, and the time until it ends. */
	async countRequest(userId: string): Promise<{ count: number; secondsLeft: number }> {
		const { rows } = await this.pool.query(
			`INSERT INTO requests (user_id, minute, count) VALUES ($1, date_trunc('minute', now()), 1)
			ON CONFLICT (user_id) DO UPDATE SET
				count = CASE WHEN requests.minute = excluded.minute THEN requests.count + 1 ELSE 1 END,
				minute = excluded.minute
			RETURNING count, ceil(60 - extract(second FROM now()))::integer AS "secondsLeft"`,
			[userId],
		);
		return rows[0];
	}

	/** Returns the known cost of a user's tasks in this calendar month (UTC), in US dollars. */
	async costThisMonth(userId: string): Promise<number> {
		const { rows } = await this.pool.query(
			`SELECT coalesce(sum(cost), 0) AS cost FROM model_use
			WHERE user_id = $1 AND month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`,
			[userId],
		);
		return rows[0]?.cost;
	}

	private async add(what: string, sql: string, values: unknown[]): Promise<void> {
		try {
			await this.pool.query(sql, values);
		} catch (error) {
			if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) {
				throw new UserFacingError(`There is a ${what} already. Choose another name.`);
			}
			throw error;
		}
	}
}

function nameOf(name: string): string {
	if (name.trim() !== name || name === '' || name.length > MAXIMUM_NAME_LENGTH || /\p{C}/u.test(name)) {
		throw new UserFacingError(
			`A name has 1 to ${MAXIMUM_NAME_LENGTH} visible characters, without a space at its beginning or end.`,
		);
	}
	return name;
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
