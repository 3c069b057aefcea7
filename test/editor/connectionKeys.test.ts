import assert from 'node:assert/strict';
import process from 'node:process';
import * as vscode from 'vscode';
import type { KeyKind } from '../../src/contract/routes.ts';
import { showKeys } from '../../src/models/keyList.ts';
import { answerLists } from '../support/answeredLists.ts';
import { keys as contractKeys, specialKeys } from '../support/contractServer/fixtures.ts';
import { spoken } from '../support/spoken.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const WRONG_KEY = 'sk-wrong-0123456789';
const VARIABLE = 'ERRAND_TEST_KEY';

describe('the keys of a connection', () => {
	const flow = useServices();
	const { createQuickPick } = vscode.window;
	const { openExternal } = vscode.env;
	/** The rows of each list that was shown, in words. */
	let shown: string[][];
	let opened: string[];

	beforeEach(async () => {
		[shown, opened] = [[], []];
		const { public: apiUrl, cloud: cloudUrl, agent: agentUrl } = flow.service.hosts;
		await flow.write('errand.connections', {
			acme: { label: 'Acme', service: 'quillon', dashboardUrl: `${apiUrl}/dashboard`, apiUrl, cloudUrl, agentUrl },
		});
		await flow.write('errand.connection', 'acme');
		Object.assign(vscode.env, { openExternal: async (uri: vscode.Uri) => opened.push(uri.toString(true)) });
	});
	afterEach(() => {
		Object.assign(vscode.window, { createQuickPick });
		Object.assign(vscode.env, { openExternal });
		delete process.env[VARIABLE];
	});

	const acme = () => flow.connectionOf('acme');
	const save = (kind: KeyKind, key: string) => flow.keys.of(acme(), kind).save(key);
	const stored = async (kind: KeyKind) => flow.secrets.get(`errand.key.acme.${kind}`) ?? '';

	/** Opens the list of keys and chooses a row of each list, by its label; a list without a further label is left. */
	async function manage(...labels: string[]): Promise<void> {
		const lists = answerLists(...labels);
		await showKeys(flow.services, { keys: async () => [], get: async () => undefined, delete: async () => {} });
		shown.push(...lists.map(rows => rows.map(spoken)));
	}

	/** Waits until the list of keys says so of one. */
	const lists = (words: RegExp) =>
		waitFor(`a row with ${words}`, async () => {
			await manage();
			return shown.at(-1)?.some(row => words.test(row));
		});
	const says = (words: RegExp) =>
		waitFor(`a message with ${words}`, () => flow.messages.some(message => words.test(message)));

	/** Waits for a box after `count` others. */
	const box = (count: number) =>
		waitFor('the box', () => (flow.boxes.shown.length > count ? flow.boxes.last : undefined));
	const boxSays = (words: RegExp) =>
		waitFor(
			`a box with ${words}`,
			() => flow.boxes.last?.enabled && words.test(String(flow.boxes.last.validationMessage)),
		);

	const answers: { what: string; label: string; key: string; row: RegExp; problem?: RegExp }[] = [
		{
			what: 'accepts it',
			label: 'Inference key',
			key: contractKeys.inference,
			row: /^Inference key \| set, ends in 7e2b · accepted \| Saved .+, checked .+\. Sent only to http.+, for chat/,
		},
		{
			what: 'refuses it',
			label: 'Inference key',
			key: WRONG_KEY,
			row: /^Inference key \| set, ends in 6789 · refused/,
			problem: /^Acme rejected the key/,
		},
		{
			what: 'wants another plan for it',
			label: 'Agent key',
			key: specialKeys.agentWithoutPlan,
			row: /^Agent key \| .* · plan missing/,
			problem: /Please subscribe to the Pro plan to use this API/,
		},
	];
	for (const { what, label, key, row, problem } of answers) {
		it(`are saved once the service was asked, against its word only if the user insists, and the list says: it ${what}`, async () => {
			const managing = manage(label);
			await box(0);
			await flow.boxes.enter(key);
			if (problem) {
				await boxSays(problem);
				assert.equal(flow.secrets.size, 0);
				await flow.boxes.enter(key);
			}
			await managing;
			assert.ok(
				shown.at(-1)?.some(text => row.test(text)),
				shown.at(-1)?.join('\n'),
			);
			assert.ok(!shown.flat().some(text => text.includes(key)));
		});
	}

	it('are taken without spaces and in their form alone, hidden while they are typed', async () => {
		const asking = flow.keys.ensure(acme(), 'inference');
		const question = await box(0);
		assert.deepEqual([question.title, question.password], ['Inference key of Acme', true]);
		assert.match(question.prompt ?? '', /^Acme requires a key for this\. Saved in .* sent only to http.*:\d+\.$/);
		for (const [text, words] of [
			['no key', /^A key has no spaces or special characters\. Paste it alone\.$/],
			['token', /^This kind of key starts with “sk-”\.$/],
		] as const) {
			await flow.boxes.enter(text);
			await boxSays(words);
		}
		assert.deepEqual(flow.service.received, []);
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		assert.equal(await asking, false);
		await says(/^Nothing was sent: Acme requires a key for this \(Inference key\)\./);
	});

	it('are checked when the user asks, and the list comes back with the answer, or with none', async () => {
		await save('cloud', contractKeys.cloud);
		await manage('Cloud token', 'Check');
		assert.match(shown.at(-1)?.[1] ?? '', /^Cloud token \| .* · accepted/);
		flow.service.answer(({ host }) => host === 'cloud', { status: 503, headers: { 'retry-after': '0' } });
		await manage('Cloud token', 'Check');
		assert.match(shown.at(-1)?.[1] ?? '', /^Cloud token \| .* · no response/);
	});

	it('show what came of a check in a notification to a user who has gone to an editor meanwhile, and no list', async () => {
		await save('inference', contractKeys.inference);
		const gone = Promise.withResolvers<void>();
		flow.service.answer(
			({ path }) => path.endsWith('/models'),
			async () => {
				await gone.promise;
				return { status: 401, headers: {} };
			},
		);
		const checking = manage('Inference key', 'Check');
		await waitFor('the check', () => flow.service.received.some(({ path }) => path.endsWith('/models')));
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'goes on' }));
		gone.resolve();
		await checking;
		await says(/rejected the key/);
		assert.equal(shown.length, 2);
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('are taken out of an environment variable, whose value is shown nowhere', async () => {
		let problemOf: ((text: string) => unknown) | undefined;
		let name: string | undefined;
		Object.assign(vscode.window, {
			showInputBox: async ({ validateInput }: vscode.InputBoxOptions) => {
				problemOf = validateInput;
				return name;
			},
		});
		await manage('Import from Environment Variable…', 'Agent key');
		process.env[VARIABLE] = 'no key at all';
		assert.match(
			String(problemOf?.('ERRAND_TEST_NOT_SET')),
			/This variable isn’t set where the editor runs its extensions\. Set it before you start the editor/,
		);
		assert.match(String(problemOf?.(VARIABLE)), /^The variable doesn’t contain this kind of key\. (?!.*at all)/);
		process.env[VARIABLE] = contractKeys.agent;
		assert.equal(problemOf?.(VARIABLE), undefined);
		name = VARIABLE;
		await manage('Import from Environment Variable…', 'Agent key');
		await lists(/^Agent key \| .* · accepted/);
		assert.ok(![...shown.flat(), ...flow.messages].some(text => text.includes(contractKeys.agent)));
	});

	it('are rotated: the dashboard opens, and the present one stays until another is accepted', async () => {
		await save('inference', WRONG_KEY);
		const managing = manage('Inference key', 'Rotate…');
		await box(0);
		assert.deepEqual(opened, [`${flow.service.hosts.public}/dashboard`]);
		await flow.boxes.enter(WRONG_KEY);
		await boxSays(/^This is the current key\. Paste the new one\.$/);
		await flow.boxes.enter(`${WRONG_KEY}-too`);
		await boxSays(/^Acme rejected the key/);
		assert.doesNotMatch(await stored('inference'), /-too/);
		await flow.boxes.enter(contractKeys.inference);
		await managing;
		await says(/^Acme now uses the new key\. Delete the old one in its dashboard\./);
		assert.match(await stored('inference'), new RegExp(contractKeys.inference));
	});

	it('are sent to no other address before the user confirms it', async () => {
		await save('inference', contractKeys.inference);
		await flow.write('errand.connections', {
			acme: { label: 'Acme', apiUrl: flow.upstream.origin, service: 'quillon' },
		});
		await assert.rejects(
			flow.keys.key(acme(), 'inference'),
			/The addresses of Acme have changed since its key was saved/,
		);
		await manage('Inference key');
		assert.match(shown[0]?.[0] ?? '', /Not sent: the addresses have changed since it was saved\. Now: http/);
		assert.ok(!shown[1]?.some(row => row.startsWith('Check')));
		await manage('Inference key', 'Confirm');
		assert.equal(await flow.keys.key(acme(), 'inference'), contractKeys.inference);
		assert.equal(flow.upstream.requests.length, 0);
	});

	it('are removed after a yes, and not after a no', async () => {
		await save('inference', contractKeys.inference);
		await manage('Inference key', 'Remove…');
		assert.equal(await flow.keys.state(acme(), 'inference'), 'set');
		flow.choose(/^Remove the Inference key of Acme\?/, 'Remove');
		await manage('Inference key', 'Remove…');
		assert.equal(await flow.keys.state(acme(), 'inference'), 'missing');
	});
});
