import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ClientError } from '../../src/base/errors.ts';
import type { AgentStatus, AgentsReport, StoredConsent } from '../../src/contract/agents.ts';
import {
	type AgentsView,
	agentRows,
	failureRows,
	installDetail,
	trialText,
} from '../../src/localService/agentMessages.ts';
import { readAgentSettings } from '../../src/localService/model/taskSettings.ts';
import { type AgentControl, setUpAgents } from '../../src/localService/setUpAgents.ts';
import { commands } from '../../src/platform/ids.ts';
import { readSetting, writeSetting } from '../../src/platform/settings.ts';
import { spoken } from '../support/spoken.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const works = { works: true };
const opencode: AgentStatus = {
	id: 'opencode',
	label: 'OpenCode',
	source: 'path',
	location: '/usr/bin/opencode',
	version: '1.18.33',
	licence: 'MIT',
	megabytes: 680,
};
const missing: AgentStatus = {
	id: 'pi',
	label: 'Pi',
	source: 'none',
	problem: 'not-found',
	licence: 'MIT',
	install: { packages: ['pi@0.87.1', 'pi-acp@0.0.34'], downloadMegabytes: 76, diskMegabytes: 166 },
};
const consents: StoredConsent[] = [
	{ kind: 'unsandboxed', folder: '/home/me/pro$(bug)ject', problem: 'not-permitted', allowedAt: '2026-01-01' },
	{
		kind: 'dependencies',
		folder: '/home/me/other',
		hosts: ['one.example:443', 'two.example:443'],
		allowsScripts: false,
		allowedAt: '2026-01-01',
	},
];
const view = (changes: Partial<AgentsView> & { sandbox?: AgentsReport['sandbox']; agents?: AgentStatus[] } = {}) => {
	const { sandbox = works, agents = [], ...others } = changes;
	const nothing = async () => undefined;
	return {
		actions: { sandbox: nothing, agent: nothing, consent: nothing },
		report: { sandbox, agents },
		consents: [],
		defaultAgent: '',
		isSandboxRequired: false,
		installCommand: undefined,
		results: new Map<string, string>(),
		problems: [],
		...others,
	};
};
describe('the list of agents', () => {
	const sandboxRow = (changes: Parameters<typeof view>[0]) => spoken(agentRows(view(changes))[0]);
	const agentRow = (agent: AgentStatus, changes: Parameters<typeof view>[0] = {}) =>
		spoken(agentRows(view({ agents: [agent], ...changes }))[2]);

	it('begins with the sandbox: that it works, or why not and what can be done', () => {
		assert.match(sandboxRow({}), /^The sandbox works \| Agents can access a copy/);
		assert.match(
			sandboxRow({
				sandbox: { works: false, problem: 'not-installed' },
				installCommand: 'sudo apt install bubblewrap',
			}),
			/^No sandbox: bubblewrap isn’t installed \| Install it with “sudo apt install bubblewrap”\. .*asks once for each repository\.$/,
		);
		assert.match(
			sandboxRow({ sandbox: { works: false, problem: 'not-installed' }, isSandboxRequired: true }),
			/Install your distribution’s “bubblewrap” package\. .*aren’t allowed to run without a sandbox, as set in your settings\.$/,
		);
		assert.match(
			sandboxRow({ sandbox: { works: false, problem: 'not-permitted', detail: 'bwrap: $(bug)\nno' } }),
			/doesn’t allow it \| Containers and AppArmor .*“userns”\. It said: “bwrap: \\\$\(bug\) no” /,
		);
		const forbidden = (setting: string) =>
			sandboxRow({
				sandbox: { works: false, problem: 'not-permitted', detail: 'no', forbidden: { setting, command: 'sudo x' } },
			});
		assert.match(
			forbidden('kernel.apparmor_restrict_unprivileged_userns'),
			/AppArmor blocks .*Ubuntu 24\.04 .*Select this row to copy the command that allows them\. It said: “no”/,
		);
		assert.match(forbidden('user.max_user_namespaces'), /A kernel setting blocks .*\(user\.max_user_namespaces\)/);
		assert.match(
			sandboxRow({ sandbox: { works: false, problem: 'platform' } }),
			/isn’t supported yet \| .*Linux and macOS\./,
		);
	});

	it('says of each agent where it is, or in words why it does not run', () => {
		assert.equal(
			agentRow(opencode, { defaultAgent: 'opencode' }),
			'OpenCode | 1.18.33 · found on PATH · default | /usr/bin/opencode · needs about 680 MB of memory',
		);
		assert.equal(agentRow(missing), 'Pi | It is not installed.');
		for (const [problem, words] of [
			['own-account', /works with an account of its own, once you allow that/],
			['account-forbidden', /which errand\.local\.ownAccounts forbids/],
			['account-retention', /does not run under zero data retention/],
		] as const) {
			assert.match(agentRow({ ...opencode, problem }), words);
		}
		assert.match(agentRow({ ...opencode, problem: 'no-model' }), /It needs a model\. Add a model server\./);
		assert.match(
			agentRow({ id: 'demo', label: 'Demo', source: 'built-in' }),
			/built in \| A demonstration .*without a model/,
		);
		assert.doesNotMatch(agentRow({ id: 'demo', label: 'Mine', source: 'settings' }), /demonstration/);
	});

	it('says of an agent which of its variables are not set', () => {
		assert.match(
			agentRow({ ...opencode, unsetVariables: ['ONE_KEY', 'TWO_KEY'] }),
			/\| Not set in the editor’s environment: ONE_KEY, TWO_KEY\. Set it, then restart the editor\. ·/,
		);
	});

	it('shows what the latest action has led to, and nothing of a program as an icon', () => {
		const results = new Map([['opencode', 'It says $(bug).']]);
		assert.match(
			agentRow({ ...opencode, label: '$(bug)\u202e' }, { results }),
			/^\\\$\(bug\) \| .*It says \\\$\(bug\)\. ·/,
		);
		assert.equal(
			trialText({ ok: true, name: 'Open\u202eCode', version: '1.0', seconds: 5.14 }),
			'It works: Open Code 1.0 responded after 5.1 s.',
		);
		assert.equal(trialText({ ok: false, message: 'No\nmodel.' }), 'No model.');
	});

	it('says what is wrong with an entry of the setting', () => {
		const { problems } = readAgentSettings([
			{ id: 'Up', command: 'a' },
			{ id: 'bare' },
			{ id: 'a', command: 'a', env: ['K v'] },
			{ id: 'd', command: 'd', env: ['FINE', 'LD_PRELOAD'] },
			{ id: 'b', command: 'b' },
			{ id: 'b', command: 'c' },
			{ id: 'c', command: 'c', label: 'x'.repeat(61) },
			{ id: 'e', command: 'e', files: { '../e': '' } },
		]);
		const rows = agentRows(view({ problems })).slice(2, -2).map(spoken);
		assert.deepEqual(
			rows.map(row => row.replace(/"x+…/, 'long')),
			[
				'Up | cannot be used | id must be lowercase letters, digits or hyphens, at most 40',
				'bare | cannot be used | command is missing',
				'a | cannot be used | env must be a list of names of environment variables, or of NAME=text',
				'd | cannot be used | env can’t include LD_PRELOAD, which affects what programs load and is set by Errand',
				'b | cannot be used | another entry has the same ID',
				'c | cannot be used | label is long, allowed: text of at most 60 characters',
				'e | cannot be used | files must name files below the home folder, such as .config/agent.json',
			],
		);
	});

	it('names the repositories for which something is allowed, and what that is', () => {
		const rows = agentRows(view({ consents })).slice(2, -2).map(spoken);
		assert.deepEqual(rows, [
			'Allowed for repositories',
			'pro\\$(bug)ject | may run agents without a sandbox | /home/me/pro\\$(bug)ject · while this system doesn’t allow the sandbox',
			'other | may install dependencies | /home/me/other · from one.example:443, two.example:443 · without install scripts',
		]);
		assert.ok(!agentRows(view({})).some(({ label }) => label === 'Allowed for repositories'));
	});

	it('shows the terms that an installation agrees to', () => {
		const terms = { package: 'its-sdk', text: 'All rights reserved. Read a.example/terms.' };
		assert.match(
			installDetail({ ...missing, install: { packages: ['a@1'], downloadMegabytes: 1, diskMegabytes: 2, terms } }),
			/\nTerms of its-sdk, which you agree to by installing it: “All rights reserved\. Read a\.example\/terms\.”$/,
		);
	});

	it('says before an installation what it takes, and after a failure how to go on', () => {
		assert.equal(
			installDetail({ ...missing, megabytes: 210 }),
			[
				'npm packages: pi@0.87.1, pi-acp@0.0.34',
				'Download: about 76 MB. On disk: about 166 MB.',
				'While it runs: about 210 MB of memory.',
				'License: MIT',
			].join('\n'),
		);
		assert.deepEqual(failureRows('It is gone.', () => {}).map(spoken), ['Try Again | It is gone.', 'Show Log']);
	});
});

describe('setting agents up', () => {
	let lists: QuickPicks;
	let report: () => Promise<AgentsReport>;
	let done: string[];
	let asked: string[];
	let answer: string | undefined;
	let isOver: boolean;
	let kept: StoredConsent[];

	beforeEach(() => {
		kept = [...consents];
		[done, asked, answer, isOver] = [[], [], 'Install', false];
		lists = new QuickPicks();
		report = async () => ({ sandbox: works, agents: [opencode, missing] });
	});
	afterEach(async () => {
		await lists.stop();
		await writeSetting('errand.tasks.agent', '');
	});

	const control: AgentControl = {
		report: () => report(),
		consents: async () => kept,
		withdraw: async withdrawal => {
			done.push(`withdraw ${withdrawal.kind} ${withdrawal.folder}`);
			kept = kept.filter(({ kind }) => kind !== withdrawal.kind);
		},
		tryOut: async id => {
			done.push(`try ${id}`);
			return { ok: true, name: 'OpenCode', seconds: 1 };
		},
		install: async ({ id, agreedTo }) => {
			done.push([`install ${id}`, ...(agreedTo === undefined ? [] : [`agreed to ${agreedTo}`])].join(', '));
			throw new ClientError('invalid-request', 'refused', { serviceMessage: 'npm is not there.' });
		},
		removeLogin: async id => void done.push(`remove login ${id}`),
		askModal: async (message, detail) => {
			asked.push(`${message} ${detail}`);
			return answer;
		},
		showLog: () => done.push('log'),
	};
	const open = () => {
		const list = setUpAgents(control);
		void list.finally(() => {
			isOver = true;
		});
	};
	const rows = () => lists.rows();
	const pick = (label: string) => lists.pick(label);
	const leave = () => lists.leave(() => isOver);

	it('shows that it looks, then why it cannot, and tries again', async () => {
		const failing = Promise.withResolvers<AgentsReport>();
		const working = report;
		report = () => failing.promise;
		open();
		await waitFor('the list', () => lists.shown.length === 1);
		assert.ok(lists.last?.busy);
		assert.match(lists.last.placeholder ?? '', /Looking for agents/);
		report = working;
		failing.reject(new ClientError('timeout', 'late'));
		await waitFor(
			'the reason',
			() => rows()[0]?.startsWith('Try Again | The local service didn’t respond in time.') === true,
		);
		await pick('Try Again');
		await waitFor('the agents', () => rows()[0]?.startsWith('The sandbox works') === true);
		await leave();
	});

	it('tries an agent and comes back to the list, at that agent, with the result', async () => {
		open();
		await pick('OpenCode');
		await pick('Try It');
		await waitFor('the result', () => rows()[2]?.includes('It works: OpenCode responded after 1 s.') === true);
		assert.deepEqual(done, ['try opencode']);
		assert.equal(lists.last?.activeItems[0]?.label, 'OpenCode');
		await leave();
	});

	it('leads to a service where an agent needs a model', async () => {
		report = async () => ({ sandbox: works, agents: [{ ...opencode, problem: 'no-model' }] });
		const { executeCommand } = vscode.commands;
		const run: string[] = [];
		Object.assign(vscode.commands, {
			executeCommand: (id: string, ...rest: unknown[]) =>
				id.startsWith('errand.') ? Promise.resolve(void run.push(id)) : executeCommand(id, ...rest),
		});
		try {
			open();
			await pick('OpenCode');
			await pick('Add Service…');
			await waitFor('the command', () => isOver);
		} finally {
			Object.assign(vscode.commands, { executeCommand });
		}
		assert.deepEqual(run, [commands.addService]);
	});

	it('installs only after a yes, reads the agents again, and keeps why it failed', async () => {
		let reads = 0;
		const reading = report;
		report = () => {
			reads++;
			return reading();
		};
		answer = undefined;
		open();
		await pick('Pi');
		await pick('Install…');
		await waitFor('the question', () => asked.length === 1);
		assert.match(asked[0] ?? '', /^Install Pi\? npm packages: pi@0\.87\.1/);
		assert.deepEqual([done, reads], [[], 1]);
		answer = 'Install';
		await pick('Pi');
		await pick('Install…');
		await waitFor('the reason', () => rows()[3]?.includes('rejected the request: npm is not there.') === true);
		assert.deepEqual([done, reads], [['install pi'], 2]);
		await leave();
	});

	it('withdraws what is allowed for a repository after a second choice, and no longer lists it', async () => {
		open();
		await pick('other');
		await pick('Revoke');
		await waitFor('the list without it', () => rows().length > 0 && !rows().some(row => row.startsWith('other')));
		assert.deepEqual(done, ['withdraw dependencies /home/me/other']);
		assert.ok(rows().some(row => row.includes('may run agents without a sandbox')));
	});

	it('lets an agent use its own account after a yes that says what that means, and takes that back with its login', async () => {
		const own = { ...opencode, id: 'mine', label: 'Mine', accountHosts: ['a.example', 'b.example'] };
		const isAllowed = () => Object.hasOwn(Object(readSetting('errand.local.allowedAccounts')), 'mine');
		report = async () => ({ sandbox: works, agents: [isAllowed() ? own : { ...own, problem: 'own-account' }] });
		try {
			answer = undefined;
			open();
			await pick('Mine');
			await pick('Use Its Own Account…');
			await waitFor('the question', () => asked.length === 1);
			assert.match(asked[0] ?? '', /these hosts and nothing else: a\.example, b\.example\..*no routing policy/s);
			assert.deepEqual(readSetting('errand.local.allowedAccounts'), {});
			answer = 'Allow';
			await pick('Mine');
			await pick('Use Its Own Account…');
			await waitFor('the yes', isAllowed);
			assert.deepEqual(readSetting('errand.local.allowedAccounts'), { mine: ['a.example', 'b.example'] });
			answer = 'Withdraw';
			await pick('Mine');
			await pick('Withdraw Its Account…');
			await waitFor('the end of the yes', () => done.length === 1 && rows()[2]?.includes('once you allow') === true);
			assert.deepEqual([readSetting('errand.local.allowedAccounts'), done], [{}, ['remove login mine']]);
			await leave();
		} finally {
			await writeSetting('errand.local.allowedAccounts', undefined);
		}
	});

	it('makes an agent the default, which the list then says and no longer offers', async () => {
		open();
		await pick('OpenCode');
		await pick('Set as Default');
		await waitFor('the default', () => rows()[2]?.includes('default') === true);
		assert.equal(readSetting('errand.tasks.agent'), 'opencode');
		await pick('OpenCode');
		await waitFor('the actions', () => rows().includes('$(copy) Copy Path'));
		assert.ok(!rows().some(row => /Default/.test(row)));
		await leave();
	});

	it('stays closed where it is left while the agents are looked for', async () => {
		const late = Promise.withResolvers<AgentsReport>();
		const found = await report();
		report = () => late.promise;
		open();
		await waitFor('the list', () => lists.shown.length === 1);
		await leave();
		late.resolve(found);
		await late.promise;
		await lists.editorHasCaughtUp();
		assert.equal(lists.shown.length, 1);
	});
});
