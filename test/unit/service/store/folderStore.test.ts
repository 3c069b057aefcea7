import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/store/database.ts';
import { FolderStore } from '../../../../src/service/store/folderStore.ts';

describe('FolderStore', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: FolderStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-folders-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new FolderStore(database);
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true, force: true });
	});

	it('keeps each folder once', () => {
		store.name(['/b', '/a']);
		store.name(['/a', '/c']);
		assert.deepEqual(store.all(), ['/a', '/b', '/c']);
	});

	it('keeps a thousand, and drops none of those that were named last', () => {
		for (let batch = 0; batch < 11; batch++) {
			store.name(Array.from({ length: 100 }, (_, index) => `/${batch}/${index}`));
		}
		const all = store.all();
		assert.equal(all.length, 1_000);
		assert.equal(all.filter(name => name.startsWith('/10/')).length, 100);
	});
});
