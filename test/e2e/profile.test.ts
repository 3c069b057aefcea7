import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type KeptWindow, openKeptWindow } from '../profile/keptWindow.ts';
import { keptProfiles } from '../profile/profile.ts';
import { words } from '../profile/words.ts';
import { dismissInput, pickItem, quickRow, runCommand, screenshot, until } from '../support/editorWindow.ts';
import {
	ask,
	composerHasCursor,
	leavePrompt,
	logText,
	openPrompt,
	replyEnds,
	runInChat,
	sendMessage,
	taskShows,
	turns,
} from '../support/errandWindow.ts';

// What is kept is never changed to make one of these pass. A change that it does not survive needs a migration.
for (const kept of keptProfiles) {
	describe(`a profile that an earlier build has left, in the window (${path.basename(kept)})`, () =>
		opensProfile(kept));
}

function opensProfile(kept: string): void {
	/** Later builds leave open logs to the editor, whose own tabs are not kept. */
	const hasOpenLogs = readFileSync(path.join(kept, 'workspaceState.json'), 'utf8').includes('errand.tasks.openLogs');
	let window: KeptWindow;
	let { places, workshop, acme, server, page, chat } = {} as KeptWindow;

	before(async () => {
		window = await openKeptWindow(kept);
		({ places, workshop, acme, server, page, chat } = window);
	});
	after(() => window?.stop());

	const read = (name: string) => readFileSync(path.join(places.folder, name), 'utf8');
	const git = (...args: string[]) => execFileSync('git', ['-C', places.folder, ...args], { encoding: 'utf8' });
	const committed = (name: string) => git('show', `HEAD:${name}`);
	const isClosed = async () => (await page.locator('.quick-input-widget:visible').count()) === 0;

	async function openConversation(title: string, count: number): Promise<void> {
		await runCommand(page, 'Errand: Open Conversation…');
		await quickRow(page, title).first().click();
		await until(`${title} is shown`, async () => (await turns(chat).count()) === count && (await isClosed()));
	}

	it('lists the tasks with their states, goes on with its logs, and asks nothing', async () => {
		for (const [prompt, shown] of [
			[words.task, 'in 2 files'],
			[words.failed, 'failed'],
			[words.stopped, 'stopped'],
			[words.interrupted, 'interrupted'],
			[words.running, 'interrupted'],
		] as const) {
			await taskShows(page, prompt, shown);
		}
		await until('the log is read to its end', async () => /nterrupted/.test(logText(server, words.running)));
		assert.match(logText(server, words.running), /Cloning errand-scratch-[\s\S]*Working slowly, line 2 of 100/);
		await until('the scratch branch is gone', async () => !/errand-scratch/.test(git('ls-remote', 'origin')));
		await screenshot(page, 'profile');
		if (hasOpenLogs) {
			await page.locator('.tab').filter({ hasText: words.task }).waitFor();
		}
		assert.equal(await page.locator('.quick-input-widget:visible, .monaco-dialog-box').count(), 0);
		await runCommand(page, 'Notifications: Show Notifications');
		const notices = page.locator('.notifications-center .notification-list-item');
		await notices.first().waitFor();
		assert.equal(await notices.count(), 1);
		assert.match(await notices.innerText(), new RegExp(`“${words.running}” needs attention: interrupted`));
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	it('has what was typed and not sent, with its context', async () => {
		assert.equal(await chat.locator('chat-composer textarea').inputValue(), words.draft);
		assert.deepEqual(await chat.locator('chat-composer chat-chips .label').allInnerTexts(), ['widget.ts']);
		await openPrompt(page);
		await chat.getByRole('button', { name: /^Move the Prompt Back/ }).click();
		const composer = chat.locator('chat-composer textarea');
		await until(
			'both drafts are there',
			async () => (await composer.inputValue()) === `${words.draft}\n\n${words.prompt}`,
		);
		await composerHasCursor(chat);
		await page.keyboard.press('Enter');
		// What was chosen for the last task of this repository is chosen for the next one.
		await quickRow(page, 'Agent').filter({ hasText: 'Demo' }).first().waitFor();
		await quickRow(page, 'uncommitted files').filter({ hasText: 'on a scratch branch' }).first().waitFor();
		await dismissInput(page);
		await leavePrompt(chat);
	});

	it('lists the conversations, and shows what each of them has', async () => {
		await runCommand(page, 'Errand: Open Conversation…');
		const titles = [words.agent, words.image, words.acme, words.moved, words.title];
		await quickRow(page, words.title).first().waitFor();
		const rows = page.locator('.quick-input-widget:visible .monaco-list-row');
		const shown = await rows.evaluateAll(elements =>
			elements
				.toSorted((one, other) => Number(one.getAttribute('data-index')) - Number(other.getAttribute('data-index')))
				.map(element => (element as HTMLElement).innerText),
		);
		assert.deepEqual(
			shown.flatMap(text => titles.filter(title => text.startsWith(title))),
			titles,
		);
		await dismissInput(page);
		await openConversation(words.title, 2);
		await chat.getByText('2 of 2').waitFor();
		await openConversation(words.image, 1);
		const image = chat.locator('chat-image img');
		await until('the image is shown', () => image.evaluate(shown => (shown as HTMLImageElement).naturalWidth === 256));
	});

	it('undoes what was applied, and what an agent has changed, byte for byte', async () => {
		assert.notEqual(read('src/stock.ts'), committed('src/stock.ts'));
		await runCommand(page, 'Errand: Undo Last Apply of Task Changes');
		await until('it is undone', async () => git('status', '--porcelain') === ' M src/price.ts\n?? NEWS.md\n');
		assert.equal(read('src/stock.ts'), committed('src/stock.ts'));
		await openConversation(words.agent, 1);
		await chat.getByText('2 files changed in your files').waitFor();
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the turn is undone', async () => git('status', '--porcelain') === '');
		assert.equal(read('src/price.ts'), committed('src/price.ts'));
	});

	it('sends each key to where it was saved for without a question, with the settings, and to no other place', async () => {
		await runInChat(page, chat, 'Errand: New Conversation');
		await ask(chat, 'Is the key of the workshop there?');
		await replyEnds(chat);
		const { authorization, body } = workshop.requests.at(-1) ?? {};
		assert.equal(authorization, `Bearer ${words.keys.workshop}`);
		assert.equal(body?.['temperature'], 0.5);
		assert.match(JSON.stringify(body), /Answer in one sentence\./);
		for (const [label, isSent] of [
			['Acme', true],
			['Moved', false],
		] as const) {
			await runCommand(page, 'Errand: Switch or Add Connection…');
			await pickItem(page, label);
			await runInChat(page, chat, 'Errand: New Conversation');
			await chat.getByText(`on ${label}`).first().waitFor();
			await sendMessage(chat, `Is the key of ${label} there?`);
			if (isSent) {
				await until('it answers', async () => (await turns(chat).count()) === 1);
				await replyEnds(chat);
			} else {
				await chat.getByText('The addresses of Moved have changed since its key was saved').first().waitFor();
			}
		}
		assert.deepEqual(
			acme.requests.map(({ authorization }) => authorization),
			[`Bearer ${words.keys.acme}`],
		);
	});
}
