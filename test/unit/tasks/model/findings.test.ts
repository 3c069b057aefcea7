import assert from 'node:assert/strict';
import {
	findFindings,
	isBlocker,
	type LaunchDecisions,
	type LaunchFacts,
	type PreflightFinding,
	planLaunch,
} from '../../../../src/tasks/model/findings.ts';
import { launchFacts, launchPlace } from '../../../support/launchFacts.ts';

const kinds = (changes: Partial<LaunchFacts>, decisions: LaunchDecisions = {}) =>
	findFindings(launchFacts(changes), decisions).map(({ kind }) => kind);
const first = <K extends PreflightFinding['kind']>(
	kind: K,
	changes: Partial<LaunchFacts>,
	decisions: LaunchDecisions = {},
) => {
	const found = findFindings(launchFacts(changes), decisions).find(finding => finding.kind === kind);
	assert.ok(found, `no finding ${kind}`);
	return found as PreflightFinding & { kind: K };
};
const unpushed = { target: { ...launchPlace, here: 'c3' }, ahead: 2, behind: 0 };

describe('what is found before a task is sent', () => {
	it('is nothing where the branch is pushed and clean', () => {
		assert.deepEqual(kinds({}), []);
		assert.deepEqual(planLaunch(launchFacts(), {}), {
			repoUrl: launchPlace.repoUrl,
			branch: 'main',
			commit: 'c1',
			push: undefined,
			scratch: undefined,
		});
	});

	it('hinders the task where nothing can be cloned, or a name would be an option', () => {
		for (const target of [
			{ ok: false, blocker: { kind: 'no-remote' } },
			{ ok: false, blocker: { kind: 'unusable-remote', remote: 'origin' } },
			{ ok: false, blocker: { kind: 'only-on-remote', remote: 'fork' } },
		] as const) {
			assert.deepEqual(kinds({ target }), [target.blocker.kind]);
			assert.equal(planLaunch(launchFacts({ target }), {}), undefined);
		}
		assert.deepEqual(kinds({ isNameUnsafe: true }), ['unsafe-name']);
		assert.equal(planLaunch(launchFacts({ isNameUnsafe: true }), {}), undefined);
	});

	it('blocks a task that needs something that the user has not allowed, and lists what else it needs last', () => {
		const sandbox = { works: false, problem: 'not-installed' } as const;
		const question = { kind: 'unsandboxed', sandbox, isAllowed: false } as const;
		const changed = ['a'];
		assert.deepEqual(kinds({ changed, needs: [question, { kind: 'no-dependencies' }] }), [
			'unsandboxed',
			'changes',
			'no-dependencies',
		]);
		assert.equal(planLaunch(launchFacts({ needs: [question] }), {}), undefined);
		const allowed = { ...question, isAllowed: true };
		// The answer moves no row.
		assert.deepEqual(kinds({ changed, needs: [allowed] }), ['unsandboxed', 'changes']);
		assert.ok(planLaunch(launchFacts({ needs: [allowed, { kind: 'needs-unknown', reason: 'Why.' }] }), {}));
		for (const needs of [question, allowed]) {
			assert.equal(isBlocker(needs), needs === question);
		}
	});

	it('is a branch that is not there yet, which is pushed, or goes on a scratch branch', () => {
		const target = { ...launchPlace, there: undefined };
		assert.deepEqual(first('not-on-remote', { target }).choices, ['push', 'scratch']);
		assert.deepEqual(planLaunch(launchFacts({ target }), {})?.push, {
			remote: 'origin',
			commit: 'c1',
			to: 'main',
			isNew: true,
		});
		const plan = planLaunch(launchFacts({ target }), { commits: 'scratch' });
		assert.deepEqual(plan?.scratch, { parent: 'c1', withChanges: false, remote: 'origin' });
		assert.equal(plan?.push, undefined);
	});

	it('is a branch that git saw there and the service does not', () => {
		const service = { kind: 'known', branches: new Set(['other']), isWhole: true } as const;
		assert.equal(first('not-on-remote', { service }).chosen, 'push');
		assert.deepEqual(kinds({ service: { kind: 'known', branches: new Set(['main']), isWhole: true } }), ['service']);
		assert.deepEqual(kinds({ service: { kind: 'known', branches: new Set(), isWhole: false } }), ['service']);
	});

	it('is nothing of a branch that only the service sees, with which the task starts as it is there', () => {
		const target = { ...launchPlace, there: undefined, here: undefined };
		assert.deepEqual(kinds({ target }), []);
		const plan = planLaunch(launchFacts({ target }), { commits: 'push' });
		assert.deepEqual([plan?.branch, plan?.commit, plan?.push], ['main', undefined, undefined]);
	});

	it('is unpushed commits, which are pushed unless the user chose otherwise', () => {
		assert.equal(first('unpushed', unpushed).chosen, 'push');
		assert.deepEqual(planLaunch(launchFacts(unpushed), {})?.push, {
			remote: 'origin',
			commit: 'c3',
			to: 'main',
			isNew: false,
		});
		const without = planLaunch(launchFacts(unpushed), { commits: 'leave' });
		assert.deepEqual([without?.push, without?.scratch, without?.commit], [undefined, undefined, 'c1']);
	});

	it('never offers a push that would throw commits away, also where one was chosen before', () => {
		for (const counts of [
			{ ahead: 1, behind: 1 },
			{ ahead: undefined, behind: undefined },
		]) {
			const changes = { target: unpushed.target, ...counts };
			const { choices, chosen } = first('unpushed', changes, { commits: 'push' });
			assert.deepEqual([choices, chosen], [['leave', 'scratch'], 'leave']);
			assert.equal(planLaunch(launchFacts(changes), { commits: 'push' })?.push, undefined);
		}
	});

	it('is commits that only the remote has, with which the task starts', () => {
		const changes = { target: { ...launchPlace, here: 'c0' }, ahead: 0, behind: 3 };
		assert.equal(first('behind', changes).behind, 3);
		assert.equal(planLaunch(launchFacts(changes), { commits: 'push' })?.commit, 'c1');
	});

	it('is uncommitted changes, which stay out unless the user takes them along', () => {
		const changes = { ...unpushed, changed: ['a.ts', 'b.ts'] };
		assert.equal(first('changes', changes).chosen, 'leave');
		assert.equal(planLaunch(launchFacts(changes), {})?.scratch, undefined);
		const along = planLaunch(launchFacts(changes), { changes: 'scratch' });
		assert.deepEqual(along?.scratch, { parent: 'c3', withChanges: true, remote: 'origin' });
		assert.equal(along?.push, undefined, 'the branch of the user is not pushed as well');
		assert.equal(first('unpushed', changes, { changes: 'scratch' }).chosen, 'scratch');
	});

	it('makes the scratch branch in the working repository where that is cloned', () => {
		const target = { ...launchPlace, kind: 'working-repository', remote: undefined } as const;
		const plan = planLaunch(launchFacts({ target, changed: ['a.ts'] }), { changes: 'scratch' });
		assert.deepEqual(plan?.scratch, { parent: 'c1', withChanges: true, remote: undefined });
	});

	it('does not take along what a merge has left half done', () => {
		const changes = { changed: ['a.ts'], hasConflicts: true };
		assert.deepEqual(kinds(changes, { changes: 'scratch' }), ['conflicts']);
		assert.equal(planLaunch(launchFacts(changes), { changes: 'scratch' })?.scratch, undefined);
	});

	it('is told what else the user should know', () => {
		assert.deepEqual(
			kinds({
				repositoryKind: 'submodule',
				hasCredentials: true,
				isEmptyGitUser: true,
				unknownAgent: 'x',
				service: { kind: 'no-link' },
			}),
			['unknown-agent', 'submodule', 'credentials', 'empty-git-user', 'service'],
		);
		assert.deepEqual(kinds({ repositoryKind: 'worktree' }), ['worktree']);
		const submodules = [{ name: 'library', isCheckedOut: true }];
		assert.deepEqual(kinds({ cloneKinds: ['partial-clone', 'sparse-checkout'], submodules }), [
			'partial-clone',
			'sparse-checkout',
			'submodules',
		]);
	});

	it('does not start from a partial clone that lacks files of the branch', () => {
		const changes = { missingFiles: { remote: 'origin', objects: 3 }, cloneKinds: ['partial-clone'] } as const;
		assert.deepEqual(kinds(changes), ['missing-files', 'partial-clone']);
		assert.deepEqual(findFindings(launchFacts(changes), {}).map(isBlocker), [true, false]);
		assert.equal(planLaunch(launchFacts(changes), {}), undefined);
	});
});
