import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ChannelConsent } from '../../../src/channel/channelConsent.ts';

describe('the question whether the GPU maker is asked for the keys of its tokens', () => {
	let kept: Map<string, unknown>;
	let asked: string[];
	let answer: string | undefined;

	beforeEach(() => {
		kept = new Map();
		asked = [];
		answer = undefined;
		Object.assign(vscode.window, {
			showInformationMessage: async (message: string) => {
				asked.push(message);
				return answer;
			},
		});
	});
	afterEach(() => Reflect.deleteProperty(vscode.window, 'showInformationMessage'));

	const ask = (isAskedAnew: boolean) =>
		new ChannelConsent({
			get: (key: string) => kept.get(key),
			update: async (key: string, value: unknown) => void kept.set(key, value),
		} as unknown as vscode.Memento).askMaker({ isAskedAnew });

	it('comes each time until it is answered', async () => {
		assert.deepEqual([await ask(false), await ask(true)], [false, false]);
		assert.equal(asked.length, 2);
		assert.match(asked[0] ?? '', /^Get the GPU maker’s public keys/);
	});

	it('does not come again after a refusal, unless the user checks again, nor after a yes', async () => {
		answer = 'Never Allow';
		assert.equal(await ask(false), false);
		assert.equal(await ask(false), false);
		assert.equal(asked.length, 1);
		answer = undefined;
		assert.equal(await ask(true), false);
		assert.equal(asked.length, 2);
		answer = 'Allow';
		assert.equal(await ask(true), true);
		answer = undefined;
		assert.deepEqual([await ask(false), await ask(true)], [true, true]);
		assert.equal(asked.length, 3);
	});
});
