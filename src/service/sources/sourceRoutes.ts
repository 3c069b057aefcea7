import { pathToFileURL } from 'node:url';
import { UserFacingError } from '../../base/errors.ts';
import { controlPaths, namedRepositoriesSchema } from '../../contract/control.ts';
import { LOCAL_SCM } from '../../contract/localConnection.ts';
import { fillPath, routes } from '../../contract/routes.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import type { FolderStore } from '../store/folderStore.ts';
import { queryRepository } from '../tasks/queryRepository.ts';
import { folderOfRepoUrl, withoutFieldName } from '../tasks/repoUrl.ts';
import { readReferences } from '../tasks/sourceRepository.ts';
import { findRepositories, type LocalRepository } from './localRepositories.ts';

const BODY_MEGABYTES = 1;
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
		const { folders: named } = parseOrRefuse(namedRepositoriesSchema, await readJson(context, BODY_MEGABYTES));
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
		const { commits, current } = await queryRepository(repository.folder, scratchParent, readReferences).catch(
			error => {
				throw error instanceof UserFacingError ? new RequestRefused(502, withoutFieldName(error.message)) : error;
			},
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

function parameter(context: AppContext, name: string): string {
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
