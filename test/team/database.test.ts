import assert from 'node:assert/strict';
import { nullLogger } from '../../src/base/logger.ts';
import { checkSchema, migrate } from '../../src/team/database/migrations.ts';
import { Notifications } from '../../src/team/database/notifications.ts';
import { openPool, transaction } from '../../src/team/database/pool.ts';
import { newDatabase, startOwnPostgres, useTeamDatabase } from '../support/useTeamDatabase.ts';
import { waitFor } from '../support/waitFor.ts';

describe('the schema', () => {
	const database = useTeamDatabase();

	it('is made once, by however many programs at the same time', async () => {
		const url = await newDatabase(database.url);
		const pools = [0, 1, 2, 3].map(() => openPool(url, nullLogger));
		const [pool] = pools;
		assert.ok(pool);
		await assert.rejects(checkSchema(pool), /Run `errand-service migrate` first\./);
		await Promise.all(pools.map(migrate));
		await migrate(pool);
		await checkSchema(pool);
		const { rows } = await pool.query('SELECT version FROM schema_versions');
		assert.deepEqual(rows, [{ version: 1 }]);
		await Promise.all(pools.map(other => other.end()));
	});

	it('is left alone if a newer version has made it', async () => {
		const url = await newDatabase(database.url);
		const pool = openPool(url, nullLogger);
		await migrate(pool);
		await pool.query('INSERT INTO schema_versions (version) VALUES (1000)');
		for (const read of [migrate, checkSchema]) {
			await assert.rejects(read(pool), /newer version of this service\. Update this one\.$/);
		}
		await pool.end();
	});

	it('says where to look if there is no database at the address', async () => {
		const url = new URL(database.url);
		url.password = 'wrong';
		for (const address of [url.href, 'postgres://errand@127.0.0.1:1/errand']) {
			const pool = openPool(address, nullLogger);
			await assert.rejects(
				checkSchema(pool),
				/^UserFacingError: The database cannot be reached \(.+\)\. Check its address/,
			);
			await pool.end();
		}
	});
});

describe('a transaction', () => {
	const database = useTeamDatabase();

	it('is stored as a whole or not at all, and its connection goes back', async () => {
		const { pool } = database;
		await pool.query('CREATE TABLE numbers (number integer PRIMARY KEY)');
		const insert = (numbers: number[]) =>
			transaction(pool, async client => {
				for (const number of numbers) {
					await client.query('INSERT INTO numbers VALUES ($1)', [number]);
				}
				return numbers.length;
			});
		for (let round = 0; round < 20; round++) {
			await assert.rejects(insert([1, 2, 1]), /duplicate key/);
		}
		assert.equal(await insert([1, 2]), 2);
		assert.equal((await pool.query('SELECT FROM numbers')).rowCount, 2);
	});

	it('does not keep its locks when its program stands still in the middle of it', async () => {
		const { rows } = await database.pool.query(
			"SELECT current_setting('idle_in_transaction_session_timeout') AS limit",
		);
		assert.deepEqual(rows, [{ limit: '5s' }]);
	});
});

describe('Notifications', function () {
	this.timeout(120_000);

	it('come again after the database was away, and say that some may be lost', async () => {
		const postgres = await startOwnPostgres();
		const pool = openPool(postgres.url, nullLogger);
		const notifications = new Notifications(postgres.url, nullLogger);
		try {
			const heard: (string | undefined)[] = [];
			const listening = notifications.onTask(id => heard.push(id));
			const notify = (id: string) => pool.query("SELECT pg_notify('errand_task', $1)", [id]);
			notifications.start();
			await waitFor('the connection', () => heard.length === 1);
			await notify('one');
			await waitFor('news', () => heard.includes('one'));
			for (const name of ['two', 'three']) {
				const connections = heard.filter(id => id === undefined).length;
				await postgres.restart();
				await waitFor('a new connection', () => heard.filter(id => id === undefined).length > connections);
				await notify(name);
				await waitFor('news', () => heard.includes(name));
			}
			assert.equal(heard.filter(id => id === undefined).length, 3);
			listening.dispose();
			const before = heard.length;
			const later: unknown[] = [];
			notifications.onTask(id => later.push(id));
			await notify('four');
			await waitFor('news', () => later.includes('four'));
			assert.equal(heard.length, before);
		} finally {
			await notifications.dispose();
			await pool.end();
			await postgres.stop();
		}
	});

	it('are tried for until there is a database, and end at once when nobody wants them any more', async () => {
		const warnings: string[] = [];
		const logger = { log: (_: string, message: string) => warnings.push(message) };
		const notifications = new Notifications('postgres://errand@127.0.0.1:1/errand', logger);
		notifications.start();
		await waitFor('two attempts', () => warnings.length >= 2);
		await notifications.dispose();
	});
});
