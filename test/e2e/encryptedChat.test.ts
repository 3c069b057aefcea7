import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { expireSessions } from '../support/channelFaults.ts';
import { p384KeyPair } from '../support/contractServer/channelCryptography.ts';
import { reloadWindow } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	dialog,
	pickItem,
	quickRow,
	runCommand,
	until,
	webviewFrame,
} from '../support/editorWindow.ts';
import { answerEvents, Enclave } from '../support/enclave.ts';
import {
	ask,
	localService,
	openChat,
	replyEnds,
	runInChat,
	sendMessage,
	turns,
	untilCursorIsPut,
} from '../support/errandWindow.ts';
import { filesWith } from '../support/filesWith.ts';
import { useWindow } from '../support/useWindow.ts';

const KEY = 'sk-0123456789abcdefWXYZ';
/** What is said in conversations that are kept, and in one that is not. */
const KEPT = 'the kept lighthouse';
const MARKER = 'zirconium walrus';
/** The words in a file of the workspace that goes with a message. */
const CONTEXT = 'rhodium pelican';

describe('the encrypted chat in the window', () => {
	let enclave: Enclave;
	let page: Page;
	let frame: Frame;

	const window = useWindow(async () => {
		enclave = await Enclave.start();
		enclave.answer = answerEvents(({ seal }) => [seal('So '), seal('it is.'), '[DONE]']);
		const { origin } = enclave.server;
		return {
			settings: {
				'errand.connections': {
					acme: {
						label: 'Acme',
						// Whatever would go out in clear would come to the same recording server.
						apiUrl: origin,
						service: 'acme',
						encryptUrl: origin,
						models: [{ id: 'large', label: 'Large', kinds: ['chat'] }],
					},
				},
			},
		};
	});

	before(async () => {
		({ page } = window());
		window().sample.write({ 'notes.txt': `Notes on the ${CONTEXT}.\n` });
		frame = await openChat(page);
	});

	after(() => enclave?.stop());

	const composer = () => frame.locator('chat-composer textarea');
	const heading = () => frame.locator('button.encryption');
	const says = (text: RegExp) =>
		until(`the heading says ${text}`, async () => text.test(await heading().locator('.words').innerText()));

	it('begins from an empty conversation, says what the service on this machine is, and goes on when a session expires', async () => {
		await frame.getByRole('button', { name: 'New Encrypted Conversation' }).click();
		await pickItem(page, 'Shared address');
		await pickItem(page, 'Save the Conversation');
		await says(/^Local: encrypted, no hardware\n.+completeness of a streamed reply aren’t proven$/);
		await ask(frame, `Tell of ${KEPT}.`);
		await replyEnds(frame);
		await expireSessions(localService(window().server) ?? assert.fail('no local service'));
		await ask(frame, 'And once more.');
		await replyEnds(frame);
		await says(/^Local: encrypted, no hardware\n.+completeness of a streamed reply aren’t proven$/);
		assert.equal(await turns(frame).count(), 2);
	});

	it('writes nothing of a conversation that is not kept, and asks before it deletes one', async () => {
		await runInChat(
			page,
			frame,
			'Errand: New Encrypted Conversation…',
			'Shared address',
			'Don’t Save the Conversation',
		);
		await says(/Not saved: it’s lost when this window closes/);
		await ask(frame, `Tell of the ${MARKER}.`);
		await replyEnds(frame);
		await composer().fill(`More of the ${MARKER}`);
		await runCommand(page, 'Errand: Open Conversation…');
		await quickRow(page, 'current').first().hover();
		await quickRow(page, 'current').first().getByRole('button', { name: 'Delete' }).click();
		const question = dialog(page, `Delete “Tell of the ${MARKER}.”?`);
		await question.getByText('This conversation isn’t saved, so this can’t be undone.').waitFor();
		await question.getByRole('button', { name: 'Cancel' }).click();
		await question.waitFor({ state: 'detached' });
		assert.equal(await turns(frame).count(), 1);
		await nothingIsWritten();
	});

	it('loses an unkept conversation with its window, and still has a kept one, which connects with its next message', async () => {
		await reloadWindow(page);
		frame = await openChat(page);
		await frame
			.getByText('The encrypted conversation wasn’t saved and was lost when its window closed or reloaded.')
			.waitFor();
		assert.equal(await turns(frame).count(), 0);
		assert.equal(await composer().inputValue(), '');
		await nothingIsWritten();
		await runCommand(page, 'Errand: Open Conversation…');
		await pickItem(page, `Tell of ${KEPT}.`);
		await says(/^Encrypted, connects with the next message$/);
		await ask(frame, 'Still encrypted?');
		await replyEnds(frame);
		await says(/^Local: encrypted, no hardware\n.+completeness of a streamed reply aren’t proven$/);
	});

	/**
	 * Asserts that the marker is in no file of the editor and the service, their logs included, and in nothing that the
	 * window keeps.
	 */
	async function nothingIsWritten(): Promise<void> {
		// The search finds what is there, and what was written last has been written by then.
		await until('the kept one is on disk', async () => filesWith(window().server.dataFolder, KEPT).length > 0);
		assert.deepEqual(filesWith(window().server.dataFolder, MARKER), []);
		const stored = await page.evaluate(readStorage);
		assert.match(stored, /errand/i);
		assert.ok(!stored.includes(MARKER), 'the window keeps something of it');
		const printed = [window().server.output(), ...window().messages.map(({ text }) => text)];
		assert.ok(!printed.some(text => text.includes(MARKER)), 'something of it was printed');
	}

	it('asks for the key of the connection, and sends context and message to nobody but the enclave', async () => {
		await changeSettings(page, window().server, { 'errand.connection': 'acme' });
		await runCommand(page, 'Errand: New Encrypted Conversation…');
		await pickItem(page, 'Save the Conversation');
		await heading().waitFor();
		await says(/^Encrypted\n/);
		await composer().click();
		await composer().pressSequentially('#notes.t');
		// The list of an earlier letter may have it too, below something else.
		await frame.getByRole('option', { selected: true }).filter({ hasText: 'notes.txt' }).waitFor();
		await composer().press('Enter');
		await frame.locator('chat-composer chat-chips .label').getByText('notes.txt').waitFor();
		await sendMessage(frame, 'Is it so?');
		await page.getByText('Inference key of Acme').waitFor();
		assert.equal(enclave.messages.length, 0);
		await answerInput(page, KEY);
		await until('the message is a turn', async () => (await turns(frame).count()) === 1);
		assert.equal(await replyEnds(frame), 'So it is.');
		await says(/^Encrypted, key confirmed\n[\s\S]*Not proven: that the key lives in a GPU/);
		assert.match(JSON.stringify(enclave.messages.at(-1)?.history), /rhodium pelican[\s\S]*Is it so/);
		const sent = enclave.server.received;
		const ways = new Set(sent.map(({ method, path }) => `${method} ${path}`));
		assert.deepEqual([...ways].sort(), ['GET /attestation', 'GET /v1/models', 'POST /message_stream']);
		assert.doesNotMatch(sent.map(({ body }) => body).join('\n'), /rhodium|notes\.txt|Is it|messages|title|tools/);
	});

	it('leaves the keyboard to the question, also while the view comes into sight, and then to the composer', async () => {
		const question = 'Acme has a different key than before. Continue?';
		const typed = async (text: string) => {
			await page.keyboard.type(text);
			await until('the composer has what is typed', async () => (await composer().inputValue()) === text);
		};
		/** Presses a key once the question has the keyboard, because only then does the key answer it. */
		const answer = async (key: 'Enter' | 'Escape') => {
			await until('the question has the keyboard', () =>
				dialog(page, question).evaluate(box => box.contains(document.activeElement)),
			);
			await page.keyboard.press(key);
			await dialog(page, question).waitFor({ state: 'detached' });
		};
		enclave.keyPair = p384KeyPair();
		const focusByKeys = () =>
			untilCursorIsPut(frame, async () => {
				await page.keyboard.press('ControlOrMeta+K');
				await page.keyboard.press('a');
			});
		const starts = [
			() => runCommand(page, 'View: Hide Secondary Side Bar'),
			() => runCommand(page, 'View: Show Explorer'),
			focusByKeys,
		];
		for (const start of starts) {
			await start();
			await runCommand(page, 'Errand: New Encrypted Conversation…');
			await pickItem(page, 'Save the Conversation');
			await dialog(page, question).waitFor();
			// Whatever the page is told when it comes, it has been told by then.
			frame = await webviewFrame(page, 'chat-composer');
			await says(/^Connecting; nothing is sent yet/);
			await answer('Escape');
			await says(/^Nothing was sent/);
			await typed('Still here?');
			await composer().fill('');
		}
		await typed('Another key?');
		await page.keyboard.press('Enter');
		await dialog(page, question).waitFor();
		await answer('Enter');
		assert.equal(await replyEnds(frame), 'So it is.');
		await typed('And now?');
		await composer().fill('');
	});
});

/** Runs in the page: everything that the window keeps in the browser, as text. */
async function readStorage(): Promise<string> {
	const finished = <T>(request: IDBRequest<T>) =>
		new Promise<T>((resolve, reject) => {
			request.onsuccess = () => resolve(request.result);
			request.onerror = () => reject(request.error);
		});
	const values: unknown[] = [{ ...localStorage }, { ...sessionStorage }];
	for (const { name } of await indexedDB.databases()) {
		const database = await finished(indexedDB.open(name ?? ''));
		for (const store of database.objectStoreNames) {
			const entries = database.transaction(store).objectStore(store);
			values.push(store, await finished(entries.getAllKeys()), await finished(entries.getAll()));
		}
		database.close();
	}
	return JSON.stringify(values, (_key, value) =>
		ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? new TextDecoder().decode(value as ArrayBuffer) : value,
	);
}
