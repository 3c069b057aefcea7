import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import { runCommand, screenshot, type Theme, until, useTheme, webviewFrame } from '../support/editorWindow.ts';
import { openChat, replyEnds, sendMessage } from '../support/errandWindow.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';

const FIX = 'Ten widgets must be cheaper as well';
const DISCOUNT = `/** More than ten widgets are cheaper, in per cent. */
export const discount = widgets => (widgets > 10 ? 5 : 0);
`;
const NEXT = 'What comes then?';
const TEST_FILE = `import assert from 'node:assert/strict';
import test from 'node:test';
import { discount } from '../src/discount.js';

test('ten widgets are cheaper', () => assert.equal(discount(10), 5));
`;

const plan = (...states: string[]): Step => ({
	do: 'call',
	tool: 'plan',
	input: {
		steps: ['Find the limit', 'Move it', 'Run the tests'].map((text, at) => ({ text, status: states[at] })),
	},
});

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
};

describe('an agent in the chat', function () {
	this.timeout(300_000);
	let scratch: string;
	let folder: string;
	let model: ScriptedModel;
	let server: EditorServer;
	let page: Page;
	let chat: Frame;

	before(async function () {
		if (!(await trySandbox()).works) {
			this.skip();
		}
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-agent-chat-'));
		({ folder } = makeSampleRepository(path.join(scratch, 'widgets')));
		writeFileSync(path.join(folder, 'src', 'discount.js'), DISCOUNT);
		execFileSync('mkdir', ['-p', path.join(folder, 'test')]);
		writeFileSync(path.join(folder, 'test', 'discount.test.js'), TEST_FILE);
		execFileSync('git', ['-C', folder, 'add', '--all']);
		execFileSync('git', ['-C', folder, 'commit', '--quiet', '--message', 'Discounts']);
		model = await ScriptedModel.start({
			scripts: SCRIPTS,
			tree: insidePlaces(path.basename(folder)).tree,
			model: 'coder',
		});
		server = await startEditor({
			folder,
			settings: {
				'errand.local.upstreams': { workshop: { url: model.url, prices: { input: 3, output: 15 } } },
				'errand.chat.model': 'coder',
			},
		});
		({ page } = await openWindow(server, { viewport: { width: 1280, height: 900 } }));
		chat = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await model?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
	const inFolder = (name: string) => path.join(folder, name);
	const question = () => chat.locator('chat-approval .box');
	const writeMeanwhile = async (text: string) => {
		const composer = chat.locator('chat-composer textarea');
		await composer.fill(text);
		await composer.press('Enter');
		await chat.getByText('The message goes when the agent is done.').waitFor();
	};
	const answer = async (label: string) => {
		const box = question();
		await box.waitFor({ timeout: 60_000 });
		const words = await box.innerText();
		const button = box.getByRole('button', { name: label, exact: true });
		await until('the question can be answered', () => button.isEnabled());
		await button.click();
		await until('the question is answered', async () => !(await box.isVisible()) || (await box.innerText()) !== words);
		return words;
	};

	it('reads and searches, asks before each change and command, and shows what it does', async () => {
		await sendMessage(chat, `/agent ${FIX}`);
		assert.match(await answer('Allow Once'), /Change this file\?[\s\S]*src\/discount\.js[\s\S]*widgets >= 10/);
		await screenshot(page, 'agent-chat-asks');
		assert.match(await answer('Allow Once'), /README\.md/);
		assert.match(await answer('No'), /Run this command\?[\s\S]*npm test/);
		assert.match(await answer('Allow Once'), /node --test/);
		const text = await replyEnds(chat);
		assert.match(text, /Ten widgets are cheaper now\./);
		assert.equal(git('status', '--porcelain'), '', 'it works in a copy');
		for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
			await useTheme(page, theme);
			await screenshot(page, `agent-chat-done-${theme}`);
		}
		assert.match(model.results.join('\n'), /not allowed[\s\S]*pass 1/);
	});

	it('gives its changes to the user, who takes them back with their own edits kept, byte for byte', async () => {
		await chat.getByRole('button', { name: 'Take Changes' }).click();
		await page.locator('.quick-input-widget:visible').getByText('discount.js').waitFor();
		await screenshot(page, 'agent-chat-take');
		await page.keyboard.press('Enter');
		await until(
			'both files are taken',
			async () => git('status', '--porcelain') === ' M README.md\n M src/discount.js\n',
		);
		assert.match(readFileSync(inFolder('src/discount.js'), 'utf8'), /widgets >= 10/);
		await chat.getByText('2 files changed, taken').waitFor();
		await screenshot(page, 'agent-chat-taken');

		const readme = inFolder('README.md');
		writeFileSync(readme, `${readFileSync(readme, 'utf8')}\nMine.\n`);
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('the file is as it was', async () => readFileSync(inFolder('src/discount.js'), 'utf8') === DISCOUNT);
		const original = git('show', 'HEAD:README.md');
		await until('the user’s line is kept', async () => readFileSync(readme, 'utf8') === `${original}\nMine.\n`);
		assert.equal(git('status', '--porcelain'), ' M README.md\n');
		await chat.getByRole('button', { name: 'Take Changes' }).waitFor();
		await screenshot(page, 'agent-chat-undone');
		writeFileSync(readme, original);
	});

	it('goes on with a message that was written meanwhile, or takes it at once in place of what it does', async () => {
		const replies = () => chat.locator('chat-turn').last().locator('chat-markdown .content').last().innerText();
		await sendMessage(chat, `/agent ${FIX}`);
		await question().waitFor({ timeout: 60_000 });
		await writeMeanwhile(NEXT);
		await screenshot(page, 'agent-chat-waits');
		for (let count = 0; count < 4; count++) {
			await answer('No');
		}
		await until('the message was answered', async () => (await replies()) === 'Then this.');
		const before = chat.locator('chat-turn').nth(-2);
		assert.match(await before.locator('chat-markdown .content').innerText(), /cheaper now/);

		await sendMessage(chat, `/agent ${FIX}`);
		await question().waitFor({ timeout: 60_000 });
		await writeMeanwhile(NEXT);
		await chat.getByRole('button', { name: 'Send Now' }).click();
		await until('the message was answered', async () => (await replies()) === 'Then this.');
		await before
			.getByText(/Stopped/)
			.first()
			.waitFor();
		assert.equal(git('status', '--porcelain'), '');
	});

	it('waits for nothing after a reload in the middle, and nothing was allowed', async () => {
		await sendMessage(chat, `/agent ${FIX}`);
		await question().waitFor({ timeout: 60_000 });
		await reloadWindow(page);
		await runCommand(page, 'Errand: Focus Chat');
		chat = await webviewFrame(page, 'chat-composer');
		await chat.getByText('Not allowed', { exact: true }).last().waitFor({ timeout: 60_000 });
		assert.equal(readFileSync(inFolder('src/discount.js'), 'utf8'), DISCOUNT);
		await screenshot(page, 'agent-chat-reloaded');
	});
});
