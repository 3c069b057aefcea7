// The images of the readme, from the real editor: a repair that Errand's own agent makes with a scripted model.
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { type AgentWindow, openAgentWindow } from '../support/agentWindow.ts';
import type { EditorServer } from '../support/editor.ts';
import {
	appears,
	dismissInput,
	openFile,
	pickItem,
	resizeChat,
	runCommand,
	until,
	useTheme,
	webviewFrame,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInMenu,
	logText,
	openChat,
	openPrompt,
	replyEnds,
	taskLine,
	turns,
	walkTo,
	writePrompt,
} from '../support/errandWindow.ts';
import { MONEY_TEST, NAIVE, RIGHT } from '../support/repairs.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import type { Step } from '../support/scriptedModel.ts';
import { composeSteps, type ImageStep } from './composeSteps.ts';

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'media', 'screenshots');

const MONEY = `/** Writes an amount in cents as people read it. */
export const format = cents => (cents / 100).toFixed(2);

/** Reads an amount that a person has written. */
export const parse = text => Math.round(Number(text) * 100);
`;
const OWN_LINE = `
/** Adds amounts up. */
export const sum = (...cents) => cents.reduce((total, each) => total + each, 0);
`;

const REPAIR = 'Write prices with separators for thousands';
const PROMPT = `${REPAIR}\n\n- 123456789 cents are 1,234,567.89\n- Put a test beside the others, and run it`;
const QUESTION = 'Why does format(123456789) give 1234567.89?';
const ANSWER = `\`format\` only shortens the number to two digits. Nothing in it groups the digits before the point:

\`\`\`js
(cents / 100).toFixed(2)
\`\`\`

A regular expression can put a comma before every third digit:

\`\`\`js
(cents / 100)
  .toFixed(2)
  .replace(/\\B(?=(\\d{3})+\\.)/g, ',')
\`\`\`

The task **Write prices with separators** does that, with a test.`;
const SCRIPTS: Record<string, Step[]> = {
	[REPAIR]: [
		{ do: 'read', path: 'src/money.js' },
		{ do: 'write', path: 'test/money.test.js', content: MONEY_TEST },
		{ do: 'edit', path: 'src/money.js', from: '.toFixed(2)', to: NAIVE },
		{ do: 'run', command: 'sleep 4; node --test test/money.test.js' },
		{ do: 'edit', path: 'src/money.js', from: NAIVE, to: RIGHT },
		{ do: 'run', command: 'sleep 20; node --test test/money.test.js' },
		{ do: 'say', text: 'Prices have separators for thousands now, and a test.' },
	],
	[QUESTION]: [{ do: 'say', text: ANSWER }],
};

describe('the images of the readme', () => {
	let window: AgentWindow;
	let server: EditorServer;
	let page: Page;
	const steps: ImageStep[] = [];

	before(async function () {
		await skipWithoutSandbox(this);
		window = await openAgentWindow({
			worksOn: 'origin',
			scripts: SCRIPTS,
			files: { 'src/money.js': MONEY },
			servers: 2,
			settings: ([workshop, attic]) => ({
				'errand.local.upstreams': {
					workshop: {
						url: workshop,
						prices: { input: 3, output: 15 },
						dataPolicy: { zeroDataRetention: true, storesData: false },
					},
					attic: { url: attic, prices: { input: 1, output: 5 }, dataPolicy: { storesData: true } },
				},
				'errand.chat.model': 'coder',
				'errand.chat.routing': { data_collection: 'deny' },
				'errand.tasks.model': 'coder',
				'errand.tasks.refreshInterval': 5,
				'workbench.startupEditor': 'none',
				'editor.minimap.enabled': false,
			}),
		});
		({ server, page } = window);
		await mkdir(FOLDER, { recursive: true });
		await useTheme(page, 'light');
	});

	after(() => window?.stop());

	const row = (text: string | RegExp): Locator =>
		page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: text });
	const image = async (name: string) => {
		await leaveWithPointer();
		await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
	};

	/** Moves the pointer to where it leaves no hover in the image. */
	async function leaveWithPointer(): Promise<void> {
		await page.mouse.move(0, 0);
		await page.locator('.workbench-hover:visible, .monaco-sash.hover').first().waitFor({ state: 'detached' });
	}

	/** Keeps a part of the window as the next step of the loop. */
	async function keepStep(
		caption: string,
		clip: { x: number; y: number; width: number; height: number },
	): Promise<void> {
		await leaveWithPointer();
		steps.push({ caption, image: await page.screenshot({ clip }) });
	}

	it('show the loop from the prompt to the applied change in six steps', async () => {
		await page.setViewportSize({ width: 1000, height: 640 });
		const frame = await openPrompt(page);
		await resizeChat(page, frame, 560);
		await writePrompt(page, PROMPT);
		await taskLine(frame)
			.getByRole('button', { name: /^Set Sandbox/ })
			.waitFor();
		await keepStep('Say what is to be done', { x: 380, y: 350, width: 620, height: 262 });
		await page.keyboard.press('Enter');
		// The list chooses this row when it has looked at everything.
		await row('Start Task').and(page.locator('.focused')).waitFor();
		await row(/(?<!whether )Local has access/).waitFor();
		await keepStep('See what the task will meet', { x: 190, y: 0, width: 620, height: 262 });
		await page.keyboard.press('Enter');
		await until('the task has begun', async () => logText(server, REPAIR) !== '');
		await until('the agent tests its repair', async () => /sleep 20/.test(logText(server, REPAIR)));
		// Only now: the end of the list before the task gives the focus back to the chat, which would show it again.
		await runCommand(page, 'View: Hide Secondary Side Bar');
		await keepStep('Watch it work', { x: 225, y: 354, width: 620, height: 262 });
		await until('the branch is there', async () => /git pushed/.test(logText(server, REPAIR)), 120_000);
		// The change of the user's own, with which the task's change is merged.
		appendFileSync(path.join(server.folder, 'src', 'money.js'), OWN_LINE);
		await runCommand(page, 'View: Toggle Panel Visibility');
		const review = page.locator('.multiDiffEditor');
		await chooseInMenu(page, /^Write prices/, 'Review Task Changes', () => appears(review, 10_000));
		await review.getByText('separates thousands').first().waitFor();
		await keepStep('Review what has changed', { x: 225, y: 36, width: 620, height: 262 });
		const preview = () => appears(row('money.js').first(), 5_000);
		await chooseInMenu(page, /^Write prices/, 'Apply Task Changes…', preview);
		await keepStep('Take what you want', { x: 190, y: 0, width: 620, height: 262 });
		await page.keyboard.press('Enter');
		const merged = path.join(server.folder, 'src', 'money.js');
		await until('the change is applied', async () => readFileSync(merged, 'utf8').includes(RIGHT));
		await runCommand(page, 'View: Close All Editors');
		await runCommand(page, 'Notifications: Clear All Notifications');
		await openFile(page, 'money.js');
		await page.locator('.view-line').getByText('Adds amounts up').waitFor();
		await keepStep('Keep your own edits', { x: 225, y: 36, width: 620, height: 262 });
		await composeSteps(page.context(), steps, path.join(FOLDER, 'loop.png'));
	});

	it('show the chat beside the tasks and the code', async () => {
		await page.setViewportSize({ width: 1280, height: 760 });
		await runCommand(page, 'View: Close All Editors');
		await runCommand(page, 'Notifications: Clear All Notifications');
		const frame = await openChat(page);
		await resizeChat(page, frame, 400);
		await openFile(page, 'money.js');
		await ask(frame, QUESTION);
		await replyEnds(frame);
		await turns(frame).last().getByText('$0.').first().waitFor();
		await walkTo(page, /^Write prices/);
		await page.keyboard.press('ArrowRight');
		await image('window');
	});

	it('show which providers may answer, and why the others may not', async () => {
		const frame = await openChat(page);
		await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
		await row('Preview Providers…').click();
		await row('workshop').waitFor();
		await page.screenshot({ path: path.join(FOLDER, 'routing.png'), clip: { x: 300, y: 0, width: 680, height: 262 } });
		await dismissInput(page);
	});

	it('show what is proven of an encrypted channel, and what is not', async () => {
		await page.setViewportSize({ width: 1000, height: 760 });
		await runCommand(page, 'View: Close All Editors');
		await runCommand(page, 'Errand: Show Encryption Evidence');
		await pickItem(page, 'Shared address');
		await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
		await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
		const report = await webviewFrame(page, 'attestation-report main');
		await report.getByText('Public key').first().waitFor();
		await image('attestation');
	});
});
