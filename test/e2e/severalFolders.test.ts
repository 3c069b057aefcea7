import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { skipWithoutSandbox } from '../support/agentWindow.ts';
import { agentQuestion, answerQuestion, useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { appears, screenshot, screenshotInThemes, until } from '../support/editorWindow.ts';
import { leavePrompt, replyEnds, sendMessage, writePrompt } from '../support/errandWindow.ts';
import type { Step } from '../support/scriptedModel.ts';

const RENAME = 'Call them gizmos everywhere';
const AGAIN = 'Go on';
const SERVER = 'export const name = "widgets";\n';

const SCRIPTS: Record<string, Step[]> = {
	[RENAME]: [
		{ do: 'read', path: 'server/name.js' },
		{ do: 'edit', path: 'widgets/README.md', from: '# Acme widgets', to: '# Acme gizmos' },
		{ do: 'edit', path: 'server/name.js', from: '"widgets"', to: '"gizmos"' },
		{ do: 'write', path: 'notes.md', content: 'Lost.\n' },
		{ do: 'run', command: 'echo made > server/made.txt; echo made > widgets/made.txt' },
		{ do: 'run', command: 'mv server other; ln -s /etc widgets/../etc; echo lost > lost.md; ls' },
		{ do: 'say', text: 'They are **gizmos** now.' },
	],
	[AGAIN]: [
		{ do: 'edit', path: 'server/name.js', from: '"gizmos"', to: '"gadgets"' },
		{ do: 'say', text: 'And then **gadgets**.' },
	],
};

describe('a window with several folders', () => {
	const window = useChatAgentWindow(
		{
			scripts: SCRIPTS,
			besides: {
				server: { files: { 'name.js': SERVER }, isRepository: true },
				thoughts: { files: { 'idea.md': 'A thought.\n' }, isRepository: false },
			},
		},
		{ withoutSandbox: true },
	);
	const beside = (name: string) => path.join(path.dirname(window().folder), name);
	const server = () => readFileSync(beside('server/name.js'), 'utf8');

	it('asks which repository a task is for, where two are open', async () => {
		const { page } = window();
		const rows = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
		await until('both repositories are found', async () => {
			await writePrompt(page, 'Work on one of two');
			await page.keyboard.press('Enter');
			// On a busy machine the first answer may be the sentence that the repositories are not open yet.
			const text = (await appears(rows.first(), 10_000)) ? (await rows.allInnerTexts()).join('\n') : '';
			await screenshot(page, 'folders-which-repository');
			await page.keyboard.press('Escape');
			return text.includes(window().folder) && text.includes(beside('server'));
		});
		await leavePrompt(window().chat);
	});

	describe('has an agent in its chat, which', () => {
		before(async function () {
			await skipWithoutSandbox(this);
		});

		it('changes files of each repository after a question, and says which folder it has nothing of', async () => {
			const { chat, page, read, model } = window();
			await sendMessage(chat, `/agent ${RENAME}`);
			assert.match(await answerQuestion(chat, 'Allow Once'), /widgets\/README\.md[\s\S]*# Acme gizmos/);
			await agentQuestion(chat).getByText('server/name.js').first().waitFor();
			await screenshot(page, 'agent-folders-asks');
			const words = await answerQuestion(chat, 'Allow Once');
			assert.match(words, /server\/name\.js/);
			assert.match(words, /Your files in [^,]*server get exactly this\./);
			assert.doesNotMatch(words, /widgets get exactly/);
			assert.match(await answerQuestion(chat, 'Allow Once'), /echo made/);
			assert.match(await answerQuestion(chat, 'Allow Once'), /mv server other/);
			assert.match(await replyEnds(chat), /They are gizmos now\./);
			assert.match(read('README.md'), /^# Acme gizmos/);
			assert.equal(server(), SERVER.replace('widgets', 'gizmos'));
			await chat.getByText(/^The agent has no copy of .*thoughts, because there is no Git repository\./).waitFor();
			assert.equal(await chat.getByText('it lies beside the repositories, where nothing is kept').count(), 1);
			const results = model.results.join('\n');
			assert.doesNotMatch(results, /Lost\./);
			assert.match(results, /mv: cannot move 'server'/);
			assert.match(results, /lost\.md: Read-only file system/);
			await screenshotInThemes(page, 'agent-folders-done');
		});

		it('shows what each has of it, and opens a file where it lies', async () => {
			const { chat, page } = window();
			await chat.getByRole('button', { name: /4 files changed/ }).click();
			await chat.getByRole('button', { name: /^Added: server\/made\.txt/ }).waitFor();
			await screenshot(page, 'agent-folders-files');
			await chat.getByRole('button', { name: /^Modified: server\/name\.js/ }).click();
			const diff = page.locator('.monaco-diff-editor');
			await diff.getByText('gizmos').first().waitFor();
			await page.locator('.tab.active').filter({ hasText: 'name.js' }).waitFor();
			await chat.getByRole('button', { name: 'Compare', exact: true }).first().click();
			await page.locator('.tab.active').filter({ hasText: 'Changed by Errand' }).waitFor();
			await until('both repositories are shown', async () => {
				const text = await page.locator('.multiDiffEntry, .multi-diff-editor, .editor-instance').first().innerText();
				return text.includes('README.md') && text.includes('name.js');
			});
			await screenshot(page, 'agent-folders-compare');
		});

		it('takes over what a command did, one repository after the other', async () => {
			const { chat, page, git } = window();
			await chat.getByRole('button', { name: 'Take Changes' }).first().click();
			for (const name of ['widgets', 'server']) {
				const list = page.locator('.quick-input-widget:visible');
				await list.getByText(`Errand · ${name}`).first().waitFor();
				await list.getByText('made.txt').waitFor();
				await screenshot(page, `agent-folders-take-${name}`);
				await page.keyboard.press('Enter');
			}
			await until('both have it', async () => {
				const isMade = git('status', '--porcelain').includes('?? made.txt');
				return isMade && readFileSync(beside('server/made.txt'), 'utf8') === 'made\n';
			});
		});

		it('takes one file back, and then the whole turn, in each repository', async () => {
			const { chat, git, read } = window();
			await chat.getByRole('button', { name: 'Undo server/name.js' }).click();
			await until('the file is as it was', async () => server() === SERVER);
			assert.match(read('README.md'), /gizmos/);
			await chat.getByRole('button', { name: 'Undo Turn' }).click();
			await until('nothing is left of it', async () => git('status', '--porcelain') === '');
			assert.equal(server(), SERVER);
		});

		it('goes on in the same session, where what was taken back does not come again', async () => {
			const { chat, git } = window();
			await sendMessage(chat, `/agent ${AGAIN}`);
			await until('it is done', async () => /And then gadgets/.test(await replyEnds(chat)));
			assert.equal(server(), SERVER);
			assert.equal(git('status', '--porcelain'), '');
			assert.equal(await chat.getByText(/^The agent has no copy of/).count(), 1);
		});
	});
});
