// What the window of an earlier build makes of what the window of the present one has written, and the other way round:
// `npm run profile` runs this with ERRAND_TEST_EARLIER, the project's folder at that build, in which it is built.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { clickRow, dismissInput, quickRow, runCommand, screenshot, until } from '../support/editorWindow.ts';
import { ask, conversationFiles, replyEnds, startTask, taskRow, taskShows, turns } from '../support/errandWindow.ts';
import { keepProfile } from './keep.ts';
import { type KeptWindow, openKeptWindow } from './keptWindow.ts';
import { keptProfiles } from './profile.ts';
import { words } from './words.ts';

const earlier = process.env['ERRAND_TEST_EARLIER'] ?? assert.fail('ERRAND_TEST_EARLIER is needed');

const ADDED_TASK = 'Say what the present build is';
const REFUSAL = /newer version of Errand/;

for (const kept of keptProfiles) {
	describe(`a window of this build and one of an earlier build on the profile ${path.basename(kept)}`, () => {
		let scratch: string;
		let window: KeptWindow | undefined;

		before(() => {
			scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-profile-'));
		});
		afterEach(async () => {
			await window?.stop();
			window = undefined;
		});
		after(() => rmSync(scratch, { recursive: true, force: true }));

		/** Closes the window, and keeps what it leaves. */
		async function keep({ page, server, places }: KeptWindow, name: string): Promise<void> {
			await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
			const to = { ...places, kept: path.join(scratch, name) };
			await keepProfile(page.context(), { dataFolder: server.dataFolder, places: to });
		}

		async function openConversation({ page, chat }: KeptWindow, title: string, count: number): Promise<void> {
			await runCommand(page, 'Errand: Open Conversation…');
			await quickRow(page, title).first().click();
			await until(`${title} is shown`, async () => (await turns(chat).count()) === count);
			await dismissInput(page);
		}

		/** Shows each conversation of the profile, of which that with Acme has `further` messages by now. */
		async function showsAll(shown: KeptWindow, further: number): Promise<void> {
			await openConversation(shown, words.title, 2);
			await shown.chat.getByText('2 of 2').waitFor();
			await openConversation(shown, words.image, 1);
			const image = shown.chat.locator('chat-image img');
			await until('the image is shown', () => image.evaluate(one => (one as HTMLImageElement).naturalWidth === 256));
			await openConversation(shown, words.agent, 1);
			await shown.chat.getByText('2 files changed in your files').waitFor();
			await openConversation(shown, words.moved, 1);
			await openConversation(shown, words.acme, 1 + further);
			// A file that was set aside as damaged has another ending.
			assert.ok(conversationFiles(shown.server).length >= 5);
		}

		/** Adds a message to the conversation with Acme, which needs no local service. */
		async function addMessage({ page, chat, acme, server }: KeptWindow, text: string): Promise<void> {
			const connect = async (label: string, name: string) => {
				await runCommand(page, 'Errand: Switch or Add Connection…');
				await clickRow(page, label, async () => (server.settings()['errand.connection'] ?? 'local') === name);
			};
			await connect('Acme', 'acme');
			acme.script = () => ({ text: `Read: ${text}` });
			await ask(chat, text);
			await replyEnds(chat);
			await chat.getByText(`Read: ${text}`).first().waitFor();
			await connect('Local', 'local');
		}

		it('show all in this one, which adds a message and a task', async () => {
			window = await openKeptWindow(kept);
			await taskShows(window.page, words.task, 'in 2 files');
			await startTask(window.page, ADDED_TASK);
			await taskShows(window.page, ADDED_TASK, 'in 1 file', 120_000);
			await showsAll(window, 0);
			await addMessage(window, 'Of the present build');
			await keep(window, 'present');
		});

		it('show all in the earlier one, or a sentence, and it adds a message', async () => {
			window = await openKeptWindow(path.join(scratch, 'present'), earlier);
			const { page } = window;
			const isRefused = async () => REFUSAL.test(await page.locator('.monaco-workbench').innerText());
			const isListed = async () => (await taskRow(page, ADDED_TASK).count()) > 0;
			await until('the tasks are listed or refused', async () => (await isListed()) || isRefused());
			const wasRefused = !(await isListed());
			await screenshot(page, 'profile-earlier');
			await showsAll(window, 1);
			await addMessage(window, 'Of the earlier build');
			await keep(window, 'earlier');
			if (wasRefused) {
				const [before, after] = ['present', 'earlier'].map(name => read(path.join(scratch, name, 'service.sql')));
				assert.equal(after, before, 'what was refused was left as it was');
			}
		});

		it('show all in this one once more, with what the earlier one has added', async () => {
			window = await openKeptWindow(path.join(scratch, 'earlier'));
			await taskShows(window.page, words.task, 'in 2 files');
			await taskShows(window.page, ADDED_TASK, 'in 1 file');
			await showsAll(window, 2);
			for (const text of ['Read: Of the present build', 'Read: Of the earlier build']) {
				await window.chat.getByText(text).first().waitFor();
			}
			await screenshot(window.page, 'profile-again');
		});
	});
}

const read = (file: string): string => readFileSync(file, 'utf8');
