import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { requestRules } from '../../src/chat/settings/requestRules.ts';
import { localConnection } from '../../src/contract/localConnection.ts';
import { LanguageModelProvider, type ModelRequestParts } from '../../src/languageModels/languageModelProvider.ts';
import { ModelList, type ModelListParts } from '../../src/languageModels/modelList.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { waitFor } from '../support/waitFor.ts';

import { useLanguageModels, writeSetting } from './useLanguageModels.ts';

const { User } = vscode.LanguageModelChatMessage;

describe('the models that the editor gets', () => {
	const models = useLanguageModels();

	it('are the chat models of the connection, with their limits, their inputs and the providers that may serve them', async () => {
		await writeSetting('errand.chat.routing', { data_collection: 'deny' });
		const [first, second, ...others] = await models.list();
		assert.deepEqual(others, []);
		assert.equal(first?.id, 'quillon/quill');
		assert.equal(first.name, 'Quill');
		assert.equal(first.maxInputTokens, 30_000);
		assert.equal(first.maxOutputTokens, 2_000);
		assert.deepEqual(first.capabilities, { imageInput: true, toolCalling: true });
		assert.match(first.detail ?? '', /^Quillon · North · .*private/);
		assert.match(first.tooltip ?? '', /May be served by: North \(.*\$1 in, \$2 out per 1M tokens.*\)\./);
		assert.match(first.tooltip ?? '', /Left out: South \(data_collection: deny, but its policy is “stores data”\)\./);
		assert.match(first.tooltip ?? '', /Zero data retention: /);
		assert.deepEqual(second?.capabilities, { imageInput: true, toolCalling: false });
		assert.match(second?.tooltip ?? '', /doesn’t list its limit; 32,768 tokens are assumed\./);
		assert.ok(second && second.maxInputTokens + second.maxOutputTokens <= 32_768);
	});

	it('are none while the key is missing: silently, and otherwise after asking for it', async () => {
		models.keyState = 'missing';
		assert.deepEqual(await models.list(true), []);
		assert.deepEqual([models.asked, models.described, models.shown], [0, 0, []]);
		assert.deepEqual(await models.list(false), []);
		assert.equal(models.asked, 1);
		models.keyState = 'set';
		assert.equal((await models.list(true)).length, 2);
	});

	it('are none if the user wants it so, and no request is sent for that', async () => {
		await writeSetting('errand.languageModels.access', 'never');
		assert.deepEqual(await models.list(), []);
		assert.equal(models.described, 0);
	});

	it('stay the same while the user keeps the local service stopped', async () => {
		models.connection = { ...localConnection, apiUrl: models.server.origin };
		models.keyState = 'not-needed';
		models.isStopped = true;
		assert.deepEqual(await models.list(), []);
		models.isStopped = false;
		assert.deepEqual(
			(await models.list()).map(({ id }) => id),
			['local/demo'],
		);
		models.isStopped = true;
		assert.equal((await models.list()).length, 1);
		assert.equal(models.described, 1);
	});

	it('leave out the demo if a model server offers a model', async () => {
		models.keyState = 'not-needed';
		models.connection = {
			...localConnection,
			models: [...localConnection.models, { id: 'small', kinds: ['chat'] }],
			providers: [
				{ slug: 'demo', models: ['demo'] },
				{ slug: 'cellar', models: ['small'] },
			],
		};
		assert.deepEqual(
			(await models.list()).map(({ model }) => model),
			['small'],
		);
	});

	it('cannot be listed where the connection cannot be read, which an error says in a sentence', async () => {
		const list = new ModelList({
			...({} as ModelListParts),
			connection: () => Promise.reject(new Error('broken')),
		});
		models.provider = new LanguageModelProvider(list, {
			...({} as ModelRequestParts),
			rules: async () => requestRules(async () => models.connection),
			ledger: models.ledger,
			changed() {},
		});
		await assert.rejects(models.list(true), /^Error: Errand ran into an unexpected error: broken\./);
		assert.deepEqual(models.shown, []);
	});

	it('count tokens by an estimate, of texts and of messages', async () => {
		const model = await models.quill();
		const words = 'How many tokens are these words?';
		const ofText = await models.provider.provideTokenCount(model, words);
		assert.ok(ofText > words.length / 5 && ofText < words.length);
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const message = User([new vscode.LanguageModelTextPart(words), image]);
		assert.ok((await models.provider.provideTokenCount(model, message)) > ofText);
	});

	it('are counted with their cost, and name the provider that served last', async () => {
		await models.ask();
		const { used } = await waitFor('the reply to be counted', async () => {
			const use = await models.ledger.read();
			return use.used.length > 0 && use;
		});
		assert.equal(used[0]?.connection, 'quillon');
		assert.deepEqual(used[0].months[0]?.parts, [
			{
				model: 'quill',
				provider: 'north',
				count: 1,
				inputTokens: 1_000_000,
				outputTokens: 1_000_000,
				cost: { known: 'whole', dollars: 3, isEstimated: false },
			},
		]);
		assert.equal(models.changes, 1);
		assert.match((await models.quill()).tooltip ?? '', /Served last by North\./);
		await models.ask();
		assert.equal(models.changes, 1);
	});

	it('show names from elsewhere without their links and icons', async () => {
		models.connection = {
			...models.connection,
			label: '$(key) [Quillon](command:x)',
			models: [{ id: 'quill', label: '[a](command:errand.manageKeys) $(alert)', kinds: ['chat'] }],
		};
		const { name, detail = '', tooltip = '' } = await models.quill();
		assert.doesNotMatch(name, /(^|[^\\])\$\(/);
		assert.doesNotMatch(detail + tooltip, /\]\(/);
	});
});

describe('the models of the extension in this editor', () => {
	before(() => writeSetting('errand.languageModels.access', 'allow'));
	after(() => writeSetting('errand.languageModels.access', undefined));

	const select = () => vscode.lm.selectChatModels({ vendor: 'errand' });

	it('are found by their vendor, without an account, and stream', async () => {
		const [model] = await waitFor('a model to be listed', async () => {
			const models = await select();
			return models.length > 0 && models;
		});
		assert.ok(model);
		assert.equal(model.id, 'local/demo');
		assert.ok(model.maxInputTokens > 0);
		assert.ok((await model.countTokens('Hello there')) > 0);
		const { text } = await model.sendRequest([User('Hello')]);
		let said = '';
		for await (const piece of text) {
			said += piece;
		}
		assert.match(said, /demo/i);
	});

	it('are gone at once when the user no longer wants to offer them, and come back', async () => {
		const changed = Promise.withResolvers<void>();
		const subscription = vscode.lm.onDidChangeChatModels(() => changed.resolve());
		await writeSetting('errand.languageModels.access', 'never');
		await changed.promise;
		subscription.dispose();
		assert.deepEqual(await select(), []);
		await writeSetting('errand.languageModels.access', 'allow');
		await waitFor('the model to be back', async () => (await select()).length > 0);
	});
});
