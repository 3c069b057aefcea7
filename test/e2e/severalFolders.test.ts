import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { agentQuestion, answerQuestion, useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { until } from '../support/editorWindow.ts';
import { replyEnds, sendMessage } from '../support/errandWindow.ts';
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

describe('an agent in the chat of a window with several folders', () => {
	const window = useChatAgentWindow({
		scripts: SCRIPTS,
		besides: {
			server: { files: { 'name.js': SERVER }, isRepository: true },
			thoughts: { files: { 'idea.md': 'A thought.\n' }, isRepository: false },
		},
	});
	const beside = (name: string) => path.join(path.dirname(window().folder), name);
	const server = () => readFileSync(beside('server/name.js'), 'utf8');

	it('changes files of each repository after questions, says what it has no copy of, and is taken over and back in each', async () => {
		const { chat, page, git, read, model } = window();
		await sendMessage(chat, `/agent ${RENAME}`);
		assert.match(await answerQuestion(chat, 'Allow Once'), /widgets\/README\.md[\s\S]*# Acme gizmos/);
		await agentQuestion(chat).getByText('server/name.js').first().waitFor();
		const words = await answerQuestion(chat, 'Allow Once');
		assert.match(words, /Exactly this change is made to your files in [^,]*server\./);
		assert.doesNotMatch(words, /widgets get exactly/);
		assert.match(await answerQuestion(chat, 'Allow Once'), /echo made/);
		assert.match(await answerQuestion(chat, 'Allow Once'), /mv server other/);
		assert.match(await replyEnds(chat), /They are gizmos now\./);
		assert.match(read('README.md'), /^# Acme gizmos/);
		assert.equal(server(), SERVER.replace('widgets', 'gizmos'));
		await chat.getByText(/^The agent has no copy of .*thoughts because it isn’t a Git repository\./).waitFor();
		assert.equal(await chat.getByText('it’s outside the repositories, where nothing is saved').count(), 1);
		const results = model.results.join('\n');
		assert.doesNotMatch(results, /Lost\./);
		assert.match(results, /mv: cannot move 'server'/);
		assert.match(results, /lost\.md: Read-only file system/);

		// What it has of each is shown together.
		await chat.getByRole('button', { name: /4 files changed/ }).click();
		await chat.getByRole('button', { name: /^Added: server\/made\.txt/ }).waitFor();
		await chat.getByRole('button', { name: 'Compare', exact: true }).first().click();
		await page.locator('.tab.active').filter({ hasText: 'Changed by Errand' }).waitFor();
		await until('both repositories are shown', async () => {
			const text = await page.locator('.multiDiffEntry, .multi-diff-editor, .editor-instance').first().innerText();
			return text.includes('README.md') && text.includes('name.js');
		});

		await chat.getByRole('button', { name: 'Take Changes' }).first().click();
		for (const name of ['widgets', 'server']) {
			const list = page.locator('.quick-input-widget:visible');
			await list.getByText(`Errand · ${name}`).first().waitFor();
			await list.getByText('made.txt').waitFor();
			await page.keyboard.press('Enter');
		}
		await until('both have what the command made', async () => {
			const isMade = git('status', '--porcelain').includes('?? made.txt');
			return isMade && readFileSync(beside('server/made.txt'), 'utf8') === 'made\n';
		});
		await chat.getByRole('button', { name: 'Undo server/name.js' }).click();
		await until('the file is as it was', async () => server() === SERVER);
		assert.match(read('README.md'), /gizmos/);
		await chat.getByRole('button', { name: 'Undo Turn' }).click();
		await until('nothing is left of the turn', async () => git('status', '--porcelain') === '');
		assert.equal(server(), SERVER);

		// The next turn begins with the user's files, where what was taken back does not come again.
		await sendMessage(chat, `/agent ${AGAIN}`);
		await until('the next turn is done', async () => /And then gadgets/.test(await replyEnds(chat)));
		assert.equal(server(), SERVER);
		assert.equal(git('status', '--porcelain'), '');
	});
});
