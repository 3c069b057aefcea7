import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CHANGE_SCHEME } from '../../src/platform/ids.ts';
import { DraftFileSystem } from '../../src/tasks/common/draftFileSystem.ts';
import { changeUri } from '../../src/tasks/results/changeUri.ts';
import type { ChangesState } from '../../src/tasks/results/taskChanges.ts';
import { CommentPrompts } from '../../src/tasks/review/commentPrompts.ts';
import { CommentStore } from '../../src/tasks/review/commentStore.ts';
import { ReviewComments } from '../../src/tasks/review/reviewComments.ts';
import { readTask } from '../support/readTask.ts';
import { State } from '../support/state.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { closeRepository, openRepository } from './gitExtension.ts';

/** Three versions of a file, by the names that git gives them. */
const objects: Record<'first' | 'second' | 'third', string> = { first: '', second: '', third: '' };
const texts = {
	first: 'zero\none\ntwo\nthree\n',
	second: 'new\nzero\none\ntwo\nthree\n',
	third: 'gone\n',
};
type Version = keyof typeof texts;

/** The threads that the editor was given, which it does not list itself. */
interface MadeThread {
	thread: vscode.CommentThread;
	isDisposed: boolean;
}

describe('comments on what a task has changed', () => {
	let repository: TemporaryRepository;
	let state: State;
	let store: CommentStore;
	let comments: ReviewComments;
	let made: MadeThread[];
	let problems: unknown[];
	const disposables: vscode.Disposable[] = [];
	const original = vscode.comments.createCommentController;

	const uriOf = (version: Version) => changeUri(partsOf(version));
	const partsOf = (version: Version) => ({
		...{ resultKey: 'task', taskId: 'task', side: 'after' as const },
		...{ directory: repository.path, path: 'src/a.ts', object: objects[version] },
	});

	before(async () => {
		repository = await TemporaryRepository.create();
		for (const version of ['first', 'second', 'third'] as const) {
			await repository.write(version, texts[version]);
			objects[version] = (await repository.git('hash-object', '-w', version)).trim();
		}
		await openRepository(repository.path);
		(vscode.comments as { createCommentController: typeof original }).createCommentController = (id, label) => {
			const controller = original(`${id}.test`, label);
			// What the editor gives cannot be changed, so it is wrapped.
			return Object.create(controller, {
				createCommentThread: {
					value: (...values: Parameters<typeof controller.createCommentThread>) => {
						const thread = controller.createCommentThread(...values);
						const entry: MadeThread = { thread, isDisposed: false };
						const dispose = () => {
							entry.isDisposed = true;
							thread.dispose();
						};
						entry.thread = Object.create(thread, { dispose: { value: dispose } });
						made.push(entry);
						return entry.thread;
					},
				},
			});
		};
	});

	after(async () => {
		await closeRepository(repository.path);
		await repository.remove();
		(vscode.comments as { createCommentController: typeof original }).createCommentController = original;
	});

	beforeEach(() => {
		state = new State();
		made = [];
		problems = [];
		store = new CommentStore(state);
		comments = new ReviewComments(store, error => problems.push(error));
	});

	afterEach(async () => {
		comments.dispose();
		store.dispose();
		for (const disposable of disposables.splice(0)) {
			disposable.dispose();
		}
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	const shown = () => made.filter(({ isDisposed }) => !isDisposed).map(({ thread }) => thread);
	const bodies = () => shown().map(thread => thread.comments.map(({ body }) => body));

	/** A thread as the editor makes it for the user, who has not written anything yet. */
	function begun(version: Version, line: number): vscode.CommentThread {
		const controller = original('test.begun', 'Begun');
		disposables.push(controller);
		return controller.createCommentThread(uriOf(version), new vscode.Range(line, 0, line + 1, 0), []);
	}

	it('are kept with the lines that they are on, and are there in the next window', async () => {
		await store.begin(
			{
				...partsOf('first'),
				...{ firstLine: 2, lastLine: 3, quote: ['two', 'three'] },
			},
			'Why **this**?',
		);
		assert.deepEqual(bodies(), [['Why **this**?']]);
		const [thread] = shown();
		assert.equal(thread?.uri.toString(), uriOf('first').toString());
		assert.deepEqual([thread?.range?.start.line, thread?.range?.end.line], [2, 3]);
		assert.equal(thread?.label, 'Comment for the agent');
		comments.dispose();
		assert.deepEqual(bodies(), []);
		comments = new ReviewComments(new CommentStore(state), error => problems.push(error));
		assert.deepEqual(bodies(), [['Why **this**?']]);
	});

	describe('in a document', () => {
		before(function () {
			if (vscode.workspace.fs.isWritableFileSystem(CHANGE_SCHEME) === undefined) {
				this.skip();
			}
		});

		it('are saved from a thread of the editor’s, changed, given up and deleted', async () => {
			await vscode.window.showTextDocument(uriOf('first'));
			await comments.save({ thread: begun('first', 1), text: 'Why?' });
			assert.deepEqual(problems, []);
			assert.deepEqual(store.all()[0]?.place.quote, ['one', 'two']);
			assert.deepEqual(bodies(), [['Why?']]);
			const [thread] = shown();
			const [comment] = thread?.comments ?? [];
			comments.edit(comment);
			assert.equal(thread?.comments[0]?.mode, vscode.CommentMode.Editing);
			comments.cancel(comment);
			assert.deepEqual([thread?.comments[0]?.mode, bodies()], [vscode.CommentMode.Preview, [['Why?']]]);
			comments.edit(thread?.comments[0]);
			await comments.save(Object.assign({}, thread?.comments[0], { body: 'Why not?' }));
			assert.deepEqual([thread?.comments[0]?.mode, bodies()], [vscode.CommentMode.Preview, [['Why not?']]]);
			await comments.save({ thread, text: 'And this?' });
			assert.deepEqual(bodies(), [['Why not?', 'And this?']]);
			await comments.remove(thread?.comments[0]);
			await comments.remove(thread?.comments[0]);
			assert.deepEqual([bodies(), store.all()], [[], []]);
		});

		it('move to the present version of their file, and say that they are on an earlier one', async () => {
			await vscode.window.showTextDocument(uriOf('first'));
			await comments.save({ thread: begun('first', 2), text: 'Why?' });
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			await vscode.window.showTextDocument(uriOf('second'));
			const moved = () => shown().find(({ uri }) => uri.toString() === uriOf('second').toString());
			await waitFor('the comment in the present version', () => moved() !== undefined);
			assert.deepEqual([moved()?.range?.start.line, moved()?.label], [3, 'On an earlier version']);
			await vscode.window.showTextDocument(uriOf('third'));
			const left = () => shown().find(({ uri }) => uri.toString() === uriOf('third').toString());
			await waitFor('the comment where its lines are gone', () => left() !== undefined);
			assert.equal(left()?.label, 'On an earlier version');
		});
	});

	it('are refused where they are too long, and their text can be had back', async () => {
		await store.begin(
			{
				...partsOf('first'),
				...{ firstLine: 2, lastLine: 3, quote: [] },
			},
			'Why?',
		);
		const long = ['x', 'y'].map(letter => letter.repeat(10_001));
		const { showWarningMessage } = vscode.window;
		const said: string[] = [];
		Object.assign(vscode.window, {
			showWarningMessage: async (message: string, copy: string) => {
				said.push(message);
				return copy;
			},
		});
		try {
			await comments.save({ thread: shown()[0], text: long[0] });
			await waitFor('the text of the reply', async () => (await vscode.env.clipboard.readText()) === long[0]);
			await comments.save(Object.assign({}, shown()[0]?.comments[0], { body: long[1] }));
			await waitFor('the changed text', async () => (await vscode.env.clipboard.readText()) === long[1]);
		} finally {
			Object.assign(vscode.window, { showWarningMessage });
		}
		assert.ok(said.every(message => message.includes('longer than 10,000 characters')));
		assert.deepEqual([bodies(), problems], [[['Why?']], []]);
		await comments.save({ thread: 'nonsense', text: 1 });
		await comments.save(undefined);
		await comments.remove({ commentId: 'gone', threadId: 'gone', body: '' });
		assert.deepEqual([bodies(), problems], [[['Why?']], []]);
		await vscode.commands.executeCommand('notifications.clearAll');
	});

	describe('as a follow-up', () => {
		let prompts: CommentPrompts;
		let sent: string[];
		let isTaken: boolean;
		let changes: ChangesState | undefined;
		let count = 0;

		beforeEach(async () => {
			sent = [];
			isTaken = true;
			changes = undefined;
			// The scheme of the extension that runs here is taken.
			const scheme = `errand-follow-up-test-${count++}`;
			const task = readTask({ id: 'task', status: 'completed', prompt: 'Do it', branchName: 'errand/do-it' });
			prompts = new CommentPrompts({
				scheme,
				workspaceState: state,
				store,
				changes: { state: () => changes },
				connection: { ensureKey: async () => true },
				tasks: {
					get: async () => task,
					pick: async () => undefined,
					send: async (_task, { branch }, prompt) => {
						sent.push(`${branch}: ${prompt}`);
						return isTaken;
					},
				},
				explain: error => problems.push(error),
			});
			disposables.push(prompts, new DraftFileSystem(scheme, prompts));
			await store.begin(
				{
					...partsOf('first'),
					...{ firstLine: 2, lastLine: 2, quote: ['two'] },
				},
				'Why?',
			);
		});

		const editor = () => vscode.window.visibleTextEditors.find(({ document }) => /Follow-up/.test(document.uri.path));
		const textOf = () => editor()?.document.getText() ?? '';

		it('are shown in one prompt, which is sent once, with what was written into it', async () => {
			await prompts.open('task');
			assert.deepEqual(problems, []);
			assert.match(textOf(), /^\n\nThese are my comments.*\n\n`src\/a\.ts:3`\n\n```ts\ntwo\n```\n\nWhy\?\n$/);
			assert.deepEqual(sent, []);
			const shownEditor = editor() ?? assert.fail();
			await shownEditor.edit(edit => edit.insert(new vscode.Position(0, 0), 'Take your time.'));
			const { uri } = shownEditor.document;
			await Promise.all([prompts.send(uri), prompts.send(uri)]);
			assert.deepEqual(problems, []);
			assert.equal(sent.length, 1);
			assert.match(sent[0] ?? '', /^errand\/do-it: Take your time\.\n\nThese are/);
			assert.ok(!store.hasUnsent('task'));
			assert.equal(shown()[0]?.state, vscode.CommentThreadState.Resolved);
			await waitFor('the prompt to be closed', () => editor() === undefined);
			assert.equal(prompts.read(uri), undefined);
		});

		it('stay unsent, and the prompt open, where the service has not taken them', async () => {
			isTaken = false;
			await prompts.open('task');
			const { uri } = editor()?.document ?? assert.fail();
			await prompts.send(uri);
			assert.equal(sent.length, 1);
			assert.ok(store.hasUnsent('task'));
			assert.match(textOf(), /Why\?/);
		});

		it('are written anew where they have changed and nothing was written into the prompt', async () => {
			await prompts.open('task');
			const [thread] = store.all();
			await store.reply(thread ?? assert.fail(), 'And this?');
			await prompts.open('task');
			assert.match(textOf(), /Why\?\n\nAnd this\?\n$/);
		});
	});
});
