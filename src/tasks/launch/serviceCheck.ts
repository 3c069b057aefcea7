import { pathToFileURL } from 'node:url';
import { ClientError } from '../../base/errors.ts';
import { repositoryKey } from '../../base/remoteUrl.ts';
import type { Client } from '../../client/types.ts';
import { explainError } from '../../platform/notify.ts';
import type { ServiceCheck } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';

/**
 * A list of this length may be only one page: the contract names no paging, so it does not prove that a missing item
 * does not exist.
 */
const MAYBE_A_PAGE = 30;

/** A repository as a source host names it. */
interface HostedName {
	owner: string;
	name: string;
}

/**
 * Asks the service whether it knows the repository that it will be told to clone, and which branches it sees there.
 * Never rejects. `nameFolder` registers a folder of this machine with the local service first.
 */
export async function checkService(
	{ sources }: Pick<Client, 'sources'>,
	connection: TaskConnection,
	repoUrl: string,
	nameFolder: (folder: string) => Promise<void>,
): Promise<ServiceCheck> {
	try {
		const found = connection.isLocal
			? await findLocal(sources, repoUrl, nameFolder)
			: await findHosted(sources, repoUrl);
		if (found === undefined || found === 'unlisted') {
			return { kind: found === undefined ? 'not-asked' : 'unlisted' };
		}
		const branches = await sources.branches(found.owner, found.name).catch(unseen);
		if (branches === 'unseen') {
			return { kind: 'unlisted' };
		}
		return {
			kind: 'known',
			branches: new Set(branches?.map(({ name }) => name)),
			isWhole: branches !== undefined && branches.length < MAYBE_A_PAGE,
		};
	} catch (error) {
		if (ClientError.is(error, 'not-supported')) {
			return { kind: 'not-asked' };
		}
		return ClientError.is(error, 'source-link-missing')
			? { kind: 'no-link' }
			: { kind: 'failed', reason: explainError(error, connection.label).message };
	}
}

/** A service may list a repository that it has no access to any more. Any other failure says nothing about it. */
function unseen(error: unknown): 'unseen' | undefined {
	return ClientError.is(error, 'not-found') ? 'unseen' : undefined;
}

async function findHosted(sources: Client['sources'], repoUrl: string): Promise<HostedName | 'unlisted' | undefined> {
	const parts = URL.parse(repoUrl)?.pathname.split('/').filter(Boolean).map(decode) ?? [];
	const name = parts.pop()?.replace(/\.git$/, '');
	const owner = parts.join('/');
	if (!name || owner === '') {
		return undefined;
	}
	const key = repositoryKey(repoUrl);
	const listed = (await sources.repositories(owner)).find(
		({ clone_url, full_name }) =>
			(clone_url !== undefined && repositoryKey(clone_url) === key) ||
			full_name?.toLowerCase() === `${owner}/${name}`.toLowerCase(),
	);
	return listed ? { owner, name: listed.name } : 'unlisted';
}

async function findLocal(
	sources: Client['sources'],
	folder: string,
	nameFolder: (folder: string) => Promise<void>,
): Promise<HostedName | 'unlisted'> {
	await nameFolder(folder);
	const url = pathToFileURL(folder).href;
	for (const { login } of await sources.organisations()) {
		const listed = (await sources.repositories(login)).find(({ clone_url }) => clone_url === url);
		if (listed) {
			return { owner: login, name: listed.name };
		}
	}
	return 'unlisted';
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
