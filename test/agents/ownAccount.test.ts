import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { configuredAgent } from '../../src/agents/catalogue/configuredAgent.ts';
import { AGENTS_FOLDER, accountHome } from '../../src/agents/install/installed.ts';
import { allowsOnly, withoutModel } from '../../src/agents/relay/relay.ts';
import { agentLaunch } from '../../src/agents/run/agentLaunch.ts';
import { runAgent } from '../../src/agents/run/agentRun.ts';
import type { AgentLogin } from '../../src/agents/session/agentSession.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { type AgentsReport, agentSettingSchema } from '../../src/contract/agents.ts';
import { controlPaths } from '../../src/contract/control.ts';
import { OWN_ACCOUNT } from '../../src/contract/localConnection.ts';
import { INSIDE_PROGRAM, TestSandbox } from '../support/sandbox.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { createTask, finalTask, logOf } from '../unit/service/helpers.ts';

const PROGRAM = path.resolve('test/support/accountAgent.mjs');

/** Plays the host of an account: it says one thing to whoever connects. */
async function startHost(): Promise<{ server: Server; host: string }> {
	const server = createServer(socket => {
		socket.on('error', () => {});
		socket.end('from the account');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('an agent with an account of its own', () => {
	let sandbox: TestSandbox;
	let server: Server;
	let host: string;
	let refused: string[];
	let opened: string[];

	const settingOf = (how: string) => ({ id: 'mine', command: PROGRAM, args: [host, how], account: { hosts: [host] } });

	beforeEach(async () => {
		sandbox = await TestSandbox.create();
		({ server, host } = await startHost());
		refused = [];
		opened = [];
	});
	afterEach(async () => {
		server.close();
		await sandbox.remove();
	});

	/** The user who logs it in. */
	const login: AgentLogin = {
		choose: async methods => methods[0]?.id,
		openAddress: async address => {
			opened.push(address);
			return true;
		},
	};

	async function run(by: { login?: AgentLogin; how?: string; home?: string; folder?: string } = {}): Promise<string> {
		const definition = configuredAgent(agentSettingSchema.parse(settingOf(by.how ?? 'browser')), {});
		const found = { definition, source: 'settings' as const, location: PROGRAM, version: undefined };
		const agent = { ...found, programs: { [PROGRAM]: PROGRAM, node: process.execPath } };
		let said = '';
		await runAgent(
			{
				label: definition.label,
				place: {
					...{ tree: sandbox.tree, home: by.home ?? sandbox.home, folder: sandbox.folder, name: 'repository' },
					...{
						isSandboxed: true,
						privateFolders: [sandbox.folder],
						insideProgram: INSIDE_PROGRAM,
						marker: sandbox.folder,
					},
				},
				relay: {
					handle: withoutModel('It has none.'),
					allowsHost: allowsOnly(definition.account?.hosts ?? []),
					onRefused: sentence => refused.push(sentence),
				},
				launch: async seen => agentLaunch(agent, seen),
				model: OWN_ACCOUNT,
				...(by.login && { login: by.login }),
				signal: new AbortController().signal,
				onEvent: event => {
					said += event.type === 'message' ? event.text : '';
				},
				logger: nullLogger,
			},
			async ({ prompt }) => prompt('Go'),
		);
		return said;
	}

	it('is logged in through the browser of the user, once, and reaches its host and no other', async () => {
		const said = await run({ login });
		assert.match(said, /^from the account from the account HTTP\/1\.1 403 Forbidden/);
		assert.deepEqual(opened, ['https://login.mine.example/device?for=mine']);
		assert.deepEqual(refused, ['The connection to elsewhere.example:443 was refused: this host has not been allowed.']);
		assert.equal(await run(), said);
		assert.equal(opened.length, 1);
	});

	it('says what to do where nobody can log it in, where the user does not, and where it takes a terminal', async () => {
		await assert.rejects(run(), /not logged in to its account\. Send it a message in the chat/);
		const without = { ...login, choose: async () => undefined };
		await assert.rejects(run({ login: without }), /was not logged in to its account\. Send the message again/);
		const closed = { ...login, openAddress: async () => false };
		await assert.rejects(run({ login: closed }), /You did not log in/);
		await assert.rejects(
			run({ login, how: 'terminal' }),
			/logs in only in a terminal \("My Account"\).*"env" of its entry/,
		);
		await assert.rejects(access(path.join(sandbox.home, '.mine')));
	});

	it('works on a task with the login that it has, which is kept apart from the task and says so', async () => {
		const repository = await TemporaryRepository.create();
		await repository.write('a.txt', 'a\n');
		await repository.commitAll('Sample');
		const handover = (tasks: object) => ({ upstreams: [], tasks: { agents: [settingOf('browser')], ...tasks } });
		let service = await ServiceProcess.start({ handover: handover({}) });
		try {
			const problem = async () => {
				const { agents } = (await (await service.fetch(controlPaths.agents)).json()) as AgentsReport;
				return agents.find(({ id }) => id === 'mine')?.problem;
			};
			assert.equal(await problem(), 'own-account');
			const { stateFolder } = service;
			const allowedAccounts = { mine: [host] };
			for (const [tasks, expected] of [
				[{ allowedAccounts: { mine: ['other.example'] } }, 'own-account'],
				[{ allowedAccounts, ownAccounts: 'forbid' }, 'account-forbidden'],
				[{ allowedAccounts, provider: { zdr: true } }, 'account-retention'],
				[{ allowedAccounts }, undefined],
			] as const) {
				await service.stop();
				service = await ServiceProcess.start({ stateFolder, handover: handover(tasks) });
				assert.equal(await problem(), expected);
			}
			const home = accountHome(path.join(stateFolder, AGENTS_FOLDER), 'mine');
			await mkdir(home, { recursive: true });
			await run({ login, home });
			const { id } = await createTask(service, { prompt: 'Go', repoUrl: repository.path, selectedAgent: 'mine' });
			const task = await finalTask(service, id);
			assert.equal(task.status, 'completed', task.error ?? '');
			assert.match(await repository.git('show', `${task.branchName}:said.txt`), /^from the account from the account /);
			assert.equal(await readFile(path.join(home, '.mine', 'login'), 'utf8'), 'from the account');
			const log = (await logOf(service, id)).map(({ log: entry }) => entry.message);
			assert.ok(log.includes(`Starting agent "mine" in a sandbox with its own account (${host}).`), log.join('\n'));
			assert.ok(log.some(message => /connection to elsewhere\.example:443 was refused/.test(message)));
			assert.match(JSON.stringify(task), /"own account"/);
			assert.ok(!log.some(message => message.startsWith('The models have cost')));
		} finally {
			await service.stop();
			await repository.remove();
		}
	});
});
