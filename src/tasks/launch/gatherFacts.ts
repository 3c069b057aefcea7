import path from 'node:path';
import * as vscode from 'vscode';
import { hasCredentials } from '../../base/remoteUrl.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { Branch } from '../model/branches.ts';
import type { LaunchFacts } from '../model/findings.ts';
import { gitReason } from '../model/gitReason.ts';
import { launchTarget } from '../model/launchTarget.ts';
import { readBranchesOf } from './pickBranch.ts';
import { repositoryName } from './pickRepository.ts';
import {
	type Changes,
	countCommits,
	listChanges,
	readBranchCommit,
	readRemoteAddress,
	readRepositoryKind,
	remoteDirectory,
} from './repositoryFacts.ts';

/** What git tells of a launch; what the service and the settings tell is added to it. */
export type GitFacts = Omit<LaunchFacts, 'service' | 'isEmptyGitUser' | 'unknownAgent'>;

/** Looks at the repository as it is now. Rejects with a sentence when the branches cannot be read; changes nothing. */
export async function gatherFacts(
	git: GitApi,
	repository: GitRepository,
	chosen: Pick<Branch, 'name' | 'remote'>,
	isLocal: boolean,
): Promise<{ facts: GitFacts; branch: Branch | undefined; branches: Branch[] }> {
	const gitPath = git.git.path;
	const directory = repository.rootUri.fsPath;
	await repository.status().catch(() => {});
	const branches = await readBranchesOf(git, repository);
	const branch = branches.find(({ name, remote }) => name === chosen.name && remote === chosen.remote);
	const remotes = await Promise.all(
		repository.state.remotes.map(async ({ name, fetchUrl, pushUrl }) => ({
			name,
			// The extension tells what is written in the configuration, which may be the user's abbreviation.
			url: (await readRemoteAddress(gitPath, directory, name)) ?? fetchUrl ?? pushUrl ?? '',
		})),
	);
	const origin = remotes.find(({ name }) => name === 'origin');
	const originDirectory = isLocal && origin ? await remoteDirectory(origin.url, directory) : undefined;
	const target = launchTarget({
		isLocal,
		repositoryPath: directory,
		branch: branch ?? { ...chosen, commit: '', committedAt: 0, upstream: undefined },
		branches,
		remotes,
		originDirectory:
			originDirectory === undefined
				? undefined
				: {
						path: originDirectory,
						// The ceiling keeps git from taking a repository above the directory for the one in it.
						commit: await readBranchCommit(
							gitPath,
							originDirectory,
							{ name: chosen.name, remote: undefined },
							path.dirname(originDirectory),
						),
					},
	});
	const isCurrent = branch !== undefined && branch.remote === undefined && repository.state.HEAD?.name === branch.name;
	const [counts, changes, repositoryKind] = await Promise.all([
		target.ok && target.here !== undefined && target.there !== undefined && target.here !== target.there
			? countCommits(gitPath, directory, target.here, target.there)
			: undefined,
		isCurrent ? readChanges(gitPath, repository) : { files: [], nested: [], hasConflicts: false },
		readRepositoryKind(gitPath, directory),
	]);
	const remote = remotes.find(({ name }) => target.ok && name === target.remote);
	return {
		branches,
		branch,
		facts: {
			target,
			ahead: counts?.ahead,
			behind: counts?.behind,
			changed: changes.files,
			nested: changes.nested,
			hasConflicts: changes.hasConflicts,
			repositoryKind,
			hasCredentials: remote !== undefined && hasCredentials(remote.url),
			isNameUnsafe: [chosen.name, target.ok ? target.branch : '', remote?.name ?? ''].some(name =>
				name.startsWith('-'),
			),
		},
	};
}

async function readChanges(gitPath: string, repository: GitRepository): Promise<Changes> {
	try {
		return await listChanges(gitPath, repository.rootUri.fsPath);
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git could not read what is changed in “{0}”: {1} Mend that, then start the task; the prompt is kept.',
				repositoryName(repository),
				gitReason(error),
			),
		);
	}
}
