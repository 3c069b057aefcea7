import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runGit } from '../../base/git.ts';
import { readable } from '../../base/gitNames.ts';
import type { Checkout } from './checkout.ts';
import { gitConfigurationIn } from './sourceRepository.ts';
import type { TaskLog } from './taskLog.ts';
import { listed } from './taskNames.ts';

/** Git ignores a larger attributes file, in bytes. */
const MAXIMUM_ATTRIBUTES = 100 * 1024 * 1024;
/** The values of the attribute `filter` that mean no filter. */
const NO_FILTER: ReadonlySet<string | undefined> = new Set(['unspecified', 'unset', 'set']);

/**
 * Lists the files in the index of a checkout for which the attributes in its tree name a filter, such as Git LFS. The
 * tree holds their stored form, and a commit gets exactly what the agent writes there, as no filter runs for a task.
 * Rejects if git fails.
 */
export async function findFilteredFiles(checkout: Checkout, signal: AbortSignal): Promise<string[]> {
	const { tree } = checkout;
	const folder = path.dirname(tree);
	const own = path.join(folder, 'git');
	const git = (gitFolder: string, args: readonly string[], input = '') => {
		const location = { gitFolder, home: gitFolder, workTree: tree, cwd: folder };
		const configuration = gitConfigurationIn(folder);
		return runGit({ ...location, configuration }, args, { signal, encoding: 'latin1', input });
	};
	const names = (await git(own, ['ls-files', '-z', '--cached'])).split('\0').slice(0, -1);
	const lists = names.filter(name => path.posix.basename(name) === '.gitattributes');
	const isNamed = await Promise.all(lists.map(name => namesFilter(path.join(tree, readable(name)))));
	if (!isNamed.includes(true)) {
		return [];
	}
	// The checkout's git has attributes of its own that disable filters, so a git folder without any takes its place.
	const plain = path.join(folder, 'attributes');
	await git(plain, ['init', '--quiet', '--template=']);
	const input = names.map(name => `${name}\0`).join('');
	const fields = (await git(plain, ['check-attr', '-z', '--stdin', 'filter'], input)).split('\0');
	return names.filter((_, index) => !NO_FILTER.has(fields[3 * index + 2])).map(readable);
}

/** Logs which files these are. Returns the same text for the agent, or undefined if there are none. */
export async function tellFilteredFiles(
	checkout: Checkout,
	log: TaskLog,
	signal: AbortSignal,
): Promise<string | undefined> {
	const names = await findFilteredFiles(checkout, signal);
	if (names.length === 0) {
		return undefined;
	}
	const note = `A filter such as Git LFS keeps some files of the repository. No filter runs for a task, so here they hold only what git stores for them, such as a pointer to their content, and what is written to them is committed as it is: ${listed(names)}.`;
	log.step('agent_executing', note, 'warning');
	return note;
}

async function namesFilter(file: string): Promise<boolean> {
	const status = await lstat(file).catch(() => undefined);
	const isRead = status?.isFile() === true && status.size <= MAXIMUM_ATTRIBUTES;
	return isRead && /\bfilter=/.test(await readFile(file, 'latin1').catch(() => ''));
}
