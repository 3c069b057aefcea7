import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import { identify } from '../../base/leftProcesses.ts';

/**
 * Takes the home of an agent's account for one run. Two at once could each renew the login, after which that of the
 * first is no longer valid with services that replace its token, and the files by which programs of one home find each
 * other name processes and ports that another sandbox does not have.
 *
 * The lock is a file beside the home that names its process. Returns a function that gives the home back, or undefined
 * if a run of a living process has it. The file is linked into place whole, so that nobody reads half of it.
 */
export async function lockAccount(home: string): Promise<(() => Promise<void>) | undefined> {
	const file = `${home}.lock`;
	const own = `${file}.${randomUUID()}`;
	await writeFile(own, JSON.stringify((await identify(process.pid)) ?? {}), { mode: 0o600 });
	try {
		return (await isLinked(own, file)) || (!(await isHeld(file)) && (await isLinked(own, file)))
			? () => rm(file, { force: true })
			: undefined;
	} finally {
		await rm(own, { force: true });
	}
}

async function isLinked(own: string, file: string): Promise<boolean> {
	try {
		await link(own, file);
		return true;
	} catch (error) {
		if (systemErrorCode(error) === 'EEXIST') {
			return false;
		}
		throw error;
	}
}

/** Removes the lock of a process that has ended without giving it back. */
async function isHeld(file: string): Promise<boolean> {
	const holder = parseJson(await readFile(file, 'utf8').catch(() => ''));
	const { pid, start } = isFields(holder) ? holder : {};
	if (typeof pid === 'number' && (await identify(pid))?.start === start) {
		return true;
	}
	await rm(file, { force: true });
	return false;
}
