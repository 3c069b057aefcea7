import type { Client } from '../../client/types.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type LaunchSubject, OpenSubject } from './launchSubject.ts';
import { chooseFirstBranch } from './pickBranch.ts';
import { likelyRepository, pickRepository } from './pickRepository.ts';

/** What the user can choose from. */
export interface SubjectChoice {
	connection: TaskConnection;
	client: Pick<Client, 'sources'>;
	/** Undefined, with no repositories, where none is open. */
	git: GitApi | undefined;
	repositories: readonly GitRepository[];
}

/**
 * Chooses the subject without asking where it is clear which repository is meant. Resolves with undefined when
 * dismissed.
 */
export async function firstSubject(
	choice: SubjectChoice,
	wishedBranch: string | undefined,
): Promise<LaunchSubject | undefined> {
	const likely = likelyRepository(choice.repositories);
	return likely ? openSubject(choice, likely, wishedBranch) : pickSubject(choice, wishedBranch);
}

/**
 * Lets the user choose a repository of this window or one that the service sees. Resolves with undefined when
 * dismissed.
 */
export async function pickSubject(choice: SubjectChoice, wishedBranch?: string): Promise<LaunchSubject | undefined> {
	const { connection, client, repositories } = choice;
	const picked = repositories.length === 0 ? 'elsewhere' : await pickRepository(repositories, connection.hasLookUps);
	if (picked !== 'elsewhere') {
		return picked && openSubject(choice, picked, wishedBranch);
	}
	const { pickHostedSubject } = await import('./hostedSubject.ts');
	return pickHostedSubject(client.sources, connection, wishedBranch);
}

/** Uses the branch that is wished for, or the current one. Resolves with undefined when dismissed. */
export async function openSubject(
	{ connection, git }: SubjectChoice,
	repository: GitRepository,
	wishedBranch: string | undefined,
): Promise<LaunchSubject | undefined> {
	const branch = git && (await chooseFirstBranch(git, repository, wishedBranch));
	return branch && new OpenSubject({ git, repository }, connection, branch);
}
