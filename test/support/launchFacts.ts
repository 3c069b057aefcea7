import type { LaunchFacts } from '../../src/tasks/model/findings.ts';
import type { LaunchPlace } from '../../src/tasks/model/launchTarget.ts';

/** A branch that is at the same commit on the remote and locally. */
export const launchPlace: LaunchPlace = {
	ok: true,
	kind: 'remote',
	repoUrl: 'https://host.example/acme/widgets',
	branch: 'main',
	remote: 'origin',
	there: 'c1',
	here: 'c1',
};

/** Returns the facts known before a task is sent. Nothing prevents the launch except `changes`. */
export function launchFacts(changes: Partial<LaunchFacts> = {}): LaunchFacts {
	return {
		target: launchPlace,
		ahead: undefined,
		behind: undefined,
		changed: [],
		nested: [],
		hasConflicts: false,
		repositoryKind: 'plain',
		cloneKinds: [],
		missingFiles: undefined,
		submodules: [],
		hasCredentials: false,
		isNameUnsafe: false,
		service: { kind: 'not-asked' },
		isEmptyGitUser: false,
		unknownAgent: undefined,
		needs: [],
		...changes,
	};
}
