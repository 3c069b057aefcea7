import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Memento } from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import { type Conversation, shownTurns, versionsOf } from '../../src/chat/model/conversation.ts';
import { ConversationStore } from '../../src/chat/storage/conversationStore.ts';
import { ImageStore } from '../../src/chat/storage/imageStore.ts';
import { PageStateFile } from '../../src/chat/storage/pageStateFile.ts';
import { inputSecret } from '../../src/contract/mcpServers.ts';
import { KeyStore } from '../../src/models/keys/keyStore.ts';
import { connectionKey, serverKey } from '../../src/models/model/keyFormat.ts';
import { readConnection } from '../../src/models/model/readConnection.ts';
import { settingScopes } from '../../src/platform/ids.ts';
import { SharedState, StateEntries } from '../../src/platform/sharedState.ts';
import { ConsentStore } from '../../src/service/store/consentStore.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { FolderStore } from '../../src/service/store/folderStore.ts';
import { TaskStore } from '../../src/service/store/taskStore.ts';
import { ApplyRecordFile } from '../../src/tasks/apply/applyRecord.ts';
import { PromptDraft } from '../../src/tasks/launch/promptFile.ts';
import { ScratchBranches } from '../../src/tasks/launch/scratchBranches.ts';
import { TaskArchive, type TaskArchiveDependencies } from '../../src/tasks/list/taskArchive.ts';
import { UnreadTasks } from '../../src/tasks/list/unreadTasks.ts';
import { LogFiles } from '../../src/tasks/log/logFile.ts';
import { FOLLOW_UP_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import { ResultReferences } from '../../src/tasks/results/resultReferences.ts';
import { TaskStarts } from '../../src/tasks/results/taskStarts.ts';
import { CommentStore } from '../../src/tasks/review/commentStore.ts';
import {
	keptEditorState,
	keptProfiles,
	keptSettings,
	type Places,
	restoreService,
	restoreStorage,
	workspaceStateFolder,
} from '../profile/profile.ts';
import { words } from '../profile/words.ts';

// What is kept is never changed to make one of these pass. A change that it does not survive needs a migration.
for (const kept of keptProfiles) {
	describe(`a profile that an earlier build has left (${path.basename(kept)})`, () => opensProfile(kept));
}

function opensProfile(kept: string): void {
	/** The first profile has no steps, compositions, MCP servers and no team. */
	const isFirst = !readFileSync(path.join(kept, 'service.sql'), 'utf8').includes(words.race);
	const unlessFirst = <T>(...values: T[]): T[] => (isFirst ? [] : values);
	const itLater = isFirst ? () => {} : it;
	const titles = [
		...unlessFirst(words.server),
		...[words.agent, words.image, words.acme, words.moved],
		...unlessFirst(words.team),
		words.title,
	];
	let scratch: string;
	let places: Places;
	let globalStorage: string;
	let workspaceStorage: string;
	let state: SharedState;
	let database: DatabaseSync;
	let tasks: TaskStore;

	before(() => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-profile-'));
		const [folder, origin] = ['widgets', 'origin.git'].map(name => path.join(scratch, name)) as [string, string];
		places = { kept, folder, origin, workshop: 'https://workshop.example', acme: 'https://acme.example' };
		[globalStorage, workspaceStorage] = [path.join(scratch, 'global'), path.join(scratch, 'workspace')];
		restoreStorage(globalStorage, workspaceStorage, places);
		restoreService(path.join(scratch, 'service'), places);
		state = new SharedState(workspaceStateFolder(globalStorage, places), nullLogger);
		database = openDatabase(path.join(scratch, 'service', 'state.sqlite'));
		tasks = new TaskStore(database);
	});

	after(() => {
		database?.close();
		rmSync(scratch, { recursive: true, force: true });
	});

	const conversations = () => path.join(globalStorage, 'conversations');
	const listed = () => new ConversationStore(conversations(), nullLogger).list();
	const allTasks = () => tasks.list({ limit: 100, offset: 0 }).tasks;
	const taskOf = (prompt: string) => allTasks().find(task => task.prompt === prompt) ?? assert.fail(prompt);

	async function open(title: string): Promise<Conversation> {
		const { conversations: all } = await listed();
		const { id } = all.find(conversation => conversation.title === title) ?? assert.fail(title);
		const outcome = await new ConversationStore(conversations(), nullLogger).open(id);
		assert.ok(outcome.kind === 'opened' && outcome.repair === undefined, title);
		return outcome.conversation;
	}

	describe('in the chat', () => {
		it('lists its conversations in their order', async () => {
			const { conversations: all, repairs, unreadable } = await listed();
			assert.deepEqual(
				all.map(({ title, turnCount }) => [title, turnCount]),
				titles.map(title => [title, title === words.title ? 3 : 1]),
			);
			assert.deepEqual([repairs.length, unreadable], [0, 0]);
		});

		it('has all of each turn', async () => {
			for (const title of titles) {
				const { id, turns } = await open(title);
				const [, ...lines] = readFileSync(path.join(conversations(), `${id}.jsonl`), 'utf8')
					.trim()
					.split('\n');
				assert.deepEqual(
					turns,
					lines.map(line => JSON.parse(line)),
				);
			}
		});

		it('has all of each turn once more after it has written them', async () => {
			for (const title of titles) {
				const before = await open(title);
				const outcome = await new ConversationStore(conversations(), nullLogger).open(before.id);
				assert.ok(outcome.kind === 'opened');
				await outcome.writer.save({ ...before, mode: 'search' });
				assert.deepEqual(await open(title), { ...before, mode: 'search' });
				await outcome.writer.save(before);
			}
		});

		it('has both versions of a message, and shows the one that was shown', async () => {
			const conversation = await open(words.title);
			const shown = shownTurns(conversation);
			assert.deepEqual(
				shown.map(({ question }) => question),
				[words.edited, words.next],
			);
			const versions = shown.slice(0, 1).flatMap(turn => versionsOf(conversation, turn));
			assert.deepEqual(
				versions.map(({ question, attachments }) => [question, attachments?.[0]?.path]),
				[
					[words.question, 'src/price.ts'],
					[words.edited, 'src/price.ts'],
				],
			);
		});

		it('has the image, and what an agent has done', async () => {
			const { id, turns } = await open(words.image);
			const image = turns[0]?.replies[0].image;
			assert.ok(image && 'file' in image);
			const images = new ImageStore(conversations(), () => assert.fail('it is loaded again'), nullLogger);
			assert.deepEqual((await images.read(id, image.file))?.subarray(1, 4), Buffer.from('PNG'));
			const { work } = (await open(words.agent)).turns[0]?.replies[0] ?? {};
			const steps = work?.steps.map(({ kind, state: end, isTaken }) => [kind, end, isTaken ?? false]);
			assert.deepEqual(steps, [
				['read', 'done', false],
				['edit', 'done', true],
				['edit', 'done', true],
				['execute', 'failed', false],
			]);
		});

		itLater('has what an agent has done with an MCP server, and its files after each step', async () => {
			const workOf = async (title: string) => (await open(title)).turns[0]?.replies[0].work?.steps ?? [];
			assert.deepEqual(
				(await workOf(words.server)).map(({ mcpTool, state: end }) => [mcpTool, end]),
				[['sums/add', 'done']],
			);
			assert.ok((await workOf(words.agent)).some(({ states }) => states?.[0]?.fileCount === 1));
		});

		it('has the draft', async () => {
			const page = await new PageStateFile(path.join(workspaceStorage, 'chatPage.json')).read();
			assert.equal(JSON.parse(page ?? '{}').draft, words.draft);
		});
	});

	describe('in the tasks', () => {
		it('has what the workspace remembers', async () => {
			const { id } = taskOf(words.task);
			assert.equal(new PromptDraft(state).text, words.prompt);
			assert.equal(new UnreadTasks(state).countOf('local'), 1);
			assert.equal(new TaskStarts(state).commitOf(id), '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb');
			const comments = new CommentStore(state).threads(id).flatMap(thread => thread.comments);
			assert.deepEqual(
				comments.map(({ text }) => text),
				[words.comment],
			);
			const isText = (value: unknown): value is string => typeof value === 'string';
			assert.equal(new StateEntries(state, FOLLOW_UP_ENTRIES, isText).get(id), words.followUp);
		});

		it('has the results that it brought into the repository', async () => {
			const dependencies = {
				workspaceState: state,
				connection: () => 'local',
				place: async () => undefined,
				logger: nullLogger,
			};
			const found: string[] = [];
			const isListed = (taskId: string) => found.push(taskId) > 0;
			await new ResultReferences(dependencies).sweep('local', isListed, async () => false);
			const race = unlessFirst(words.race, words.race, words.race);
			assert.deepEqual(found.sort(), [words.task, ...race].map(prompt => taskOf(prompt).id).sort());
		});

		it('has the scratch branch of the task that was running', async () => {
			const dependencies = { workspaceState: state, place: async () => undefined, onKept() {}, logger: nullLogger };
			const asked: string[] = [];
			await new ScratchBranches(dependencies).sweep(
				'local',
				id => asked.push(id) < 0,
				() => true,
			);
			assert.deepEqual(asked, [taskOf(words.running).id]);
		});

		it('has the log that was followed', async () => {
			const log = new LogFiles(path.join(workspaceStorage, 'followed')).of(
				JSON.stringify(['local', taskOf(words.running).id]),
			);
			const { lines = [] } = (await log.read()) ?? {};
			assert.match(lines.join('\n'), /Cloning errand-scratch-[\s\S]*Working slowly, line 2 of 100/);
		});

		it('has what was archived', () => {
			const values = new Map(Object.entries(keptEditorState(places).globalState));
			const globalState: Memento = {
				keys: () => [...values.keys()],
				get: (key: string) => values.get(key) as never,
				update: async () => assert.fail('something is written'),
			};
			const active = { current: { name: 'local' } };
			const archive = new TaskArchive({ globalState, active } as never as TaskArchiveDependencies);
			assert.deepEqual(
				allTasks()
					.filter(({ id, status, completedAt }) => archive.has({ id, status, completedAt: completedAt ?? undefined }))
					.map(({ prompt }) => prompt),
				[words.archived],
			);
		});

		it('has the application that can be undone', async () => {
			const record = await new ApplyRecordFile(workspaceStorage).read();
			assert.equal(record?.directory, places.folder);
			assert.deepEqual(
				record?.files.map(({ before, after }) => [before?.path, after?.path]),
				[
					[undefined, 'STOCK.md'],
					['src/stock.ts', 'src/stock.ts'],
				],
			);
		});
	});

	describe('in the local service', () => {
		it('has the tables and columns of a new state file', () => {
			const columns = (one: DatabaseSync) =>
				one
					.prepare(
						`SELECT t.name AS tableName, c.name, c.type, c."notnull", c.dflt_value, c.pk
					FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2`,
					)
					.all();
			const fresh = openDatabase(path.join(scratch, 'fresh.sqlite'));
			try {
				assert.deepEqual(columns(database), columns(fresh));
			} finally {
				fresh.close();
			}
		});

		it('lists its tasks with their states', () => {
			assert.deepEqual(
				allTasks().map(({ prompt, status, interrupted }) => [prompt, status, interrupted]),
				[
					[words.running, 'processing', false],
					[words.interrupted, 'error', true],
					[words.stopped, 'stopped', false],
					[words.archived, 'completed', false],
					...unlessFirst([words.race, 'completed', false]),
					[words.failed, 'error', false],
					[words.task, 'completed', false],
				],
			);
		});

		it('has what the agents have done, their logs and what they have used', () => {
			const task = taskOf(words.task);
			const [execution] = tasks.executions(task);
			const { sandboxed, linesAdded, filesChanged, testFilesChanged } = execution ?? {};
			assert.deepEqual(
				{ sandboxed, linesAdded, filesChanged, testFilesChanged },
				{
					sandboxed: true,
					linesAdded: 2,
					filesChanged: 2,
					testFilesChanged: 0,
				},
			);
			for (const { prompt, ...other } of allTasks()) {
				assert.match(
					tasks
						.entries({ prompt, ...other }, 0, 1_000)
						.map(({ message }) => message)
						.join('\n'),
					/Clon/,
				);
			}
			assert.deepEqual(
				tasks.modelUse.ofTask(task).map(({ model, provider, calls, inputTokens }) => ({
					model,
					provider,
					calls,
					inputTokens,
				})),
				[{ model: 'coder', provider: 'workshop', calls: 3, inputTokens: 3_000 }],
			);
			assert.equal(tasks.modelUse.months().length, 1);
		});

		itLater('has the steps of an agent, what was composed of two of them, and the names of MCP servers', () => {
			const task = taskOf(words.task);
			const [step] = tasks.steps.list(task, 0, 10);
			assert.match(String(step?.tree), /^[\da-f]{40}$/);
			assert.deepEqual(task.mcpServers, ['sums']);
			const race = taskOf(words.race);
			const { results, files } = tasks.composition(race, 2) ?? {};
			assert.deepEqual([results?.length, files], [2, [{ paths: ['errand-demo.md'], agents: [1] }]]);
		});

		it('has what the user has allowed, and the repositories', () => {
			const allowed = { hosts: ['registry.example:443'], allowsScripts: false };
			assert.deepEqual(new ConsentStore(database).dependencies(places.origin), allowed);
			assert.deepEqual(new FolderStore(database).all(), [places.origin]);
		});
	});

	it('has no setting and no stored value that the present build does not know', () => {
		const settings = Object.keys(keptSettings(places));
		const stored = [...state.keys(), ...Object.keys(keptEditorState(places).globalState)];
		const names = new Set(stored.map(key => key.split('/', 1)[0] ?? ''));
		const source = globSync('src/**/*.ts').map(file => readFileSync(file, 'utf8'));
		assert.deepEqual(
			[
				...settings.filter(id => !(id in settingScopes)),
				...[...names].filter(name => !source.some(text => text.includes(`'${name}'`))),
			],
			[],
		);
	});

	describe('in its keys', () => {
		const secrets = () => {
			const kept = keptEditorState(places).secrets;
			const refuse = () => assert.fail('a key is written');
			return { get: async (name: string) => kept[name], store: refuse, delete: refuse };
		};
		const usable = (name: string, connections: unknown) => {
			const read = readConnection(name, connections);
			assert.ok('connection' in read);
			return new KeyStore(secrets(), () => {}).usable(connectionKey(read.connection, 'inference'));
		};

		it('sends the key of a connection to where it was saved for, and nowhere else', async () => {
			const connections = keptSettings(places)['errand.connections'] as Record<string, object>;
			const sent = { key: words.keys.acme, mustBeConfirmed: false };
			assert.deepEqual(await usable('acme', connections), sent);
			assert.deepEqual(await usable('moved', connections), { mustBeConfirmed: true });
			const elsewhere = { ...connections['acme'], apiUrl: 'https://elsewhere.example' };
			assert.deepEqual(await usable('acme', { acme: elsewhere }), { mustBeConfirmed: true });
		});

		it('sends the key of a model server to where it was saved for, and nowhere else', async () => {
			const keys = new KeyStore(secrets(), () => {});
			const sent = await keys.usable(serverKey('workshop', `${places.workshop}/v1`));
			assert.deepEqual(sent, { key: words.keys.workshop, mustBeConfirmed: false });
			const elsewhere = await keys.usable(serverKey('workshop', 'https://elsewhere.example/v1'));
			assert.deepEqual(elsewhere, { mustBeConfirmed: true });
		});

		itLater('has the key of a team, the value that an MCP server wants, and the yes to its tools', async () => {
			const sent = { key: words.keys.team, mustBeConfirmed: false };
			assert.deepEqual(await usable('team', keptSettings(places)['errand.connections']), sent);
			const server = { folder: undefined, name: 'sums' };
			assert.equal(await secrets().get(inputSecret(server, '', 'key')), words.keys.server);
			const known = keptEditorState(places).globalState['errand.mcpServers'] as Record<string, object>;
			assert.deepEqual(Object.keys(known), [JSON.stringify(['', 'sums'])]);
		});
	});
}
