import assert from 'node:assert/strict';
import { toRequest } from '../../src/tasks/launch/launchChoices.ts';
import { findingFixes, type PreflightView, preflightRows } from '../../src/tasks/launch/preflightRows.ts';
import type { Finding, LaunchPlan } from '../../src/tasks/model/findings.ts';
import { agents } from '../support/contractServer/fixtures.ts';
import { launchFacts, launchPlace } from '../support/launchFacts.ts';

const connection = { name: 'quillon', label: 'Quillon', isLocal: false, hasLookUps: true, agents };

const facts = launchFacts({ target: { ...launchPlace, repoUrl: 'https://host.example/x', there: 'a', here: 'a' } });
const choices = { agents: [], installDependencies: false, maxDuration: 0 };

const fixesOf = (finding: Finding, dashboardUrl: string | undefined, done: unknown[] = []) =>
	findingFixes(finding, {
		folder: undefined,
		dashboardUrl,
		decide: decision => done.push(decision),
		chooseBranch: () => done.push('branch'),
		gather: async () => void done.push('gather'),
		askAgain: async () => void done.push('ask'),
	});

const rowsOf = (changes: Partial<PreflightView>) =>
	preflightRows({
		prompt: 'Fix it',
		connection,
		choices,
		repository: 'widgets',
		hasOtherRepositories: false,
		branch: 'fix-login',
		facts,
		plan: undefined,
		findings: [],
		fixesOf: finding => fixesOf(finding, 'https://dashboard.example'),
		...changes,
	});

type Row = ReturnType<typeof rowsOf>[number];
const spoken = (row: Row | undefined) => [row?.label, row?.description, row?.detail].filter(Boolean).join(' | ');

/** A finding, its row, the button on it, and what else can be done where that is more than the button says. */
interface Said {
	finding: Finding;
	row: RegExp;
	button?: string;
	behind?: string[];
}

const more = 'Show What Else Can Be Done';
const leaves = ['Go Without Them', 'Use a Scratch Branch'];

const every: Record<Finding['kind'], Said[]> = {
	'no-remote': [
		{
			finding: { kind: 'no-remote' },
			row: /^\$\(error\) “widgets” has no remote \| Quillon cannot reach this machine\. Publish/,
			button: more,
			behind: ['Publish Branch', 'Switch Connection'],
		},
	],
	'unusable-remote': [
		{
			finding: { kind: 'unusable-remote', remote: 'origin' },
			row: /^\$\(error\) The address of remote “origin”.*https or ssh/,
			button: 'Switch Connection',
		},
	],
	'only-on-remote': [
		{
			finding: { kind: 'only-on-remote', remote: 'fork' },
			row: /^\$\(error\) Branch “fix-login” is only on fork \| Check it out/,
			button: 'Choose Another Branch',
		},
	],
	'unsafe-name': [
		{
			finding: { kind: 'unsafe-name' },
			row: /^\$\(error\) .*begins with a hyphen \| .*choose another branch/,
			button: 'Choose Another Branch',
		},
	],
	'not-on-remote': [
		{
			finding: { kind: 'not-on-remote', remote: 'origin', choices: ['push', 'scratch'], chosen: 'push' },
			row: /^\$\(warning\) Branch “fix-login” isn’t on origin yet \| Will be pushed to origin/,
			button: 'Use a Scratch Branch',
		},
		{
			finding: { kind: 'not-on-remote', remote: 'origin', choices: ['push', 'scratch'], chosen: 'scratch' },
			row: /isn’t on origin yet \| Goes along on a scratch branch of origin, which is removed/,
			button: 'Push',
		},
		{
			finding: { kind: 'not-on-remote', remote: 'origin', choices: ['scratch'], chosen: 'scratch' },
			row: /isn’t on origin yet \| Goes along on a scratch branch/,
		},
	],
	unpushed: [
		{
			finding: {
				kind: 'unpushed',
				remote: 'origin',
				ahead: 1,
				behind: 0,
				choices: ['push', 'leave', 'scratch'],
				chosen: 'push',
			},
			row: /^\$\(warning\) 1 commit is not on origin yet \| Will be pushed to origin before the task starts\./,
			button: more,
			behind: leaves,
		},
		{
			finding: { kind: 'unpushed', remote: 'origin', ahead: 2, behind: 0, choices: ['push', 'leave'], chosen: 'leave' },
			row: /^\$\(warning\) 2 commits are not on origin yet \| The task starts from what origin has\./,
			button: 'Push',
		},
		{
			finding: {
				kind: 'unpushed',
				remote: 'origin',
				ahead: 1,
				behind: 3,
				choices: ['leave', 'scratch'],
				chosen: 'scratch',
			},
			row: /two ways: 1 commits only here, 3 only on origin \| Goes along on a scratch branch of origin/,
			button: 'Go Without Them',
		},
		{
			finding: {
				kind: 'unpushed',
				remote: 'origin',
				ahead: undefined,
				behind: undefined,
				choices: ['leave', 'scratch'],
				chosen: 'leave',
			},
			row: /^\$\(warning\) The branch is at another commit on origin than here \| The task starts from/,
			button: 'Use a Scratch Branch',
		},
	],
	behind: [
		{
			finding: { kind: 'behind', remote: 'origin', behind: 1 },
			row: /^\$\(info\) origin has 1 commit that is not here \| The task starts/,
		},
		{
			finding: { kind: 'behind', remote: 'origin', behind: 2 },
			row: /^\$\(info\) origin has 2 commits that are not here \| The task starts/,
		},
	],
	changes: [
		{
			finding: { kind: 'changes', files: ['a'], choices: ['leave', 'scratch'], chosen: 'scratch' },
			row: /^\$\(warning\) 1 file is not committed \| a \| They go along on a scratch branch, which is removed/,
			button: 'Go Without Them',
		},
		{
			finding: {
				kind: 'changes',
				files: ['a', 'b', 'c', 'd', '$(bug)\u202e\n'],
				choices: ['leave', 'scratch'],
				chosen: 'leave',
			},
			row: /^\$\(warning\) 5 files are not committed \| a, b, c, d and 1 more \| They stay out of the task\.$/,
			button: 'Take Them Along on a Scratch Branch',
		},
	],
	conflicts: [
		{
			finding: { kind: 'conflicts', files: ['$(bug)\u202e'] },
			row: /^\$\(warning\) A merge with conflicts is under way \| \\\$\(bug\) \| Uncommitted changes stay out/,
		},
	],
	nested: [
		{
			finding: { kind: 'nested', folders: ['vendor/lib'] },
			row: /^\$\(info\) A repository inside this one.* \| vendor\/lib \| They stay out of the task\.$/,
		},
		{
			finding: { kind: 'nested', folders: ['one', 'two'] },
			row: /^\$\(info\) 2 repositories inside this one.* \| one, two \| They stay out of the task\.$/,
		},
	],
	'unknown-agent': [
		{
			finding: { kind: 'unknown-agent', agent: 'gone' },
			row: /^\$\(warning\) Quillon has no agent “gone”.*errand\.tasks\.agent/,
			button: 'Open Settings',
		},
	],
	worktree: [{ finding: { kind: 'worktree' }, row: /^\$\(info\) “widgets” is a worktree \| .*other worktrees stay/ }],
	submodule: [{ finding: { kind: 'submodule' }, row: /^\$\(info\) “widgets” is a submodule \| .*submodule alone/ }],
	credentials: [
		{
			finding: { kind: 'credentials' },
			row: /^\$\(info\) .*a name or a password \| They are not sent to Quillon\./,
		},
	],
	'empty-git-user': [
		{
			finding: { kind: 'empty-git-user' },
			row: /^\$\(warning\) The last task ran without a source-hosting account \| Link one/,
			button: 'Open Dashboard',
		},
	],
	service: [
		{ finding: { kind: 'service', look: { kind: 'asking' } }, row: /^\$\(sync~spin\) Asking Quillon/ },
		{
			finding: { kind: 'service', look: { kind: 'known', branches: new Set(), isWhole: false } },
			row: /^\$\(check\) Quillon knows “widgets”$/,
		},
		{
			finding: { kind: 'service', look: { kind: 'unlisted' } },
			row: /^\$\(warning\) Quillon does not list “widgets” \| .*Grant it/,
			button: more,
			behind: ['Ask Again', 'Open Dashboard'],
		},
		{
			finding: { kind: 'service', look: { kind: 'no-link' } },
			row: /^\$\(warning\) Quillon has no link.*\| Link it in the service’s dashboard/,
			button: more,
			behind: ['Ask Again', 'Open Dashboard'],
		},
		{
			finding: { kind: 'service', look: { kind: 'failed', reason: 'Why.' } },
			row: /^\$\(info\) Whether Quillon knows.*\| Why\.$/,
			button: more,
			behind: ['Ask Again', 'Open Dashboard'],
		},
	],
};

describe('the preflight', () => {
	for (const { finding, row, button, behind } of Object.values(every).flat()) {
		it(`says what is so, what will be done about it, and offers what else can be: ${row.source}`, () => {
			const [shown] = rowsOf({ findings: [finding] });
			assert.match(spoken(shown), row);
			assert.equal(shown?.buttons?.[0]?.tooltip, button);
			const titles = fixesOf(finding, 'https://dashboard.example').map(({ title }) => title);
			assert.deepEqual(titles, behind ?? (button === undefined ? [] : [button]));
		});
	}

	it('offers no dashboard where the connection has none', () => {
		const titles = (finding: Finding) => fixesOf(finding, undefined).map(({ title }) => title);
		assert.deepEqual(titles({ kind: 'empty-git-user' }), []);
		assert.deepEqual(titles({ kind: 'service', look: { kind: 'no-link' } }), ['Ask Again']);
	});

	it('does with a button what it says', async () => {
		const done: unknown[] = [];
		const press = async (finding: Finding) => {
			for (const fix of fixesOf(finding, undefined, done)) {
				await fix.run();
			}
		};
		await press({ kind: 'only-on-remote', remote: 'fork' });
		await press({ kind: 'not-on-remote', remote: 'origin', choices: ['push', 'scratch'], chosen: 'push' });
		await press({ kind: 'changes', files: ['a'], choices: ['leave', 'scratch'], chosen: 'leave' });
		await press({ kind: 'service', look: { kind: 'unlisted' } });
		assert.deepEqual(done, ['branch', { commits: 'scratch' }, { changes: 'scratch' }, 'ask']);
	});

	it('ends with what hinders the task, or with all that a yes sends', () => {
		const last = (changes: Partial<PreflightView>) => spoken(rowsOf(changes).at(-1));
		const blockers = [every['no-remote'], every['unusable-remote'], every['only-on-remote'], every['unsafe-name']];
		for (const { finding } of blockers.flat()) {
			const [hinders] = rowsOf({ findings: [finding] });
			const label = hinders?.label.replace('$(error) ', '');
			assert.equal(last({ findings: [finding] }), `$(circle-slash) The task cannot be started yet | ${label}`);
		}
		const plan: LaunchPlan = {
			repoUrl: 'https://host.example/x',
			branch: 'fix-login',
			commit: '4f2c1e9abc',
			push: { remote: 'origin', commit: '4f2c1e9abc', to: 'fix-login', isNew: false },
			scratch: undefined,
		};
		assert.match(
			last({ plan, facts: { ...facts, ahead: 2, behind: 0 }, choices: { ...choices, maxDuration: 1800 } }),
			/^\$\(play\) Start Task \| fix-login @ 4f2c1e\w*, 2 unpushed commits \(will be pushed\), 30 min at most \| Quillon clones https:\/\/host\.example\/x$/,
		);
	});

	it('asks for several agents with a model each, and for one as it is', () => {
		const plan = { repoUrl: 'https://host.example/x', branch: 'main' };
		const request = (...names: [string, string?][]) =>
			toRequest(connection, 'Fix it', plan, { ...choices, agents: names.map(([agent, model]) => ({ agent, model })) });
		assert.deepEqual(request(['mason'], ['smith', 'smith-lite']).selectedAgents, [
			{ agent: 'mason', model: 'mason-large' },
			{ agent: 'smith', model: 'smith-lite' },
		]);
		assert.deepEqual(request(['mason']), {
			prompt: 'Fix it',
			repoUrl: plan.repoUrl,
			selectedBranch: 'main',
			selectedAgent: 'mason',
		});
		assert.throws(() => request(['mason'], ['nameless']), /Several agents need a model each/);
	});
});
