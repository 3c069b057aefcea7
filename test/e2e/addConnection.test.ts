import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { makeAuthority, makeCertificate } from '../support/certificates.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { chatReply, keys, models } from '../support/contractServer/fixtures.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	acceptPicks,
	answerInput,
	appears,
	dialog,
	dismissInput,
	pickItem,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, openChat, replyEnds, runFromConnections } from '../support/errandWindow.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { filesWith } from '../support/filesWith.ts';

const WRONG_KEY = 'sk-wrong-0123456789';

const placeOf = (server: https.Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('adding and diagnosing a connection, in the window', () => {
	let service: ContractServer;
	let silent: FaultServer;
	let wrongPath: FaultServer;
	let misleading: FaultServer;
	let selfSigned: https.Server;
	let secured: https.Server;
	let folder: string;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		service = await ContractServer.start();
		silent = await FaultServer.start(() => {});
		wrongPath = await FaultServer.start(response => void response.writeHead(404).end('<h1>Not here</h1>'));
		selfSigned = https.createServer(makeCertificate({ hosts: ['127.0.0.1'] }), (_, response) => response.end());
		selfSigned.listen(0, '127.0.0.1');
		await once(selfSigned, 'listening');
		misleading = await FaultServer.start(response =>
			sendJson(response, 401, { error: '[Repair](command:workbench.action.quit) it' }),
		);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-add-connection-'));
		const authority = makeAuthority('Acme Private Authority');
		const authorityFile = path.join(folder, 'authority.pem');
		fs.writeFileSync(authorityFile, authority.cert);
		secured = https.createServer(
			makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }),
			(_, response) => void response.writeHead(404).end(),
		);
		secured.listen(0, '127.0.0.1');
		await once(secured, 'listening');
		server = await startEditor({
			// This stands for the system's own store, which an editor on Linux reads through this variable.
			env: { SSL_CERT_FILE: authorityFile },
			settings: {
				'errand.connections': {
					secured: { apiUrl: `https://${placeOf(secured)}`, service: 'quillon' },
					held: { label: 'Held', apiUrl: service.hosts.public, service: 'quillon' },
					mute: {
						label: '[Mute](command:workbench.action.quit)',
						apiUrl: service.hosts.public,
						agentUrl: silent.origin,
						service: 'quillon',
					},
				},
			},
		});
		({ page } = await openWindow(server));
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	});
	after(async () => {
		await server?.stop();
		for (const closing of [selfSigned, secured]) {
			closing?.close();
			closing?.closeAllConnections();
		}
		fs.rmSync(folder, { recursive: true, force: true });
		await Promise.all([service?.stop(), silent?.stop(), wrongPath?.stop(), misleading?.stop()]);
	});

	const widget = () => page.locator('.quick-input-widget:visible');
	const input = () => widget().locator('.quick-input-box input');
	const row = (text: string | RegExp): Locator => widget().locator('.monaco-list-row').filter({ hasText: text });
	const settings = () => (server.settings()['errand.connections'] ?? {}) as Record<string, Record<string, unknown>>;
	const isAt = (title: string) => widget().locator('.quick-input-title').getByText(title).waitFor();
	const report = () => page.locator('.editor-instance .monaco-editor[data-uri^="untitled:"]');

	/** Types a text into a list and takes its first row with Enter. */
	async function typeAndEnter(text: string, shown: string | RegExp): Promise<void> {
		await input().fill(text);
		await row(shown).first().waitFor();
		await page.keyboard.press('Enter');
	}

	async function copyReport(name: string): Promise<string> {
		await report().click();
		await page.keyboard.press('Control+A');
		await page.keyboard.press('Control+C');
		let copied = '';
		await until('the report is copied', async () => {
			copied = await page.evaluate(() => navigator.clipboard.readText());
			return copied.startsWith(`# Diagnosis of ${name}`);
		});
		return copied;
	}

	it('diagnoses the connection to this machine, whose demo streams for free', async () => {
		await runCommand(page, 'Errand: Diagnose Connection');
		await report().getByText('Stream of a reply of demo').waitFor();
		await report().getByText('Service on this machine').waitFor();
		await screenshot(page, 'diagnosis-local');
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('begins with the name, and leads to what is there under a name that is taken', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await isAt('Add Connection (1/3)');
		await row('held').waitFor();
		await row('Import from a File…').waitFor();
		await input().fill('held');
		await row('There is a connection of this name.').waitFor();
		await screenshot(page, 'add-connection-name');
		await input().fill('$(bug)');
		await row('Use letters, digits, blanks').waitFor();
		await row('at most.').first().waitFor();
		await typeAndEnter('second', 'new connection');
		await isAt('Address of second (2/3)');
	});

	it('says while an address is typed what is wrong with it', async () => {
		const gone = await FaultServer.start(() => {});
		const { origin } = gone;
		await gone.stop();
		await input().fill(origin);
		await row(`Nothing answers at ${new URL(origin).host}: the connection was refused.`).waitFor();
		await row(`Use ${origin} Anyway`).waitFor();
		await screenshot(page, 'add-connection-refused');
		await input().fill(`${wrongPath.origin}/nowhere`);
		await row('answers, but not as the service does (HTTP 404)').waitFor();
		await row('Give the part of the address that stands before').waitFor();
		await screenshot(page, 'add-connection-wrong-path');
		await input().fill(`https://${placeOf(selfSigned)}`);
		await row('is self-signed').first().waitFor();
		await screenshot(page, 'add-connection-self-signed');
		await input().fill('http://api.example.com');
		await row('Type an https address').waitFor();
	});

	it('takes a pasted key out of the address and offers it for the next step, without sending it', async () => {
		await input().fill(`${service.hosts.public}/v1/chat/completions?api_key=${keys.inference}`);
		await row(`Use ${service.hosts.public}`).waitFor();
		await row('The key that was pasted is not part of the address').waitFor();
		assert.equal(await page.getByText(keys.inference).count(), 0);
		await screenshot(page, 'add-connection-pasted-key');
		await row('It answers and wants a key.').waitFor();
		assert.ok(service.received.every(({ headers }) => headers.authorization === undefined));
		await page.keyboard.press('Enter');
		await isAt('Key of second (3/3)');
		assert.equal(await input().getAttribute('type'), 'password');
		await widget().getByText(`sent to ${service.hosts.public} only`).waitFor();
	});

	it('says that a key is wrong, and adds the connection with the right one', async () => {
		await input().fill(WRONG_KEY);
		await page.keyboard.press('Enter');
		await widget().getByText('refuses the key').waitFor();
		await screenshot(page, 'add-connection-wrong-key');
		assert.equal(settings()['second'], undefined);
		await input().fill(keys.inference);
		await page.keyboard.press('Enter');
		const added = toast(page, 'The connection “second” was added.');
		await added.waitFor();
		await until('the settings have it', async () => settings()['second'] !== undefined);
		const { models: written, ...fields } = settings()['second'] ?? {};
		assert.deepEqual(fields, { apiUrl: service.hosts.public, service: 'quillon' });
		assert.deepEqual(
			(written as { id: string }[]).map(({ id }) => id),
			models.map(({ id }) => id),
		);
		await screenshot(page, 'add-connection-added');
		await added.getByRole('button', { name: 'Switch to It' }).click();
		await until('it is in use', async () => server.settings()['errand.connection'] === 'second');
		const frame = await openChat(page);
		await ask(frame, 'text');
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
	});

	it('draws no link of what a service says, which could run a command', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await typeAndEnter('third', 'new connection');
		await isAt('Address of third');
		await typeAndEnter(misleading.origin, 'It answers and wants a key.');
		await isAt('Key of third');
		await input().fill(keys.inference);
		await page.keyboard.press('Enter');
		const said = widget().locator('.quick-input-message');
		await said.getByText('Repair').waitFor();
		assert.equal(await said.locator('a').count(), 0);
		await screenshot(page, 'add-connection-hostile-words');
		await dismissInput(page);
	});

	it('leaves nothing behind where a step is left', async () => {
		const before = settings();
		await runFromConnections(page, 'Add or change a connection…');
		await typeAndEnter('third', 'new connection');
		await isAt('Address of third');
		await dismissInput(page);
		await runFromConnections(page, 'Add or change a connection…');
		await typeAndEnter('third', 'new connection');
		await isAt('Address of third');
		await typeAndEnter(service.hosts.public, 'It answers and wants a key.');
		await isAt('Key of third');
		await widget().getByRole('button', { name: 'Back' }).click();
		await isAt('Address of third');
		await until('the address is there', async () => (await input().inputValue()) === service.hosts.public);
		await dismissInput(page);
		assert.deepEqual(settings(), before);
	});

	it('changes what is there, with the keyboard alone', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await isAt('Add Connection (1/3)');
		await input().fill('second');
		await row(/^second/)
			.first()
			.waitFor();
		await page.keyboard.press('Enter');
		await isAt('Connection second');
		await row('Host of cloud tasks and look-ups').waitFor();
		await screenshotInThemes(page, 'manage-connection', async () => {
			await runFromConnections(page, 'Add or change a connection…');
			await row(/^second/)
				.first()
				.click();
			await isAt('Connection second');
		});
		await input().fill('Host of cloud tasks');
		await page.keyboard.press('Enter');
		await isAt('Host of cloud tasks and look-ups of second');
		await typeAndEnter(service.hosts.cloud, 'It answers and wants a key.');
		await isAt('Connection second');
		await until('the host is kept', async () => settings()['second']?.['cloudUrl'] === service.hosts.cloud);
		await input().fill('Source hosting');
		await page.keyboard.press('Enter');
		await isAt('Source hosting for look-ups');
		await answerInput(page, 'forge');
		await isAt('Connection second');
		await until('the look-ups are kept', async () => settings()['second']?.['scm'] === 'forge');
		await dismissInput(page);
	});

	it('exports connections without their keys, and imports of a hostile file what the user has seen', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await pickItem(page, 'Export to a File…');
		await acceptPicks(page, 'mute');
		await until('a place is proposed', async () => (await input().inputValue()).endsWith('/connections.json'));
		const file = path.join(server.folder, 'connections.json');
		await answerInput(page, file);
		await toast(page, 'The file has no keys.').first().waitFor();
		const exported = fs.readFileSync(file, 'utf8');
		assert.deepEqual(Object.keys(JSON.parse(exported)['errand.connections']), ['secured', 'held', 'mute', 'second']);
		assert.ok(!exported.includes(keys.inference));
		const hostile = path.join(server.folder, 'hostile.json');
		const entries = {
			second: { apiUrl: 'https://evil.example', service: 'quillon', inferenceKey: 'k' },
			clear: { apiUrl: 'http://evil.example', service: 'x' },
			secret: { apiUrl: 'https://evil.example', service: 'sk-0123456789abcdef' },
		};
		fs.writeFileSync(hostile, JSON.stringify({ 'errand.connections': entries }));
		await runFromConnections(page, 'Add or change a connection…');
		await pickItem(page, 'Import from a File…');
		await until('the dialog takes the file', async () => {
			// It writes the folder into the box when it has looked at it, over what stands there.
			if ((await input().inputValue({ timeout: 1_000 })).startsWith('/')) {
				await input().fill(hostile);
				await page.keyboard.press('Enter');
			}
			return appears(row('second 2'), 2_000);
		});
		await toast(page, 'Not imported: “clear”').waitFor();
		const offered = row('second 2');
		await offered.waitFor();
		assert.match(await offered.innerText(), /https:\/\/evil\.example[\s\S]*Left out: inferenceKey/);
		await screenshot(page, 'import-connections');
		await acceptPicks(page, 'second 2');
		const question = dialog(page, 'Add this connection?');
		await question.getByText('“second 2”: https://evil.example').waitFor();
		await screenshot(page, 'import-connections-question');
		await question.getByRole('button', { name: 'Add', exact: true }).click();
		await until('it is added', async () => settings()['second 2'] !== undefined);
		assert.deepEqual(settings()['second 2'], { apiUrl: 'https://evil.example', service: 'quillon' });
		assert.equal(settings()['second']?.['apiUrl'], service.hosts.public);
		assert.equal(server.settings()['errand.connection'], 'second');
	});

	it('removes one after a yes', async () => {
		// The window notices settings a moment after the file has them, and the list shows what it knew when it opened.
		await until('the list has the connection', async () => {
			await runFromConnections(page, 'Add or change a connection…');
			if (await appears(row('second 2'), 2_000)) {
				return true;
			}
			await dismissInput(page);
			return false;
		});
		await row('second 2').click();
		await isAt('Connection second 2');
		await input().fill('Remove…');
		await pickItem(page, 'Remove…');
		await dialog(page, 'Remove the connection second 2?').getByRole('button', { name: 'Remove', exact: true }).click();
		await until('it is gone', async () => settings()['second 2'] === undefined);
	});

	it('is diagnosed: a report that can be read and copied, and holds no key', async () => {
		await runCommand(page, 'Notifications: Clear All Notifications');
		await runCommand(page, 'Errand: Diagnose Connection');
		await pickItem(page, 'Leave It Unchecked');
		await report().waitFor();
		await report().getByText('Diagnosis of second').waitFor();
		await screenshotInThemes(page, 'diagnosis');
		const copied = await copyReport('second');
		assert.match(copied, /Fine · Inference key: second accepts the key/);
		assert.match(copied, /Fine · Public host for chat .*: It answers and wants a key\./);
		assert.match(copied, /Not checked · Stream of a reply: /);
		assert.ok(!copied.includes(keys.inference));
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('is diagnosed over https: whose certificate it is, and until when', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await row('secured').click();
		await isAt('Connection secured');
		await pickItem(page, 'Diagnose');
		await report()
			.getByText(`TLS of ${placeOf(secured)}`)
			.waitFor();
		const text = await copyReport('secured');
		const certificate = 'TLSv1.3, certificate issued by “Acme Private Authority”, valid until ';
		assert.ok(text.includes(`Note · TLS of ${placeOf(secured)}: ${certificate}`), text);
		assert.match(text, /Problem.* · Public host for chat .* answers, but not as the service does \(HTTP 404\)/);
		await screenshot(page, 'diagnosis-https');
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('is diagnosed no longer than the user wants', async () => {
		await runFromConnections(page, 'Add or change a connection…');
		await row('mute').click();
		await isAt('Connection mute');
		await pickItem(page, 'Diagnose');
		const progress = toast(page, 'Diagnosing [Mute]');
		await progress.waitFor();
		assert.equal(await progress.locator('.notification-list-item-message a').count(), 0);
		await progress.getByRole('button', { name: 'Cancel' }).click();
		await report().getByText('you stopped the diagnosis').first().waitFor();
		await report().getByText('No problem was found, but not everything was checked.').waitFor();
		await screenshot(page, 'diagnosis-stopped');
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('leaves no key in any file of the editor', async () => {
		assert.deepEqual(filesWith(server.dataFolder, keys.inference, WRONG_KEY), []);
	});
});
