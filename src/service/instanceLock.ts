import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { UserFacingError } from '../base/errors.ts';
import { LOCK_FILE } from './stateFolder.ts';
import { databaseFailure, isBusy, requireSqlite } from './store/database.ts';

/**
 * Takes the lock that makes this the only service of the state folder. Returns undefined if another process has it.
 * It is an open exclusive transaction on an empty database, and so a lock of the operating system, which ends with the
 * process in any case. A file with a process id in it would outlive a crash.
 */
export function takeInstanceLock(stateFolder: string): Disposable | undefined {
	const { DatabaseSync } = requireSqlite();
	const file = path.join(stateFolder, LOCK_FILE);
	let database: DatabaseSync | undefined;
	try {
		const opened = new DatabaseSync(file, { timeout: 0 });
		database = opened;
		opened.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
		return toDisposable(() => opened.close());
	} catch (error) {
		database?.close();
		if (isBusy(error)) {
			return undefined;
		}
		throw new UserFacingError(databaseFailure(file, error));
	}
}
