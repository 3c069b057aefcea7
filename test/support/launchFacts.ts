import type { LaunchFacts } from '../../src/tasks/model/findings.ts';
import type { LaunchPlace } from '../../src/tasks/model/launchTarget.ts';

/** A branch of a remote that has the same commit there and here. */
export const launchPlace: LaunchPlace = {
	ok: true,
	kind: 'remote',
	repoUrl: 'https://host.example/acme/widgets',
	branch: 'main',
	remote: 'origin',
	there: 'c1',
	here: 'c1',
};

/** What is known before a task is sent: nothing stands in its way but what `changes` says. */
export function launchFacts(changes: Partial<LaunchFacts> = {}): LaunchFacts {
	return {
		target: launchPlace,
		ahead: undefined,
		behind: undefined,
		changed: [],
		nested: [],
		hasConflicts: false,
		repositoryKind: 'plain',
		hasCredentials: false,
		isNameUnsafe: false,
		service: { kind: 'not-asked' },
		isEmptyGitUser: false,
		unknownAgent: undefined,
		...changes,
	};
}
