import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { folderOfRepoUrl } from '../tasks/repoUrl.ts';

/** A repository on this machine in the terms of a source host: the folder that contains it is its owner. */
export interface LocalRepository {
	owner: string;
	name: string;
	/** The absolute path of the repository. */
	folder: string;
	updatedAt: Date;
}

/** The owner of repositories directly below the root of a file system. */
const NAMELESS_OWNER = 'root';

/**
 * Returns those of `repoUrls` (paths and `file:` URLs) that are existing repositories, sorted by owner and name. Owners
 * with the same name are distinguished by a part of a digest of their paths, so that `owner/name` is always unique.
 */
export async function findRepositories(repoUrls: readonly string[]): Promise<LocalRepository[]> {
	const folders = new Set(repoUrls.map(folderOf).filter(folder => folder !== undefined));
	const dated = await Promise.all(
		[...folders].map(async folder => ({ folder, updatedAt: await lastChangeOf(folder) })),
	);
	const parents = new Map<string, Set<string>>();
	for (const { folder } of dated) {
		const parent = path.dirname(folder);
		const name = path.basename(parent);
		parents.set(name, (parents.get(name) ?? new Set()).add(parent));
	}
	return dated
		.flatMap(({ folder, updatedAt }) => {
			const parent = path.dirname(folder);
			const name = path.basename(parent);
			const isOnly = parents.get(name)?.size === 1;
			const owner = (name || NAMELESS_OWNER) + (isOnly ? '' : `~${digest(parent)}`);
			return updatedAt === undefined ? [] : [{ owner, name: path.basename(folder), folder, updatedAt }];
		})
		.sort((a, b) => compare(a.owner, b.owner) || compare(a.name, b.name));
}

/** Returns undefined for an invalid URL, as a task may have been created by a version that accepted other URLs. */
function folderOf(repoUrl: string): string | undefined {
	try {
		return path.resolve(folderOfRepoUrl(repoUrl));
	} catch (error) {
		if (error instanceof UserFacingError) {
			return undefined;
		}
		throw error;
	}
}

/**
 * Returns when a branch of the repository last changed, as far as its files tell without running git. Returns undefined
 * if there is no repository.
 */
async function lastChangeOf(folder: string): Promise<Date | undefined> {
	const inside = path.join(folder, '.git');
	const status = await statusOf(inside);
	// In a linked worktree, `.git` is a file that points to the repository.
	if (status?.isFile()) {
		return status.mtime;
	}
	const own = status === undefined ? folder : inside;
	const [head, objects, ...others] = await Promise.all(
		['HEAD', 'objects', 'packed-refs', 'logs/HEAD'].map(name => statusOf(path.join(own, name))),
	);
	if (head === undefined || objects === undefined) {
		return undefined;
	}
	return new Date(Math.max(...[head, ...others].map(file => file?.mtimeMs ?? 0)));
}

async function statusOf(file: string): Promise<Stats | undefined> {
	return await stat(file).catch(() => undefined);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
