// Fills the profile anew: `npm run test:e2e -- test/profile/fill.ts`. It is no test, but it needs what those through the
// window need. Everything is done through a real window, as a user would do it over some days.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Frame } from 'playwright-core';
import { nullLogger } from '../../src/base/logger.ts';
import { taskListSchema, taskReplySchema } from '../../src/contract/tasks.ts';
import { SharedState, StateEntries } from '../../src/platform/sharedState.ts';
import { ConsentStore } from '../../src/service/store/consentStore.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { UnreadTasks } from '../../src/tasks/list/unreadTasks.ts';
import { FOLLOW_UP_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import { CommentStore } from '../../src/tasks/review/commentStore.ts';
import { type AgentWindow, openAgentWindow } from '../support/agentWindow.ts';
import { answerQuestion } from '../support/chatAgentWindow.ts';
import {
	acceptPicks,
	answerInput,
	changeSettings,
	clickRow,
	dismissInput,
	pickThrough,
	quickRow,
	runCommand,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInMenu,
	confirmTask,
	localService,
	openChat,
	openPromptEditor,
	replyEnds,
	replyText,
	runInChat,
	sendMessage,
	startTask,
	taskRow,
	taskShows,
	turns,
	writePrompt,
} from '../support/errandWindow.ts';
import { startRace } from '../support/raceOfAgents.ts';
import { ReplyServer } from '../support/replyServer.ts';
import type { Step } from '../support/scriptedModel.ts';
import { keepProfile } from './keep.ts';
import { keptFolder, type Places, workspaceStateFolder } from './profile.ts';
import { words } from './words.ts';

const SERVER = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

/** An MCP server that wants a value. */
const sums = (command: string, args: readonly string[]) => ({
	sums: { command, args, env: { SECRET: `\${input:key}` } },
});

const call = (tool: string, input: object): Step => ({ do: 'call', tool, input });
const SCRIPTS: Record<string, Step[]> = {
	[words.question]: [{ do: 'say', text: 'A widget costs what its **price** says, in cents.' }],
	[words.edited]: [{ do: 'say', text: 'Ten widgets cost *ten times* as much.' }],
	[words.next]: [{ do: 'say', text: 'They are cheaper from the eleventh on.' }],
	[words.agent]: [
		call('read', { path: 'src/price.ts' }),
		call('edit', { path: 'src/price.ts', old: 'widgets.length > 10', new: 'widgets.length >= 10' }),
		call('write', { path: 'NEWS.md', content: 'Ten are cheaper.\n' }),
		call('run', { command: 'touch made.txt' }),
		{ do: 'say', text: 'Ten widgets are **cheaper** now.' },
	],
	[words.server]: [call('mcp', { tool: 'sums/add', arguments: { a: 2, b: 3 } }), { do: 'say', text: 'It is five.' }],
	[words.task]: [
		call('edit', {
			path: 'src/stock.ts',
			old: 'amounts.set(id, left - 1)',
			new: 'amounts.set(id, Math.max(0, left - 1))',
		}),
		call('write', { path: 'STOCK.md', content: 'No stock is below zero.\n' }),
		{ do: 'say', text: 'The stock stays at zero.' },
	],
};

/** Adds a file of the workspace to the message that is not sent yet. */
async function addFile(chat: Frame, name: string): Promise<void> {
	const offered = chat.getByRole('option', { selected: true }).filter({ hasText: name });
	await chat.locator('chat-composer textarea').click();
	await chat.locator('chat-composer textarea').pressSequentially(`#${name}`);
	await offered.waitFor();
	await chat.locator('chat-composer textarea').press('Enter');
	await chat.locator('chat-composer chat-chips .label').getByText(name).waitFor();
}

describe('the profile', () => {
	let window: AgentWindow;
	let acme: ReplyServer;

	before(async () => {
		acme = await ReplyServer.start();
		acme.endpoints = ['/chat/completions'];
		window = await openAgentWindow({
			worksOn: 'origin',
			scripts: SCRIPTS,
			settings: ([url]) => ({
				'errand.local.upstreams': { workshop: { url, models: [{ id: 'coder' }], prices: { input: 3, output: 15 } } },
				'errand.connections': {
					acme: { label: 'Acme', apiUrl: acme.url, service: 'acme', models: [{ id: 'acme-large' }] },
					moved: { label: 'Moved', apiUrl: acme.url, service: 'moved', models: [{ id: 'moved-small' }] },
					team: {
						...{ label: 'Team', apiUrl: acme.url, enterpriseUrl: `${acme.url}/enterprise`, cloudUrl: acme.url },
						...{ service: 'team', scm: 'github', decisionModel: 'team-decisions', models: [{ id: 'team-large' }] },
					},
				},
				'errand.agents.mcpServers': sums(process.execPath, [SERVER, 'honest']),
				'errand.local.agents': [
					{ id: 'mine', label: 'Mine', command: 'mine-of-acme', account: { hosts: ['login.acme.example'] } },
				],
				'errand.local.allowedAccounts': { mine: ['login.acme.example'] },
				'errand.chat.model': 'coder',
				'errand.chat.instructions': 'Answer in one sentence.',
				'errand.chat.parameters': { temperature: 0.5 },
				'errand.chat.routing': { sort: 'price' },
				'errand.tasks.refreshInterval': 5,
			}),
		});
	});

	after(async () => {
		await window?.stop();
		await acme?.stop();
	});

	it('is filled by the present build', async function () {
		this.timeout(0);
		const { page, server, models } = window;
		// Commits would otherwise have the name of whoever uses this machine.
		for (const git of [window.git, window.origin]) {
			git('config', 'user.name', 'Robin Acme');
			git('config', 'user.email', 'robin@acme.example');
		}
		const settings = (changed: Record<string, unknown>) => changeSettings(page, server, changed);
		let chat = await openChat(page);
		acme.script = () => ({ text: 'Acme answers.' });

		await runCommand(page, 'Errand: Manage Keys…');
		await clickRow(page, 'workshop', () =>
			page.locator('.quick-input-widget:visible input[type=password]').isVisible(),
		);
		await answerInput(page, words.keys.workshop);

		// A conversation with a version of a message, a file and a title.
		await addFile(chat, 'price.ts');
		await ask(chat, words.question);
		await replyEnds(chat);
		await turns(chat).first().hover();
		await chat.getByRole('button', { name: 'Edit and Send Again' }).click();
		await chat.getByRole('textbox', { name: 'Edit message' }).fill(words.edited);
		await chat.getByRole('textbox', { name: 'Edit message' }).press('Enter');
		await until('the version is answered', async () => /ten times/.test(await replyText(chat)));
		await ask(chat, words.next);
		await replyEnds(chat);
		await runCommand(page, 'Errand: Open Conversation…');
		const shown = quickRow(page, 'current').first();
		await shown.hover();
		await shown.getByRole('button', { name: 'Rename…' }).click();
		await answerInput(page, words.title);
		await dismissInput(page);

		// One with a key of its own, and one whose connection moves elsewhere afterwards.
		for (const [name, label] of [
			['team', 'Team'],
			['moved', 'Moved'],
			['acme', 'Acme'],
		] as const) {
			await runCommand(page, 'Errand: Switch or Add Connection…');
			await clickRow(page, label, async () => server.settings()['errand.connection'] === name);
			await runInChat(page, chat, 'Errand: New Conversation');
			await chat.getByText(`on ${label}`).first().waitFor();
			await sendMessage(chat, words[name]);
			await answerInput(page, words.keys[name]);
			await until('it answers', async () => (await turns(chat).count()) === 1);
			await replyEnds(chat);
		}
		await settings({ 'errand.connection': 'local' });

		await runInChat(page, chat, 'Errand: New Conversation');
		await ask(chat, `/image ${words.image}`);
		await turns(chat).last().locator('chat-image img').waitFor();

		await runInChat(page, chat, 'Errand: New Conversation');
		await sendMessage(chat, `/agent ${words.agent}`);
		await answerInput(page, words.keys.server);
		await answerQuestion(chat, 'Allow Once');
		await answerQuestion(chat, 'Allow Once');
		await answerQuestion(chat, 'No');
		await replyEnds(chat);
		await chat.getByText('2 files changed in your files').waitFor();

		await runInChat(page, chat, 'Errand: New Conversation');
		await sendMessage(chat, `/agent ${words.server}`);
		await answerQuestion(chat, 'Allow sums/add Here');
		await replyEnds(chat);

		await startTask(page, words.task);
		await taskShows(page, words.task, 'in 2 files', 120_000);
		const list = page.locator('.quick-input-widget:visible');
		await chooseInMenu(page, new RegExp(words.task), 'Apply Task Changes…', () =>
			list.getByText('stock.ts').isVisible(),
		);
		await acceptPicks(page, 'stock.ts');
		await until('they are applied', async () => /STOCK/.test(window.git('status', '--porcelain')));
		const lines = page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"] .view-lines');
		await chooseInMenu(page, new RegExp(words.task), 'Open Task Log as Document', () => lines.isVisible(), 'Log');

		await writePrompt(page, words.failed);
		await page.keyboard.press('Enter');
		await pickThrough(page, 'Agent', 'Demo');
		await quickRow(page, /^Errand/)
			.first()
			.click();
		await quickRow(page, /^Demo(?! Two)/)
			.first()
			.click();
		await page.keyboard.press('Enter');
		await quickRow(page, 'Agent').filter({ hasText: 'Demo' }).first().waitFor();
		await confirmTask(page);
		await taskShows(page, words.failed, 'failed');
		await startRace(page, words.race);
		await taskShows(page, words.race, 'completed');
		await compose(window);
		await writePrompt(page, words.archived);
		await page.keyboard.press('Enter');
		await pickThrough(page, 'Agents', 'Demo Two');
		await quickRow(page, 'Demo Two').click();
		await page.keyboard.press('Enter');
		await quickRow(page, 'Agent').filter({ hasText: 'Demo' }).first().waitFor();
		await confirmTask(page);
		await taskShows(page, words.archived, 'in 1 file');
		const isGone = async () => (await taskRow(page, words.archived).count()) === 0;
		await chooseInMenu(page, new RegExp(words.archived), 'Archive or Unarchive Task…', isGone);
		await startTask(page, words.stopped);
		const isStopped = async () => /stopped/i.test(await taskRow(page, words.stopped).innerText());
		await chooseInMenu(page, /stopped halfway/, 'Stop Task…', isStopped);
		await startTask(page, words.interrupted);
		await taskShows(page, words.interrupted, '%');
		process.kill(localService(server)?.pid ?? 0, 'SIGKILL');
		await taskShows(page, words.interrupted, 'interrupted');

		// The last task still runs when the machine goes down, on a scratch branch.
		await writePrompt(page, words.running);
		await page.keyboard.press('Enter');
		await clickRow(page, 'uncommitted files', async () => (await quickRow(page, 'on a scratch branch').count()) > 0);
		await confirmTask(page);
		await taskShows(page, words.running, '%');
		await writePrompt(page, words.prompt);
		await openPromptEditor(page);
		chat = await openChat(page);
		await runInChat(page, chat, 'Errand: New Conversation');
		await addFile(chat, 'widget.ts');
		await chat.locator('chat-composer textarea').fill(words.draft);
		await settings({
			'errand.connections': {
				...(server.settings()['errand.connections'] as object),
				moved: { label: 'Moved', apiUrl: 'http://127.0.0.1:9', service: 'moved', models: [{ id: 'moved-small' }] },
			},
		});
		const places = {
			kept: path.join(keptFolder, new Date().toISOString().slice(0, 10)),
			folder: window.folder,
			origin: window.origin('rev-parse', '--absolute-git-dir').trim(),
			workshop: new URL(models[0]?.url ?? '').origin,
			acme: acme.url,
		};
		// A window stores the last of its state when it closes.
		await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
		// No other machine has the server where it is on this one.
		const settingsFile = path.join(server.dataFolder, 'server', 'data', 'Machine', 'settings.json');
		const machine = { ...JSON.parse(readFileSync(settingsFile, 'utf8')), 'errand.agents.mcpServers': sums('sums', []) };
		writeFileSync(settingsFile, JSON.stringify(machine));
		await addRest(window, places);
		await keepProfile(page.context(), { dataFolder: server.dataFolder, places });
	});
});

/** Composes a further result of the race, as the page of the comparison asks for it. */
async function compose({ server, origin }: AgentWindow): Promise<void> {
	const { address, token } = localService(server) ?? assert.fail();
	const ask = async (route: string, body?: object) => {
		const reply = await fetch(address + route, {
			headers: { Authorization: `Bearer ${token}` },
			...(body && { method: 'POST', body: JSON.stringify(body) }),
		});
		assert.equal(reply.status, 200, await reply.clone().text());
		return reply.json();
	};
	const { tasks } = taskListSchema.parse(await ask('/api/tasks'));
	const { id } = tasks.find(task => task?.prompt === words.race) ?? assert.fail();
	const raceNow = async () => taskReplySchema.parse(await ask(`/api/tasks/${id}`));
	const { agentExecutions } = await raceNow();
	const commits = (agentExecutions ?? []).map(({ branchName }) => origin('rev-parse', branchName ?? '').trim());
	await ask(`/api/tasks/${id}/compositions`, {
		base: origin('merge-base', ...commits).trim(),
		results: commits.map((commit, agent) => ({ agent, commit })),
		files: [{ paths: ['errand-demo.md'], agents: [1] }],
	});
	await until('the composition is there', async () => {
		const { status, agentExecutions: results } = await raceNow();
		return status === 'completed' && results?.[2]?.status === 'completed';
	});
}

/** Adds what would take long to do in the window, by the code that does it there. */
async function addRest(window: AgentWindow, places: Places): Promise<void> {
	const { dataFolder } = window.server;
	const database = openDatabase(path.join(dataFolder, 'service', 'state.sqlite'));
	new ConsentStore(database).allow(places.origin, {
		kind: 'dependencies',
		hosts: ['registry.example:443'],
		allowsScripts: false,
	});
	const [task] = database.prepare('SELECT id FROM tasks WHERE prompt = ?').all(words.task);
	database.close();
	const globalStorage = path.join(dataFolder, 'server', 'data', 'User', 'globalStorage', 'errand.errand');
	const state = new SharedState(workspaceStateFolder(globalStorage, places), nullLogger);
	const taskId = String(task?.['id']);
	await new CommentStore(state).begin(
		{
			taskId,
			resultKey: taskId,
			side: 'after',
			directory: places.folder,
			path: 'STOCK.md',
			object: window.git('rev-parse', `refs/errand/tasks/${taskId}:STOCK.md`).trim(),
			quote: ['No stock is below zero.'],
			firstLine: 0,
			lastLine: 0,
		},
		words.comment,
	);
	new UnreadTasks(state).add('local', taskId);
	await new StateEntries(state, FOLLOW_UP_ENTRIES, (_): _ is string => true).set(taskId, words.followUp);
}
