import type { ClientBase, Pool } from 'pg';
import { describeError, systemErrorCode, UserFacingError } from '../../base/errors.ts';
import { transaction } from './pool.ts';

/**
 * What brings the schema from each version to the next one, from an empty database on. Texts of users, agents and
 * repositories are in columns of the type `json`, because PostgreSQL's own texts cannot hold U+0000 and half surrogate
 * pairs, while JSON writes them as escapes.
 */
const MIGRATIONS: readonly string[] = [
	`
	CREATE TABLE users (
		id text PRIMARY KEY,
		name text NOT NULL UNIQUE,
		email text,
		created_at timestamptz NOT NULL DEFAULT now()
	);
	CREATE TABLE teams (
		id text PRIMARY KEY,
		name text NOT NULL UNIQUE,
		created_at timestamptz NOT NULL DEFAULT now()
	);
	CREATE TABLE members (
		user_id text NOT NULL REFERENCES users,
		team_id text NOT NULL REFERENCES teams,
		PRIMARY KEY (user_id, team_id)
	);
	CREATE TABLE tokens (
		id text PRIMARY KEY,
		-- SHA-256. The token itself has 256 random bits, so nobody can guess it from its hash.
		hash bytea NOT NULL UNIQUE,
		user_id text NOT NULL REFERENCES users,
		created_at timestamptz NOT NULL DEFAULT now(),
		revoked_at timestamptz
	);
	CREATE TABLE source_tokens (
		user_id text NOT NULL REFERENCES users,
		scm text NOT NULL,
		key_id text NOT NULL,
		sealed bytea NOT NULL,
		PRIMARY KEY (user_id, scm)
	);
	-- The requests of the last minute in which a user has made any. A crash of the database may empty it.
	CREATE UNLOGGED TABLE requests (
		user_id text PRIMARY KEY REFERENCES users,
		minute timestamptz NOT NULL,
		count integer NOT NULL
	);

	CREATE TABLE tasks (
		sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		id text NOT NULL UNIQUE,
		user_id text NOT NULL REFERENCES users,
		team_id text REFERENCES teams,
		is_public boolean NOT NULL,
		turn integer NOT NULL DEFAULT 1,
		status text NOT NULL,
		interrupted boolean NOT NULL DEFAULT false,
		stop_requested boolean NOT NULL DEFAULT false,
		entry_count integer NOT NULL DEFAULT 0,
		-- The other fields of a TaskRecord.
		record json NOT NULL
	);
	CREATE INDEX tasks_of_users ON tasks (user_id, sequence);
	CREATE INDEX tasks_of_teams ON tasks (team_id, sequence) WHERE team_id IS NOT NULL;
	CREATE INDEX active_tasks ON tasks (user_id) WHERE status IN ('pending', 'processing', 'saving');

	CREATE TABLE executions (
		task_sequence bigint NOT NULL REFERENCES tasks,
		position integer NOT NULL,
		status text NOT NULL,
		-- The attempt of this turn that may write; 0 before the first one.
		attempt integer NOT NULL DEFAULT 0,
		-- The number of entries that this attempt has written.
		sent_entries integer NOT NULL DEFAULT 0,
		-- The other fields of an ExecutionRecord, now and when the turn began.
		record json NOT NULL,
		first_record json NOT NULL,
		git_diff json,
		PRIMARY KEY (task_sequence, position)
	);

	CREATE TABLE log_entries (
		task_sequence bigint NOT NULL REFERENCES tasks,
		position integer NOT NULL,
		-- That of the message in UTF-16 code units, so that pages are bounded before anything long is read.
		length integer NOT NULL,
		entry json NOT NULL,
		PRIMARY KEY (task_sequence, position)
	);

	CREATE TABLE model_use (
		task_sequence bigint NOT NULL REFERENCES tasks,
		position integer NOT NULL,
		turn integer NOT NULL,
		attempt integer NOT NULL,
		user_id text NOT NULL REFERENCES users,
		-- The month (UTC) of the first call, such as 2026-11.
		month text NOT NULL DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'),
		-- The sum of the known costs in US dollars.
		cost double precision NOT NULL,
		-- A list of ExecutionUse.
		use json NOT NULL,
		PRIMARY KEY (task_sequence, position, turn, attempt)
	);
	CREATE INDEX model_use_of_users ON model_use (user_id, month);

	CREATE TABLE workers (
		id text PRIMARY KEY,
		slots integer NOT NULL,
		agents json NOT NULL,
		seen_at timestamptz NOT NULL
	);
	`,
];

/** Any number will do that nothing else in the database locks. */
const LOCK = 4_839_201_745;

/** Brings the schema to this version. @throws UserFacingError if it is of a newer one, or cannot be reached. */
export async function migrate(pool: Pool): Promise<void> {
	await reach(pool);
	await transaction(pool, async client => {
		await client.query('SET LOCAL statement_timeout = 0');
		// Two programs may be started at the same time.
		await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
		await client.query(
			'CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
		);
		const present = await versionOf(client);
		for (const [index, migration] of MIGRATIONS.entries()) {
			if (index >= present) {
				await client.query(migration);
				await client.query('INSERT INTO schema_versions (version) VALUES ($1)', [index + 1]);
			}
		}
	});
}

/** @throws UserFacingError if the schema is not of this version, or cannot be reached. */
export async function checkSchema(pool: Pool): Promise<void> {
	await reach(pool);
	const { rows } = await pool.query("SELECT to_regclass('schema_versions') IS NOT NULL AS present");
	const version = rows[0]?.present ? await versionOf(pool) : 0;
	if (version < MIGRATIONS.length) {
		throw new UserFacingError(
			'The schema of the database is of an earlier version. Run `errand-service migrate` first.',
		);
	}
}

async function reach(pool: Pool): Promise<void> {
	try {
		(await pool.connect()).release();
	} catch (error) {
		const reason = systemErrorCode(error) ?? describeError(error);
		throw new UserFacingError(
			`The database cannot be reached (${reason}). Check its address in DATABASE_URL, and whether PostgreSQL is running there.`,
		);
	}
}

async function versionOf(client: Pick<ClientBase, 'query'>): Promise<number> {
	const { rows } = await client.query('SELECT coalesce(max(version), 0) AS version FROM schema_versions');
	const version = Number(rows[0]?.version);
	if (version > MIGRATIONS.length) {
		throw new UserFacingError('The database was set up by a newer version of this service. Update this one.');
	}
	return version;
}
