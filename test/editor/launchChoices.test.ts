import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { writeSetting } from '../../src/platform/settings.ts';
import { type LaunchAgent, pickAgents, settingsAgent, toRequest } from '../../src/tasks/launch/launchChoices.ts';
import { choices, connection, rowsOf } from '../support/preflightView.ts';
import { spoken } from '../support/spoken.ts';

describe('the choices before a task is sent', () => {
	it('offers to add a model server if the agents of this machine only demonstrate, and not otherwise', async () => {
		const { showQuickPick } = vscode.window;
		const lists: vscode.QuickPickItem[][] = [];
		let take = 0;
		const taking = async (items: vscode.QuickPickItem[]) => {
			lists.push(items);
			return [items[take]];
		};
		Object.assign(vscode.window, { showQuickPick: taking });
		const demo = { id: 'demo', label: 'Demo', models: ['demo'] };
		const local = { ...connection, isLocal: true, agents: [demo, { ...demo, id: 'demo-two' }] };
		assert.equal(await pickAgents(local, []), 'add-server');
		take = 1;
		assert.deepEqual(await pickAgents(local, []), [{ agent: 'demo', model: 'demo' }]);
		take = 0;
		await pickAgents({ ...local, agents: [{ id: 'errand', models: ['real'] }, demo] }, []);
		await pickAgents({ ...local, isLocal: false }, []);
		Object.assign(vscode.window, { showQuickPick });
		assert.deepEqual(
			lists.map(([first]) => first?.label),
			['$(add) Add Service…', '$(add) Add Service…', 'errand', 'Demo'],
		);
	});

	it('lets the user type agent and model if the connection lists none, and sends these', async () => {
		const unlisted = { ...connection, agents: [] };
		const { showInputBox } = vscode.window;
		const boxes: vscode.InputBoxOptions[] = [];
		const typed: (string | undefined)[] = [];
		const typing = async (options: vscode.InputBoxOptions) => {
			boxes.push(options);
			return typed.shift();
		};
		Object.assign(vscode.window, { showInputBox: typing });
		try {
			const plan = { repoUrl: 'https://host.example/x', branch: 'main' };
			for (const [agent, model, chosen] of [
				['mason', 'mason-large', { selectedAgent: 'mason', selectedModel: 'mason-large' }],
				['', 'mason-large', { selectedModel: 'mason-large' }],
				['mason', '', { selectedAgent: 'mason' }],
				['', '', {}],
			] as const) {
				typed.push(agent, model);
				const picked = await pickAgents(unlisted, [{ agent: 'weaver', model: undefined }]);
				assert.ok(Array.isArray(picked));
				assert.deepEqual(toRequest(unlisted, 'Fix it', plan, { ...choices, agents: picked }), {
					prompt: 'Fix it',
					repoUrl: 'https://host.example/x',
					selectedBranch: 'main',
					installDependencies: false,
					...chosen,
				});
			}
			assert.equal(boxes[0]?.value, 'weaver');
			assert.equal(boxes[0]?.validateInput?.(''), undefined);
			assert.match(String(boxes[0]?.validateInput?.('two words')), /without spaces/);
			typed.push('mason', undefined);
			assert.equal(await pickAgents(unlisted, []), undefined);
		} finally {
			Object.assign(vscode.window, { showInputBox });
		}
		const row = (agents: readonly LaunchAgent[]) =>
			spoken(rowsOf({ connection: unlisted, choices: { ...choices, agents } }).find(({ id }) => id === 'agents'));
		assert.equal(row([]), '$(robot) Agent | as the service decides');
		assert.equal(row([{ agent: undefined, model: 'mason-large' }]), '$(robot) Agent | with mason-large');
	});

	it('names the model of the settings if the connection lists no agents', async () => {
		const unlisted = { ...connection, agents: [] };
		await writeSetting('errand.tasks.model', 'mason-large');
		try {
			assert.deepEqual(settingsAgent(unlisted).agents, [{ agent: undefined, model: 'mason-large' }]);
		} finally {
			await writeSetting('errand.tasks.model', '');
		}
		assert.deepEqual(settingsAgent(unlisted).agents, []);
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
			installDependencies: false,
		});
		assert.throws(() => request(['mason'], ['nameless']), /Each agent needs a model/);
	});
});
