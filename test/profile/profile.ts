// Lays the kept profile out where the present build looks for it. The formats of the editor and the names of files are
// written out here once more instead of being taken from the source, so that a change of one of them is noticed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const keptFolder = path.join(import.meta.dirname, 'kept');

/** The folders of the profiles, named by the days on which they were kept, or the one that is asked for. */
export const keptProfiles: readonly string[] =
	process.env['ERRAND_TEST_PROFILE'] === undefined
		? readdirSync(keptFolder).map(day => path.join(keptFolder, day))
		: [process.env['ERRAND_TEST_PROFILE']];

/** What differs from one machine and one run to another. The kept files have these names in double braces instead. */
export interface Places {
	/** The folder of the kept profile. */
	kept: string;
	/** The repository that the window opens, and the one that it is a clone of. */
	folder: string;
	origin: string;
	/** The origins of the model server and of the connection. */
	workshop: string;
	acme: string;
}

/** What the editor itself keeps for the extension. */
export interface EditorState {
	/** By their names. */
	secrets: Record<string, string>;
	globalState: Record<string, unknown>;
}

function readKept(name: string, places: Places): string {
	const text = readFileSync(path.join(places.kept, name), 'utf8');
	return text.replaceAll(/\{\{(\w+)\}\}/g, (_, place: keyof Places) => places[place]);
}

export const keptSettings = (places: Places): Record<string, unknown> => JSON.parse(readKept('settings.json', places));

export const keptEditorState = (places: Places): EditorState => JSON.parse(readKept('editorState.json', places));

/** Makes both repositories, with the files of the first as the user has left them. */
export function restoreRepositories(places: Places): void {
	const { folder, origin } = places;
	const git = (input: string, ...args: string[]) => execFileSync('git', args, { input, cwd: folder });
	mkdirSync(folder, { recursive: true });
	git('', 'init', '--quiet', '--initial-branch=main');
	git('', 'init', '--quiet', '--bare', '--initial-branch=main', origin);
	git(readKept('repository.txt', places), 'fast-import', '--quiet', '--force');
	git(readKept('origin.txt', places), '--git-dir', origin, 'fast-import', '--quiet', '--force');
	for (const [name, value] of [
		['user.name', 'Robin Acme'],
		['user.email', 'robin@acme.example'],
		['commit.gpgSign', 'false'],
		['core.autocrlf', 'false'],
		['remote.origin.url', origin],
		['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
		['branch.main.remote', 'origin'],
		['branch.main.merge', 'refs/heads/main'],
	] as const) {
		git('', 'config', name, value);
	}
	git('', 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
	git('', 'reset', '--quiet', '--hard');
	git(readKept('changes.patch', places), 'apply');
}

/** The names of files and folders are digests of texts, which may hold a path. */
export const digestName = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Writes what lies in the folders that the editor gives to the extension. */
export function restoreStorage(globalStorage: string, workspaceStorage: string, places: Places): void {
	for (const [name, target] of [
		['globalStorage', globalStorage],
		['workspaceStorage', workspaceStorage],
	] as const) {
		for (const entry of readdirSync(path.join(places.kept, name), { recursive: true, withFileTypes: true })) {
			const file = path.join(entry.parentPath, entry.name);
			const to = path.join(target, path.relative(path.join(places.kept, name), file));
			if (entry.isFile()) {
				mkdirSync(path.dirname(to), { recursive: true });
				isImage(file) ? cpSync(file, to) : writeFileSync(to, readKept(path.relative(places.kept, file), places));
			}
		}
	}
	const state = workspaceStateFolder(globalStorage, places);
	mkdirSync(state, { recursive: true });
	for (const [kept, value] of Object.entries<unknown>(JSON.parse(readKept('workspaceState.json', places)))) {
		const key = kept.replace(/<(.*)>$/, (_, text: string) => digestName(text));
		writeFileSync(path.join(state, `${digestName(key)}.json`), JSON.stringify({ key, value }));
	}
}

export const workspaceStateFolder = (globalStorage: string, { folder }: Places): string =>
	path.join(globalStorage, 'workspaces', digestName(`file://${folder}`));

export const isImage = (file: string): boolean => path.dirname(file).includes(path.join('conversations', 'images'));

/** Makes the state file of the local service. */
export function restoreService(stateFolder: string, places: Places): void {
	mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
	const database = new DatabaseSync(path.join(stateFolder, 'state.sqlite'));
	database.exec(readKept('service.sql', places));
	database.close();
}
