import { UserFacingError } from '../../base/errors.ts';
import { RequestRefused } from '../../service/replies.ts';
import { folderOfRepoUrl } from '../../service/tasks/repoUrl.ts';
import { queryRepository, readSource } from '../../service/tasks/sourceRepository.ts';
import type { Configuration, Source } from '../configuration.ts';
import type { User } from '../database/people.ts';
import type { SourceTokens } from '../database/sourceTokens.ts';
import { findRepository, SourceHost } from './hosting.ts';

/** Where tasks can run, and how a repository is asked there in the name of a user. */
interface Places {
	configuration: Pick<Configuration, 'sources' | 'allowLocalRepositories'>;
	tokens: SourceTokens;
	/** The folder for temporary files while a repository of this machine is read. */
	scratchParent: string;
}

/**
 * Returns the branch that a task of the user's begins with: the named one, or the one that the repository names.
 * @throws UserFacingError naming the field if the user cannot have a task there, and RequestRefused as `SourceHost`.
 */
export async function beginningOf(
	{ configuration: { sources, allowLocalRepositories }, tokens, scratchParent }: Places,
	user: User,
	repoUrl: string,
	branch: string | undefined,
): Promise<string> {
	const found = findRepository(sources, repoUrl);
	if (found !== undefined) {
		const host = await hostFor(found.source, user, tokens);
		const beginning = await host.branch(found.owner, found.name, branch);
		if (typeof beginning === 'string') {
			throw new UserFacingError(beginning);
		}
		return beginning.branch;
	}
	if (!allowLocalRepositories) {
		const places = sources.map(({ clone }) => `${clone}/…`).join(', ');
		throw new UserFacingError(
			`repoUrl: this service has tasks on repositories of its source hosts alone (${places || 'there is none yet'}).`,
		);
	}
	const source = await queryRepository(folderOfRepoUrl(repoUrl), scratchParent, query =>
		readSource({ ...query, branch }),
	);
	return source.branch;
}

/** Returns a source host as a user sees it. @throws RequestRefused 404 if no token of the user is kept. */
export async function hostFor(source: Source, user: User, tokens: SourceTokens): Promise<SourceHost> {
	const token = await tokens.get(user.id, source.scm);
	if (token === undefined) {
		throw new RequestRefused(
			404,
			`Source-hosting token not found or expired: have the operator store yours with: errand-service source set ${user.name} ${source.scm}`,
		);
	}
	return new SourceHost(source, token);
}
