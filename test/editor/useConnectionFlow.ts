import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { ConnectionsDependencies } from '../../src/connections/model/connectionsDependencies.ts';
import { readConnection } from '../../src/connections/model/readConnection.ts';
import { exportConnections, importConnections } from '../../src/connections/transferConnections.ts';
import type { Connection } from '../../src/contract/connection.ts';
import { createKeysFeature, type KeysFeature } from '../../src/keys/keysFeature.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const transport = createFetchTransport(editorFetch);

/**
 * Sets up a service, the secret storage and the settings for each test of a `describe`, in whose body it is called. The
 * test begins a flow of the connections on them, and works it as a user does.
 */
export function useConnectionFlow() {
	const { showInputBox, showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
	let lists: QuickPicks;
	let secrets: Map<string, string>;
	let keys: KeysFeature;
	let service: ContractServer;
	let messages: string[];
	let chosen: { words: RegExp; button: string } | undefined;
	let isOver: boolean;

	const write = (id: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);

	beforeEach(async () => {
		lists = new QuickPicks();
		[messages, chosen, isOver] = [[], undefined, false];
		secrets = new Map();
		keys = createKeysFeature(
			{
				secrets: {
					get: async name => secrets.get(name),
					store: async (name, value) => void secrets.set(name, value),
					delete: async name => void secrets.delete(name),
					keys: async () => [...secrets.keys()],
					onDidChange: () => ({ dispose() {} }),
				},
				client: async (connection, key) => createClient({ connection, transport, keys: async () => key }),
				logger: nullLogger,
				activeConnection: () => Promise.reject(new Error('not needed here')),
				serverKeys: async () => [],
			},
			() => {},
		);
		service = await ContractServer.start();
		const show = async (message: string, ...buttons: unknown[]) => {
			messages.push(message);
			return chosen?.words.test(message) && buttons.includes(chosen.button) ? chosen.button : undefined;
		};
		Object.assign(vscode.window, {
			showInformationMessage: show,
			showWarningMessage: show,
			showErrorMessage: show,
		});
		await write('errand.connections', undefined);
	});
	afterEach(async () => {
		Object.assign(vscode.window, {
			showInputBox,
			showInformationMessage,
			showWarningMessage,
			showErrorMessage,
		});
		await lists.stop();
		await service.stop();
		for (const id of ['errand.connections', 'errand.connection']) {
			await write(id, undefined);
		}
	});

	return {
		/** The lists that are shown. */
		get lists() {
			return lists;
		},
		/** The content of the secret storage. */
		get secrets() {
			return secrets;
		},
		get keys() {
			return keys;
		},
		get service() {
			return service;
		},
		/** Every message that was shown. */
		get messages() {
			return messages;
		},
		/** Whether the flow has ended. */
		get isOver() {
			return isOver;
		},

		/** The actions that the flows lead to. A diagnosis does nothing here. */
		actions: {
			diagnose: async () => {},
			exportSome: exportConnections,
			importSome: importConnections,
		},
		dependencies: (): ConnectionsDependencies => ({
			keys: { ...keys, formOf: async (...of) => keys.formOf(...of), label: async kind => keys.label(kind) },
			client: async connection => createClient({ connection, transport, keys: kind => keys.key(connection, kind) }),
			logger: nullLogger,
		}),

		/** Writes a setting of the user, or takes it out where the value is undefined. */
		write,
		/** The connections that the user's settings hold. */
		entries: () => vscode.workspace.getConfiguration().inspect('errand.connections')?.globalValue,
		/** A connection of the settings, which must be a usable one. */
		connectionOf(name: string): Connection {
			const read = readConnection(name, readSetting('errand.connections'));
			assert.ok('connection' in read);
			return read.connection;
		},

		/** Chooses a button in the messages with these words. All other messages are dismissed. */
		choose(words: RegExp, button: string): void {
			chosen = { words, button };
		},
		/** Takes the flow that was just started as the one that the test works. */
		begin(flow: Promise<unknown>): void {
			isOver = false;
			void flow.then(() => {
				isOver = true;
			});
		},
		/** Waits until the flow has ended by itself. */
		ended: () => waitFor('the flow to end', () => isOver),
		/** Closes what the flow shows until it has ended. */
		leave: () => lists.leave(() => isOver),

		/** Types into the list in front, at once as when it is pasted. */
		type(text: string): void {
			assert.ok(lists.last);
			lists.last.value = text;
		},
		/** Waits for a row of the list in front. */
		shows: (words: RegExp) => waitFor(`a row with ${words}`, () => lists.rows().some(row => words.test(row))),
	};
}
