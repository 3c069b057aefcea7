import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { clockTime, rowWords } from '../../src/tasks/common/messages.ts';
import type { AgentTaskList } from '../../src/tasks/list/agentTaskList.ts';
import type { TaskListStore } from '../../src/tasks/list/taskListStore.ts';
import { noticeOf } from '../../src/tasks/list/taskNotices.ts';
import type { TaskTree, TreeNode } from '../../src/tasks/list/taskTree.ts';
import { type FollowSummary, followLine } from '../../src/tasks/log/logFollowers.ts';
import type { FollowState } from '../../src/tasks/model/followState.ts';
import { readTask } from '../support/readTask.ts';
import { TaskServer } from '../support/taskServer.ts';
import { taskRows } from './taskRows.ts';

describe('what is said about tasks', () => {
	describe('in a notice', () => {
		const ended = (fields: Record<string, unknown>) =>
			noticeOf(
				readTask({ id: 'a', prompt: 'Fix the upload\nand more', completedAt: '2026-11-21T10:00:00Z', ...fields }),
			);

		it('tells what a finished task changed, or that it changed nothing', () => {
			const diffStats = { totalLinesAdded: 120, totalLinesRemoved: 8, totalFilesChanged: 4 };
			assert.deepEqual(ended({ status: 'completed', diffStats }), {
				severity: 'information',
				message: '“Fix the upload” finished: +120 −8 in 4 files.',
			});
			assert.equal(ended({ status: 'completed' })?.message, '“Fix the upload” finished.');
		});

		it('tells why a task failed, as one line', () => {
			assert.deepEqual(ended({ status: 'error', error: 'Tests still red\nafter 2 tries' }), {
				severity: 'warning',
				message: '“Fix the upload” failed: Tests still red after 2 tries',
			});
			assert.equal(ended({ status: 'error' })?.message, '“Fix the upload” failed.');
		});

		it('tells of a task that ran out of time, or was interrupted, that it needs attention', () => {
			assert.deepEqual(ended({ status: 'timeout' }), {
				severity: 'warning',
				message: '“Fix the upload” needs attention: ran out of time.',
			});
			const message = ended({ status: 'error', error: 'Interrupted: the service stopped.' })?.message;
			assert.equal(message, '“Fix the upload” needs attention: interrupted.');
		});

		it('tells nothing of a task that was stopped or is at work', () => {
			assert.equal(ended({ status: 'stopped' }), undefined);
			assert.equal(ended({ status: 'processing', completedAt: null }), undefined);
		});
	});

	describe('of a followed log', () => {
		const log = (state: FollowState, title = 'Add retry'): FollowSummary => ({ taskId: title, title, state });
		const lost = (ago: number): FollowState => {
			const since = ago === 0 ? undefined : Date.now() - ago;
			return { kind: 'reconnecting', nextIndex: 1204, attempt: 3, since };
		};

		it('is one of the states, never a wait without an end', () => {
			const since = Date.now() - 60_000;
			assert.equal(followLine([log({ kind: 'connecting' })]), 'Add retry: connecting');
			assert.equal(followLine([log({ kind: 'live' })]), 'Add retry: live');
			assert.equal(followLine([log(lost(5_000))]), 'Add retry: reconnecting at line 1,204');
			assert.equal(
				followLine([log({ kind: 'reconnecting', nextIndex: 1204, attempt: 9, since })]),
				`Add retry: not updated since ${clockTime(since)}, reconnecting at line 1,204`,
			);
			assert.equal(followLine([log({ kind: 'ended' })]), 'Add retry: ended');
			assert.equal(
				followLine([log({ kind: 'failed', reason: 'Test has no such task.' })]),
				'Add retry: not followed: Test has no such task.',
			);
		});

		it('names the one in trouble where several are followed, and how many there are', () => {
			const logs = [log({ kind: 'live' }, 'One'), log(lost(1), 'Two'), log({ kind: 'ended' }, 'Three')];
			assert.equal(followLine(logs), 'Two: reconnecting at line 1,204 (3 followed)');
			assert.equal(followLine([]), undefined);
		});
	});

	describe('in the tree', () => {
		let server: TaskServer;
		let client: Client;
		let store: TaskListStore;
		let agentTasks: AgentTaskList;
		let tree: TaskTree;
		let states: Map<string, FollowState>;

		beforeEach(async () => {
			server = await TaskServer.start();
			client = createClient({
				connection: { ...server.connection, agentUrl: server.address },
				keys: () => Promise.resolve('test'),
				transport: createFetchTransport((input, init) => fetch(input, init)),
			});
			states = new Map();
			({ store, agentTasks, tree } = taskRows(client, {
				followState: id => states.get(id),
				loadsAgentTasks: true,
			}));
		});

		afterEach(async () => {
			store.dispose();
			agentTasks.dispose();
			await server.stop();
		});

		async function everyNode(): Promise<TreeNode[]> {
			const top = await tree.getChildren();
			const below = await Promise.all(top.map(node => tree.getChildren(node)));
			return [...top, ...below.flat()];
		}

		it('is told to a screen reader for every kind of item and every state', async () => {
			const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
			const end = { completedAt: ago(3 * 60_000) };
			for (let index = 0; index < 50; index++) {
				server.add({ id: `old-${index}`, status: 'completed', createdAt: ago(40 * 864e5) });
			}
			server.add({ id: 'live', prompt: 'Add retry', progress: 45, selectedAgent: 'agent-a', branchName: 'errand/x' });
			server.add({ id: 'lost', prompt: 'Update docs', status: 'saving' });
			server.add({ id: 'waits', prompt: 'Wait', status: 'pending' });
			server.add({ id: 'odd', prompt: 'Odd', status: 'reticulating' });
			server.add({ id: 'stops', prompt: 'Stop me' });
			server.add({ id: 'failed', prompt: 'Fix upload', status: 'error', error: 'Tests still red', ...end });
			server.add({ id: 'late', prompt: 'Too long', status: 'timeout', ...end });
			server.add({ id: 'cut', prompt: 'Cut off', status: 'error', error: 'Interrupted: the service stopped.', ...end });
			const diffStats = { totalLinesAdded: 120, totalLinesRemoved: 8, totalFilesChanged: 4 };
			server.add({ id: 'done', prompt: 'Rename keys', status: 'completed', diffStats, prNumber: 42, ...end });
			server.add({ id: 'stopped', prompt: 'Try new parser', status: 'stopped', ...end });
			server.add({ id: 'bare', prompt: '', status: 'completed', ...end });
			server.agentReply = {
				status: 200,
				body: { tasks: [{ taskId: 'run-1', status: 'running', model: 'm', createdAt: ago(60_000) }], hasMore: true },
			};
			states.set('live', { kind: 'live' });
			states.set('lost', { kind: 'reconnecting', nextIndex: 1204, attempt: 2, since: Date.now() });
			await tree.getChildren();
			store.setStopping('stops', true);
			const spoken = new Map<string, string>();
			for (const node of await everyNode()) {
				const item = tree.getTreeItem(node);
				const label = item.accessibilityInformation?.label ?? '';
				assert.ok(item.accessibilityInformation?.role, `no role: ${JSON.stringify(node)}`);
				assert.ok(label.length > 0, `nothing is said of ${JSON.stringify(node)}`);
				assert.doesNotMatch(label, /undefined|NaN|\$\(/);
				spoken.set('taskId' in node ? node.taskId : node.kind === 'group' ? node.group.kind : node.kind, label);
			}
			const said = Object.fromEntries([...spoken].filter(([id]) => !id.startsWith('old-')));
			assert.deepEqual(said, {
				attention: 'Needs attention, 3 tasks',
				active: 'Active, 5 tasks',
				day: said['day'],
				more: 'Load more tasks',
				agentGroup: 'Agent API tasks, 1 task',
				agentTask: 'run-1, running, m, 1 min',
				agentMore: 'Load more tasks',
				live: 'Add retry, 45 %, agent-a, errand/x, live',
				lost: 'Update docs, saving, reconnecting at line 1,204',
				waits: 'Wait, queued, now',
				odd: 'Odd, reticulating, now',
				stops: 'Stop me, stopping, now',
				failed: 'Fix upload, failed, 3 min, Tests still red',
				late: 'Too long, ran out of time, 3 min',
				cut: 'Cut off, interrupted, 3 min, Interrupted: the service stopped.',
				done: 'Rename keys, completed, +120 −8 in 4 files, PR 42, 3 min',
				stopped: 'Try new parser, stopped, 3 min',
				bare: 'Untitled task, completed, 3 min',
			});
		});

		it('is never an icon that turns, nor one that stands for two outcomes', async () => {
			const end = { completedAt: new Date().toISOString() };
			const statuses = ['pending', 'processing', 'saving', 'completed', 'error', 'stopped', 'timeout'];
			for (const status of statuses) {
				server.add({ id: status, status, ...(statuses.indexOf(status) > 2 ? end : {}) });
			}
			await tree.getChildren();
			const icons = statuses.map(status => tree.getTreeItem(tree.taskNode(status)).iconPath as vscode.ThemeIcon);
			assert.equal(new Set(icons.map(({ id }) => id)).size, statuses.length);
			for (const { id, color } of icons) {
				assert.doesNotMatch(id, /~spin/);
				assert.ok(color instanceof vscode.ThemeColor);
			}
		});
	});

	it('of an age is in the unit that a person would say', () => {
		assert.deepEqual([59_999, 60_000, 3_599_999, 3_600_000, 86_400_000].map(rowWords.age), [
			'now',
			'1 min',
			'59 min',
			'1 h',
			'1 d',
		]);
	});
});
