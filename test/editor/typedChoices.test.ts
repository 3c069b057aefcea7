import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Chat } from '../../src/chat/conversation/chat.ts';
import type { ConversationChoice } from '../../src/chat/model/settings.ts';
import { selectImageModel } from '../../src/chat/settings/imageModelPicker.ts';
import { selectModel } from '../../src/chat/settings/modelPicker.ts';
import { editRouting } from '../../src/chat/settings/routingEditor.ts';
import { SettingsPickers } from '../../src/chat/settings/settingsPickers.ts';
import { type Connection, connectionSchema } from '../../src/contract/connection.ts';
import { localConnection } from '../../src/contract/localConnection.ts';
import type { RoutingPolicy } from '../../src/contract/routingPolicy.ts';
import { NO_ICON } from '../../src/platform/pick.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const unlisted: Connection = {
	name: 'quillon',
	...connectionSchema.parse({
		apiUrl: 'https://api.quillon.example',
		enterpriseUrl: 'https://enterprise.quillon.example',
		plan: 'enterprise',
		service: 'quillon',
	}),
};
const listed: Connection = {
	...unlisted,
	models: connectionSchema.parse({
		...unlisted,
		models: [
			{ id: 'quill-small', kinds: ['chat'] },
			{ id: 'painter', kinds: ['image'] },
			{ id: 'etcher', kinds: ['image'] },
		],
	}).models,
	providers: [{ slug: 'fastlane' }],
};

describe('the choice of a model or provider', () => {
	let picks: QuickPicks;
	let chosen: ConversationChoice[];
	let typed: string[];
	const { showInputBox, showQuickPick } = vscode.window;
	/** The rows of lists in which several can be chosen, and which of them are. */
	let lists: string[][];
	let checked: string[];

	beforeEach(() => {
		picks = new QuickPicks();
		chosen = [];
		typed = [];
		lists = [];
		checked = [];
		added = 0;
		Object.assign(vscode.window, {
			showInputBox: async () => typed.shift(),
			showQuickPick: async (items: vscode.QuickPickItem[]) => {
				lists.push(items.map(({ label }) => label));
				return items.filter(({ label }) => checked.includes(label));
			},
		});
	});

	afterEach(async () => {
		Object.assign(vscode.window, { showInputBox, showQuickPick });
		await picks.stop();
	});

	const chat = (settings: object = { model: 'quill-small' }) =>
		({
			conversation: { settings },
			choose: async (choice: ConversationChoice) => void chosen.push(choice),
		}) as unknown as Chat;

	let added: number;

	async function choose(connection: Connection, row: string, settings?: object): Promise<void> {
		const done = selectModel({
			subject: { chat: chat(settings), connection, defaultModel: undefined },
			models: {
				discover: async () => undefined,
				recent: { read: () => [], write: () => {} },
				found: { read: () => [], write: () => {} },
			},
			servers: { unused: async () => [], add: async () => void added++ },
			editParameters: async () => {},
			explainError: () => ({ message: '' }),
		});
		await picks.pick(row);
		await done;
	}

	const selectRouting = (connection: Connection, settings?: object) =>
		new SettingsPickers({
			shown: async () => chat(settings),
			source: {
				defaults: () => ({ routing: {}, retention: undefined, parameters: {}, instructions: '' }),
				connection: async () => connection,
			},
			defaultModel: async () => 'quill-small',
		} as unknown as ConstructorParameters<typeof SettingsPickers>[0]).selectRouting();

	it('lets the user type what the connection does not list: alternates, an image model', async () => {
		typed = ['quill-large, quill-large , other', 'brush'];
		checked = ['Others…'];
		await choose(unlisted, 'Alternates…');
		await choose(unlisted, 'Image Model…');
		assert.deepEqual(chosen, [{ models: ['quill-large', 'other'] }, { imageModel: 'brush' }]);
	});

	it('leads to a model server, wherever a list of models has only demos', async () => {
		await choose(localConnection, 'Add Service…');
		const ofAlternates = choose(localConnection, 'Alternates…');
		await waitFor('the list', () => picks.last?.title === 'Alternates');
		assert.match(picks.rows()[0] ?? '', /Add Service….*Only the demo is available/);
		await picks.pick('Add Service…');
		await ofAlternates;
		const painted = { ...localConnection, models: [...localConnection.models, ...listed.models.slice(1, 2)] };
		const ofImages = choose(painted, 'Image Model…');
		await waitFor('the list', () => picks.last?.title === 'Image Model of This Conversation');
		assert.match(picks.rows()[0] ?? '', /Add Service….*Only the demo is available/);
		await picks.pick('Add Service…');
		await ofImages;
		assert.equal(added, 3);
		assert.deepEqual(chosen, []);
	});

	it('offers the demos as alternates of each other too', async () => {
		checked = ['demo-two'];
		const demos = { ...listed.models[0], kinds: ['chat'] };
		const models = ['demo', 'demo-two'].map(id => ({ ...demos, id })) as Connection['models'];
		const done = choose({ ...localConnection, models }, 'Alternates…', { model: 'demo' });
		await picks.pick('Select a Demo…');
		await done;
		assert.deepEqual(chosen, [{ models: ['demo-two'] }]);
	});

	it('lets the user type more than what is listed', async () => {
		typed = ['spare'];
		checked = ['fastlane', 'Others…'];
		const done = selectRouting(listed);
		await picks.pick('Only these');
		await done;
		assert.deepEqual(lists, [['fastlane', 'Others…']]);
		assert.deepEqual(chosen[0]?.routing, { only: ['fastlane', 'spare'] });
	});

	it('lets the user type into the order of the routing policy, and into its lists', async () => {
		for (const [connection, order] of [
			[unlisted, ['spare', 'last']],
			[listed, ['fastlane', 'spare', 'last']],
		] as const) {
			let routing: RoutingPolicy = {};
			typed = ['spare, last, spare'];
			const target = {
				title: 'Policy',
				read: () => routing,
				write: async (next: RoutingPolicy) => {
					routing = next;
				},
				preview: async () => {},
			};
			let isOver = false;
			const done = editRouting(connection, target).then(() => {
				isOver = true;
			});
			await picks.pick('order');
			if (connection === listed) {
				await picks.pick('fastlane');
			}
			await picks.pick('Others…');
			await picks.pick('Done');
			await waitFor('the order', () => routing.order !== undefined);
			await picks.leave(() => isOver);
			await done;
			assert.deepEqual(routing, { order });
		}
	});

	it('shows of each provider why it remains or is left out, as a reading and not as the service’s promise', async () => {
		const models = ['quill-small'];
		const { providers } = connectionSchema.parse({
			...listed,
			providers: [
				{ slug: 'fastlane', models, dataPolicy: 'zero data retention' },
				{ slug: 'cellar', models, dataPolicy: 'stores data' },
				{ slug: 'attic', models },
				{ slug: 'elsewhere', models: ['painter'] },
			],
		});
		let isOver = false;
		const done = selectRouting(
			{ ...listed, providers },
			{ model: 'quill-small', routing: { data_collection: 'deny' } },
		);
		void done.then(() => {
			isOver = true;
		});
		await picks.pick('Preview Providers…');
		await waitFor('the preview', () => /not guaranteed by the service/.test(picks.last?.placeholder ?? ''));
		const rows = picks.rows();
		for (const words of [
			/fastlane.*balanced by price and uptime/,
			/cellar.*its policy is “stores data”/,
			/attic.*its data policy isn’t listed/,
			/elsewhere.*doesn’t host this model/,
		]) {
			assert.ok(
				rows.some(row => words.test(row)),
				`${words} in ${rows.join('\n')}`,
			);
		}
		await picks.leave(() => isOver);
		await done;
	});

	it('lets a model be chosen that has the responses endpoint alone, and none that the chat cannot ask', async () => {
		const { models } = connectionSchema.parse({
			...listed,
			models: [
				{ id: 'quill-small', kinds: ['chat', 'responses', 'encrypted'] },
				{ id: 'coder', kinds: ['responses'], codeOriented: true },
				{ id: 'painter', kinds: ['image'] },
			],
		});
		await choose({ ...listed, models }, 'coder');
		const rows = picks.rows();
		assert.doesNotMatch(rows.find(row => row.includes('quill-small')) ?? '', /endpoint|channel/);
		assert.ok(!rows.some(row => row.includes(`${NO_ICON} painter`)));
		assert.deepEqual(
			chosen.map(({ model }) => model),
			['coder'],
		);
	});

	it('does not show a model as keeping no data in the chat if that is true of the responses endpoint only', async () => {
		const { models } = connectionSchema.parse({ ...listed, models: [{ id: 'coder', codeOriented: true }] });
		const done = selectRouting({ ...listed, models, accountZdr: false }, { model: 'coder' });
		const detailOf = (row: string) => picks.last?.items.find(({ label }) => label.endsWith(row))?.detail ?? '';
		await waitFor('the list', () => detailOf('Zero Data Retention…') !== '');
		assert.match(detailOf('Zero Data Retention…'), /Off: neither the service nor your settings require it\./);
		await picks.pick('Zero Data Retention…');
		await waitFor('the choices', () => picks.shown.length === 2 && picks.rows().length > 0);
		const details = picks.rows().flatMap(row => /(?:On|Off): .*/.exec(row) ?? []);
		assert.deepEqual(details, [
			'On: the routing policy requires it.',
			...Array(2).fill('Off: neither the service nor your settings require it.'),
		]);
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		await done;
	});

	it('offers the listed image models, with the first one chosen unless another is', async () => {
		const done = selectImageModel(chat(), listed, { add: async () => {} });
		await waitFor('the list', () => picks.rows().length > 0);
		assert.deepEqual(picks.rows().slice(0, 2), [
			`$(check) painter | ${NO_ICON} generates images`,
			`${NO_ICON} etcher | ${NO_ICON} generates images`,
		]);
		await picks.pick('etcher');
		await done;
		assert.deepEqual(chosen, [{ imageModel: 'etcher' }]);
	});
});
