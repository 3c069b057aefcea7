import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFailure, openDatabase } from '../../../../src/service/store/database.ts';

describe('openDatabase', () => {
	let folder: string;
	let file: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-database-'));
		file = path.join(folder, 'state.sqlite');
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
