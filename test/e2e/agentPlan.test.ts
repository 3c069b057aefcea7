import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { screenshot, until } from '../support/editorWindow.ts';
import { replyEnds, sendMessage } from '../support/errandWindow.ts';

const PLANNING = 'Plan how ten widgets become cheaper';
const PLAN = '1. Change src/discount.js.\n2. Run the tests.';

describe('an agent in the chat that only plans', () => {
	const window = useChatAgentWindow({
		scripts: {
			[PLANNING]: [
				{ do: 'write', path: 'written.txt', content: 'x' },
				{ do: 'run', command: 'touch made.txt; ls' },
				{ do: 'say', text: PLAN },
			],
		},
		files: { 'src/discount.js': '' },
		settings: { 'errand.agents.approvals': 'plan' },
	});

	it('writes nothing, also by a command, and its plan is edited and started in the composer', async () => {
		const { page, chat, model } = window();
		await sendMessage(chat, `/agent ${PLANNING}`);
		assert.match(await replyEnds(chat), /Change src\/discount\.js/);
		assert.match(model.results[0] ?? '', /not allowed/);
		assert.match(model.results[1] ?? '', /Read-only file system[\s\S]*src/);
		assert.ok(!['written.txt', 'made.txt'].some(name => existsSync(window().file(name))));
		await screenshot(page, 'agent-plan');
		await chat.getByRole('button', { name: 'Edit and Start Plan' }).click();
		const composer = chat.locator('chat-composer textarea');
		await until('the plan is in the composer', async () => (await composer.inputValue()).includes(PLAN));
		await until('it has the focus', () => composer.evaluate(field => field.matches(':focus')));
		await chat.getByRole('button', { name: 'Asks for all' }).waitFor();
		await screenshot(page, 'agent-plan-used');
	});
});
