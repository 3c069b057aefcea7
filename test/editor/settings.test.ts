import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { RequestRefusal } from '../../src/chat/model/applySettings.ts';
import { readChatSettings } from '../../src/chat/settings/readChatSettings.ts';
import { type SettingId, settingScopes } from '../../src/platform/ids.ts';
import { onDidChangeSetting, readSetting, readTextSetting, writeSetting } from '../../src/platform/settings.ts';
import { waitFor } from '../support/waitFor.ts';

const protectedIds = (Object.keys(settingScopes) as SettingId[]).filter(
	id => settingScopes[id] === 'application' || settingScopes[id] === 'machine',
);

describe('the settings in the editor', () => {
	it('let nothing write a protected one into the workspace or a folder', async () => {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
		for (const id of protectedIds) {
			const before = readSetting(id);
			for (const target of [vscode.ConfigurationTarget.Workspace, vscode.ConfigurationTarget.WorkspaceFolder]) {
				const update = vscode.workspace.getConfiguration(undefined, folder).update(id, before, target);
				await assert.rejects(Promise.resolve(update), Error, id);
			}
			assert.deepEqual(readSetting(id), before);
		}
	});
});

describe('a setting of the machine', () => {
	after(() => Promise.all([writeSetting('errand.local.upstreams', {}), writeSetting('errand.chat.model', '')]));

	it('is reported when it changes, and stays when the user’s are written', async () => {
		let heard = 0;
		const subscription = onDidChangeSetting(['errand.local.upstreams'], () => heard++);
		try {
			await writeSetting('errand.local.upstreams', { ollama: false });
			await waitFor('the change to be heard of', () => heard === 1);
			await writeSetting('errand.chat.model', 'small');
			await waitFor('the other to be there', () => readSetting('errand.chat.model') === 'small');
			assert.deepEqual(readSetting('errand.local.upstreams'), { ollama: false });
			assert.equal(heard, 1);
		} finally {
			subscription.dispose();
		}
	});
});

describe('a setting of another kind than it must have', () => {
	const ids = [
		'errand.chat.model',
		'errand.chat.instructions',
		'errand.chat.routing',
		'errand.chat.parameters',
	] as const;

	afterEach(() => Promise.all(ids.map(id => writeSetting(id, undefined as never))));

	it('is refused by its name if it is a text', async () => {
		for (const id of ['errand.chat.model', 'errand.chat.instructions'] as const) {
			await writeSetting(id, 5 as never);
			assert.throws(() => readTextSetting(id), { name: 'UserFacingError', message: new RegExp(id) });
		}
		assert.throws(readChatSettings, { name: 'UserFacingError' });
	});

	it('is refused by its field if it is an object, and nothing is guessed', async () => {
		const refused = (issue: string) =>
			assert.throws(readChatSettings, error => {
				assert.ok(error instanceof RequestRefusal && error.problem.kind === 'setting');
				assert.equal(error.problem.issue, issue);
				return true;
			});
		for (const [routing, issue] of [
			[{ only: 'somebody' }, 'only is "somebody". Allowed: a list of providers’ names.'],
			[{ only: ['somebody', 5] }, 'only is ["somebody",5]. Allowed: a list of providers’ names.'],
			[{ sort: 'size' }, 'sort is "size". Allowed: "price", "throughput", "latency", or a JSON object.'],
			[{ data_collection: true }, 'data_collection is true. Allowed: "allow", "deny".'],
			[{ zdr: 'yes' }, 'zdr is "yes". Allowed: true, false.'],
			[{ preferred_max_latency: 'low' }, 'preferred_max_latency is "low". Allowed: a number, or a JSON object.'],
			[{ olny: [] }, 'It has no field olny. Remove it.'],
			['cheapest', 'It is "cheapest". Allowed: a JSON object.'],
		] as const) {
			await writeSetting('errand.chat.routing', routing as never);
			refused(issue);
		}
		await writeSetting('errand.chat.routing', {});
		for (const [parameters, issue] of [
			[{ temperature: 9 }, 'temperature is 9. Allowed: a number from 0 to 2.'],
			[{ top_p: 'all' }, 'top_p is "all". Allowed: a number above 0, at most 1.'],
			[{ seed: 0.5 }, 'seed is 0.5. Allowed: a whole number.'],
			[{ logit_bias: { 5: 'much' } }, 'logit_bias is {"5":"much"}. Allowed: a JSON object of numbers.'],
			[{ warmth: 1 }, 'It has no field warmth. Remove it.'],
		] as const) {
			await writeSetting('errand.chat.parameters', parameters as never);
			refused(issue);
		}
	});
});

describe('errand.connections in settings.json', () => {
	const BROKEN = { apiUrl: 'http://api.example', service: 'acme', plan: 'private', port: 1, models: [{}] };
	let document: vscode.TextDocument;

	before(async () => {
		await writeSetting('errand.connections', { acme: BROKEN });
		await vscode.commands.executeCommand('workbench.action.openSettingsJson');
		document = await waitFor('the settings to be open', () =>
			vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith('/User/settings.json')),
		);
	});

	after(async () => {
		await writeSetting('errand.connections', {});
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('is marked at each field that a connection cannot have', async () => {
		const messages = await waitFor('the marks of the editor', () => {
			const found = vscode.languages.getDiagnostics(document.uri).map(({ message }) => message);
			return found.length >= 4 && found;
		});
		for (const part of [/https address/, /port/, /"public", "enterprise"/, /"id"/]) {
			assert.ok(
				messages.some(message => part.test(message)),
				`${part} in ${JSON.stringify(messages)}`,
			);
		}
	});

	it('is completed with a whole connection, a model, a provider, an alias and an agent', async () => {
		/** What is offered at the bar in a text that follows the schema of the user's settings. */
		const offered = async (text: string): Promise<string[]> => {
			const content = `{"$schema": "vscode://schemas/settings/user", ${text}}`;
			const { uri, positionAt } = await vscode.workspace.openTextDocument({
				language: 'json',
				content: content.replace('|', ''),
			});
			const list = await vscode.commands.executeCommand<vscode.CompletionList>(
				'vscode.executeCompletionItemProvider',
				uri,
				positionAt(content.indexOf('|')),
			);
			return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
		};
		for (const [text, label] of [
			['"errand.connections":|', 'Connection'],
			['"errand.connections": {"acme": | }', 'Connection'],
			['"errand.connections": {"acme": {"models": [|]}}', 'Model'],
			['"errand.connections": {"acme": {"providers": [|]}}', 'Provider'],
			['"errand.connections": {"acme": {"providerPrefixes": [|]}}', 'Provider prefix'],
			['"errand.connections": {"acme": {"aliases": [|]}}', 'Alias'],
			['"errand.connections": {"acme": {"agents": [|]}}', 'Agent'],
			['"errand.connections": {"acme": {|}}', 'cloudUrl'],
			['"errand.connections": {"acme": {"plan": |}}', '"enterprise"'],
		] as const) {
			const labels = await offered(text);
			assert.ok(labels.includes(label), `${label} is not among ${labels} in ${text}`);
		}
	});
});
