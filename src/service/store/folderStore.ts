import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './database.ts';

/** What was named longest ago makes room. */
const MAXIMUM_FOLDERS = 1_000;

/** Which repositories the service has heard of: by its tasks, and by the windows that named their folders. */
export class FolderStore {
	private readonly database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	/** Remembers folders, absolute paths, as named just now. */
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

	/** Named folders, and the `repoUrl` of every task, each once. */
	all(): string[] {
		return this.database
			.prepare('SELECT folder FROM namedFolders UNION SELECT repoUrl FROM tasks ORDER BY 1')
			.all()
			.map(row => String(row['folder']));
	}
}
