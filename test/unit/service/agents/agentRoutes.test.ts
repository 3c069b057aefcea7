import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UserFacingError } from '../../../../src/base/errors.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import {
	agentsReportSchema,
	agentTrialSchema,
	consentListSchema,
	type TaskCheck,
	taskCheckSchema,
	taskSettingsSchema,
} from '../../../../src/contract/agents.ts';
import { controlPaths } from '../../../../src/contract/control.ts';
import { type AgentRoutesDependencies, registerAgentRoutes } from '../../../../src/service/agents/agentRoutes.ts';
import { AgentTrials } from '../../../../src/service/agents/agentTrials.ts';
import { IdleWatch } from '../../../../src/service/idleWatch.ts';
import { createApp, type ServiceServer, startServer } from '../../../../src/service/server.ts';
import { ConsentStore } from '../../../../src/service/store/consentStore.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { BranchDependencies } from '../../../../src/service/tasks/dependenciesOfBranch.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useDirectory } from '../../agents/catalogue/useDirectory.ts';
import { errorOf } from '../helpers.ts';

const TOKEN = 'token';

describe('the routes about agents', () => {
	const test = useDirectory();
	let server: ServiceServer;
	let database: DatabaseSync;
	let idleWatch: IdleWatch;
	let stopping: AbortController;
	/** The signals of handshakes that do not end by themselves. */
	let waiting: AbortSignal[];
	let consents: ConsentStore;
	const none: BranchDependencies = { commands: [], hosts: [], withLogin: [], shown: [], unmet: [] };
	let dependencies: AgentRoutesDependencies['dependenciesOf'];

	beforeEach(async () => {
		await mkdir(test.folder.at('repository'));
		database = openDatabase(test.folder.at('state.sqlite'));
		stopping = new AbortController();
		waiting = [];
		dependencies = async () => none;
		const app = createApp(nullLogger);
		const place = { environment: test.environment, folder: test.folder.at('agents'), platform: 'linux-x64' };
		const trials = new AgentTrials(test.directory, place, {
			handshake: ({ definition }, signal) =>
				new Promise((resolve, reject) => {
					if (definition.id !== 'kilo') {
						resolve({ ok: true, name: definition.label, seconds: 1 });
						return;
					}
					waiting.push(signal);
					signal.addEventListener('abort', () => reject(signal.reason));
				}),
			logger: nullLogger,
		});
		consents = new ConsentStore(database);
		registerAgentRoutes(app, {
			directory: test.directory,
			trials,
			consents,
			dependenciesOf: (...query) => dependencies(...query),
			stopping: stopping.signal,
		});
		idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
		server = await startServer({ token: TOKEN, port: 0, app, idleWatch: () => idleWatch });
	});
	afterEach(async () => {
		idleWatch.dispose();
		await server.close(0);
		database.close();
	});

	const ask = (path: string, json?: unknown, signal?: AbortSignal) =>
		fetch(server.address + path, {
			method: json === undefined ? 'GET' : 'POST',
			headers: { authorization: `Bearer ${TOKEN}` },
			...(json === undefined ? {} : { body: JSON.stringify(json) }),
			...(signal === undefined ? {} : { signal }),
		});
	async function check(fields: object = {}): Promise<TaskCheck> {
		const body = { repoUrl: test.folder.at('repository'), agents: ['opencode'], ...fields };
		const response = await ask(controlPaths.taskCheck, body);
		assert.equal(response.status, 200);
		return taskCheckSchema.parse(await response.json());
	}
	async function allow(consent: object): Promise<void> {
		const response = await ask(controlPaths.consents, { repoUrl: test.folder.at('repository'), ...consent });
		assert.equal(response.status, 200);
		assert.deepEqual(await response.json(), { taken: true });
	}
	const noSandbox = () => {
		test.sandbox = { works: false, problem: 'not-installed' };
	};

	it('answer with the report about the agents', async () => {
		const report = agentsReportSchema.parse(await (await ask(controlPaths.agents)).json());
		assert.deepEqual(report.sandbox, { works: true });
		assert.equal(report.agents.at(-1)?.id, 'demo-two');
	});

	it('answer no one without the token', async () => {
		for (const path of [controlPaths.agents, controlPaths.tryAgent, controlPaths.taskCheck, controlPaths.consents]) {
			assert.equal((await fetch(server.address + path)).status, 401, path);
		}
	});

	describe('trying and installing', () => {
		it('answer with the outcome, or with a sentence', async () => {
			await test.folder.program('bin/opencode');
			for (const path of [controlPaths.tryAgent, controlPaths.installAgent]) {
				const trial = agentTrialSchema.parse(await (await ask(path, { id: 'opencode' })).json());
				assert.deepEqual(trial, { ok: true, name: 'opencode', seconds: 1 });
				const failed = agentTrialSchema.parse(await (await ask(path, { id: 'gemini-account' })).json());
				assert.ok(!failed.ok && /Gemini CLI \(own account\)/.test(failed.message));
			}
		});

		it('refuse what is no id of an agent', async () => {
			for (const body of [{}, { id: '' }, { id: '../x' }, { id: 'x', more: 1 }, [], 'x']) {
				assert.match(await errorOf(await ask(controlPaths.tryAgent, body), 400), /./);
			}
		});

		it('end the agent when the window goes', async () => {
			await test.folder.program('bin/kilo');
			const controller = new AbortController();
			const asked = assert.rejects(ask(controlPaths.tryAgent, { id: 'kilo' }, controller.signal));
			await waitFor('the handshake', () => waiting.length > 0);
			controller.abort();
			await asked;
			await waitFor('its end', () => waiting[0]?.aborted);
		});

		it('end the agent when the service stops, and say so', async () => {
			await test.folder.program('bin/kilo');
			const asked = ask(controlPaths.tryAgent, { id: 'kilo' });
			await waitFor('the handshake', () => waiting.length > 0);
			stopping.abort();
			assert.match(await errorOf(await asked, 503), /stopping/);
		});
	});

	describe('the check of a task', () => {
		it('finds nothing to ask where there is a sandbox, and names the agents that cannot run', async () => {
			await test.folder.program('bin/opencode');
			const found = await check({ agents: ['opencode', 'demo', 'gemini-account', 'unheard-of', 'gemini-account'] });
			assert.deepEqual(found.sandbox, { works: true });
			assert.deepEqual(
				found.unusable.map(({ id, problem }) => `${id} ${problem}`),
				['gemini-account not-found', 'unheard-of not-found'],
			);
			assert.equal(found.asksForUnsandboxed, false);
			assert.equal(found.dependencies, null);
		});

		it('uses no program of the repository', async () => {
			test.environment['PATH'] = test.folder.at('repository/bin');
			await test.folder.program('repository/bin/opencode');
			assert.deepEqual(
				(await check()).unusable.map(({ problem }) => problem),
				['not-found'],
			);
			await symlink(test.folder.at('repository'), test.folder.at('link'));
			assert.equal((await check({ repoUrl: test.folder.at('link') })).unusable.length, 1);
			await mkdir(test.folder.at('other'));
			assert.equal((await check({ repoUrl: test.folder.at('other') })).unusable.length, 0);
		});

		it('asks for running without a sandbox until it was allowed for this very repository', async () => {
			await test.folder.program('bin/opencode');
			await mkdir(test.folder.at('other'));
			noSandbox();
			assert.equal((await check()).asksForUnsandboxed, true);
			await allow({ kind: 'unsandboxed', problem: 'not-installed' });
			assert.equal((await check()).asksForUnsandboxed, false);
			const url = pathToFileURL(test.folder.at('repository')).href;
			assert.equal((await check({ repoUrl: url })).asksForUnsandboxed, false);
			assert.equal((await check({ repoUrl: test.folder.at('other') })).asksForUnsandboxed, true);
		});

		it('keeps the answer for the folder behind a link, not for what the link leads to later', async () => {
			await test.folder.program('bin/opencode');
			await mkdir(test.folder.at('other'));
			await symlink(test.folder.at('repository'), test.folder.at('link'));
			noSandbox();
			await allow({ kind: 'unsandboxed', problem: 'not-installed', repoUrl: test.folder.at('link') });
			assert.equal((await check()).asksForUnsandboxed, false);
			await rm(test.folder.at('link'));
			await symlink(test.folder.at('other'), test.folder.at('link'));
			assert.equal((await check({ repoUrl: test.folder.at('link') })).asksForUnsandboxed, true);
		});

		it('asks again where the reason that there is no sandbox is another one now', async () => {
			await test.folder.program('bin/opencode');
			noSandbox();
			await allow({ kind: 'unsandboxed', problem: 'not-installed' });
			test.sandbox = { works: false, problem: 'not-permitted' };
			assert.equal((await check()).asksForUnsandboxed, true);
			await allow({ kind: 'unsandboxed', problem: 'not-permitted' });
			assert.equal((await check()).asksForUnsandboxed, false);
			noSandbox();
			assert.equal((await check()).asksForUnsandboxed, true);
		});

		it('lists what was allowed, and asks again for what was withdrawn, also for a folder that has gone', async () => {
			await test.folder.program('bin/opencode');
			noSandbox();
			await mkdir(test.folder.at('gone'));
			await allow({ kind: 'unsandboxed', problem: 'not-installed' });
			await allow({
				kind: 'dependencies',
				hosts: ['one.example:443'],
				allowsScripts: true,
				repoUrl: test.folder.at('gone'),
			});
			await rm(test.folder.at('gone'), { recursive: true });
			const list = async () =>
				consentListSchema
					.parse(await (await ask(controlPaths.consents)).json())
					.consents.map(({ kind, folder }) => `${kind} ${folder}`);
			const [gone, repository] = [
				`dependencies ${test.folder.at('gone')}`,
				`unsandboxed ${test.folder.at('repository')}`,
			];
			assert.deepEqual(await list(), [gone, repository]);
			const withdraw = (body: object) => ask(controlPaths.withdrawConsent, body);
			assert.equal((await withdraw({ kind: 'dependencies', folder: test.folder.at('gone') })).status, 200);
			assert.deepEqual(await list(), [repository]);
			assert.equal((await check()).asksForUnsandboxed, false);
			assert.equal((await withdraw({ kind: 'unsandboxed', folder: test.folder.at('repository') })).status, 200);
			assert.deepEqual(await list(), []);
			assert.equal((await check()).asksForUnsandboxed, true);
			assert.match(await errorOf(await withdraw({ kind: 'everything', folder: '/a' }), 400), /kind/);
			assert.match(await errorOf(await withdraw({ kind: 'unsandboxed' }), 400), /folder/);
		});

		it('asks nothing for the demo and for agents that cannot run', async () => {
			noSandbox();
			assert.equal((await check({ agents: ['demo', 'demo-two'] })).asksForUnsandboxed, false);
			assert.equal((await check({ agents: ['opencode'] })).asksForUnsandboxed, false);
		});

		it('is never satisfied without a sandbox where the settings require one, and takes no answer', async () => {
			await test.folder.program('bin/opencode');
			noSandbox();
			await allow({ kind: 'unsandboxed', problem: 'not-installed' });
			test.directory.replaceSettings(taskSettingsSchema.parse({ sandbox: 'require' }));
			assert.equal((await check()).asksForUnsandboxed, true);
			const body = { kind: 'unsandboxed', problem: 'not-installed', repoUrl: test.folder.at('repository') };
			assert.match(await errorOf(await ask(controlPaths.consents, body), 409), /errand\.local\.sandbox is "require"/);
		});

		it('tells Errand’s own agent of a web search where a model can do it, until a yes and after it', async () => {
			const agents = ['errand'];
			assert.equal((await check({ agents })).search, undefined);
			const finder = { id: 'finder', kinds: ['search' as const] };
			test.offered = { ...test.offered, models: [...test.offered.models, finder] };
			assert.equal((await check()).search, undefined);
			assert.deepEqual((await check({ agents })).search, { model: 'finder', allowed: false });
			await allow({ kind: 'search' });
			assert.deepEqual((await check({ agents })).search, { model: 'finder', allowed: true });
			await mkdir(test.folder.at('other'));
			assert.equal((await check({ agents, repoUrl: test.folder.at('other') })).search?.allowed, false);
			assert.deepEqual(
				consents.list().map(({ kind, folder }) => [kind, folder]),
				[['search', test.folder.at('repository')]],
			);
			consents.withdraw({ kind: 'search', folder: test.folder.at('repository') });
			assert.equal((await check({ agents })).search?.allowed, false);
		});

		it('names the models that have no price where there is a limit on costs', async () => {
			const models = ['vendor/one', 'priced', 'unheard-of'];
			const { models: known, providers } = test.offered;
			test.offered = {
				models: [...known, { id: 'priced', kinds: ['chat'], prices: { input: 0, output: 0 } }],
				providers,
			};
			assert.deepEqual((await check({ models })).unpricedModels, []);
			test.directory.replaceSettings(taskSettingsSchema.parse({ maxCost: 5 }));
			assert.deepEqual((await check({ models })).unpricedModels, ['vendor/one']);
			assert.deepEqual((await check()).unpricedModels, []);
		});

		it('shows dependencies when they are wanted, and whether exactly these hosts were allowed', async () => {
			const commands = [{ lockfile: 'package-lock.json', command: 'npm ci' }];
			let hosts = ['one.example:443', 'two.example:443'];
			const withLogin = ['one.example:443'];
			const asked: unknown[] = [];
			dependencies = async (...query) => {
				asked.push(query);
				return { ...none, commands, hosts, withLogin };
			};
			assert.equal((await check()).dependencies, null);
			const read = async () =>
				(await check({ installDependencies: true, selectedBranch: 'main', agents: [] })).dependencies;
			assert.deepEqual(await read(), { commands, hosts, withLogin, allowed: false, allowsScripts: false });
			assert.deepEqual(asked, [[test.folder.at('repository'), 'main', { installs: true, shows: false }]]);
			await allow({ kind: 'dependencies', hosts: [...hosts].reverse(), allowsScripts: true });
			assert.deepEqual(await read(), { commands, hosts, withLogin, allowed: true, allowsScripts: true });
			for (const others of [['one.example:443'], [...hosts, 'three.example:443'], []]) {
				hosts = others;
				assert.deepEqual(await read(), { commands, hosts, withLogin, allowed: false, allowsScripts: false });
			}
			dependencies = async () => none;
			assert.equal(await read(), null);
		});

		it('shows what the user has installed to agents in a sandbox, and to no others', async () => {
			await test.folder.program('bin/opencode');
			dependencies = async (_repoUrl, _branch, { shows }) => ({ ...none, shown: shows ? ['node_modules'] : [] });
			const shown = async (fields?: object) => (await check(fields)).ownDependencies.shown;
			assert.deepEqual(await shown(), ['node_modules']);
			assert.deepEqual(await shown({ installDependencies: true }), ['node_modules']);
			assert.deepEqual(await shown({ agents: ['demo'] }), []);
			noSandbox();
			assert.deepEqual(await shown({ installDependencies: true }), []);
		});

		it('asks for the hosts that an installation has failed without', async () => {
			const commands = [{ lockfile: 'package-lock.json', command: 'npm ci' }];
			dependencies = async () => ({ ...none, commands, hosts: ['two.example:443'] });
			const read = async () => {
				const found = (await check({ installDependencies: true })).dependencies;
				return [found?.hosts, found?.allowed];
			};
			await allow({ kind: 'dependencies', hosts: ['two.example:443'], allowsScripts: false });
			assert.deepEqual(await read(), [['two.example:443'], true]);
			const [kept] = consents.list();
			consents.addMissing(kept?.folder ?? '', ['one.example:443', 'two.example:443']);
			const both = ['two.example:443', 'one.example:443'];
			assert.deepEqual(await read(), [both, false]);
			await allow({ kind: 'dependencies', hosts: both, allowsScripts: false });
			assert.deepEqual(await read(), [both, true]);
		});

		it('passes on why a repository cannot be read', async () => {
			dependencies = async () => {
				throw new UserFacingError('selectedBranch: there is no branch "x". Choose one that is there.');
			};
			const body = { repoUrl: test.folder.at('repository'), agents: [], installDependencies: true };
			assert.match(await errorOf(await ask(controlPaths.taskCheck, body), 400), /^selectedBranch: there is no branch/);
		});

		it('refuses what names no folder of this machine, and too many agents', async () => {
			for (const repoUrl of ['https://example.com/x.git', 'ext::sh -c x', '-x', 'relative', '//share/x', '']) {
				const body = { repoUrl, agents: [] };
				assert.match(await errorOf(await ask(controlPaths.taskCheck, body), 400), /repoUrl/, repoUrl);
				const consent = { kind: 'unsandboxed', problem: 'not-installed', repoUrl };
				assert.match(await errorOf(await ask(controlPaths.consents, consent), 400), /repoUrl/, repoUrl);
			}
			const body = { repoUrl: test.folder.path, agents: Array.from({ length: 9 }, (_, index) => `a${index}`) };
			assert.match(await errorOf(await ask(controlPaths.taskCheck, body), 400), /agents/);
		});

		it('refuses a consent that is none', async () => {
			const repoUrl = test.folder.path;
			const hosts = Array.from({ length: 51 }, (_, index) => `h${index}:443`);
			for (const body of [
				{ kind: 'everything', repoUrl },
				{ kind: 'unsandboxed', problem: 'not-installed', repoUrl, more: true },
				{ kind: 'unsandboxed', repoUrl },
				{ kind: 'unsandboxed', problem: 'none', repoUrl },
				{ kind: 'dependencies', repoUrl, allowsScripts: true },
				{ kind: 'dependencies', repoUrl, hosts, allowsScripts: true },
			]) {
				assert.match(await errorOf(await ask(controlPaths.consents, body), 400), /./);
			}
		});
	});
});
