import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Pool } from 'pg';
import { type Postgres, startPostgres } from '../../scripts/postgres.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { migrate } from '../../src/team/database/migrations.ts';
import { openPool } from '../../src/team/database/pool.ts';

/** Starts a PostgreSQL of a test's own, which it may stop and start again. */
export async function startOwnPostgres({ isDurable = false } = {}): Promise<Postgres> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-postgres-'));
	const postgres = await startPostgres(folder, { isDurable });
	return {
		...postgres,
		stop: async () => {
			await postgres.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Returns the address of a new, empty database in the PostgreSQL of the stage, or in one that `server` has started. */
export async function newDatabase(server: string): Promise<string> {
	const name = `test_${randomUUID().replaceAll('-', '')}`;
	const pool = new Pool({ connectionString: server });
	await pool.query(`CREATE DATABASE ${name}`);
	await pool.end();
	const url = new URL(server);
	url.pathname = `/${name}`;
	return url.href;
}

/** A database with the schema for the tests of a file. */
export interface TeamDatabase {
	readonly url: string;
	readonly pool: Pool;
}

/** Prepares an empty database before the tests of a block. */
export function useTeamDatabase(): TeamDatabase {
	let own: Postgres | undefined;
	let url: string;
	let pool: Pool;
	before(async function () {
		this.timeout(60_000);
		const shared = process.env['ERRAND_TEST_POSTGRES'];
		own = shared === undefined ? await startOwnPostgres() : undefined;
		url = await newDatabase(shared ?? (own as Postgres).url);
		pool = openPool(url, nullLogger);
		await migrate(pool);
	});
	after(async () => {
		await pool?.end();
		await own?.stop();
	});
	return {
		get url() {
			return url;
		},
		get pool() {
			return pool;
		},
	};
}
