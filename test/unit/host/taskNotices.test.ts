import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../../src/base/event.ts';
import { TaskNotices, type TaskNoticesDependencies } from '../../../src/tasks/list/taskNotices.ts';
import type { TaskEnd } from '../../../src/tasks/model/taskEnds.ts';
import { heldBytes } from '../../support/heldMemory.ts';
import { readTask } from '../../support/readTask.ts';

describe('the notice of a task that has ended out of sight', () => {
	let offered: string[][];
	let comeBack: () => void;

	beforeEach(() => {
		offered = [];
		comeBack = assert.fail;
		Object.assign(vscode.window, {
			state: { focused: true },
			onDidChangeWindowState: (listener: (state: { focused: boolean }) => void) => {
				comeBack = () => listener({ focused: true });
				return { dispose: () => {} };
			},
			showInformationMessage: async (_: string, ...buttons: string[]) => {
				offered.push(buttons);
			},
		});
		Object.assign(vscode.workspace, { getConfiguration: () => ({ get: () => true }) });
	});
	afterEach(() => {
		for (const name of ['state', 'onDidChangeWindowState', 'showInformationMessage']) {
			Reflect.deleteProperty(vscode.window, name);
		}
		Reflect.deleteProperty(vscode.workspace, 'getConfiguration');
	});

	/** Returns what tells of the end of a task, whose notice the user dismisses. */
	function notices(others: object = {}): { end(fields: object): void; dispose(): void } {
		const ends = new Emitter<TaskEnd>();
		const told = new TaskNotices({
			ends: { onDidEnd: ends.event },
			logs: { isVisible: () => false, show: assert.fail },
			unread: { add: () => {}, look: () => {}, all: () => [] },
			...others,
		} as unknown as TaskNoticesDependencies);
		return {
			end: fields =>
				ends.fire({
					connection: 'local',
					task: readTask({ id: 'a', prompt: 'Fix it', status: 'completed', ...fields }),
				}),
			dispose: () => told.dispose(),
		};
	}

	function end(fields: object): void {
		const told = notices();
		told.end(fields);
		told.dispose();
	}

	it('leads to the changes where there are some, and else to the log alone', () => {
		end({ branchName: 'errand/fix' });
		end({});
		assert.deepEqual(offered, [
			['Review', 'Apply…', 'Log', 'Don’t Show Again'],
			['Log', 'Don’t Show Again'],
		]);
	});

	it('is taken back where the log is in view when the user comes back, also that of an earlier window', () => {
		const looked: string[] = [];
		const told = notices({
			logs: { isVisible: (_: string, id: string) => id === 'shown', show: assert.fail },
			unread: {
				all: () => ['hidden', 'shown'].map(taskId => ({ connection: 'local', taskId })),
				look: (_: string, id: string) => looked.push(id),
			},
		});
		comeBack();
		told.dispose();
		assert.deepEqual(looked, ['shown']);
	});

	it('leaves nothing of the task in memory once it is dismissed', async () => {
		const told = notices();
		const before = heldBytes();
		for (let index = 0; index < 500; index++) {
			told.end({ id: `task-${index}`, error: Buffer.alloc(20_000, `${index} `).toString() });
		}
		await new Promise(resolve => setImmediate(resolve));
		const grown = heldBytes() - before;
		told.dispose();
		assert.ok(grown < 2_000_000, `${grown} bytes of 10,000,000`);
	});
});
