import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { ownAgent } from '../../../../src/agents/catalogue/ownAgent.ts';
import { agentsReportSchema, taskSettingsSchema } from '../../../../src/contract/agents.ts';
import { noModel, oneModel, useDirectory } from './useDirectory.ts';

describe('AgentDirectory', () => {
	const test = useDirectory();
	const ids = async () => (await test.directory.current()).map(({ id }) => id);
	const set = (...agents: object[]) => test.directory.replaceSettings(taskSettingsSchema.parse({ agents }));

	describe('the agents of tasks', () => {
		it('are the demo where nothing is found, also if there is a model', async () => {
			assert.deepEqual(await test.directory.current(), [
				{ id: 'demo', label: 'Demo', models: ['demo'], found: undefined },
				{ id: 'demo-two', label: 'Demo Two', models: ['demo'], found: undefined },
			]);
		});

		it('are Errand’s own first, where there is a model for it, whatever else is found or set', async () => {
			const program = await test.folder.program('dist/agent.js');
			test.own = ownAgent(program, '1.2.3');
			test.restart();
			await test.folder.program('bin/opencode');
			await test.folder.program('bin/mine');
			set({ id: 'errand', command: 'mine' });
			assert.deepEqual(await ids(), ['errand', 'opencode', 'demo', 'demo-two']);
			const { found, models } = await test.directory.use('errand');
			assert.deepEqual([found?.source, found?.version, models], ['own', '1.2.3', ['vendor/one']]);
			assert.equal((await test.directory.status('errand')).source, 'own');
			test.offered = noModel;
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			assert.equal((await test.directory.status('errand')).problem, 'no-model');
			assert.equal(ownAgent(test.folder.at('dist/absent.js'), '1'), undefined);
		});

		it('get what is known of their model’s length', async () => {
			test.offered = { ...oneModel, models: [{ id: 'vendor/one', kinds: ['chat'], contextLength: 32_000 }] };
			assert.deepEqual(await test.directory.modelLimits('vendor/one'), { contextLength: 32_000 });
			assert.deepEqual(await test.directory.modelLimits('other'), {});
		});

		it('are those that were found, with the models of the gateway that are no demo, before the demo', async () => {
			await test.folder.program('bin/opencode');
			const [agent, ...others] = await test.directory.current();
			assert.deepEqual([agent?.id, agent?.label, agent?.models], ['opencode', 'opencode', ['vendor/one']]);
			assert.equal(agent?.found?.location, test.folder.at('bin/opencode'));
			assert.equal(others.length, 2);
		});

		it('are those of the settings too, and none that needs a model that is not there', async () => {
			await test.folder.program('bin/mine');
			set({ id: 'mine', command: 'mine' }, { id: 'absent', command: '/absent/program' });
			assert.deepEqual(await ids(), ['mine', 'demo', 'demo-two']);
			test.offered = noModel;
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
		});

		it('are none with an account of its own, but after a yes to exactly its hosts', async () => {
			await test.folder.program('bin/gemini');
			const hosts = test.directory.account('gemini-account')?.hosts ?? [];
			const allow = (allowed: readonly string[], others: object = {}) =>
				test.directory.replaceSettings(
					taskSettingsSchema.parse({ allowedAccounts: { 'gemini-account': [...allowed] }, ...others }),
				);
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			allow(hosts);
			assert.deepEqual(await ids(), ['gemini-account', 'demo', 'demo-two']);
			const agents = await test.directory.current();
			assert.deepEqual(agents[0]?.models, ['own account']);
			for (const others of [{ ownAccounts: 'forbid' }, { provider: { zdr: true } }]) {
				allow(hosts, others);
				assert.deepEqual(await ids(), ['demo', 'demo-two']);
			}
			allow(hosts.slice(1));
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			assert.equal(test.directory.account('gemini-account')?.home, test.folder.at('accounts/gemini-account'));
			assert.equal(test.directory.account('claude'), undefined);
		});

		it('keep the demo what it is, whatever the settings name so', async () => {
			await test.folder.program('bin/mine');
			set({ id: 'demo', command: 'mine' });
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			assert.equal((await test.directory.use('demo')).found, undefined);
		});

		it('are looked for again after some seconds, and at once after other settings or an installation', async () => {
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			await test.folder.program('bin/opencode');
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			test.clock.pass(5_001);
			assert.deepEqual(await ids(), ['opencode', 'demo', 'demo-two']);
			await test.folder.program('bin/mine');
			set({ id: 'mine', command: 'mine' });
			assert.deepEqual(await ids(), ['mine', 'opencode', 'demo', 'demo-two']);
			await rm(test.folder.at('bin/opencode'));
			test.directory.forget();
			assert.deepEqual(await ids(), ['mine', 'demo', 'demo-two']);
		});

		it('are those of the last settings, which may be none', async () => {
			await test.folder.program('bin/mine');
			set({ id: 'mine', command: 'mine' });
			test.directory.replaceSettings(undefined);
			assert.deepEqual(await ids(), ['demo', 'demo-two']);
			assert.deepEqual(test.directory.settings, taskSettingsSchema.parse({}));
		});
	});

	describe('using one', () => {
		it('notices at once that its program has gone, and names it', async () => {
			const program = await test.folder.program('bin/pi-acp');
			await test.folder.program('bin/pi');
			assert.equal((await test.directory.use('pi')).found?.location, program);
			assert.ok((await ids()).includes('pi'));
			await rm(program);
			await assert.rejects(test.directory.use('pi'), {
				name: 'UserFacingError',
				message:
					'pi was not found: the programs "pi-acp" and "pi" are needed. Install them, or name where they are in errand.local.agents.',
			});
		});

		it('uses no program of the repository of the task', async () => {
			test.environment['PATH'] = test.folder.at('repository/node_modules/.bin');
			await test.folder.program('repository/node_modules/.bin/qwen');
			assert.ok(await test.directory.use('qwen'));
			await assert.rejects(
				test.directory.use('qwen', [test.folder.at('other'), test.folder.at('repository')]),
				/^UserFacingError: Qwen Code was not found/,
			);
			const { problem, location } = await test.directory.status('qwen', [test.folder.at('repository')]);
			assert.deepEqual([problem, location], ['not-found', undefined]);
		});

		it('says why one cannot run', async () => {
			await test.folder.program('bin/gemini');
			await test.folder.program('bin/codex-acp');
			await assert.rejects(
				test.directory.use('gemini-account'),
				/needs your yes, because it works without Errand’s relay/,
			);
			await assert.rejects(
				test.directory.use('cline-account'),
				/^UserFacingError: Cline \(own account\) was not found/,
			);
			await assert.rejects(test.directory.use('unheard-of'), /^UserFacingError: There is no agent "unheard-of" here\./);
			test.offered = noModel;
			await assert.rejects(test.directory.use('codex'), /needs a model, and there is none but the demo\. Add/);
		});
	});

	describe('the report', () => {
		it('is one that the window can read, and names all agents that are known', async () => {
			test.sandbox = { works: false, problem: 'not-permitted', detail: 'no namespaces' };
			set({ id: 'mine', command: 'mine', label: 'Mine' });
			const report = agentsReportSchema.parse(JSON.parse(JSON.stringify(await test.directory.report())));
			assert.deepEqual(report.sandbox, test.sandbox);
			assert.deepEqual(
				report.agents.map(({ id, source, problem }) => `${id} ${source} ${problem}`),
				[
					'mine none not-found',
					'opencode none not-found',
					'pi none not-found',
					'codex none not-found',
					'qwen none not-found',
					'kilo none not-found',
					'claude none not-found',
					'claude-account none not-found',
					'gemini-account none not-found',
					'copilot-account none not-found',
					'cline-account none not-found',
					'demo built-in undefined',
					'demo-two built-in undefined',
				],
			);
		});

		it('says where each is, its version, and what an installation would be of one that is not there', async () => {
			await test.folder.file('lib/node_modules/qwen/package.json', '{"version":"3.2.1"}');
			const program = await test.folder.program('lib/node_modules/qwen/qwen');
			test.environment['PATH'] = test.folder.at('lib/node_modules/qwen');
			const { agents } = await test.directory.report();
			const status = (id: string) => agents.find(agent => agent.id === id);
			assert.deepEqual(status('qwen'), {
				id: 'qwen',
				label: 'Qwen Code',
				source: 'path',
				location: program,
				version: '3.2.1',
				licence: 'Apache-2.0',
				megabytes: 1_700,
			});
			assert.deepEqual(status('opencode')?.install, {
				packages: ['opencode-linux-x64@1.18.33'],
				downloadMegabytes: 58,
				diskMegabytes: 177,
			});
			assert.deepEqual(status('codex')?.install?.packages, ['@agentclientprotocol/codex-acp@2.6.0']);
			assert.deepEqual(status('pi')?.install?.packages, ['@earendil-works/pi-coding-agent@0.87.1', 'pi-acp@0.0.34']);
			for (const id of ['qwen', 'kilo', 'gemini-account', 'demo']) {
				assert.equal(status(id)?.install, undefined, id);
			}
		});

		it('names the variables that an agent is to get and that are not set, and hands each agent its own only', async () => {
			test.environment['FIRST'] = 'the service’s own';
			const agents = [
				{ id: 'one', command: 'one', env: ['FIRST', 'ABSENT', 'SECOND'] },
				{ id: 'two', command: 'two', env: ['FIRST'] },
				{ id: 'three', command: 'three', env: ['THIRD'] },
			];
			const variables = { FIRST: '1', THIRD: '3' };
			test.directory.replaceSettings(taskSettingsSchema.parse({ agents, variables }));
			const report = agentsReportSchema.parse(JSON.parse(JSON.stringify(await test.directory.report())));
			const unset = report.agents.filter(({ unsetVariables }) => unsetVariables !== undefined);
			assert.deepEqual(
				unset.map(({ id, unsetVariables }) => [id, unsetVariables]),
				[['one', ['ABSENT', 'SECOND']]],
			);
			const place = { home: '/h', path: '', relayUrl: '', token: '', model: '', programs: {} };
			const given = ['one', 'two', 'three'].map(id => {
				const environment = test.directory.definition(id)?.environment(place) ?? {};
				return Object.entries(environment).filter(([name]) => /^(FIRST|THIRD)$/.test(name));
			});
			assert.deepEqual(given, [[['FIRST', '1']], [['FIRST', '1']], [['THIRD', '3']]]);
		});

		it('offers no installation of one that the settings place elsewhere', async () => {
			set({ id: 'opencode', command: '/absent/opencode' });
			const { problem, install } = await test.directory.status('opencode');
			assert.deepEqual([problem, install], ['not-found', undefined]);
		});

		it('has no model for any agent if there is only the demo', async () => {
			await test.folder.program('bin/kilo');
			test.offered = noModel;
			assert.equal((await test.directory.status('kilo')).problem, 'no-model');
			assert.equal((await test.directory.status('demo')).problem, undefined);
		});

		it('says of an unknown agent that it was not found', async () => {
			assert.deepEqual(await test.directory.status('unheard-of'), {
				id: 'unheard-of',
				label: 'unheard-of',
				source: 'none',
				problem: 'not-found',
			});
		});
	});
});
