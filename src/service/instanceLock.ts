import path from 'node:path';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { requireSqlite, sqliteErrorCode } from './store/sqlite.ts';

const SQLITE_BUSY = 5;

/**
 * Takes the lock that makes this the only service of the state folder; `undefined` when another process has it.
 * It is an open exclusive transaction on an empty database: a lock of the operating system, gone with the process
 * however that ends. A file with a process id in it would outlive a crash.
 */
export function takeInstanceLock(stateFolder: string): Disposable | undefined {
	const { DatabaseSync } = requireSqlite();
	const database = new DatabaseSync(path.join(stateFolder, 'lock.sqlite'), { timeout: 0 });
	try {
		database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
	} catch (error) {
		database.close();
		if (sqliteErrorCode(error) === SQLITE_BUSY) {
			return undefined;
		}
		throw error;
	}
	return toDisposable(() => database.close());
}
