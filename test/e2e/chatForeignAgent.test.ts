import assert from 'node:assert/strict';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { answerQuestion, useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { pickItem, screenshot, until } from '../support/editorWindow.ts';
import { replyEnds, sendMessage } from '../support/errandWindow.ts';
import type { Step } from '../support/scriptedModel.ts';

const FIX = 'Ten widgets must be cheaper as well';
const DISCOUNT = 'export const discount = widgets => (widgets > 10 ? 5 : 0);\n';
const BETTER = DISCOUNT.replace('> 10', '>= 10');

const SCRIPTS: Record<string, Step[]> = {
	[FIX]: [
		{ do: 'read', path: 'src/discount.js' },
		{ do: 'write', path: 'src/discount.js', content: BETTER },
		{ do: 'write', path: 'NEWS.md', content: 'Ten are cheaper.\n' },
		{ do: 'run', command: 'ls src' },
		{ do: 'say', text: 'Ten widgets are **cheaper** now.' },
	],
};

describe('an agent of somebody else in the chat', function () {
	this.timeout(300_000);
	const window = useChatAgentWindow({
		scripts: SCRIPTS,
		files: { 'src/discount.js': DISCOUNT },
		settings: { 'errand.local.agents': [{ id: 'opencode', command: opencodeProgram(), args: ['acp'] }] },
	});

	it('is chosen in the composer, like a model', async () => {
		const { chat, page } = window();
		const composer = chat.locator('chat-composer');
		await composer.getByRole('button', { name: /^Choose Chat, Agent/ }).click();
		await pickItem(page, 'Agent');
		await composer.getByRole('button', { name: /^Select Agent/ }).click();
		await pickItem(page, 'opencode');
		await composer.getByRole('button', { name: /^Select Agent: .*opencode/i }).waitFor();
		await screenshot(page, 'foreign-agent-chosen');
	});

	it('asks before it changes a file, and the user’s files have what was allowed', async () => {
		const { chat, page, read } = window();
		await sendMessage(chat, FIX);
		assert.match(await answerQuestion(chat, 'Allow Once'), /discount\.js/);
		assert.match(await answerQuestion(chat, 'Allow Once'), /NEWS\.md/);
		assert.match(await answerQuestion(chat, 'Allow Once'), /ls src/);
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
