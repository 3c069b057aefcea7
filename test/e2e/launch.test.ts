import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { makeSampleRepository, type SampleRepository } from '../../scripts/sampleRepository.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, keys } from '../support/contractServer/fixtures.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	dialog,
	dismissInput,
	openFile,
	pickInMenu,
	pickItem,
	pickThrough,
	quickRow,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	composerHasCursor,
	confirmTask,
	openChat,
	openPrompt,
	openPromptEditor,
	promptEditor,
	taskLine,
	taskShows,
	writePrompt,
} from '../support/errandWindow.ts';
import { chooseBothAgents } from '../support/raceOfAgents.ts';

describe('from the wish to start a task to its being sent', () => {
	let scratch: string;
	let sample: SampleRepository;
	let service: ContractServer;
	let server: EditorServer;
	let page: Page;
	let chat: Frame;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-launch-'));
		sample = makeSampleRepository(path.join(scratch, 'widgets'));
		service = await ContractServer.start();
		const { models, ...fields } = connectionFields(service);
		server = await startEditor({
			folder: sample.folder,
			settings: {
				'errand.connections': { quillon: { label: 'Quillon', ...fields, models } },
				'editor.codeLens': true,
			},
		});
		({ page } = await openWindow(server));
		chat = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await service?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const git = (...args: string[]) => execFileSync('git', ['-C', sample.folder, ...args], { encoding: 'utf8' });
	const origin = (...args: string[]) => execFileSync('git', ['-C', sample.origin, ...args], { encoding: 'utf8' });
	const row = (text: string | RegExp) => quickRow(page, text);
	const composer = () => chat.locator('chat-composer textarea');
	const promptText = () => composer().inputValue();
	const askToStart = () => page.keyboard.press('Enter');
	/** Puts the cursor into the prompt again and asks. */
	const askToStartAgain = async () => {
		await composer().click();
		await askToStart();
	};

	const promptIsUsed = () => until('the prompt is used', async () => (await promptText()) === '');

	it('tells what the next task uses, and lets each of it be changed where the prompt is written', async () => {
		const line = taskLine(await openPrompt(page));
		const choice = (name: RegExp) => line.getByRole('button', { name });
		await choice(/^Select Branch: main/).waitFor();
		await choice(/^Select Repository: widgets/).waitFor();
		await choice(/^Select Agents: Demo$/).waitFor();
		await choice(/^Select Models: demo$/).waitFor();
		await choice(/^Set Cost Limit: No cost limit/).waitFor();
		await choice(/^Set Sandbox: /).waitFor();
		await screenshot(page, 'launch-empty');
		git('checkout', '--quiet', '-b', 'zz-other');
		await choice(/^Select Branch: zz-other/).waitFor();
		await choice(/^Select Branch/).click();
		await pickItem(page, 'main');
		await choice(/^Select Branch: main/).waitFor();
		await choice(/^Select Agents/).click();
		await row('Demo Two').click();
		await row(/^Demo(?! Two)/)
			.first()
			.click();
		await page.keyboard.press('Enter');
		await choice(/^Select Agents: Demo Two$/).waitFor();
		await composer().fill('Not yet');
		await composer().press('Enter');
		// What was chosen is not asked again, and the draft stays until a task is made of it.
		await row('Branch').filter({ hasText: 'main' }).first().waitFor();
		await row('Agent').filter({ hasText: 'Demo Two' }).first().waitFor();
		// The list is drawn again with the service's answer, and would take an Escape of that moment along.
		await row('Local knows “widgets”').waitFor();
		await dismissInput(page);
		await composerHasCursor(chat);
		assert.equal(await promptText(), 'Not yet');
		await choice(/^Select Agents/).click();
		await row('Demo Two').click();
		await row(/^Demo(?! Two)/)
			.first()
			.click();
		await page.keyboard.press('Enter');
		await choice(/^Select Agents: Demo$/).waitFor();
		git('checkout', '--quiet', 'main');
		git('branch', '--quiet', '--delete', 'zz-other');
	});

	it('moves a longer prompt into an editor of its own, which says what it is for, and back', async () => {
		await composer().fill('Write this');
		const editor = await openPromptEditor(page);
		await until('the composer is empty', async () => (await promptText()) === '');
		await editor.locator('.view-lines').getByText('Write').first().waitFor();
		await page.keyboard.press('ControlOrMeta+A');
		await page.keyboard.press('Delete');
		// What stands before the text is drawn as well, and is empty.
		await editor.locator('.view-lines [class*="ced-"]').last().waitFor();
		await screenshot(page, 'launch-editor');
		assert.equal(await editor.locator('.empty-editor-hint').count(), 0, 'the editor has no hint of its own there');
		await page.keyboard.insertText('Write all of this');
		await editor.locator('.codelens-decoration').getByText('Start Task…').waitFor();
		await editor.locator('.codelens-decoration').getByText('Back to Chat').click();
		await until('it is back', async () => (await promptText()) === 'Write all of this');
		await until('its editor is closed', async () => (await promptEditor(page).count()) === 0);
		await composerHasCursor(chat);
	});

	it('takes uncommitted files along on a scratch branch, which is gone when the task has ended', async () => {
		const prompt = 'Work on what is not committed';
		writeFileSync(path.join(sample.folder, 'src', 'price.ts'), 'export const price = 1;\n');
		writeFileSync(path.join(sample.folder, 'notes.txt'), 'not tracked\n');
		git('commit', '--quiet', '--allow-empty', '--message', 'Not pushed yet');
		const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('stash', 'list'), git('for-each-ref')];
		await writePrompt(page, prompt);
		await askToStart();
		await row('2 files are not committed').filter({ hasText: 'notes.txt, src/price.ts' }).waitFor();
		await row('1 commit is not on origin yet').filter({ hasText: 'Will be pushed to origin' }).waitFor();
		await row('Local knows “widgets”').waitFor();
		await screenshotInThemes(page, 'launch-preflight', async () => {
			await askToStartAgain();
			await row('Local knows “widgets”').waitFor();
		});
		const size = page.viewportSize();
		await page.setViewportSize({ width: 500, height: 800 });
		await screenshot(page, 'launch-preflight-narrow');
		await (size && page.setViewportSize(size));
		await row('2 files are not committed').hover();
		await row('2 files are not committed').locator('.quick-input-list-entry-action-bar .action-label').click();
		await row('2 files are not committed').filter({ hasText: 'They go along on a scratch branch' }).waitFor();
		await screenshot(page, 'launch-preflight-scratch');
		await confirmTask(page);
		await taskShows(page, prompt, 'in 1 file');
		const scratches = origin('for-each-ref', '--format=%(refname)', 'refs/heads/errand-scratch-*');
		const [result = ''] = origin('for-each-ref', '--format=%(refname:short)', 'refs/heads/errand').split('\n');
		assert.match(origin('ls-tree', '-r', '--name-only', result), /^notes\.txt$/m);
		assert.match(origin('log', '--format=%s', result), /Uncommitted changes\nNot pushed yet\n/);
		await until('the scratch branch is gone', async () => !/errand-scratch/.test(origin('for-each-ref')));
		assert.deepEqual(
			[git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('stash', 'list'), git('for-each-ref')],
			before,
			`the working repository was touched (${scratches})`,
		);
		await promptIsUsed();
	});

	it('pushes the commits that its row says it will push, and warns of no account that this machine does not have', async () => {
		const prompt = 'Work on what is pushed first';
		assert.notEqual(origin('rev-parse', 'main'), git('rev-parse', 'main'));
		await writePrompt(page, prompt);
		await askToStart();
		// The choice for this repository was remembered.
		await row('2 files are not committed').filter({ hasText: 'They go along on a scratch branch' }).waitFor();
		await row('Local knows “widgets”').waitFor();
		assert.equal(await row(/account|dashboard/i).count(), 0);
		await screenshot(page, 'launch-preflight-second-task');
		await row('2 files are not committed').click();
		await row('2 files are not committed').filter({ hasText: 'They stay out' }).waitFor();
		await row('Start Task').filter({ hasText: '1 unpushed commit (will be pushed)' }).click();
		await taskShows(page, prompt, 'in 1 file');
		assert.equal(origin('rev-parse', 'main'), git('rev-parse', 'main'));
		assert.doesNotMatch(origin('for-each-ref'), /errand-scratch/);
	});

	it('starts from the branch whose words are typed and entered at once', async () => {
		git('branch', 'zz-release');
		await writePrompt(page, 'Work on what was released');
		await askToStart();
		await row('Branch').filter({ hasText: 'main' }).first().waitFor();
		await pickThrough(page, 'Branch', 'Start Task: Branch');
		await row('main').first().waitFor();
		// The extension has not drawn what is typed when Enter comes, and the editor finds words in no other order.
		await page.keyboard.insertText('release zz');
		await page.keyboard.press('Enter');
		await row('Branch').filter({ hasText: 'zz-release' }).first().waitFor();
		await dismissInput(page);
		git('branch', '--delete', 'zz-release');
	});

	it('lets two agents of this machine work on one prompt, each on a branch of its own', async () => {
		const results = () => origin('for-each-ref', '--format=%(refname)', 'refs/heads/errand').trim().split('\n');
		const before = results();
		await writePrompt(page, 'Work on it together');
		await askToStart();
		await chooseBothAgents(page);
		await screenshot(page, 'launch-two-agents');
		await confirmTask(page);
		await until('both branches are there', async () => results().length === before.length + 2);
		await screenshot(page, 'launch-two-agents-done');
		const branches = results().filter(name => !before.includes(name));
		for (const branch of branches) {
			assert.match(origin('log', '--format=%B', '-1', branch), /Work on it together/);
			assert.match(origin('diff', '--name-only', 'main', branch), /^errand-demo.*\.md$/m);
		}
	});

	it('begins a prompt with the selection, and with a comment that asks for work', async () => {
		const file = path.join(sample.folder, 'src', 'todo.ts');
		writeFileSync(file, '// TODO: round the prices\nexport const rounded = true;\n');
		await openFile(page, 'todo.ts');
		const code = page.locator('.monaco-editor[data-uri$="/src/todo.ts"]');
		await code.locator('.view-line').first().click();
		await page.keyboard.press('ControlOrMeta+Home');
		await until('the quick fix is offered', async () => {
			await code.locator('.view-line').first().click();
			await page.keyboard.press('ControlOrMeta+.');
			const action = page.locator('.action-widget').getByText('Start Task for This TODO');
			const isOffered = await action.waitFor({ timeout: 3_000 }).then(
				() => true,
				() => false,
			);
			if (isOffered) {
				await screenshot(page, 'launch-todo');
				await action.click();
			}
			return isOffered;
		});
		await until('the prompt holds the comment', async () =>
			/Do what the comment says at `src\/todo\.ts:1`/.test(await promptText()),
		);
		await openFile(page, 'todo.ts');
		await code.locator('.view-line').nth(1).click({ clickCount: 3 });
		await page.keyboard.press('Shift+F10');
		await pickInMenu(page, 'Start Task…');
		await until('the draft is kept and the selection added', async () =>
			/comment says[\s\S]*`src\/todo\.ts:2`:[\s\S]*export const rounded/.test(await promptText()),
		);
		await screenshot(page, 'launch-selection');
	});

	/** `arrived` is what the link brings about. */
	const openLink = async (query: string, arrived: Locator) => {
		await runCommand(page, 'Developer: Open URL');
		await answerInput(page, `vscode://errand.errand/start-task?${query}`);
		const allow = page.locator('.monaco-dialog-box').getByRole('button', { name: 'Open', exact: true });
		await until('the link arrives', async () => {
			// The editor asks once whether the extension may open it.
			if (await allow.isVisible()) {
				await allow.click();
			}
			return arrived.isVisible();
		});
	};

	it('says in a sentence what is wrong with a hostile link, and sends nothing of it', async () => {
		await openLink(
			'prompt=Mend&branch=--upload-pack%3Did',
			toast(page, 'begins with a hyphen, so nothing of it is used'),
		);
		await screenshot(page, 'launch-link-hostile');
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	it('shows the prompt of a link beside a draft that is there, and sends nothing by itself', async () => {
		const question = dialog(page, 'a draft is written already');
		await openLink('prompt=Mend%20the%20link&branch=main', question);
		await screenshot(page, 'launch-link-draft');
		await question.getByRole('button', { name: 'Replace the Draft' }).click();
		await until('the prompt of the link is shown', async () => (await promptText()) === 'Mend the link');
		await toast(page, 'This prompt came with a link').waitFor();
		await screenshot(page, 'launch-link');
		await runCommand(page, 'Notifications: Clear All Notifications');
		assert.equal(origin('for-each-ref', '--format=x', 'refs/heads/errand').trim().split('\n').length, 4);
	});

	it('names what hinders a service elsewhere, and sends several agents on one prompt to it', async () => {
		const prompt = 'Paint the buoys';
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('Quillon').click();
		await toast(page, 'Quillon is in use now').waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await writePrompt(page, prompt);
		await askToStart();
		await page.locator('.quick-input-widget:visible').getByText('Cloud token of Quillon').waitFor();
		await answerInput(page, keys.cloud);
		await row('The address of remote “origin” cannot be cloned from elsewhere').first().waitFor();
		await row('The task cannot be started yet').waitFor();
		await screenshot(page, 'launch-hindered');
		await dismissInput(page);
		git('remote', 'set-url', 'origin', 'https://robin:secret@forge.example/harbour-crew/harbour.git');
		await askToStartAgain();
		await row('Quillon knows “widgets”').waitFor();
		await row('The remote’s address holds a name or a password').waitFor();
		await pickThrough(page, 'Branch', 'release/2025');
		await row('release/2025').filter({ hasText: 'only on origin, seen by Quillon' }).click();
		await row('Start Task').filter({ hasText: 'release/2025' }).waitFor();
		await pickThrough(page, 'Agent', 'Weaver');
		await row('Weaver').first().click();
		await row('Smith').filter({ hasText: 'smith-lite' }).click();
		await screenshot(page, 'launch-agents');
		await page.keyboard.press('Enter');
		await row('Start Task').filter({ hasText: 'Weaver (weaver-3), Smith (smith-lite)' }).waitFor();
		await pickItem(page, 'Dependencies');
		await row('Dependencies').filter({ hasText: 'installed first' }).waitFor();
		await pickThrough(page, 'Time', 'Start Task: Time');
		await answerInput(page, '45');
		await row('Start Task').filter({ hasText: 'with dependencies, 45 min at most' }).waitFor();
		await screenshot(page, 'launch-preflight-remote');
		const creations = () => service.received.filter(({ method, path: at }) => method === 'POST' && at === '/api/tasks');
		await confirmTask(page, () => creations().length > 0);
		assert.equal(creations().length, 1);
		const [{ json } = {}] = creations();
		assert.deepEqual(json, {
			prompt,
			repoUrl: 'https://forge.example/harbour-crew/harbour.git',
			selectedBranch: 'release/2025',
			selectedAgents: [
				{ agent: 'mason', model: 'mason-large' },
				{ agent: 'weaver', model: 'weaver-3' },
				{ agent: 'smith', model: 'smith-lite' },
			],
			installDependencies: true,
			maxDuration: 2700,
		});
		assert.doesNotMatch(JSON.stringify(service.received), /robin|secret/);
		await promptIsUsed();
	});

	it('starts on a repository that is not open here, with a model that is not listed', async () => {
		const before = service.received.length;
		await writePrompt(page, 'Count the ropes');
		await askToStart();
		await row('Quillon knows “widgets”').waitFor();
		await pickThrough(page, 'Repository', 'Choose Another Repository…');
		await row('Choose Another Repository…').click();
		await row('Another Owner…').waitFor();
		await screenshot(page, 'launch-owners');
		await row('tide-lab').click();
		await toast(page, 'Quillon sees no repository of “tide-lab” that it can clone').waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await askToStartAgain();
		await pickThrough(page, 'Repository', 'Choose Another Repository…');
		await row('Choose Another Repository…').click();
		await row('Another Owner…').click();
		await page.locator('.quick-input-widget:visible').getByText('The name of the user or organisation').waitFor();
		await answerInput(page, 'harbour-crew');
		await row('buoys').waitFor();
		await screenshot(page, 'launch-repositories');
		await page.keyboard.type('page');
		await until('the list is searched', async () => (await row(/./).count()) === 1);
		await row('harbour').click();
		await row('Quillon knows “harbour-crew/harbour”').waitFor();
		await row('Start Task')
			.filter({ hasText: 'Quillon clones https://forge.example/harbour-crew/harbour.git' })
			.waitFor();
		assert.equal(await row('not committed').count(), 0);
		await pickThrough(page, 'Agent', 'Another Model…');
		await row('Another Model…').click();
		await page.keyboard.press('Enter');
		await pickItem(page, 'Smith');
		await page.locator('.quick-input-widget:visible').getByText('The model’s name as the service knows it').waitFor();
		await answerInput(page, 'smith-next');
		await row('Agents').filter({ hasText: 'Smith (smith-next)' }).waitFor();
		await pickThrough(page, 'Branch', 'feature/tide#4');
		await row('feature/tide#4').click();
		await row('Start Task').filter({ hasText: 'feature/tide#4, Mason' }).waitFor();
		await screenshot(page, 'launch-preflight-elsewhere');
		const sent = () => service.received.slice(before).filter(({ method }) => method === 'POST');
		await confirmTask(page, () => sent().length > 0);
		assert.deepEqual(sent()[0]?.json, {
			prompt: 'Count the ropes',
			repoUrl: 'https://forge.example/harbour-crew/harbour.git',
			selectedBranch: 'feature/tide#4',
			selectedAgents: [
				{ agent: 'mason', model: 'mason-large' },
				{ agent: 'smith', model: 'smith-next' },
			],
			installDependencies: false,
			maxDuration: 1800,
		});
	});
});
