import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type Conversation, newConversation } from '../../../src/chat/model/conversation.ts';
import { ShownConnection } from '../../../src/chat/shownConnection.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';

describe('the connection that the chat shows', () => {
	const read = async () => ({ name: 'local', label: 'Local', model: 'small', isDemo: false });
	const described = {
		...localConnection,
		models: [{ id: 'small', kinds: ['chat' as const], contextLength: 4_000, maxOutputTokens: 500 }],
	};

	before(() => {
		// No instructions of the user count.
		Object.assign(vscode.workspace, { getConfiguration: () => ({ get: () => '' }) });
	});
	after(() => Reflect.deleteProperty(vscode.workspace, 'getConfiguration'));

	const measure = (shown: ShownConnection, others: Partial<Conversation>) =>
		shown.measure({ ...newConversation('c1', 0, { folders: [] }), ...others }, () => 'errand');

	it('tells how much a model takes once its service has told', async () => {
		const shown = new ShownConnection({ read, describe: async () => described });
		await shown.read();
		assert.deepEqual(shown.limitsOf('small'), {});
		void shown.refresh();
		await shown.refreshed();
		assert.deepEqual(shown.limitsOf('small'), { contextLength: 4_000, maxOutputTokens: 500 });
		assert.deepEqual(shown.limitsOf('another'), {});
		assert.equal(shown.problem, undefined);
	});

	it('says whether a model takes images only where its service does', async () => {
		const models = [undefined, true, false].map(images => ({ id: `m-${images}`, kinds: ['chat' as const], images }));
		const shown = new ShownConnection({ read, describe: async () => ({ ...localConnection, models }) });
		await shown.read();
		const takesImages = (model: string) => measure(shown, { settings: { model } }).takesImages;
		assert.equal(takesImages('m-true'), undefined);
		await shown.refresh();
		assert.deepEqual(['m-undefined', 'm-true', 'm-false', 'another'].map(takesImages), [
			undefined,
			true,
			false,
			undefined,
		]);
	});

	it('measures a message by the model that it goes to: that of its mode, or of its channel', async () => {
		const shown = new ShownConnection({ read, describe: async () => described });
		await shown.read();
		await shown.refresh();
		const lengthIn = (others: Partial<Conversation>) => {
			const { model, contextLength } = measure(shown, others);
			return [model, contextLength];
		};
		assert.deepEqual(lengthIn({}), ['small', 4_000]);
		assert.deepEqual(lengthIn({ mode: 'agent' }), ['small', 4_000]);
		assert.deepEqual(lengthIn({ mode: 'image', settings: { imageModel: 'painter' } }), ['painter', undefined]);
		assert.deepEqual(lengthIn({ encryption: { model: 'sealed' } }), ['sealed', undefined]);
		assert.deepEqual(lengthIn({ encryption: {} }), ['', undefined]);
		assert.equal(shown.measure(undefined, () => assert.fail()).model, '');
	});

	it('tells that there is one provider, beside the demo and the name for all that run here', async () => {
		for (const [slugs, expected] of [
			[['errand', 'demo', 'demo-two', 'mine'], true],
			[['mine', 'other'], undefined],
			[[], undefined],
		] as const) {
			const providers = slugs.map(slug => ({ slug }));
			const shown = new ShownConnection({ read, describe: async () => ({ ...localConnection, providers }) });
			await shown.read();
			await shown.refresh();
			assert.equal(shown.view.hasOneProvider, expected, slugs.join());
		}
	});

	it('says why the service does not tell, until it does', async () => {
		let fails = true;
		const tell = async () => (fails ? Promise.reject(new Error('no')) : described);
		const shown = new ShownConnection({ read, describe: tell });
		await shown.read();
		await shown.refresh();
		assert.equal(typeof shown.problem, 'string');
		fails = false;
		await shown.refresh();
		assert.equal(shown.problem, undefined);
	});
});
