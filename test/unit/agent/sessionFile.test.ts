import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MAXIMUM_SESSION_AGE_MS, MAXIMUM_SESSIONS, SessionFiles } from '../../../src/agent/sessionFile.ts';

const HOUR_MS = 3_600_000;

describe('the session files of Errand’s own agent', () => {
	let home: string;
	let folder: string;

	beforeEach(() => {
		home = mkdtempSync(path.join(os.tmpdir(), 'errand-sessions-'));
		folder = path.join(home, 'errand-agent', 'sessions');
		mkdirSync(folder, { recursive: true });
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	const files = () => new SessionFiles({ XDG_STATE_HOME: home }, '/nowhere');
	/** Writes a file as an earlier process has left it. */
	function put(name: string, ageMs: number): string {
		const file = path.join(folder, name);
		writeFileSync(file, '{"version":1,"folder":"/repository","items":[]}');
		const at = (Date.now() - ageMs) / 1000;
		utimesSync(file, at, at);
		return file;
	}

	it('are there for a later process', async () => {
		const id = randomUUID();
		await files().save(id, '/repository', [{ role: 'user', content: 'Go' }]);
		const session = await files().load(id);
		assert.equal(session?.folder, '/repository');
		assert.equal(session.items.length, 1);
	});

	it('are removed when they were not used for long', async () => {
		const [old, young] = [randomUUID(), randomUUID()];
		put(`${old}.json`, MAXIMUM_SESSION_AGE_MS + HOUR_MS);
		put(`${young}.json`, MAXIMUM_SESSION_AGE_MS - HOUR_MS);
		const id = randomUUID();
		await files().save(id, '/repository', []);
		assert.deepEqual(readdirSync(folder).sort(), [`${young}.json`, `${id}.json`].sort());
		assert.equal(await files().load(old), undefined);
	});

	it('are removed where there are too many, the oldest first, and the session in use stays', async () => {
		const ids = Array.from({ length: MAXIMUM_SESSIONS + 2 }, randomUUID);
		for (const [index, id] of ids.entries()) {
			put(`${id}.json`, (index + 1) * 60_000);
		}
		const id = randomUUID();
		await files().save(id, '/repository', []);
		assert.equal(readdirSync(folder).length, MAXIMUM_SESSIONS);
		assert.ok(existsSync(path.join(folder, `${id}.json`)));
		assert.ok(existsSync(path.join(folder, `${ids[0]}.json`)));
		assert.ok(!existsSync(path.join(folder, `${ids.at(-1)}.json`)));
	});

	it('are the only ones that are removed', async () => {
		const names = ['notes.json', 'README', `${randomUUID()}.txt`];
		for (const name of names) {
			put(name, 2 * MAXIMUM_SESSION_AGE_MS);
		}
		await files().save(randomUUID(), '/repository', []);
		assert.ok(names.every(name => existsSync(path.join(folder, name))));
	});
});
