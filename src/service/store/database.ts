import type { DatabaseSync } from 'node:sqlite';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.ts';
import { requireSqlite, SQLITE_BUSY, SQLITE_FULL, sqliteErrorCode } from './sqlite.ts';

const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function versionOf(database: DatabaseSync): number {
	return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/**
 * Opens the state file; a new one gets its schema, as a whole or not at all, and one of an earlier version is upgraded.
 * WAL with `synchronous = NORMAL` guarantees that a committed transaction survives any end of the process.
 * `busyTimeoutMs` is how long a statement waits for another program that has locked the file.
 * @throws UserFacingError if the file cannot be opened, was written by a newer version or is not a database.
 */
export function openDatabase(file: string, busyTimeoutMs = 5_000): DatabaseSync {
	const { DatabaseSync } = requireSqlite();
	const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
	try {
		const version = versionOf(database);
		if (version > SCHEMA_VERSION) {
			throw new UserFacingError(
				`${file} was written by a newer version of Errand. Update Errand, or choose another folder with --data.`,
			);
		}
		database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
		if (version === 0) {
			transaction(database, () => database.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`));
		}
		for (let earlier = version; earlier > 0 && earlier < SCHEMA_VERSION; earlier++) {
			transaction(database, () => database.exec(`${UPGRADES[earlier]}; PRAGMA user_version = ${earlier + 1}`));
		}
		return database;
	} catch (error) {
		database.close();
		if (error instanceof UserFacingError) {
			throw error;
		}
		throw new UserFacingError(databaseFailure(file, error));
	}
}

/**
 * Explains, by SQLite's result code, why a database file cannot be used and what to do. The service itself never
 * removes the file.
 */
export function databaseFailure(file: string, error: unknown): string {
	const reason = describeError(error);
	// The lower byte is the primary result code; the higher bits only refine it.
	switch ((sqliteErrorCode(error) ?? 0) & 0xff) {
		case SQLITE_BUSY:
		case SQLITE_LOCKED:
			return `${file} is in use by another program (${reason}). End that program, then start again.`;
		case SQLITE_FULL:
			return `${file} cannot be written (${reason}). Free some space on the disk, then start again.`;
		case SQLITE_CORRUPT:
		case SQLITE_NOTADB:
			return `${file} cannot be opened (${reason}). Move the file aside to start afresh; it is not changed.`;
		default:
			return `${file} cannot be opened (${reason}). Check its permissions, or choose another folder with --data.`;
	}
}

/** Runs `body` in a transaction: either all of its changes are stored or none. */
export function transaction<T>(database: DatabaseSync, body: () => T): T {
	database.exec('BEGIN IMMEDIATE');
	try {
		const result = body();
		database.exec('COMMIT');
		return result;
	} catch (error) {
		try {
			database.exec('ROLLBACK');
		} catch {
			// The failed statement has already rolled the transaction back. The original error is thrown.
		}
		throw error;
	}
}
