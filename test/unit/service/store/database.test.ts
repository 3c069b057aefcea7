import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConsentStore } from '../../../../src/service/store/consentStore.ts';
import { databaseFailure, openDatabase } from '../../../../src/service/store/database.ts';
import { SCHEMA_VERSION } from '../../../../src/service/store/schema.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';

describe('openDatabase', () => {
	let folder: string;
	let file: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-database-'));
		file = path.join(folder, 'state.sqlite');
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	const read = (database: DatabaseSync, sql: string) => ({ ...database.prepare(sql).get() });

	it('makes the schema of a new file, and leaves it as it is the next time', () => {
		const [first, second] = [1, 2].map(() => {
			const database = openDatabase(file);
			try {
				assert.deepEqual(read(database, 'PRAGMA user_version'), { user_version: SCHEMA_VERSION });
				return read(database, 'PRAGMA schema_version');
			} finally {
				database.close();
			}
		});
		assert.deepEqual(first, second);
	});

	/** Takes away what later versions have added. */
	const asThirdVersion = (database: DatabaseSync) =>
		database.exec(`
			ALTER TABLE executions DROP COLUMN composition;
			ALTER TABLE tasks DROP COLUMN fromStep;
			DROP TABLE steps;
			ALTER TABLE tasks DROP COLUMN mcpServers;
			ALTER TABLE consents DROP COLUMN missingHosts;
			DROP TABLE modelUse;
			ALTER TABLE executions DROP COLUMN maxCost;
			ALTER TABLE executions ADD COLUMN inputTokens INTEGER;
			ALTER TABLE executions ADD COLUMN outputTokens INTEGER;
			ALTER TABLE executions ADD COLUMN cost REAL;
			PRAGMA user_version = 3;
		`);

	it('upgrades a file of the fourth version, and keeps what was allowed', () => {
		const earlier = openDatabase(file);
		new ConsentStore(earlier).allow('/a', { kind: 'dependencies', hosts: ['one:443'], allowsScripts: true });
		earlier.exec(`
			ALTER TABLE executions DROP COLUMN composition;
			ALTER TABLE tasks DROP COLUMN fromStep;
			DROP TABLE steps;
			ALTER TABLE tasks DROP COLUMN mcpServers;
			ALTER TABLE consents DROP COLUMN missingHosts;
			PRAGMA user_version = 4;
		`);
		earlier.close();
		const database = openDatabase(file);
		try {
			const store = new ConsentStore(database);
			assert.deepEqual(store.dependencies('/a'), { hosts: ['one:443'], allowsScripts: true });
			assert.deepEqual(store.missing('/a'), []);
		} finally {
			database.close();
		}
	});

	it('upgrades a file of the third version with what tasks have cost, as far as that was known', () => {
		const earlier = openDatabase(file);
		const tasks = new TaskStore(earlier);
		for (const id of ['priced', 'unpriced', 'unused']) {
			tasks.create({
				id,
				prompt: 'Do it',
				repoUrl: '/repo',
				selectedBranch: 'main',
				agents: [{ agent: 'pi', model: 'small' }],
				installDependencies: false,
				maxDuration: 60,
			});
		}
		asThirdVersion(earlier);
		earlier.exec(`
			UPDATE tasks SET completedAt = '2026-10-15T12:00:00.000Z';
			UPDATE executions SET inputTokens = 100, outputTokens = 10, cost = 0.5 WHERE taskSequence = 1;
			UPDATE executions SET inputTokens = 100, outputTokens = 10 WHERE taskSequence = 2;
			UPDATE executions SET inputTokens = 0, outputTokens = 0, cost = 0 WHERE taskSequence = 3;
		`);
		earlier.close();
		const database = openDatabase(file);
		try {
			const store = new TaskStore(database);
			const used = (id: string) => {
				const task = store.get(id) ?? assert.fail('no task');
				return store.modelUse.ofTask(task).map(({ agent, model, provider, calls, inputTokens, cost }) => ({
					agent,
					model,
					provider,
					calls,
					inputTokens,
					cost,
				}));
			};
			const known = { agent: 'pi', model: 'small', provider: null, calls: 0, inputTokens: 100 };
			assert.deepEqual(used('priced'), [{ ...known, cost: 0.5 }]);
			assert.deepEqual(used('unpriced'), [{ ...known, cost: null }]);
			assert.deepEqual(used('unused'), []);
			assert.deepEqual(
				store.modelUse.months().map(({ month, tasks: count }) => [month, count]),
				[['2026-10', 2]],
			);
		} finally {
			database.close();
		}
	});

	it('upgrades a file of the first version, and keeps what is in it', () => {
		const earlier = openDatabase(file);
		asThirdVersion(earlier);
		for (const column of ['sandboxed', 'inputTokens', 'outputTokens', 'cost', 'hasWork', 'tests', 'testFilesChanged']) {
			earlier.exec(`ALTER TABLE executions DROP COLUMN ${column}`);
		}
		earlier.exec("DROP TABLE consents; INSERT INTO namedFolders VALUES ('/a', ''); PRAGMA user_version = 1");
		earlier.close();
		const database = openDatabase(file);
		try {
			assert.deepEqual(read(database, 'PRAGMA user_version'), { user_version: SCHEMA_VERSION });
			assert.deepEqual(read(database, 'SELECT count(*) AS count FROM consents'), { count: 0 });
			assert.deepEqual(read(database, 'SELECT folder FROM namedFolders'), { folder: '/a' });
		} finally {
			database.close();
		}
	});

	it('upgrades a file of the second version, and asks again for what was allowed without a reason', () => {
		const earlier = openDatabase(file);
		asThirdVersion(earlier);
		earlier.exec(`
			ALTER TABLE consents DROP COLUMN problem;
			ALTER TABLE executions DROP COLUMN tests;
			ALTER TABLE executions DROP COLUMN testFilesChanged;
			INSERT INTO consents VALUES ('/a', 'unsandboxed', '[]', 0, ''), ('/a', 'dependencies', '["one:443"]', 1, '');
			PRAGMA user_version = 2;
		`);
		earlier.close();
		const database = openDatabase(file);
		try {
			assert.deepEqual(read(database, 'PRAGMA user_version'), { user_version: SCHEMA_VERSION });
			const kinds = database.prepare('SELECT kind FROM consents').all();
			assert.deepEqual(
				kinds.map(({ kind }) => kind),
				['dependencies'],
			);
		} finally {
			database.close();
		}
	});

	it('refuses a file of a newer version, and leaves it as it is', () => {
		const newer = new DatabaseSync(file);
		newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
		newer.close();
		assert.throws(() => openDatabase(file), { name: 'UserFacingError', message: /newer version of Errand/ });
		const after = new DatabaseSync(file);
		assert.deepEqual(read(after, 'SELECT count(*) AS count FROM sqlite_schema'), { count: 0 });
		after.close();
	});

	it('leaves a file as it was in which the schema cannot be made', () => {
		const other = new DatabaseSync(file);
		// The last table of the schema has this name.
		other.exec('CREATE TABLE namedFolders (x)');
		other.close();
		assert.throws(() => openDatabase(file), { name: 'UserFacingError' });
		const after = new DatabaseSync(file);
		assert.deepEqual(read(after, 'PRAGMA user_version'), { user_version: 0 });
		assert.deepEqual(read(after, 'SELECT count(*) AS count FROM sqlite_schema'), { count: 1 });
		after.close();
	});

	it('names another program that holds the file, and does not advise to move it', () => {
		const other = new DatabaseSync(file);
		other.exec('CREATE TABLE something (x); BEGIN EXCLUSIVE');
		try {
			assert.throws(() => openDatabase(file, 50), {
				name: 'UserFacingError',
				message: `${file} is in use by another program (database is locked). End that program, then start again.`,
			});
		} finally {
			other.close();
		}
		openDatabase(file).close();
	});

	it('says that the disk is full', () => {
		const database = openDatabase(file);
		try {
			// The limit on pages is SQLite's own way to a full disk.
			database.exec('PRAGMA max_page_count = 1');
			assert.throws(
				() => database.exec('CREATE TABLE large AS SELECT randomblob(100000)'),
				error => {
					assert.match(databaseFailure(file, error), /cannot be written \(.*full\)\. Free some space/);
					return true;
				},
			);
		} finally {
			database.close();
		}
	});
});
