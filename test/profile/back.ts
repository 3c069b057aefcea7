// What an earlier build makes of what the present one has written: `npm run profile` runs this with ERRAND_TEST_EARLIER,
// the project's folder at that build.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { nullLogger } from '../../src/base/logger.ts';
import type { Conversation, Turn } from '../../src/chat/model/conversation.ts';
import { ConversationStore } from '../../src/chat/storage/conversationStore.ts';
import { SharedState } from '../../src/platform/sharedState.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { TaskStore } from '../../src/service/store/taskStore.ts';
import { ApplyRecordFile } from '../../src/tasks/apply/applyRecord.ts';
import { CommentStore } from '../../src/tasks/review/commentStore.ts';
import { newTask } from '../support/taskStoreSuite.ts';
import { AGENT_WORK, reply, TURN_IDS, turn } from '../unit/chat/conversations.ts';
import { keptProfiles, restoreService, restoreStorage, workspaceStateFolder } from './profile.ts';

const earlier = process.env['ERRAND_TEST_EARLIER'] ?? assert.fail('ERRAND_TEST_EARLIER is needed');
const COMMIT = 'a'.repeat(40);
const REPOSITORY = '/widgets';

/** A turn with the newest that the format has. */
const NEWEST: Turn = {
	...turn(
		TURN_IDS[0],
		'What is new?',
		reply({
			work: {
				...AGENT_WORK,
				approvals: 'ask-for-commands',
				steps: [
					{
						...{ id: 'one', offset: 0, kind: 'edit', state: 'done', title: 'Edit', startedAt: 1_000 },
						...{ mcpTool: 'sums/add', mcpHost: 'sums.example' },
						approval: { state: 'once', decides: 'build' },
						states: [
							{
								...{ repository: REPOSITORY, before: COMMIT, commit: COMMIT },
								...{ fileCount: 1, linesAdded: 1, linesRemoved: 0 },
							},
						],
					},
				],
			},
		}),
	),
	attachments: [{ kind: 'web', label: 'A page', text: 'text', path: 'https://pages.example' }],
	instructions: [{ kind: 'file', label: 'AGENTS.md', text: 'text' }],
	from: { turn: TURN_IDS[1], step: 'one', title: 'Edit', states: [] },
};

/** A message and its answer. */
const PLAIN = turn(TURN_IDS[0], 'Is it plain?', reply());

const taskCountOf = (database: DatabaseSync): number =>
	new TaskStore(database).list({ limit: 100, offset: 0 }).tasks.length;

for (const kept of keptProfiles) {
	for (const [what, added] of [
		['a message', PLAIN],
		['a message with all that is new', NEWEST],
	] as const) {
		describe(`${what} and the tasks of the profile ${path.basename(kept)}, written by this build and opened by an earlier one`, () => {
			let folder: string;
			let found: { conversations: { id: string; outcome: string; turns?: number }[] } & Record<string, unknown>;
			let written: Map<string, Conversation>;
			let taskCount: number;
			let database: Buffer;

			const store = () => new ConversationStore(path.join(folder, 'conversations'), nullLogger);
			const stateFile = () => path.join(folder, 'state.sqlite');
			const comments = () => new CommentStore(new SharedState(path.join(folder, 'state'), nullLogger));

			async function openAll(): Promise<Map<string, Conversation>> {
				const { conversations, repairs } = await store().list();
				assert.deepEqual(repairs, []);
				const opened = await Promise.all(conversations.map(({ id }) => store().open(id)));
				return new Map(
					opened.map(outcome => {
						assert.ok(outcome.kind === 'opened' && outcome.repair === undefined);
						return [outcome.conversation.id, outcome.conversation];
					}),
				);
			}

			before(async () => {
				folder = mkdtempSync(path.join(os.tmpdir(), 'errand-profile-'));
				const places = {
					kept,
					folder: REPOSITORY,
					origin: '/origin',
					workshop: 'https://w.example',
					acme: 'https://a.example',
				};
				restoreStorage(folder, folder, places);
				restoreService(folder, places);
				renameSync(workspaceStateFolder(folder, places), path.join(folder, 'state'));
				for (const { id } of (await store().list()).conversations) {
					const outcome = await store().open(id);
					assert.ok(outcome.kind === 'opened');
					const { conversation, writer } = outcome;
					const { turns, head = '' } = conversation;
					await writer.save({ ...conversation, turns: [...turns, { ...added, previous: head }], head: added.id });
				}
				const opened = openDatabase(stateFile());
				new TaskStore(opened).create(newTask('added'));
				taskCount = taskCountOf(opened);
				opened.close();
				const [thread] = comments().all();
				assert.ok(thread);
				await comments().reply(thread, 'A comment of this build.');
				const record = new ApplyRecordFile(folder);
				await record.write((await record.read()) ?? assert.fail());
				written = await openAll();
				database = readFileSync(stateFile());
				const program = path.resolve('test', 'profile', 'earlier.ts');
				const { stdout } = await promisify(execFile)(process.execPath, [program, earlier, folder]);
				found = JSON.parse(stdout);
			});

			after(() => rmSync(folder, { recursive: true, force: true }));

			it('are all there, or are refused and left as they are', async () => {
				assert.equal(found.conversations.length, written.size);
				for (const { id, outcome, turns } of found.conversations) {
					const { turns: all = [] } = written.get(id) ?? {};
					assert.ok(outcome === 'newer' || (outcome === 'opened' && turns === all.length), `${id}: ${outcome}`);
				}
				const isRefused = /newer version of Errand/.test(JSON.stringify(found['tasks']));
				if (isRefused) {
					assert.ok(readFileSync(stateFile()).equals(database));
				} else {
					assert.equal(found['tasks'], taskCount);
				}
				assert.deepEqual([found['comments'], found['application']], [1, 2]);
			});

			it('are there for this build once more, with what the earlier one has added', async () => {
				const now = await openAll();
				for (const { id, outcome } of found.conversations) {
					const { turns = [] } = now.get(id) ?? {};
					const before = written.get(id)?.turns ?? [];
					const ids = (of: readonly Turn[]) => of.map(one => [one.id, one.question, one.replies[0].text]);
					assert.deepEqual(ids(turns.slice(0, before.length)), ids(before));
					assert.equal(turns.length, before.length + (outcome === 'opened' ? 1 : 0));
				}
				const opened = openDatabase(stateFile());
				assert.equal(taskCountOf(opened), taskCount);
				opened.close();
				assert.deepEqual(
					comments()
						.all()
						.flatMap(thread => thread.comments)
						.map(({ text }) => text)
						.slice(-1),
					['A comment of this build.'],
				);
			});

			it('have every field that they had', async () => {
				const now = await openAll();
				for (const [id, { turns }] of written) {
					assert.deepEqual(now.get(id)?.turns.slice(0, turns.length), turns);
				}
			});
		});
	}
}
