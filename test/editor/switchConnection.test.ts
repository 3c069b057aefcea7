import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { showServices } from '../../src/models/serviceList.ts';
import { use } from '../../src/models/services.ts';
import { commands } from '../../src/platform/ids.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { keys as contractKeys } from '../support/contractServer/fixtures.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

describe('a connection that is switched to', () => {
	const flow = useServices();
	const state = (name: string) => flow.keys.state(flow.connectionOf(name), 'inference');

	beforeEach(async () => {
		const acme = { label: 'Acme', apiUrl: flow.service.hosts.public, service: 'quillon' };
		await flow.write('errand.connections', { acme });
		await waitFor('the setting', () => Object.hasOwn(readSetting('errand.connections'), 'acme'));
	});

	it('is the one of the settings, and its key is asked for only if the user wants to give it', async () => {
		await use('acme', flow.keys);
		assert.equal(readSetting('errand.connection'), 'acme');
		await waitFor('the offer', () => flow.messages.includes('Now using Acme. Chat requires its inference key.'));
		assert.equal(await state('acme'), 'missing');
		flow.choose(/^Now using/, 'Add Key');
		await use('acme', flow.keys);
		await waitFor('the box', () => flow.boxes.last);
		await flow.boxes.enter(contractKeys.inference);
		await waitFor('the key', async () => (await state('acme')) === 'set');
	});

	it('offers nothing where its key is there', async () => {
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(contractKeys.inference);
		await use('acme', flow.keys);
		assert.deepEqual(flow.messages, []);
	});

	it('is listed as in use even if the settings do not have it any more, and leads to one that can be used', async () => {
		await flow.write('errand.connection', 'gone');
		const { executeCommand } = vscode.commands;
		const run: string[] = [];
		flow.begin(showServices(flow.services));
		await flow.shows(/^gone \| cannot be used · in use \| not in the settings$/);
		Object.assign(vscode.commands, {
			executeCommand: async (command: string, ...rest: unknown[]) =>
				command.startsWith('errand.') ? void run.push(command) : executeCommand(command, ...rest),
		});
		try {
			await flow.lists.pick('gone');
			await flow.ended();
		} finally {
			Object.assign(vscode.commands, { executeCommand });
		}
		assert.deepEqual(run, [commands.addService]);
	});
});
