import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './database.ts';

/** If there are more folders, those that were named longest ago are removed. */
const MAXIMUM_FOLDERS = 1_000;

/** Stores which repositories the service knows: those of its tasks, and the folders that windows have named. */
export class FolderStore {
	private readonly database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	name(folders: readonly string[]): void {
		const now = new Date().toISOString();
		transaction(this.database, () => {
			const insert = this.database.prepare('INSERT OR REPLACE INTO namedFolders VALUES (?, ?)');
			for (const folder of folders) {
				insert.run(folder, now);
			}
			this.database
				.prepare(
					`DELETE FROM namedFolders WHERE folder NOT IN
						(SELECT folder FROM namedFolders ORDER BY namedAt DESC, folder LIMIT ?)`,
				)
				.run(MAXIMUM_FOLDERS);
		});
	}

	/** Returns the named folders and the `repoUrl` of every task, without duplicates. */
	all(): string[] {
		return this.database
			.prepare('SELECT folder FROM namedFolders UNION SELECT repoUrl FROM tasks ORDER BY 1')
			.all()
			.map(row => String(row['folder']));
	}
}
