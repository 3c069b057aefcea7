import type { DatabaseSync } from 'node:sqlite';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { FIRST_SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.ts';

type Sqlite = typeof import('node:sqlite');

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/**
 * Loads `node:sqlite` on demand. A Node can be built without it, and a static import would then end the program with a
 * stack trace before any message could be printed.
 * @throws UserFacingError if this Node has no `node:sqlite`.
 */
export function requireSqlite(): Sqlite {
	const sqlite = process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined;
	if (sqlite === undefined) {
		throw new UserFacingError(
			`Errand's local service needs SQLite (node:sqlite), and this Node ${process.versions.node} was built without it. Use another build of Node.`,
		);
	}
	return sqlite;
}

function codeOf(error: unknown): unknown {
	return (error as { errcode?: unknown } | undefined)?.errcode;
}

export const isBusy = (error: unknown): boolean => codeOf(error) === SQLITE_BUSY;

export const isDiskFull = (error: unknown): boolean => codeOf(error) === SQLITE_FULL;

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
		const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
		if (version > SCHEMA_VERSION) {
			throw new UserFacingError(
				`${file} was written by a newer version of Errand. Update Errand, or choose another folder with --data.`,
			);
		}
		database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
		if (version < SCHEMA_VERSION) {
			transaction(database, () => {
				if (version === 0) {
					database.exec(FIRST_SCHEMA);
				}
				for (let earlier = version || 1; earlier < SCHEMA_VERSION; earlier++) {
					database.exec(`${UPGRADES[earlier]}; PRAGMA user_version = ${earlier + 1}`);
				}
			});
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
	switch (Number(codeOf(error) ?? 0) & 0xff) {
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
