import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SignIns } from '../../../src/chat/agent/signIns.ts';
import { remoteServerSchema } from '../../../src/contract/mcpServers.ts';
import { SignInLinks } from '../../../src/platform/signInLinks.ts';
import { RemoteMcpServer } from '../../support/remoteMcpServer.ts';
import { waitFor } from '../../support/waitFor.ts';

describe('the sign-in at an MCP server in the editor', () => {
	let server: RemoteMcpServer;
	let links: SignInLinks;
	let opened: URL[];
	let asked: string[];
	let told: string[];
	let chosen: string | undefined;
	const { withProgress } = vscode.window;
	/** Ends the waiting for the browser, as its notification does. */
	let cancel: () => void;

	beforeEach(async () => {
		server = await RemoteMcpServer.start();
		server.tokens = new Map();
		[opened, asked, told, chosen] = [[], [], [], 'Open Page'];
		links = Object.assign(new SignInLinks(), {
			address: async () => 'vscode://errand.errand/sign-in',
			open: async (page: URL) => opened.push(page) > 0,
		});
		const tell = async (message: string) => void told.push(message);
		Object.assign(vscode.window, {
			showWarningMessage: async (question: string, { detail }: { detail: string }) => {
				asked.push(`${question}\n${detail}`);
				return chosen;
			},
			showErrorMessage: tell,
			showInformationMessage: tell,
			withProgress: (_: unknown, run: (progress: unknown, token: unknown) => Promise<unknown>) =>
				run(undefined, {
					onCancellationRequested: (listener: () => void) => {
						cancel = listener;
					},
				}),
		});
	});
	afterEach(() => {
		for (const name of ['showWarningMessage', 'showErrorMessage', 'showInformationMessage']) {
			Reflect.deleteProperty(vscode.window, name);
		}
		Object.assign(vscode.window, { withProgress });
		server.stop();
	});

	function begin(folder?: string, secrets = new Map<string, string>()) {
		const kept = {
			get: async (key: string) => secrets.get(key),
			store: async (key: string, value: string) => void secrets.set(key, value),
			delete: async (key: string) => void secrets.delete(key),
		};
		const authorization = new SignIns(kept, links).at({
			...remoteServerSchema.parse({ url: server.url }),
			name: 'test',
			file: undefined,
			folder,
		});
		const { signal } = new AbortController();
		return { authorization, secrets, signal, renewed: authorization.renew(undefined, 'Bearer', signal) };
	}
	const decoded = (answer: URLSearchParams) => [...answer].map(each => each.join('=')).join('&');

	it('is asked about with the host of its page, and takes the answer with its state alone', async () => {
		const { authorization, signal, renewed } = begin();
		const page = await waitFor('the page', () => opened[0]);
		assert.match(asked[0] ?? '', /“test” wants you to sign in/);
		assert.ok(asked[0]?.includes(`The page is at ${page.host}`));
		const answer = server.signInOn(page);
		await links.take(decoded(new URLSearchParams({ ...Object.fromEntries(answer), state: 'another' })));
		assert.match(told[0] ?? '', /was not begun in this window, or it is over/);
		assert.equal(await authorization.token(AbortSignal.timeout(20)).catch(() => 'none'), 'none');
		await links.take(decoded(answer));
		await renewed;
		assert.notEqual(await authorization.token(signal), undefined);
		assert.match(told[1] ?? '', /You are signed in/);
		await links.take(decoded(answer));
		assert.match(told[2] ?? '', /was not begun in this window, or it is over/);
	});

	it('is used by nobody but the one who has declared the server', async () => {
		const { authorization, secrets, signal, renewed } = begin();
		links.take(decoded(server.signInOn(await waitFor('the page', () => opened[0]))));
		await renewed;
		const token = await authorization.token(signal);
		const again = begin(undefined, secrets);
		await again.renewed;
		assert.equal(await again.authorization.token(signal), token);
		assert.equal(opened.length, 1);
		const folder = begin('/hostile', secrets);
		await waitFor('a question of its own', () => opened[1]);
		cancel();
		await assert.rejects(folder.renewed);
	});

	it('is asked about by the name of the server that is used, also where another one has its address', async () => {
		chosen = undefined;
		const signIns = new SignIns({ get: async () => undefined, store: async () => {}, delete: async () => {} }, links);
		for (const name of ['docs', 'tracker']) {
			const declared = { ...remoteServerSchema.parse({ url: server.url }), name, file: undefined, folder: undefined };
			await assert.rejects(signIns.at(declared).renew(undefined, 'Bearer', new AbortController().signal));
			assert.match(asked.at(-1) ?? '', new RegExp(`“${name}” wants you to sign in`));
		}
	});

	it('opens nothing after a no, and ends where nobody goes on in the browser', async () => {
		chosen = undefined;
		await assert.rejects(begin().renewed, { message: 'you did not sign in. You are asked again at its next use.' });
		assert.deepEqual(opened, []);
		chosen = 'Open Page';
		const { renewed } = begin();
		await waitFor('the page', () => opened[0]);
		cancel();
		await assert.rejects(renewed, { message: 'the sign-in was not finished. You are asked again at its next use.' });
	});

	it('tells of an answer that is refused, as the agent may not have waited', async () => {
		const { renewed } = begin();
		const answer = server.signInOn(await waitFor('the page', () => opened[0]));
		answer.set('iss', 'https://evil.example');
		await links.take(decoded(answer));
		await assert.rejects(renewed);
		assert.match(told[0] ?? '', /sign-in for the MCP server “test” has failed: the answer/);
	});

	it('gets the parameters as the browser has them: a desktop decodes them before, and a served editor does not', async () => {
		for (const [uiKind, query] of [
			[vscode.UIKind.Desktop, 'code=a+b%2Fc&state=s'],
			[vscode.UIKind.Web, 'code=a%2Bb%252Fc&state=s'],
		] as const) {
			Object.assign(vscode.env, { uiKind });
			const answered = links.answer('s', new AbortController().signal);
			await links.take(query);
			assert.equal((await answered).get('code'), 'a+b%2Fc');
		}
		Object.assign(vscode.env, { uiKind: vscode.UIKind.Desktop });
	});
});
