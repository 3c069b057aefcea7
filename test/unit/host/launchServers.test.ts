import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ClientError } from '../../../src/base/errors.ts';
import type { OfferedServer } from '../../../src/chat/api.ts';
import type { TaskCheck } from '../../../src/contract/agents.ts';
import { LaunchCheck, type LaunchCheckDependencies } from '../../../src/tasks/launch/launchCheck.ts';
import type { LaunchSubject } from '../../../src/tasks/launch/launchSubject.ts';
import { launchFacts } from '../../support/launchFacts.ts';
import { rowsOf } from '../../support/preflightView.ts';
import { spoken } from '../../support/spoken.ts';
import { State } from '../../support/state.ts';

const ready: TaskCheck = {
	...{ sandbox: { works: true }, takesServers: true, unusable: [], asksForUnsandboxed: false, unpricedModels: [] },
	...{ ownDependencies: { shown: [], unmet: [] }, dependencies: null },
};

describe('the MCP servers of a task, in the list before it is sent', () => {
	let answer: () => Promise<TaskCheck>;
	let isLocal: boolean;
	let agent: string;
	let allowed: Set<string>;
	let asked: string[];
	let folders: (string | undefined)[];
	let globalState: State;

	beforeEach(() => {
		[answer, isLocal, agent] = [async () => ready, true, 'errand'];
		[allowed, asked, folders, globalState] = [new Set(['files']), [], [], new State()];
		Object.assign(vscode.workspace, { getConfiguration: () => ({ get: () => '' }) });
	});
	afterEach(() => void Reflect.deleteProperty(vscode.workspace, 'getConfiguration'));

	const serverOf = (name: string): OfferedServer => ({
		...{ name, digest: `digest of ${name}`, isAllowed: allowed.has(name), reach: 'Reads files, no network' },
		async ask() {
			asked.push(name);
			allowed.add(name);
		},
		handOver: () => assert.fail('nothing is handed over before the yes'),
	});

	/** Returns a launch that has been looked at. */
	async function look(): Promise<LaunchCheck> {
		const dependencies = {
			subjects: {
				connection: { name: 'here', label: 'Here', isLocal, hasLookUps: false, agents: [{ id: agent, models: [] }] },
			},
			...{ globalState, nameFolder: async () => {}, checkTask: () => answer(), isEmptyGitUser: false },
			serversForTasks: async (folder: string | undefined) => {
				folders.push(folder);
				return ['files', 'tickets'].map(serverOf);
			},
		} as unknown as LaunchCheckDependencies;
		const opened = { repository: { rootUri: { fsPath: '/projects/widgets' } } };
		const gather = async () => launchFacts();
		const subject = { name: 'widgets', key: 'widgets', branch: 'main', opened, gather } as unknown as LaunchSubject;
		const check = new LaunchCheck(dependencies, 'Do it', subject, () => {});
		await check.gather();
		check.askNeeds();
		await check.needs.settled();
		return check;
	}
	const uses = (check: LaunchCheck) => check.servers().map(({ server: { name }, use }) => `${name} ${use}`);
	const change = (check: LaunchCheck, name: string) =>
		check.changeServer(check.servers().find(({ server }) => server.name === name) ?? assert.fail());
	const handed = (check: LaunchCheck) =>
		check.confirmed(check.plan() ?? assert.fail('There is no plan.')).servers.map(({ name }) => name);

	it('are those of the repository that the user has agreed to', async () => {
		const check = await look();
		assert.deepEqual(uses(check), ['files used', 'tickets not-allowed']);
		assert.deepEqual(handed(check), ['files']);
		assert.deepEqual(folders, ['/projects/widgets']);
		assert.deepEqual(asked, []);
	});

	it('are asked about where the yes is missing, once the user chooses one', async () => {
		const check = await look();
		const before = check.state();
		await change(check, 'tickets');
		assert.deepEqual([asked, uses(check)], [['tickets'], ['files used', 'tickets used']]);
		assert.notEqual(check.state(), before);
	});

	it('are left out where the user says so, and stay out of the next task', async () => {
		const check = await look();
		await change(check, 'files');
		assert.deepEqual(handed(check), []);
		await check.remember();
		const next = await look();
		assert.deepEqual(uses(next), ['files left-out', 'tickets not-allowed']);
		await change(next, 'files');
		assert.deepEqual(handed(next), ['files']);
	});

	it('are none without a sandbox, with an older service, for a demo and on other services', async () => {
		answer = async () => ({ ...ready, sandbox: { works: false, problem: 'platform' } });
		const outside = await look();
		assert.deepEqual(uses(outside), ['files no-sandbox', 'tickets no-sandbox']);
		await change(outside, 'files');
		assert.deepEqual(handed(outside), []);
		const { takesServers: _, ...older } = ready;
		answer = async () => older;
		assert.deepEqual(uses(await look()), []);
		answer = () => Promise.reject(new ClientError('not-found', 'no such route'));
		assert.deepEqual(uses(await look()), []);
		[answer, agent] = [async () => ready, 'demo'];
		assert.deepEqual(uses(await look()), []);
		[agent, isLocal] = ['errand', false];
		assert.deepEqual(uses(await look()), []);
	});

	it('have a row each, which says what one can reach, or what to do about it', () => {
		const row = (use: 'used' | 'left-out' | 'not-allowed' | 'no-sandbox') =>
			spoken(rowsOf({ servers: [{ server: serverOf('$(bug)'), use }] }).at(-2));
		const reach = 'Reads files, no network';
		assert.equal(row('used'), `$(plug) MCP Server | \\$(bug): used | ${reach}. Nobody is asked about its calls.`);
		assert.equal(row('left-out'), `$(circle-slash) MCP Server | \\$(bug): left out | ${reach}.`);
		assert.equal(
			row('not-allowed'),
			`$(question) MCP Server | \\$(bug): not agreed to | ${reach}. Choose it to decide.`,
		);
		assert.match(row('no-sandbox'), /^\$\(circle-slash\) MCP Server \| .*: left out \| Without a sandbox/);
	});
});
