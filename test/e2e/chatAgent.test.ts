import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { agentQuestion, answerQuestion, useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { reloadWindow } from '../support/editor.ts';
import { pickItem, runCommand, screenshot, screenshotInThemes, until, webviewFrame } from '../support/editorWindow.ts';
import { chooseInComposer, replyEnds, runInChat, sendMessage, turns } from '../support/errandWindow.ts';
import { DISCOUNT, discountTest, discountPlan as plan } from '../support/repairs.ts';
import type { Step } from '../support/scriptedModel.ts';

const FIX = 'Ten widgets must be cheaper as well';
const CHANGED = ' M README.md\n M src/discount.js\n';
const NEXT = 'What comes then?';
const PARTS = 'Ten are cheaper, and eight are not';
const ANNOUNCE = 'Make ten widgets cheaper, and announce it';
const BETTER = DISCOUNT.replace('> 10', '>= 10');
const TEST_FILE = discountTest('ten widgets are cheaper', 'assert.equal(discount(10), 5)');

const SCRIPTS: Record<string, Step[]> = {
	[FIX]: [
		plan('in_progress', 'pending', 'pending'),
		{ do: 'read', path: 'src/discount.js' },
		{ do: 'call', tool: 'search', input: { pattern: 'discount' } },
		plan('completed', 'in_progress', 'pending'),
		{ do: 'edit', path: 'src/discount.js', from: 'widgets > 10', to: 'widgets >= 10' },
		{ do: 'edit', path: 'README.md', from: '# Acme widgets', to: '# Acme widgets, ten at a time' },
		plan('completed', 'completed', 'in_progress'),
		{ do: 'run', command: 'npm test' },
		{ do: 'run', command: 'node --test' },
		plan('completed', 'completed', 'completed'),
		{ do: 'say', text: 'Ten widgets are **cheaper** now.' },
	],
	[NEXT]: [{ do: 'say', text: 'Then this.' }],
	[PARTS]: [
		{ do: 'write', path: 'src/discount.js', content: `// Prices\n${BETTER}` },
		{ do: 'say', text: 'Two parts were changed.' },
	],
	'refused these parts of your edits': [{ do: 'say', text: 'It has no heading, as you wish.' }],
	[ANNOUNCE]: [
		{ do: 'read', path: 'src/discount.js' },
		{ do: 'write', path: 'src/discount.js', content: BETTER },
		{ do: 'write', path: 'NEWS.md', content: 'Ten are cheaper.\n' },
		{ do: 'run', command: 'ls src' },
		{ do: 'say', text: 'Ten widgets are **cheaper** now.' },
	],
};

describe('an agent in the chat', () => {
	const window = useChatAgentWindow({
		scripts: SCRIPTS,
		files: { 'src/discount.js': DISCOUNT, 'test/discount.test.js': TEST_FILE },
		settings: { 'errand.local.agents': [{ id: 'opencode', command: opencodeProgram(), args: ['acp'] }] },
	});

	const question = () => agentQuestion(window().chat);
	const answer = (label: string) => answerQuestion(window().chat, label);
	const status = () => window().git('status', '--porcelain');
	const writeMeanwhile = async (text: string) => {
		const composer = window().chat.locator('chat-composer textarea');
		await composer.fill(text);
		await composer.press('Enter');
		await window().chat.getByText('The message goes when the agent is done.').waitFor();
	};

	it('reads and searches, asks before each change and command, and shows what it does', async () => {
		await sendMessage(window().chat, `/agent ${FIX}`);
		assert.match(await answer('Allow Once'), /Change this file\?[\s\S]*src\/discount\.js[\s\S]*widgets >= 10/);
		await screenshot(window().page, 'agent-chat-asks');
		assert.match(await answer('Allow Once'), /README\.md/);
		assert.match(await answer('No'), /Run this command\?[\s\S]*npm test/);
		assert.match(await answer('Allow Once'), /node --test/);
		const text = await replyEnds(window().chat);
		assert.match(text, /Ten widgets are cheaper now\./);
		assert.equal(status(), CHANGED);
		assert.match(window().read('src/discount.js'), /widgets >= 10/);
		await window().chat.getByText('2 files changed in your files').waitFor();
		await screenshotInThemes(window().page, 'agent-chat-done');
		assert.match(window().model.results.join('\n'), /not allowed[\s\S]*pass 1/);
	});

	it('shows the files before it beside the user’s own, where single hunks can be reverted', async () => {
		const { page, chat } = window();
		await chat.getByRole('button', { name: '2 files changed in your files' }).click();
		await chat.getByRole('button', { name: /^Modified: src\/discount\.js/ }).click();
		const diff = page.locator('.monaco-diff-editor');
		await diff.getByText('widgets >= 10').first().waitFor();
		await screenshot(page, 'agent-chat-compare');
		const changed = window().read('src/discount.js');
		await diff.locator('.gutterItem').first().click();
		await diff.getByText('widgets >= 10').first().waitFor({ state: 'detached' });
		// A key would go to the chat where the click has left the cursor there.
		await runCommand(page, 'File: Save');
		await until('the file is as it was', async () => window().read('src/discount.js') === DISCOUNT);
		await runCommand(page, 'View: Close Editor');
		await diff.waitFor({ state: 'detached' });
		writeFileSync(window().file('src/discount.js'), changed);
	});

	it('takes its changes back with the user’s own edits kept, byte for byte, and gives them again', async () => {
		const readme = window().file('README.md');
		writeFileSync(readme, `${window().read('README.md')}\nMine.\n`);
		await window().chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the file is as it was', async () => window().read('src/discount.js') === DISCOUNT);
		const original = window().git('show', 'HEAD:README.md');
		await until('the user’s line is kept', async () => window().read('README.md') === `${original}\nMine.\n`);
		assert.equal(status(), ' M README.md\n');
		await screenshot(window().page, 'agent-chat-undone');
		writeFileSync(readme, original);

		await window().chat.getByRole('button', { name: 'Take Changes' }).click();
		await window().page.locator('.quick-input-widget:visible').getByText('discount.js').waitFor();
		await screenshot(window().page, 'agent-chat-take');
		await window().page.keyboard.press('Enter');
		await until('both files are taken', async () => status() === CHANGED);
		await window().chat.getByText('2 files changed in your files').waitFor();
		await window().chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('both files are as they were', async () => status() === '');
	});

	it('is answered where its change is shown, also for a single hunk, and is told which one was refused', async () => {
		const { page, chat } = window();
		const diff = page.locator('.monaco-diff-editor');
		const lens = (name: string) => page.locator('.codelens-decoration a').filter({ hasText: name });
		await runCommand(page, 'Notifications: Clear All Notifications');
		await sendMessage(chat, `/agent ${PARTS}`);
		await question()
			.getByRole('button', { name: /^Open Diff/ })
			.click();
		await until('each hunk has its answers', async () => (await lens('Refuse This Hunk').count()) === 2);
		await screenshotInThemes(page, 'agent-chat-answer-in-diff');
		await lens('Refuse This Hunk').first().click();
		await until('the hunk is gone', async () => (await lens('Refuse This Hunk').count()) === 0);
		assert.doesNotMatch(await question().innerText(), /Prices/);
		await screenshot(page, 'agent-chat-hunk-refused');
		await page.locator('.editor-actions').getByRole('button', { name: 'Accept Change' }).click();
		await diff.waitFor({ state: 'detached' });
		await until('the rest is written', async () => window().read('src/discount.js') === BETTER);
		assert.match(await replyEnds(chat), /It has no heading, as you wish/);
		assert.match(JSON.stringify(window().model.requests.at(-1)?.body), /refused these parts.*\+\/\/ Prices/);
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the file is as it was', async () => status() === '');

		await sendMessage(chat, `/agent ${PARTS}`);
		await question()
			.getByRole('button', { name: /^Open Diff/ })
			.click();
		await diff.waitFor();
		await answer('No');
		await diff.waitFor({ state: 'detached' });
		await replyEnds(chat);
		assert.equal(status(), '');
	});

	it('goes on with a message that was written meanwhile, or takes it at once in place of what it does', async () => {
		const replies = () =>
			window().chat.locator('chat-turn').last().locator('chat-markdown .content').last().innerText();
		await sendMessage(window().chat, `/agent ${FIX}`);
		await question().waitFor();
		await writeMeanwhile(NEXT);
		await screenshot(window().page, 'agent-chat-waits');
		for (let count = 0; count < 4; count++) {
			await answer('No');
		}
		await until('the message was answered', async () => (await replies()) === 'Then this.');
		const before = window().chat.locator('chat-turn').nth(-2);
		assert.match(await before.locator('chat-markdown .content').innerText(), /cheaper now/);

		await sendMessage(window().chat, `/agent ${FIX}`);
		await question().waitFor();
		await writeMeanwhile(NEXT);
		await window().chat.getByRole('button', { name: 'Send Now' }).click();
		await until('the message was answered', async () => (await replies()) === 'Then this.');
		await before
			.getByText(/Stopped/)
			.first()
			.waitFor();
		assert.equal(status(), '');
	});

	it('waits for nothing after a reload in the middle, and nothing was allowed', async () => {
		await sendMessage(window().chat, `/agent ${FIX}`);
		await question().waitFor();
		await reloadWindow(window().page);
		await runCommand(window().page, 'Errand: Focus on Chat View');
		window().chat = await webviewFrame(window().page, 'chat-composer');
		await window().chat.getByText('Not allowed', { exact: true }).last().waitFor();
		assert.equal(window().read('src/discount.js'), DISCOUNT);
		await screenshot(window().page, 'agent-chat-reloaded');
	});

	describe('of somebody else', () => {
		before(async () => {
			const { chat, page } = window();
			await runInChat(page, chat, 'Errand: New Conversation');
			await until('the conversation is empty', async () => (await turns(chat).count()) === 0);
		});

		it('is chosen in the composer, like a model', async () => {
			const { chat, page } = window();
			const composer = chat.locator('chat-composer');
			await chooseInComposer(chat, /^Choose Chat, Agent/, 'Agent');
			await composer.getByRole('button', { name: /^Select Agent/ }).click();
			await pickItem(page, 'opencode');
			await composer.getByRole('button', { name: /^Select Agent: .*opencode/i }).waitFor();
			await screenshot(page, 'foreign-agent-chosen');
		});

		it('asks before it changes a file, and the user’s files have what was allowed', async () => {
			const { chat, page, read } = window();
			await sendMessage(chat, ANNOUNCE);
			assert.match(await answerQuestion(chat, 'Allow Once'), /discount\.js/);
			assert.match(await answerQuestion(chat, 'Allow Once'), /NEWS\.md/);
			assert.match(await replyEnds(chat), /cheaper/);
			await chat.getByText('2 files changed in your files').waitFor();
			assert.equal(read('src/discount.js'), BETTER);
			assert.equal(read('NEWS.md'), 'Ten are cheaper.\n');
			await screenshot(page, 'foreign-agent-done');
		});

		it('works in a mode of its own that was chosen', async () => {
			const { chat, page } = window();
			const agent = chat.locator('chat-composer').getByRole('button', { name: /^Select Agent/ });
			await agent.click();
			await pickItem(page, 'Session Mode');
			await screenshot(page, 'foreign-agent-modes');
			await pickItem(page, 'plan');
			await chat
				.locator('chat-composer')
				.getByRole('button', { name: /^Select Agent: .*plan/ })
				.waitFor();
		});

		it('is undone', async () => {
			const { chat, git, read } = window();
			await chat.getByRole('button', { name: 'Undo Turn' }).click();
			await until('the files are as they were', async () => git('status', '--porcelain') === '');
			assert.equal(read('src/discount.js'), DISCOUNT);
		});
	});
});
