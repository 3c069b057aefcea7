import assert from 'node:assert/strict';
import type { TaskCheck } from '../../../../src/contract/agents.ts';
import { isBlocker } from '../../../../src/tasks/model/findings.ts';
import {
	consentsOf,
	type NeedsAnswers,
	type NeedsChoices,
	type NeedsState,
	needsFindings,
} from '../../../../src/tasks/model/taskNeeds.ts';

const sandbox = { works: false, problem: 'not-installed' } as const;
const nothing: TaskCheck = {
	sandbox,
	unusable: [],
	asksForUnsandboxed: false,
	unpricedModels: [],
	dependencies: null,
	ownDependencies: { shown: [], unmet: [] },
};
const npm = {
	commands: [{ lockfile: 'package-lock.json', command: 'npm ci' }],
	hosts: ['packages.example:443', 'other.example:443'],
	withLogin: [],
	allowed: false,
	allowsScripts: false,
};
const known = (check: Partial<TaskCheck>): NeedsState => ({ kind: 'known', check: { ...nothing, ...check } });
const find = (look: NeedsState, answers: NeedsAnswers = {}, choices: Partial<NeedsChoices> = {}) =>
	needsFindings(look, answers, { installDependencies: true, isSandboxRequired: false, ...choices });
const answer = (allowsScripts: boolean, hosts: readonly string[] = npm.hosts): NeedsAnswers => ({
	dependencies: { hosts, allowsScripts },
});

describe('what a task of the local service needs', () => {
	it('is nothing where all is allowed or nothing was asked', () => {
		assert.deepEqual(find({ kind: 'not-asked' }), []);
		assert.deepEqual(find(known({}), {}, { installDependencies: false }), []);
	});

	it('is told as not known where the service did not answer, which hinders nothing, and not while it is asked', () => {
		const found = find({ kind: 'failed', reason: 'Why.' });
		assert.deepEqual(found, [{ kind: 'needs-unknown', reason: 'Why.' }]);
		assert.ok(!found.some(isBlocker));
		assert.deepEqual(find({ kind: 'asking' }), []);
	});

	it('is an agent that can run', () => {
		const agents = [{ id: 'opencode', label: 'OpenCode', source: 'none', problem: 'not-found' }] as const;
		const found = find(known({ unusable: [...agents] }), {}, { installDependencies: false });
		assert.deepEqual(found, [{ kind: 'unusable-agents', agents }]);
		assert.ok(found.every(isBlocker));
	});

	it('is a yes to searching the web where that can be done, without which the task begins too', () => {
		const look = known({ search: { model: 'finder', allowed: false } });
		const choices = { installDependencies: false };
		const finding = { kind: 'search', model: 'finder', isKept: false } as const;
		assert.deepEqual(find(look, {}, choices), [{ ...finding, isAllowed: false }]);
		assert.ok(!isBlocker({ ...finding, isAllowed: false }));
		assert.deepEqual(find(look, { search: true }, choices), [{ ...finding, isAllowed: true }]);
		assert.deepEqual(consentsOf(look, { search: true }, '/r'), [{ kind: 'search', repoUrl: '/r' }]);
		assert.deepEqual(consentsOf(look, { search: false }, '/r'), []);
		const kept = known({ search: { model: 'finder', allowed: true } });
		assert.deepEqual(find(kept, {}, choices), [{ ...finding, isAllowed: true, isKept: true }]);
		assert.deepEqual(consentsOf(kept, { search: true }, '/r'), []);
	});

	it('is a yes to running without a sandbox, which the user gives, or forbids by a setting', () => {
		const look = known({ asksForUnsandboxed: true, dependencies: null });
		const choices = { installDependencies: false };
		const [asked] = find(look, {}, choices);
		assert.deepEqual(asked, { kind: 'unsandboxed', sandbox, isAllowed: false });
		assert.ok(asked && isBlocker(asked));
		const [allowed] = find(look, { unsandboxed: 'not-installed' }, choices);
		assert.deepEqual(allowed, { kind: 'unsandboxed', sandbox, isAllowed: true });
		assert.ok(allowed && !isBlocker(allowed));
		// The answer was about another machine's trouble, or about this one's before.
		const [other] = find(look, { unsandboxed: 'not-permitted' }, choices);
		assert.deepEqual(other, { kind: 'unsandboxed', sandbox, isAllowed: false });
		const [required] = find(look, { unsandboxed: 'not-installed' }, { ...choices, isSandboxRequired: true });
		assert.deepEqual(required, { kind: 'sandbox-required', sandbox });
		assert.ok(required && isBlocker(required));
	});

	it('is a yes to exactly the hosts that dependencies come from', () => {
		const allowed = (look: NeedsState, answers?: NeedsAnswers) => {
			const [found] = find(look, answers);
			assert.ok(found?.kind === 'installation');
			assert.equal(isBlocker(found), found.allowed === undefined);
			return found.allowed;
		};
		const asked = known({ dependencies: npm });
		assert.equal(allowed(asked), undefined);
		assert.equal(allowed(asked, answer(false)), 'without-scripts');
		assert.equal(allowed(asked, answer(true, npm.hosts.toReversed())), 'with-scripts');
		assert.equal(allowed(asked, answer(true, ['packages.example:443'])), undefined);
		const kept = known({ dependencies: { ...npm, allowed: true, allowsScripts: true } });
		assert.equal(allowed(kept), 'with-scripts');
		assert.equal(allowed(kept, answer(false)), 'without-scripts');
		// Without a yes, what the service says about scripts means nothing.
		assert.equal(allowed(known({ dependencies: { ...npm, allowsScripts: true } })), undefined);
	});

	it('is told that a limit on costs does not hold, which hinders nothing', () => {
		const found = find(known({ unpricedModels: ['small'] }), {}, { installDependencies: false });
		assert.deepEqual(found, [{ kind: 'unpriced', models: ['small'] }]);
		assert.ok(!found.some(isBlocker));
	});

	it('is told where there are no dependencies to install, and only where they were to be installed', () => {
		assert.deepEqual(find(known({})), [{ kind: 'no-dependencies' }]);
		assert.deepEqual(find(known({ dependencies: npm }), {}, { installDependencies: false }), []);
	});

	it('is told which of the user’s own dependencies the task sees, and why it does not see others', () => {
		const own = (shown: string[], unmet: string[]) => known({ ownDependencies: { shown, unmet } });
		for (const installDependencies of [true, false]) {
			const found = find(own(['node_modules'], []), {}, { installDependencies });
			assert.deepEqual(found, [{ kind: 'shown-dependencies', folders: ['node_modules'] }]);
			assert.ok(!found.some(isBlocker));
		}
		assert.deepEqual(find(own([], ['mocha@^11.0.0']), {}, { installDependencies: false }), [
			{ kind: 'unmet-dependencies', packages: ['mocha@^11.0.0'] },
		]);
		const both = known({ dependencies: npm, ownDependencies: { shown: ['.venv'], unmet: [] } });
		assert.deepEqual(
			find(both).map(({ kind }) => kind),
			['installation', 'shown-dependencies'],
		);
	});
});

describe('what the service is told when the task starts', () => {
	const consents = (look: NeedsState, answers: NeedsAnswers) => consentsOf(look, answers, '/repository');

	it('is each answer that it does not have yet', () => {
		const look = known({ asksForUnsandboxed: true, dependencies: npm });
		assert.deepEqual(consents(look, { unsandboxed: 'not-installed', ...answer(true) }), [
			{ kind: 'unsandboxed', repoUrl: '/repository', problem: 'not-installed' },
			{ kind: 'dependencies', repoUrl: '/repository', hosts: npm.hosts, allowsScripts: true },
		]);
		const kept = known({ dependencies: { ...npm, allowed: true, allowsScripts: true } });
		assert.deepEqual(consents(kept, answer(true)), []);
		assert.deepEqual(consents(kept, answer(false)), [
			{ kind: 'dependencies', repoUrl: '/repository', hosts: npm.hosts, allowsScripts: false },
		]);
	});

	it('is nothing that was not asked for, not answered, or taken back', () => {
		const look = known({ asksForUnsandboxed: true, dependencies: npm });
		assert.deepEqual(consents(look, {}), []);
		assert.deepEqual(consents(look, { unsandboxed: undefined, ...answer(true, ['elsewhere.example:443']) }), []);
		assert.deepEqual(consents(look, { unsandboxed: 'not-permitted' }), []);
		assert.deepEqual(consents(known({}), { unsandboxed: 'not-installed', ...answer(true) }), []);
		assert.deepEqual(consents({ kind: 'asking' }, { unsandboxed: 'not-installed' }), []);
		assert.deepEqual(consents({ kind: 'not-asked' }, { unsandboxed: 'not-installed' }), []);
	});
});
