import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserFacingError } from '../../base/errors.ts';
import { controlPaths, namedRepositoriesSchema } from '../../contract/control.ts';
import { LOCAL_SCM } from '../../contract/localConnection.ts';
import { fillPath, routes } from '../../contract/routes.ts';
import { RequestRefused, runOrRefuse } from '../replies.ts';
import { type App, type AppContext, readBody } from '../server.ts';
import type { FolderStore } from '../store/folderStore.ts';
import { folderOfRepoUrl, withoutFieldName } from '../tasks/repoUrl.ts';
import { queryRepository, readReferences } from '../tasks/sourceRepository.ts';

const BRANCH = 'refs/heads/';

export interface SourceRoutesDependencies {
	folders: FolderStore;
	/** The folder for temporary files while a repository is read. */
	scratchParent: string;
}

/**
 * Registers the look-ups of a source host (contract: cloud-tasks.md). They return the repositories on this machine that
 * belong to tasks or were named by a window. Records have every documented field.
 */
export function registerSourceRoutes(app: App, { folders, scratchParent }: SourceRoutesDependencies): void {
	const scm = { scm: LOCAL_SCM };
	const known = () => findRepositories(folders.all());

	app.post(controlPaths.repositories, async context => {
		const { folders: named } = await readBody(context, namedRepositoriesSchema);
		try {
			folders.name(named.map(folderOfRepoUrl));
		} catch (error) {
			if (error instanceof UserFacingError) {
				throw new RequestRefused(400, `folders: ${withoutFieldName(error.message)}`);
			}
			throw error;
		}
		return context.json({ named: named.length });
	});

	app.get(fillPath(routes.organisations.path, scm), async context => {
		const owners = [...new Set((await known()).map(({ owner }) => owner))];
		// A folder has no avatar image, but the field is documented as a text.
		return context.json(owners.map(owner => ({ login: owner, name: owner, avatar_url: '' })));
	});

	app.get(fillPath(routes.repositories.path, scm), async context => {
		const owner = parameter(context, 'owner');
		return context.json((await known()).filter(repository => repository.owner === owner).map(toRecord));
	});

	app.get(fillPath(routes.branches.path, scm), async context => {
		const owner = parameter(context, 'owner');
		const name = parameter(context, 'repo');
		const repository = (await known()).find(candidate => candidate.owner === owner && candidate.name === name);
		if (repository === undefined) {
			throw new RequestRefused(404, 'Repository not found or no access: no task and no window has named one so.');
		}
		const { commits, current } = await runOrRefuse(502, () =>
			queryRepository(repository.folder, scratchParent, readReferences),
		);
		const names = [...commits.keys()].filter(reference => reference.startsWith(BRANCH));
		return context.json(
			names.map(reference => {
				const branch = reference.slice(BRANCH.length);
				return { name: branch, protected: false, isDefault: branch === current };
			}),
		);
	});
}

/** Returns a parameter of the query. @throws RequestRefused 400 if it is missing. */
export function parameter(context: AppContext, name: string): string {
	const value = context.req.query(name);
	if (value === undefined || value.trim() === '') {
		throw new RequestRefused(400, `The parameter ${name} is missing.`);
	}
	return value;
}

function toRecord({ owner, name, folder, updatedAt }: LocalRepository): object {
	return {
		name,
		full_name: `${owner}/${name}`,
		description: null,
		private: true,
		// contract: not shown for a repository without a host. The value is one that `repoUrl` of a task accepts.
		clone_url: pathToFileURL(folder).href,
		updated_at: updatedAt.toISOString(),
		language: null,
	};
}

/** A repository on this machine in the terms of a source host: the folder that contains it is its owner. */
interface LocalRepository {
	owner: string;
	name: string;
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
 * Returns the time when a branch of the repository last changed, judged by its files without running git, or undefined
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

const statusOf = (file: string): Promise<Stats | undefined> => stat(file).catch(() => undefined);
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
