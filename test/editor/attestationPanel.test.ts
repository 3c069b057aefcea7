import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { AttestationPanel } from '../../src/channel/attestationPanel.ts';
import type { ChannelConsent } from '../../src/channel/channelConsent.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { Enclave } from '../support/enclave.ts';
import { waitFor } from '../support/waitFor.ts';

describe('the tab of an attestation report', () => {
	let enclave: Enclave;

	beforeEach(async () => {
		enclave = await Enclave.start();
	});
	afterEach(() => enclave.stop());

	it('ends what is under way when it is closed, and reports nothing about that', async () => {
		const connection = {
			name: 'acme',
			...connectionSchema.parse({
				apiUrl: 'https://api.example',
				service: 'acme',
				encryptUrl: enclave.server.origin,
			}),
		};
		const client = createClient({
			connection,
			keys: () => Promise.resolve(undefined),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		const logged: string[] = [];
		const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'errand');
		assert.ok(extension);
		const panel = new AttestationPanel(
			{
				active: { connection, label: 'Acme', isLocal: false, client },
				place: { address: {}, url: `${enclave.server.origin}/attestation` },
			},
			{
				extensionUri: extension.extensionUri,
				consent: { askMaker: () => Promise.resolve(false) } as unknown as ChannelConsent,
				logger: { log: (_, message) => logged.push(message) },
			},
		);
		const { answer } = enclave.server;
		await panel.check();
		enclave.server.answer = () => {};
		const count = enclave.server.received.length;
		const checking = panel.check();
		await waitFor('the request', () => enclave.server.received.length > count);
		const closed = new Promise<void>(resolve => panel.onDidDispose(resolve));
		panel.dispose();
		await closed;
		await checking;
		assert.deepEqual(logged, []);
		enclave.server.answer = answer;
	});
});
