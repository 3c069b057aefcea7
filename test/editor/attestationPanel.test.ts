import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { AttestationPanel, type PanelDependencies } from '../../src/channel/attestationPanel.ts';
import type { ChannelConsent } from '../../src/channel/channelConsent.ts';
import type { ChannelConnection } from '../../src/channel/model/places.ts';
import type { ReportView } from '../../src/channel/model/protocol.ts';
import { ShowAttestation } from '../../src/channel/showAttestation.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { Enclave } from '../support/enclave.ts';
import { GpuMaker } from '../support/gpuMaker.ts';
import { waitFor } from '../support/waitFor.ts';

const WHOLE_REPLIES = 'errand.channel.wholeReplies';

describe('the tab of an attestation report', () => {
	let enclave: Enclave;
	let logged: string[];
	let panel: AttestationPanel | undefined;

	beforeEach(async () => {
		enclave = await Enclave.start();
		logged = [];
	});
	afterEach(async () => {
		panel?.dispose();
		panel = undefined;
		await enclave.stop();
	});

	function dependencies(): PanelDependencies {
		const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'errand');
		assert.ok(extension);
		return {
			extensionUri: extension.extensionUri,
			consent: { askMaker: () => Promise.resolve(false) } as unknown as ChannelConsent,
			logger: { log: (_, message) => logged.push(message) },
		};
	}

	function active(fields: object = { encryptUrl: enclave.server.origin }, isLocal = false): ChannelConnection {
		const connection = {
			name: 'acme',
			...connectionSchema.parse({ apiUrl: 'https://api.example', service: 'acme', ...fields }),
		};
		const client = createClient({
			connection,
			keys: () => Promise.resolve(undefined),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		return { connection, label: 'Acme', isLocal, client };
	}

	/** Opens the tab, without a check. */
	function open(isLocal = false): AttestationPanel {
		const place = { address: {}, url: `${enclave.server.origin}/attestation` };
		panel = new AttestationPanel({ active: active(undefined, isLocal), place }, dependencies());
		return panel;
	}

	/** What the page shows. */
	const view = () => (panel as unknown as { view(): ReportView }).view();
	const verdictOf = (label: string) => view().checks.find(check => check.label === label);
	const setWholeReplies = (value: boolean | undefined) =>
		vscode.workspace.getConfiguration().update(WHOLE_REPLIES, value, vscode.ConfigurationTarget.Global);

	it('claims no more than was proven, and has what the service says of itself as its own words', async () => {
		await open().check();
		assert.match(
			view().sentence,
			/^Encrypted\. GPU evidence not proven\. Not proven: that the key lives in a GPU; freshness; which software\. Each part is signed; order and completeness of a streamed reply aren’t proven\.$/,
		);
		assert.equal(verdictOf('Public key')?.word, 'Pass');
		assert.match(JSON.stringify(verdictOf('Signature of the report')), /"word":"Pass".*DER, SHA-256/);
		await waitFor('the health of the service', () =>
			view().details.includes('The service reports: healthy and ready to encrypt (enclave 1.4)'),
		);
		assert.ok(view().details.some(detail => detail.startsWith('An attestation is used for many messages')));
	});

	it('speaks of streamed replies only where replies are streamed', async () => {
		await open().check();
		try {
			await setWholeReplies(true);
			assert.match(view().sentence, /which software; that nothing is missing at the end of a reply\.$/);
		} finally {
			await setWholeReplies(undefined);
		}
		assert.match(view().sentence, /order and completeness of a streamed reply aren’t proven\.$/);
	});

	it('says of the service on this machine that it has no hardware, and names no address that only stands for it', async () => {
		await open(true).check();
		assert.match(view().sentence, /^Local: encrypted, no hardware\. /);
		assert.doesNotMatch(JSON.stringify(view()), /127\.0\.0\.1/);
	});

	it('says first that the channel is not to be trusted where evidence is forged, and which check fails', async () => {
		const forger = new GpuMaker();
		const device = forger.device();
		enclave.alter = record => {
			const nonce = Buffer.from(String(record['nonce_b64']), 'base64');
			const report = [forger.evidence(device, { nonce })];
			const reportJson = JSON.stringify(report);
			return { ...record, report, report_json: reportJson, signature: enclave.signReport(reportJson) };
		};
		await open().check();
		assert.equal(view().tone, 'bad');
		assert.equal(view().sentence, 'Not trusted: the check “GPU evidence” failed. Nothing is sent over this channel.');
		assert.equal(verdictOf('GPU evidence')?.word, 'Fail');
		assert.match(verdictOf('GPU evidence')?.reason ?? '', /maker’s root/);
	});

	it('says why the service cannot be asked, has nothing to export then, and goes on with another check', async () => {
		const { answer } = enclave.server;
		enclave.server.answer = response => void response.writeHead(503).end();
		await open().check();
		assert.match(view().sentence, /Acme is temporarily unavailable.* Try again\./);
		assert.deepEqual([view().tone, view().canExport], ['bad', false]);
		enclave.server.answer = answer;
		await panel?.check();
		assert.match(view().sentence, /^Encrypted\./);
		assert.equal(view().canExport, true);
	});

	it('ends what is under way when it is closed, and reports nothing about that', async () => {
		const opened = open();
		await opened.check();
		enclave.server.answer = () => {};
		const count = enclave.server.received.length;
		const checking = opened.check();
		await waitFor('the request', () => enclave.server.received.length > count);
		const closed = new Promise<void>(resolve => opened.onDidDispose(resolve));
		opened.dispose();
		panel = undefined;
		await closed;
		await checking;
		assert.deepEqual(logged, []);
	});

	it('is not opened for a connection without an encrypted channel, which is said with what it lacks', async () => {
		const { showWarningMessage } = vscode.window;
		const said: string[] = [];
		Object.assign(vscode.window, { showWarningMessage: async (message: string) => void said.push(message) });
		try {
			await new ShowAttestation({ ...dependencies(), active: async () => active({}) }).run();
		} finally {
			Object.assign(vscode.window, { showWarningMessage });
		}
		assert.match(said.join(), /^Acme has no encrypted channel\. Add its shared host/);
		assert.equal(enclave.server.received.length, 0);
	});
});
