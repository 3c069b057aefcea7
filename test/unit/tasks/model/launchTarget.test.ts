import assert from 'node:assert/strict';
import type { Branch } from '../../../../src/tasks/model/branches.ts';
import { launchTarget, type TargetFacts } from '../../../../src/tasks/model/launchTarget.ts';

const branch = (name: string, remote?: string, commit = 'c1', upstream?: Branch['upstream']): Branch => ({
	name,
	remote,
	commit,
	committedAt: 0,
	upstream,
});
const origin = { name: 'origin', url: 'git@host.example:acme/widgets.git' };

function facts(changes: Partial<TargetFacts>): TargetFacts {
	return {
		isLocal: false,
		repositoryPath: '/projects/widgets',
		branch: branch('main'),
		branches: [branch('main'), branch('main', 'origin')],
		remotes: [origin],
		originDirectory: undefined,
		...changes,
	};
}

describe('what a service elsewhere is told to clone', () => {
	it('is the https address of origin, where the branch is there', () => {
		assert.deepEqual(launchTarget(facts({})), {
			ok: true,
			kind: 'remote',
			repoUrl: 'https://host.example/acme/widgets.git',
			branch: 'main',
			remote: 'origin',
			there: 'c1',
			here: 'c1',
		});
	});

	it('is the remote and the branch that the chosen branch follows', () => {
		const fork = { name: 'fork', url: 'https://token@host.example/me/widgets' };
		const chosen = branch('fix', undefined, 'c2', { remote: 'fork', name: 'fix-it' });
		const target = launchTarget(
			facts({ branch: chosen, branches: [chosen, branch('fix-it', 'fork', 'c1')], remotes: [origin, fork] }),
		);
		assert.deepEqual(target, {
			ok: true,
			kind: 'remote',
			repoUrl: 'https://host.example/me/widgets',
			branch: 'fix-it',
			remote: 'fork',
			there: 'c1',
			here: 'c2',
		});
	});

	it('is the remote that a branch would be pushed to, and says that it is not there yet', () => {
		const target = launchTarget(facts({ branch: branch('new') }));
		assert.ok(target.ok && target.remote === 'origin' && target.there === undefined && target.here === 'c1');
	});

	it('is the branch of a remote that is not here, which has nothing to push', () => {
		const target = launchTarget(facts({ branch: branch('main', 'origin') }));
		assert.ok(target.ok && target.there === 'c1' && target.here === undefined);
	});

	it('is not there without a remote, nor for one that only this machine can read', () => {
		assert.deepEqual(launchTarget(facts({ remotes: [] })), { ok: false, blocker: { kind: 'no-remote' } });
		for (const url of ['/srv/git/widgets', 'file:///srv/git/widgets', 'ext::sh -c id']) {
			assert.deepEqual(launchTarget(facts({ remotes: [{ name: 'origin', url }] })), {
				ok: false,
				blocker: { kind: 'unusable-remote', remote: 'origin' },
			});
		}
	});
});

describe('what the local service is told to clone', () => {
	const directory = { path: '/srv/git/widgets', commit: 'c1' };

	it('is the directory behind origin, where the branch is there', () => {
		assert.deepEqual(launchTarget(facts({ isLocal: true, originDirectory: directory })), {
			ok: true,
			kind: 'origin-directory',
			repoUrl: '/srv/git/widgets',
			branch: 'main',
			remote: 'origin',
			there: 'c1',
			here: 'c1',
		});
	});

	it('says that origin has another commit than the one chosen', () => {
		const target = launchTarget(
			facts({ isLocal: true, branch: branch('main', undefined, 'c2'), originDirectory: directory }),
		);
		assert.ok(target.ok && target.there === 'c1' && target.here === 'c2');
	});

	it('is the working repository otherwise', () => {
		for (const originDirectory of [undefined, { path: '/srv/git/widgets', commit: undefined }]) {
			const target = launchTarget(facts({ isLocal: true, originDirectory }));
			assert.ok(target.ok && target.repoUrl === '/projects/widgets' && target.kind === 'working-repository');
		}
	});

	it('is not there for a branch that only a remote has', () => {
		assert.deepEqual(launchTarget(facts({ isLocal: true, branch: branch('r', 'origin') })), {
			ok: false,
			blocker: { kind: 'only-on-remote', remote: 'origin' },
		});
	});
});
