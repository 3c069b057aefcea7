import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { pickItem, screenshot, until } from '../support/editorWindow.ts';
import { openChat, sendMessage } from '../support/errandWindow.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';

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

describe('an agent of somebody else in the chat, in a copy of the files', function () {
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
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-foreign-'));
		({ folder } = makeSampleRepository(path.join(scratch, 'widgets')));
		writeFileSync(inFolder('src/discount.js'), DISCOUNT);
		git('add', '--all');
		git('commit', '--quiet', '--message', 'Discounts');
		const { tree } = insidePlaces(path.basename(folder));
		model = await ScriptedModel.start({ scripts: SCRIPTS, tree, model: 'coder' });
		server = await startEditor({
			folder,
			settings: {
				'errand.local.upstreams': { workshop: { url: model.url } },
				'errand.local.agents': [{ id: 'opencode', command: opencodeProgram(), args: ['acp'] }],
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

	const inFolder = (name: string) => path.join(folder, name);
	const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
	const composer = () => chat.locator('chat-composer');

	it('is chosen in the composer, like a model', async () => {
		await composer()
			.getByRole('button', { name: /^Choose Chat, Agent/ })
			.click();
		await pickItem(page, 'Agent');
		await composer()
			.getByRole('button', { name: /^Select Agent/ })
			.click();
		await pickItem(page, 'opencode');
		await composer()
			.getByRole('button', { name: /^Select Agent: .*opencode/i })
			.waitFor();
		await screenshot(page, 'foreign-agent-chosen');
	});

	it('works, and leaves the user’s files as they are', async () => {
		await sendMessage(chat, FIX);
		await until('it is done, or asks', async () => {
			const allow = chat.locator('chat-approval').getByRole('button', { name: 'Allow Once' });
			if ((await allow.count()) > 0 && (await allow.isEnabled())) {
				await screenshot(page, 'foreign-agent-asks');
				await allow.click();
			}
			return (await chat.getByRole('button', { name: 'Take Changes' }).count()) > 0;
		});
		assert.equal(git('status', '--porcelain'), '');
		await screenshot(page, 'foreign-agent-done');
	});

	it('gives its changes to the user after a list', async () => {
		await chat.getByRole('button', { name: 'Take Changes' }).click();
		await page.locator('.quick-input-widget:visible').getByText('NEWS.md').waitFor();
		await screenshot(page, 'foreign-agent-take');
		await page.keyboard.press('Enter');
		await until('the files have them', async () => readFileSync(inFolder('src/discount.js'), 'utf8') === BETTER);
		assert.equal(readFileSync(inFolder('NEWS.md'), 'utf8'), 'Ten are cheaper.\n');
		await screenshot(page, 'foreign-agent-taken');
	});
});
