// Writes what a window has left into the kept profile.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BrowserContext } from 'playwright-core';
import { stateOf } from './browserState.ts';
import { digestName, isImage, type Places, restoreRepositories, workspaceStateFolder } from './profile.ts';

/** Folders that are made anew from what is kept beside them, and that are large. */
const DERIVED = /[\\/]copy[\\/]|index\.json$|[\\/]workspaces[\\/]|\.lock$/;

/** The places of the machine and of the run, which must not be kept. */
const LEFT_OVER = new RegExp(`${os.tmpdir()}/|${os.homedir()}/|${os.hostname()}`);

/** Keeps the profile. Neither a window nor the local service may be running. */
export async function keepProfile(
	context: BrowserContext,
	{ dataFolder, places }: { dataFolder: string; places: Places },
): Promise<void> {
	const { kept } = places;
	rmSync(kept, { recursive: true, force: true });
	const write = (name: string, text: string) => {
		const portable = portableText(text, places);
		assert.doesNotMatch(portable, LEFT_OVER, name);
		mkdirSync(path.dirname(path.join(kept, name)), { recursive: true });
		writeFileSync(path.join(kept, name), portable);
	};
	const writeJson = (name: string, value: unknown) => write(name, `${JSON.stringify(value, undefined, '\t')}\n`);
	const user = path.join(dataFolder, 'server', 'data', 'User');
	const globalStorage = path.join(user, 'globalStorage', 'errand.errand');

	const settings = ['User', 'Machine'].flatMap(name =>
		Object.entries(JSON.parse(readFileSync(path.join(user, '..', name, 'settings.json'), 'utf8'))),
	);
	writeJson('settings.json', Object.fromEntries(settings.filter(([id]) => id.startsWith('errand.'))));
	writeJson('editorState.json', await stateOf(context, path.join(dataFolder, 'mint-key')));
	writeJson('workspaceState.json', workspaceState(workspaceStateFolder(globalStorage, places), places));
	const [workspace = ''] = readdirSync(path.join(user, 'workspaceStorage'));
	for (const [name, from] of [
		['globalStorage', globalStorage],
		['workspaceStorage', path.join(user, 'workspaceStorage', workspace, 'errand.errand')],
	] as const) {
		for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
			const file = path.join(entry.parentPath, entry.name);
			const to = path.join(name, path.relative(from, file));
			if (entry.isFile() && !DERIVED.test(file)) {
				isImage(file) ? copyTo(path.join(kept, to), file) : write(to, readFileSync(file, 'utf8'));
			}
		}
	}
	write('service.sql', dump(path.join(dataFolder, 'service', 'state.sqlite')));
	keepRepositories(places, write);
}

function copyTo(copy: string, file: string): void {
	mkdirSync(path.dirname(copy), { recursive: true });
	writeFileSync(copy, readFileSync(file));
}

function portableText(text: string, { folder, origin, workshop, acme }: Places): string {
	const named = { origin, folder, workshop, acme };
	const portable = Object.entries(named).reduce((left, [name, value]) => left.replaceAll(value, `{{${name}}}`), text);
	// The local service has another port each time, which nothing that is kept depends on.
	return portable.replaceAll(/(?<=127\.0\.0\.1:)\d{4,}/g, '1');
}

/** Returns the values of a window's state. A digest in a key that was made of a path stands as that text in angle brackets. */
function workspaceState(from: string, places: Places): Record<string, unknown> {
	const entries = readdirSync(from).map(name => {
		const { key, value } = JSON.parse(readFileSync(path.join(from, name), 'utf8'));
		const made = JSON.stringify([value?.directory, value?.key]);
		return [String(key).replace(digestName(made), `<${made}>`), value] as const;
	});
	assert.ok(entries.length > 0, places.folder);
	return Object.fromEntries(entries.toSorted(([one], [other]) => one.localeCompare(other)));
}

/** Returns the statements that make a database once more, with the version of its schema. */
function dump(file: string): string {
	const database = new DatabaseSync(file);
	const all = (sql: string) => database.prepare(sql).all();
	const tables = all("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'");
	const rows = [...tables.map(({ name }) => String(name)), 'sqlite_sequence'].flatMap(name => {
		const columns = all(`PRAGMA table_info(${name})`).map(column => `quote(${column['name']})`);
		return columns.length === 0
			? []
			: [
					// The rows of `sqlite_sequence` are there already, with those of the tables before it.
					`DELETE FROM ${name};`,
					...all(`SELECT concat_ws(', ', ${columns.join(', ')}) AS row FROM ${name}`).map(
						({ row }) => `INSERT INTO ${name} VALUES (${row});`,
					),
				];
	});
	const version = all('PRAGMA user_version')[0]?.['user_version'];
	database.close();
	return [...tables.map(({ sql }) => `${sql};`), ...rows, `PRAGMA user_version = ${version};`, ''].join('\n');
}

/** The commits are kept as they are, because their names are digests of all that is in them. */
function keepRepositories(places: Places, write: (name: string, text: string) => void): void {
	const git = (folder: string, ...args: string[]) =>
		execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 10_000_000 });
	write('repository.txt', git(places.folder, 'fast-export', '--all'));
	write('origin.txt', git(places.origin, 'fast-export', '--all'));
	git(places.folder, 'add', '--all');
	write('changes.patch', git(places.folder, 'diff', '--cached', '--no-color', '--no-ext-diff'));
	const scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-profile-'));
	const again = { ...places, folder: path.join(scratch, 'widgets'), origin: path.join(scratch, 'origin.git') };
	restoreRepositories(again);
	for (const name of ['folder', 'origin'] as const) {
		assert.equal(git(again[name], 'for-each-ref'), git(places[name], 'for-each-ref'), `${name} is made again`);
	}
	rmSync(scratch, { recursive: true, force: true });
}
