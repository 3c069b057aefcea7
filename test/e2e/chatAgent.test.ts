import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { agentQuestion, answerQuestion } from '../support/chatAgentWindow.ts';
import { reloadWindow } from '../support/editor.ts';
import { pickItem, runCommand, until } from '../support/editorWindow.ts';
import { chooseInComposer, openChat, replyEnds, runInChat, sendMessage, turns } from '../support/errandWindow.ts';
import { DISCOUNT, discountTest, discountPlan as plan } from '../support/repairs.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { SAMPLE_NAME, useWindow } from '../support/useWindow.ts';

const FIX = 'Ten widgets must be cheaper as well';
const CHANGED = ' M README.md\n M src/discount.js\n';
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
	[ANNOUNCE]: [
		{ do: 'read', path: 'src/discount.js' },
		{ do: 'write', path: 'src/discount.js', content: BETTER },
		{ do: 'write', path: 'NEWS.md', content: 'Ten are cheaper.\n' },
		{ do: 'run', command: 'ls src' },
		{ do: 'say', text: 'Ten widgets are **cheaper** now.' },
	],
};

describe('an agent in the chat', () => {
	let model: ScriptedModel;
	let page: Page;
	let sample: SampleFolder;
	let chat: Frame;

	const window = useWindow(async hook => {
		await skipWithoutSandbox(hook);
		model = await ScriptedModel.start({ scripts: SCRIPTS, tree: insidePlaces(SAMPLE_NAME).tree, model: 'coder' });
		return {
			files: { 'src/discount.js': DISCOUNT, 'test/discount.test.js': TEST_FILE },
			settings: {
				'errand.local.upstreams': { workshop: { url: model.url, prices: { input: 3, output: 15 } } },
				'errand.chat.model': 'coder',
				'errand.local.agents': [{ id: 'opencode', command: opencodeProgram(), args: ['acp'] }],
			},
		};
	});

	before(async () => {
		({ page, sample } = window());
		chat = await openChat(page);
	});

	after(() => model?.stop());

	const question = () => agentQuestion(chat);
	const answer = (label: string) => answerQuestion(chat, label);
	const status = () => sample.git('status', '--porcelain');

	it('reads and searches, asks before each change and command, and shows what it does', async () => {
		await sendMessage(chat, `/agent ${FIX}`);
		assert.match(await answer('Allow Once'), /Change this file\?[\s\S]*src\/discount\.js[\s\S]*widgets >= 10/);
		assert.match(await answer('Allow Once'), /README\.md/);
		assert.match(await answer('No'), /Run this command\?[\s\S]*npm test/);
		assert.match(await answer('Allow Once'), /node --test/);
		const text = await replyEnds(chat);
		assert.match(text, /Ten widgets are cheaper now\./);
		assert.equal(status(), CHANGED);
		assert.match(sample.read('src/discount.js'), /widgets >= 10/);
		await chat.getByText('2 files changed in your files').waitFor();
		assert.match(model.results.join('\n'), /not allowed[\s\S]*pass 1/);
	});

	it('shows the files before it beside the user’s own, where single hunks can be reverted', async () => {
		await chat.getByRole('button', { name: '2 files changed in your files' }).click();
		await chat.getByRole('button', { name: /^Modified: src\/discount\.js/ }).click();
		const diff = page.locator('.monaco-diff-editor');
		await diff.getByText('widgets >= 10').first().waitFor();
		const changed = sample.read('src/discount.js');
		await diff.locator('.gutterItem').first().click();
		await diff.getByText('widgets >= 10').first().waitFor({ state: 'detached' });
		// A key would go to the chat where the click has left the cursor there.
		await runCommand(page, 'File: Save');
		await until('the file is as it was', async () => sample.read('src/discount.js') === DISCOUNT);
		// The editor knows that only after the file has changed, and would ask before it closes.
		await until('it is saved', async () => (await page.locator('.tab.dirty').count()) === 0);
		await runCommand(page, 'View: Close Editor');
		await diff.waitFor({ state: 'detached' });
		writeFileSync(sample.file('src/discount.js'), changed);
	});

	it('takes its changes back with the user’s own edits kept, byte for byte, and gives them again', async () => {
		const readme = sample.file('README.md');
		writeFileSync(readme, `${sample.read('README.md')}\nMine.\n`);
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the file is as it was', async () => sample.read('src/discount.js') === DISCOUNT);
		const original = sample.git('show', 'HEAD:README.md');
		await until('the user’s line is kept', async () => sample.read('README.md') === `${original}\nMine.\n`);
		assert.equal(status(), ' M README.md\n');
		writeFileSync(readme, original);

		await chat.getByRole('button', { name: 'Take Changes' }).click();
		await page.locator('.quick-input-widget:visible').getByText('discount.js').waitFor();
		await page.keyboard.press('Enter');
		await until('both files are taken', async () => status() === CHANGED);
		await chat.getByText('2 files changed in your files').waitFor();
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('both files are as they were', async () => status() === '');
	});

	it('waits for nothing after a reload in the middle, and nothing was allowed', async () => {
		await sendMessage(chat, `/agent ${FIX}`);
		await question().waitFor();
		await reloadWindow(page);
		chat = await openChat(page);
		// A served editor writes down once a minute what is open, so that an editor may come back with its unsaved text.
		await until('no editor is left', async () => {
			const isEmpty = (await page.locator('.tab').count()) === 0;
			await (isEmpty || runCommand(page, 'View: Revert and Close Editor'));
			return isEmpty;
		});
		await chat.getByText('Not allowed', { exact: true }).last().waitFor();
		assert.equal(sample.read('src/discount.js'), DISCOUNT);
	});

	it('may be somebody else’s, which is chosen in the composer, asks before each change, has modes of its own and is undone', async () => {
		const agent = chat.locator('chat-composer').getByRole('button', { name: /^Select Agent/ });
		await runInChat(page, chat, 'Errand: New Conversation');
		await until('the conversation is empty', async () => (await turns(chat).count()) === 0);
		await chooseInComposer(chat, /^Select Chat, Agent/, 'Agent');
		await agent.click();
		await pickItem(page, 'opencode');
		await agent.and(chat.getByRole('button', { name: /opencode/i })).waitFor();
		await sendMessage(chat, ANNOUNCE);
		assert.match(await answer('Allow Once'), /discount\.js/);
		assert.match(await answer('Allow Once'), /NEWS\.md/);
		assert.match(await replyEnds(chat), /cheaper/);
		await chat.getByText('2 files changed in your files').waitFor();
		assert.equal(sample.read('src/discount.js'), BETTER);
		assert.equal(sample.read('NEWS.md'), 'Ten are cheaper.\n');
		await agent.click();
		await pickItem(page, 'Session Mode');
		await pickItem(page, 'plan');
		await agent.and(chat.getByRole('button', { name: /plan/ })).waitFor();
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the files are as they were', async () => status() === '');
		assert.equal(sample.read('src/discount.js'), DISCOUNT);
	});
});
