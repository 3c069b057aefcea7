import assert from 'node:assert/strict';
import type { OfferedServer } from '../../../src/chat/api.ts';
import { launchFindings, type PreflightView } from '../../../src/tasks/launch/preflightList.ts';
import type { LaunchPlan, PreflightFinding } from '../../../src/tasks/model/findings.ts';
import { choices, facts, fixesOf, rowsOf, viewOf } from '../../support/preflightView.ts';
import { spoken } from '../../support/spoken.ts';

/** A finding, its row, the button on it, and what else can be done where that is more than the button says. */
interface Said {
	finding: PreflightFinding;
	row: RegExp;
	button?: string;
	behind?: string[];
}

const agent = { id: 'opencode', label: 'OpenCode', source: 'path', problem: 'no-model' } as const;
const installing = {
	kind: 'installation',
	commands: [{ lockfile: 'package-lock.json', command: 'npm ci' }],
	hosts: ['packages.example:443', '$(bug)\u202e:80'],
	withLogin: [],
} as const;
const withScripts = 'Allow with Install Scripts';
const withoutScripts = 'Allow Without Install Scripts';

const more = 'Show Other Options';
const leaves = ['Start Without Them', 'Use a Scratch Branch'];

const every: Record<PreflightFinding['kind'], Said[]> = {
	'no-remote': [
		{
			finding: { kind: 'no-remote' },
			row: /^\$\(error\) “widgets” has no remote \| Quillon can’t reach this machine\. Publish/,
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
			button: 'Select Another Branch',
		},
	],
	'unsafe-name': [
		{
			finding: { kind: 'unsafe-name' },
			row: /^\$\(error\) .*starts with a hyphen \| .*select another branch/,
			button: 'Select Another Branch',
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
			row: /isn’t on origin yet \| Included on a scratch branch on origin, which is removed/,
			button: 'Push',
		},
		{
			finding: { kind: 'not-on-remote', remote: 'origin', choices: ['scratch'], chosen: 'scratch' },
			row: /isn’t on origin yet \| Included on a scratch branch/,
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
			row: /^\$\(warning\) 1 commit isn’t on origin yet \| Will be pushed to origin before the task starts\./,
			button: more,
			behind: leaves,
		},
		{
			finding: { kind: 'unpushed', remote: 'origin', ahead: 2, behind: 0, choices: ['push', 'leave'], chosen: 'leave' },
			row: /^\$\(warning\) 2 commits aren’t on origin yet \| The task starts from the commits on origin\./,
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
			row: /diverged: 1 commits only here, 3 only on origin \| Included on a scratch branch on origin/,
			button: 'Start Without Them',
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
			row: /^\$\(warning\) The branch is at a different commit on origin \| The task starts from/,
			button: 'Use a Scratch Branch',
		},
	],
	behind: [
		{
			finding: { kind: 'behind', remote: 'origin', behind: 1 },
			row: /^\$\(info\) origin has 1 commit that isn’t here \| The task starts/,
		},
		{
			finding: { kind: 'behind', remote: 'origin', behind: 2 },
			row: /^\$\(info\) origin has 2 commits that aren’t here \| The task starts/,
		},
	],
	changes: [
		{
			finding: { kind: 'changes', files: ['a'], choices: ['leave', 'scratch'], chosen: 'scratch' },
			row: /^\$\(warning\) 1 uncommitted file \| a \| They’re included on a scratch branch, which is removed/,
			button: 'Start Without Them',
		},
		{
			finding: {
				kind: 'changes',
				files: ['a', 'b', 'c', 'd', '$(bug)\u202e\n'],
				choices: ['leave', 'scratch'],
				chosen: 'leave',
			},
			row: /^\$\(warning\) 5 uncommitted files \| a, b, c, d and 1 more \| They’re not part of the task\.$/,
			button: 'Include Them on a Scratch Branch',
		},
	],
	conflicts: [
		{
			finding: { kind: 'conflicts', files: ['$(bug)\u202e'] },
			row: /^\$\(warning\) A merge with conflicts is in progress \| \\\$\(bug\) \| Uncommitted changes aren’t part/,
		},
	],
	nested: [
		{
			finding: { kind: 'nested', folders: ['vendor/lib'] },
			row: /^\$\(info\) A nested repository has changes \| vendor\/lib \| They’re not part of the task\.$/,
		},
		{
			finding: { kind: 'nested', folders: ['one', 'two'] },
			row: /^\$\(info\) 2 nested repositories have changes \| one, two \| They’re not part of the task\.$/,
		},
	],
	'unknown-agent': [
		{
			finding: { kind: 'unknown-agent', agent: 'gone' },
			row: /^\$\(warning\) Quillon has no agent “gone”.*errand\.tasks\.agent/,
			button: 'Open Settings',
		},
	],
	'unusable-agents': [
		{
			finding: { kind: 'unusable-agents', agents: [agent] },
			row: /^\$\(error\) “OpenCode” can’t run \| It needs a model\. Add a model server\. Set it up, or select another/,
			button: more,
			behind: ['Select Another Agent', 'Set Up Agents…'],
		},
		{
			finding: { kind: 'unusable-agents', agents: [agent, { ...agent, label: '$(bug)', problem: 'not-found' }] },
			row: /^\$\(error\) 2 of the agents can’t run \| OpenCode: It needs a model.* \\\$\(bug\): It is not installed\.$/,
			button: more,
			behind: ['Select Another Agent', 'Set Up Agents…'],
		},
	],
	'sandbox-required': [
		{
			finding: { kind: 'sandbox-required', sandbox: { works: false, problem: 'platform' } },
			row: /^\$\(error\) No sandbox is available, and agents aren’t allowed to run without one \| Errand has no sandbox for this system yet\..*errand\.local\.sandbox/,
			button: more,
			behind: ['Set Up Agents…', 'Open Settings'],
		},
	],
	unsandboxed: [
		{
			finding: { kind: 'unsandboxed', sandbox: { works: false, problem: 'not-installed' }, isAllowed: false },
			row: /^\$\(warning\) Runs without a sandbox and can .*everything that you can \| Bubblewrap isn’t installed\. Allow it for this/,
			button: more,
			behind: ['Allow for This Repository', 'Set Up Agents…'],
		},
		{
			finding: {
				kind: 'unsandboxed',
				sandbox: { works: false, problem: 'not-permitted', detail: 'bwrap: $(bug)\nno' },
				isAllowed: false,
			},
			row: /doesn’t allow the sandbox\. It said: “bwrap: \\\$\(bug\) no” Allow/,
			button: more,
			behind: ['Allow for This Repository', 'Set Up Agents…'],
		},
		{
			finding: { kind: 'unsandboxed', sandbox: { works: false, problem: 'platform' }, isAllowed: true },
			row: /^\$\(warning\) Runs without a sandbox and can .* \| Allowed for this repository when this task starts\.$/,
			button: 'Don’t Allow',
		},
	],
	installation: [
		{
			finding: { ...installing, allowed: undefined },
			row: /^\$\(warning\) Dependencies.*: npm ci \| package-lock\.json \| Hosts that are contacted: packages\.example:443, \\\$\(bug\) :80\. Other hosts are blocked\. If the installation fails, you’re asked about them next time\. Allow it for/,
			button: more,
			behind: [withoutScripts, withScripts, 'Don’t Install'],
		},
		{
			finding: { ...installing, allowed: 'without-scripts' },
			row: /^\$\(info\) Dependencies.* Install scripts don’t run\.$/,
			button: more,
			behind: [withScripts, 'Don’t Install'],
		},
		{
			finding: { ...installing, withLogin: ['packages.example:443'], allowed: 'without-scripts' },
			row: /about them next time\. Your sign-in to packages\.example:443 isn’t used because agents don’t have access to it\. Install scripts don’t run\.$/,
			button: more,
			behind: [withScripts, 'Don’t Install'],
		},
		{
			finding: { ...installing, hosts: [], allowed: 'with-scripts' },
			row: /^\$\(info\) Dependencies.* \| No hosts are known yet\. Other hosts are blocked.* Install scripts run\.$/,
			button: more,
			behind: [withoutScripts, 'Don’t Install'],
		},
	],
	'no-dependencies': [
		{
			finding: { kind: 'no-dependencies' },
			row: /^\$\(info\) No installable dependencies found.* no lockfile that Quillon supports, and no package\.json with dependencies\.$/,
		},
	],
	'shown-dependencies': [
		{
			finding: { kind: 'shown-dependencies', folders: ['node_modules', 'web/node_modules'] },
			row: /^\$\(info\) The task can use your installed dependencies: node_modules, web\/node_modules \| It can read/,
		},
	],
	'unmet-dependencies': [
		{
			finding: { kind: 'unmet-dependencies', packages: ['mocha@^11.0.0'] },
			row: /^\$\(info\) Your installed dependencies lack mocha@\^11\.0\.0 \| So the task can’t use them\. Install/,
		},
	],
	search: [
		{
			finding: { kind: 'search', model: '$(bug)', isAllowed: false, isKept: false },
			row: /^\$\(info\) The task can’t search the web \| If you allow it .*, “\\\$\(bug\)” gets what/,
			button: 'Allow for This Repository',
		},
		{
			finding: { kind: 'search', model: 'finder', isAllowed: true, isKept: false },
			row: /^\$\(info\) The task can search the web \| “finder” gets what/,
			button: 'Don’t Allow',
		},
		{
			finding: { kind: 'search', model: 'finder', isAllowed: true, isKept: true },
			row: /^\$\(info\) The task can search the web/,
			button: 'Set Up Agents…',
		},
	],
	unpriced: [
		{
			finding: { kind: 'unpriced', models: ['small', '$(bug)'] },
			row: /^\$\(info\) “errand\.tasks\.maxCost” doesn’t limit this task .*no price for small, \\\$\(bug\) \| Add prices/,
		},
	],
	'needs-unknown': [
		{
			finding: { kind: 'needs-unknown', reason: 'Why.' },
			row: /^\$\(info\) Couldn’t check what the task needs \| Why\.$/,
			button: 'Ask Again',
		},
	],
	'missing-files': [
		{
			finding: { kind: 'missing-files', remote: 'origin', objects: 1 },
			row: /^\$\(error\) “widgets” is a partial clone without all files of branch “fix-login” \| .*1 object is missing\. Get it from origin/,
			button: more,
			behind: ['Get Them from origin', 'Select Another Branch'],
		},
		{
			finding: { kind: 'missing-files', remote: 'origin', objects: 12 },
			row: /needs all files, but 12 objects are missing\. Get them from origin, or select another branch\./,
			button: more,
			behind: ['Get Them from origin', 'Select Another Branch'],
		},
	],
	'partial-clone': [
		{ finding: { kind: 'partial-clone' }, row: /^\$\(info\) “widgets” is a partial clone \| .*not its history/ },
	],
	'shallow-clone': [
		{ finding: { kind: 'shallow-clone' }, row: /^\$\(info\) “widgets” is a shallow clone \| .*only the history/ },
	],
	'sparse-checkout': [
		{ finding: { kind: 'sparse-checkout' }, row: /^\$\(info\) “widgets” has a sparse checkout \| .*on all files/ },
	],
	submodules: [
		{
			finding: { kind: 'submodules', submodules: [{ name: 'library', isCheckedOut: true }] },
			row: /^\$\(info\) The branch has a submodule \| library \| The agent can read their files\. Changes in submodules aren’t included\./,
		},
		{
			finding: {
				kind: 'submodules',
				submodules: [
					{ name: 'library', isCheckedOut: true },
					{ name: 'other', isCheckedOut: false },
				],
			},
			row: /^\$\(info\) The branch has 2 submodules \| library, other \| .*aren’t checked out, so they’re empty for the agent: other\./,
		},
	],
	worktree: [{ finding: { kind: 'worktree' }, row: /^\$\(info\) “widgets” is a worktree \| .*Other worktrees aren’t/ }],
	submodule: [
		{ finding: { kind: 'submodule' }, row: /^\$\(info\) “widgets” is a submodule \| .*only on the submodule/ },
	],
	credentials: [
		{
			finding: { kind: 'credentials' },
			row: /^\$\(info\) .*a user name or password \| It isn’t sent to Quillon\./,
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
		{ finding: { kind: 'service', look: { kind: 'asking' } }, row: /^\$\(sync~spin\) Checking whether Quillon/ },
		{
			finding: { kind: 'service', look: { kind: 'known', branches: new Set(), isWhole: false } },
			row: /^\$\(check\) Quillon has access to “widgets”$/,
		},
		{
			finding: { kind: 'service', look: { kind: 'unlisted' } },
			row: /^\$\(warning\) Quillon doesn’t list “widgets” \| .*Grant access/,
			button: more,
			behind: ['Ask Again', 'Open Dashboard'],
		},
		{
			finding: { kind: 'service', look: { kind: 'no-link' } },
			row: /^\$\(warning\) Quillon isn’t linked to your source hosting \| Link it in the service’s dashboard/,
			button: more,
			behind: ['Ask Again', 'Open Dashboard'],
		},
		{
			finding: { kind: 'service', look: { kind: 'failed', reason: 'Why.' } },
			row: /^\$\(info\) Couldn’t check whether Quillon has access to.*\| Why\.$/,
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

	it('is told to a program in sentences, with what hinders the task', () => {
		const findings: PreflightFinding[] = [
			{ kind: 'no-remote' },
			{ kind: 'changes', files: ['a'], choices: ['leave'], chosen: 'leave' },
		];
		assert.deepEqual(launchFindings(viewOf({ findings })), [
			{
				text: '“widgets” has no remote',
				isBlocking: true,
				detail: 'Quillon can’t reach this machine. Publish the repository, or use the local connection.',
			},
			{ text: '1 uncommitted file: a', isBlocking: false, detail: 'They’re not part of the task.' },
		]);
	});

	it('has a row of its own for each finding, beside those of the choices', () => {
		const findings = Object.values(every).flatMap(([first]) => (first ? [first.finding] : []));
		const ids = rowsOf({ findings }).map(({ id }) => id);
		assert.equal(new Set(ids).size, ids.length);
	});

	it('offers no dashboard if the connection has none', () => {
		const titles = (finding: PreflightFinding) => fixesOf(finding, undefined).map(({ title }) => title);
		assert.deepEqual(titles({ kind: 'empty-git-user' }), []);
		assert.deepEqual(titles({ kind: 'service', look: { kind: 'no-link' } }), ['Ask Again']);
	});

	it('does with a button what it says', async () => {
		const done: unknown[] = [];
		const press = async (finding: PreflightFinding) => {
			for (const fix of fixesOf(finding, undefined, done)) {
				await fix.run();
			}
		};
		await press({ kind: 'only-on-remote', remote: 'fork' });
		await press({ kind: 'not-on-remote', remote: 'origin', choices: ['push', 'scratch'], chosen: 'push' });
		await press({ kind: 'changes', files: ['a'], choices: ['leave', 'scratch'], chosen: 'leave' });
		await press({ kind: 'service', look: { kind: 'unlisted' } });
		assert.deepEqual(done.splice(0), ['branch', { commits: 'scratch' }, { changes: 'scratch' }, 'ask']);
		const { hosts } = installing;
		await press({ ...installing, allowed: undefined });
		await press({ kind: 'unsandboxed', sandbox: { works: false }, isAllowed: true });
		await press({ kind: 'needs-unknown', reason: 'Why.' });
		assert.deepEqual(done, [
			{ dependencies: { hosts, allowsScripts: false } },
			{ dependencies: { hosts, allowsScripts: true } },
			{ installDependencies: false },
			{ unsandboxed: undefined },
			'ask',
		]);
	});

	it('ends with what hinders the task, or with all that a yes sends', () => {
		const last = (changes: Partial<PreflightView>) => spoken(rowsOf(changes).at(-1));
		const blockers = [
			...[every['no-remote'], every['unusable-remote'], every['only-on-remote'], every['unsafe-name']],
			...[
				every['unusable-agents'],
				every['sandbox-required'],
				every.unsandboxed.slice(0, 2),
				every.installation.slice(0, 1),
			],
		];
		for (const { finding } of blockers.flat()) {
			const [hinders] = rowsOf({ findings: [finding] });
			const label = hinders?.label.replace(/^\$\((error|warning)\) /, '');
			assert.equal(last({ findings: [finding] }), `$(circle-slash) The task can’t be started yet | ${label}`);
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
		const allowed: PreflightFinding = { kind: 'unsandboxed', sandbox: { works: false }, isAllowed: true };
		assert.match(last({ plan, findings: [allowed] }), /Start Task \| .*, without a sandbox \|/);
		const serverOf = (name: string, use: 'used' | 'left-out') => ({ server: { name } as OfferedServer, use });
		const servers = [serverOf('files', 'used'), serverOf('tickets', 'left-out')];
		assert.match(last({ plan, servers }), /Start Task \| .*, with the MCP server files \|/);
	});
});
