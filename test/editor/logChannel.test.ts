import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { LogChannel } from '../../src/tasks/log/logChannel.ts';
import { waitFor } from '../support/waitFor.ts';

describe('the channel of a followed log', () => {
	const shown = (name: string) =>
		vscode.window.visibleTextEditors
			.map(({ document }) => document)
			.find(({ uri }) => uri.scheme === 'output' && uri.path.includes(name));
	let channel: LogChannel;

	afterEach(async () => {
		channel.dispose();
		await vscode.commands.executeCommand('workbench.action.closePanel');
	});

	it('is a new one where much has been written, and is shown where the old one was', async () => {
		channel = new LogChannel('Errand: flood', 100);
		channel.show(true);
		channel.append('x'.repeat(101));
		await waitFor('the text', () => shown('flood')?.getText().includes('xxx'));
		const before = shown('flood')?.uri.toString();
		channel.clear();
		channel.append('what comes after');
		await waitFor('the new one', () => shown('flood')?.getText() === 'what comes after');
		assert.notEqual(shown('flood')?.uri.toString(), before);
		assert.ok(channel.isVisible);
	});

	it('stays the same where little has been written', async () => {
		channel = new LogChannel('Errand: trickle', 100);
		channel.show(true);
		channel.append('before');
		await waitFor('the text', () => shown('trickle')?.getText() === 'before');
		const before = shown('trickle')?.uri.toString();
		channel.clear();
		channel.append('after');
		await waitFor('the next text', () => shown('trickle')?.getText() === 'after');
		assert.equal(shown('trickle')?.uri.toString(), before);
	});

	it('shows nothing by itself, also where a new one takes its place', async () => {
		const { createOutputChannel } = vscode.window;
		/** What each channel was told, as the editor may show one at any time after it was told to. */
		const told: string[][] = [];
		const noting = (name: string) => {
			const calls: string[] = [];
			told.push(calls);
			return new Proxy(createOutputChannel(name), {
				get(target, called: keyof vscode.OutputChannel) {
					calls.push(called);
					return Reflect.get(target, called);
				},
			});
		};
		Object.assign(vscode.window, { createOutputChannel: noting });
		try {
			channel = new LogChannel('Errand: unseen', 10);
			channel.append('x'.repeat(11));
			channel.clear();
			channel.append('more');
		} finally {
			Object.assign(vscode.window, { createOutputChannel });
		}
		assert.deepEqual(told, [['append', 'dispose'], ['append']]);
	});
});
