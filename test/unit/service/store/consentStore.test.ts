import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ConsentStore } from '../../../../src/service/store/consentStore.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';

describe('ConsentStore', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: ConsentStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-consents-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new ConsentStore(database);
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true, force: true });
	});

	it('knows of nothing that was not allowed', () => {
		assert.equal(store.allowsUnsandboxed('/a', 'platform'), false);
		assert.equal(store.dependencies('/a'), undefined);
	});

	it('keeps an answer for the folder that it was given for, over a restart', () => {
		store.allow('/a', { kind: 'unsandboxed', problem: 'platform' });
		store.allow('/b', { kind: 'dependencies', hosts: ['one:443', 'two:443'], allowsScripts: true });
		database.close();
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new ConsentStore(database);
		assert.equal(store.allowsUnsandboxed('/a', 'platform'), true);
		assert.equal(store.dependencies('/a'), undefined);
		for (const other of ['/b', '/a/', '/A', '/a/b', '/', '%']) {
			assert.equal(store.allowsUnsandboxed(other, 'platform'), false, other);
		}
		assert.deepEqual(store.dependencies('/b'), { hosts: ['one:443', 'two:443'], allowsScripts: true });
	});

	it('replaces an earlier answer', () => {
		store.allow('/a', { kind: 'dependencies', hosts: ['one:443'], allowsScripts: true });
		store.allow('/a', { kind: 'dependencies', hosts: ['two:443'], allowsScripts: false });
		assert.deepEqual(store.dependencies('/a'), { hosts: ['two:443'], allowsScripts: false });
	});

	it('keeps the hosts that installations have failed without, at most twenty, until the answer is withdrawn', () => {
		store.addMissing('/a', ['one:443']);
		assert.deepEqual(store.missing('/a'), []);
		store.allow('/a', { kind: 'dependencies', hosts: [], allowsScripts: false });
		store.addMissing('/a', ['one:443', 'two:443']);
		store.allow('/a', { kind: 'dependencies', hosts: ['one:443', 'two:443'], allowsScripts: false });
		store.addMissing('/a', ['two:443', 'three:443']);
		assert.deepEqual(store.missing('/a'), ['one:443', 'two:443', 'three:443']);
		assert.deepEqual(store.missing('/b'), []);
		store.addMissing(
			'/a',
			Array.from({ length: 100 }, (_, index) => `${index}:443`),
		);
		assert.equal(store.missing('/a').length, 20);
		store.withdraw({ folder: '/a', kind: 'dependencies' });
		store.allow('/a', { kind: 'dependencies', hosts: [], allowsScripts: false });
		assert.deepEqual(store.missing('/a'), []);
	});

	it('counts an answer only for the reason that it was given for', () => {
		store.allow('/a', { kind: 'unsandboxed', problem: 'not-installed' });
		assert.equal(store.allowsUnsandboxed('/a', 'not-installed'), true);
		assert.equal(store.allowsUnsandboxed('/a', 'not-permitted'), false);
		store.allow('/a', { kind: 'unsandboxed', problem: 'not-permitted' });
		assert.equal(store.allowsUnsandboxed('/a', 'not-installed'), false);
		assert.equal(store.allowsUnsandboxed('/a', 'not-permitted'), true);
	});

	it('lists what is allowed, and withdraws one of it', () => {
		store.allow('/b', { kind: 'unsandboxed', problem: 'not-permitted' });
		store.allow('/b', { kind: 'dependencies', hosts: ['one:443'], allowsScripts: true });
		store.allow('/a', { kind: 'unsandboxed', problem: 'platform' });
		const listed = store.list();
		assert.deepEqual(
			listed.map(({ allowedAt, ...rest }) => rest),
			[
				{ kind: 'unsandboxed', folder: '/a', problem: 'platform' },
				{ kind: 'dependencies', folder: '/b', hosts: ['one:443'], allowsScripts: true },
				{ kind: 'unsandboxed', folder: '/b', problem: 'not-permitted' },
			],
		);
		assert.ok(listed.every(({ allowedAt }) => !Number.isNaN(Date.parse(allowedAt))));
		store.withdraw({ folder: '/b', kind: 'unsandboxed' });
		store.withdraw({ folder: '/absent', kind: 'dependencies' });
		assert.equal(store.allowsUnsandboxed('/b', 'not-permitted'), false);
		assert.deepEqual(store.dependencies('/b'), { hosts: ['one:443'], allowsScripts: true });
		assert.equal(store.allowsUnsandboxed('/a', 'platform'), true);
	});
});
