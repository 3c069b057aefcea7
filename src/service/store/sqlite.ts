import { UserFacingError } from '../../base/errors.ts';

type Sqlite = typeof import('node:sqlite');

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

export const SQLITE_BUSY = 5;
export const SQLITE_FULL = 13;

/** Returns SQLite's result code of an error that it threw. */
export function sqliteErrorCode(error: unknown): number | undefined {
	const code = (error as { errcode?: unknown } | undefined)?.errcode;
	return typeof code === 'number' ? code : undefined;
}
