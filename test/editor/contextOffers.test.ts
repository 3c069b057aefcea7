import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { fetchWebText } from '../../src/base/fetchWebText.ts';
import { NOTHING, openContext, place } from './contextFolder.ts';

const CODE = 'const one = 1;\n\n\tclass QuillonFair {\n\t\tquillonPay() {\n\t\t\treturn one;\n\t\t}\n\t}\n';

describe('what the composer offers behind # and @', () => {
	const store: vscode.Disposable[] = [];
	let uri: vscode.Uri;
	/** How long the language server takes, in milliseconds. */
	let delay: Promise<void> | undefined;

	before(async () => {
		uri = place('quillon/fair.quillon');
		await mkdir(place('quillon').fsPath, { recursive: true });
		await writeFile(uri.fsPath, CODE);
		await writeFile(place('quillon/other.md').fsPath, 'other\n');
		const name = new vscode.Range(2, 7, 2, 18);
		const at = (range: vscode.Range, target = uri) => new vscode.Location(target, range);
		store.push(
			vscode.languages.registerWorkspaceSymbolProvider({
				async provideWorkspaceSymbols(query) {
					await delay;
					return query.toLowerCase().startsWith('qui')
						? [
								new vscode.SymbolInformation('QuillonFair', vscode.SymbolKind.Class, '', at(name)),
								new vscode.SymbolInformation(
									'quillonPay()',
									vscode.SymbolKind.Method,
									'QuillonFair',
									at(new vscode.Range(3, 2, 3, 12)),
								),
								new vscode.SymbolInformation(
									'quillonLone',
									vscode.SymbolKind.Variable,
									'',
									at(new vscode.Range(0, 6, 0, 9)),
								),
								new vscode.SymbolInformation(
									'QuillonElsewhere',
									vscode.SymbolKind.Class,
									'',
									at(name, vscode.Uri.file('/somewhere/else.quillon')),
								),
							]
						: [];
				},
			}),
			vscode.languages.registerDocumentSymbolProvider(
				{ pattern: '**/*.quillon' },
				{
					provideDocumentSymbols() {
						const outer = new vscode.DocumentSymbol(
							'QuillonFair',
							'',
							vscode.SymbolKind.Class,
							new vscode.Range(2, 1, 6, 2),
							name,
						);
						outer.children = [
							new vscode.DocumentSymbol(
								'quillonPay',
								'',
								vscode.SymbolKind.Method,
								new vscode.Range(3, 2, 5, 3),
								new vscode.Range(3, 2, 3, 12),
							),
						];
						return [outer];
					},
				},
			),
		);
	});

	after(async () => {
		for (const disposable of store) {
			disposable.dispose();
		}
		await rm(place('').fsPath, { recursive: true, force: true });
	});

	const open = () => openContext(() => NOTHING);
	const offered = (context: ReturnType<typeof open>['context'], query: string) =>
		context.handlers['completion-request']({ kind: 'completion-request', request: '', query });

	it('is files, folders and symbols of the workspace, by how well they match', async () => {
		const { context } = open();
		const items = await offered(context, 'quillon');
		assert.deepEqual(
			items.map(({ kind, icon, label, description }) => [icon ?? kind, label, description]),
			[
				['folder', 'quillon/', 'context'],
				['symbol-class', 'QuillonFair', 'context/quillon/fair.quillon'],
				['symbol-variable', 'quillonLone', 'context/quillon/fair.quillon'],
				['symbol-method', 'quillonPay()', 'context/quillon/fair.quillon · QuillonFair'],
				['file', 'fair.quillon', 'context/quillon'],
				['file', 'other.md', 'context/quillon'],
			],
		);
		context.dispose();
	});

	it('adds all lines of a symbol, or those that its language server names', async () => {
		const { context } = open();
		for (const label of ['QuillonFair', 'quillonPay()', 'quillonLone']) {
			const item = (await offered(context, 'quillon')).find(found => found.label === label);
			assert.ok(item, label);
			await context.handlers['completion-take']({ kind: 'completion-take', item: item.id });
		}
		assert.deepEqual(
			context.chips.chips.map(({ attachment: { kind, label, text } }) => [kind, label, text]),
			[
				['selection', 'fair.quillon:3-7', '\tclass QuillonFair {\n\t\tquillonPay() {\n\t\t\treturn one;\n\t\t}\n\t}\n'],
				['selection', 'fair.quillon:4-6', '\t\tquillonPay() {\n\t\t\treturn one;\n\t\t}\n'],
				['selection', 'fair.quillon:1', 'const one = 1;\n'],
			],
		);
		context.dispose();
	});

	it('waits for no language server that takes long, nor asks one for a single letter', async () => {
		const { context } = open();
		const slow = Promise.withResolvers<void>();
		delay = slow.promise;
		try {
			const kinds = new Set((await offered(context, 'quillon')).map(({ icon, kind }) => icon ?? kind));
			assert.deepEqual([...kinds].sort(), ['file', 'folder']);
			await offered(context, 'q');
		} finally {
			delay = undefined;
			slow.resolve();
			context.dispose();
		}
	});

	describe('for an address', () => {
		const { showWarningMessage } = vscode.window;
		/** The questions and warnings, with the details of questions. */
		let told: string[];
		let answer: string | undefined;

		beforeEach(() => {
			told = [];
			answer = undefined;
			Object.assign(vscode.window, {
				showWarningMessage: async (text: string, options?: { detail?: string }) => {
					told.push(options?.detail === undefined ? text : `${text}\n${options.detail}`);
					return options?.detail === undefined ? undefined : answer;
				},
			});
		});
		afterEach(() => Object.assign(vscode.window, { showWarningMessage }));

		const take = async ({ context }: ReturnType<typeof open>, address: string) => {
			const items = await offered(context, address);
			assert.deepEqual(
				items.map(({ kind, label }) => [kind, label]),
				[['web', `Fetch ${new URL(address).href}`]],
			);
			await context.handlers['completion-take']({ kind: 'completion-take', item: items[0]?.id ?? '' });
		};

		it('is to fetch it, after a yes that names the host, and nothing without one', async () => {
			const opened = open();
			await take(opened, 'https://docs.invalid:8443/a#b');
			assert.equal(told.length, 1);
			assert.match(
				told[0] ?? '',
				/^Fetch a page from docs\.invalid:8443\?\nhttps:\/\/docs\.invalid:8443\/a\n.*without cookies or keys/,
			);
			assert.doesNotMatch(told[0] ?? '', /encrypted/);
			assert.deepEqual(opened.labels(), []);
			opened.context.dispose();
		});

		it('says in an encrypted conversation that the host sees the address', async () => {
			const opened = open();
			opened.shown.conversation = { ...opened.shown.conversation, encryption: {} };
			await take(opened, 'https://docs.invalid/a');
			assert.match(told[0] ?? '', /The conversation is encrypted, but docs\.invalid sees this address/);
			opened.context.dispose();
		});

		it('says why it cannot be fetched and what to do, and asks for one address only once', async () => {
			const opened = open();
			answer = 'Fetch';
			await take(opened, 'https://127.0.0.1:1/');
			await take(opened, 'https://127.0.0.1:1/');
			await take(opened, 'http://docs.invalid/');
			await take(opened, 'https://me:secret@docs.invalid/');
			assert.equal(told.length, 1);
			assert.match(told[0] ?? '', /^Fetch a page from 127\.0\.0\.1:1\?/);
			assert.equal(opened.said.length, 4);
			assert.match(
				opened.said[0] ?? '',
				/Nothing was requested from 127\.0\.0\.1:1: .*from this machine or its network.*Paste the text/,
			);
			assert.equal(opened.said[1], opened.said[0]);
			assert.match(opened.said[2] ?? '', /Nothing was requested from docs\.invalid: .*only over https/);
			assert.match(opened.said[3] ?? '', /^Nothing was requested from docs\.invalid: .*a user name or password/);
			assert.deepEqual(opened.labels(), []);
			assert.deepEqual(await fetchWebText(new URL('https://127.0.0.1:1/')), {
				kind: 'refused',
				refusal: { reason: 'private' },
			});
			opened.context.dispose();
		});

		it('is a chip with the address as it was fetched, which no later reading changes', async () => {
			const opened = open();
			const page = {
				kind: 'web',
				uri: 'https://docs.invalid/a',
				label: 'docs.invalid/a',
				text: 'Text.',
				language: 'markdown',
			};
			await opened.context.addFrom(async () => [page as never]);
			assert.deepEqual(opened.labels(), ['docs.invalid/a']);
			const [chip] = opened.context.chips.chips;
			assert.deepEqual(chip?.attachment, { ...page, path: page.uri });
			opened.context.dispose();
		});
	});
});
