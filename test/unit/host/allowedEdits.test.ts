import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ToolCall, ToolDiff } from '../../../src/agents/session/events.ts';
import { AllowedEdits } from '../../../src/chat/agent/allowedEdits.ts';
import { forgetStates, keepState, repositoriesOf } from '../../../src/chat/agent/checkpoints.ts';
import { windowChanges } from './useAgentRuns.ts';
import { useOpenRepository } from './useOpenRepository.ts';

const NOTES = 'one\ntwo\n// off: grant(user);\nfour\n';

describe('edits of an agent that were allowed', () => {
	const { root, inRoot } = useOpenRepository();
	const conversation = randomUUID();
	let names: string[];
	let edits: AllowedEdits;
	let made: [string, boolean][];
	let tell: (step: string) => void;

	beforeEach(async () => {
		names = await readdir(root());
		await writeFile(inRoot('notes.txt'), NOTES);
		const [place = assert.fail()] = (await repositoriesOf([root()])).places;
		const before = await keepState(place, conversation);
		const kept = { place, before, taken: before };
		[made, tell] = [[], () => {}];
		const apply = windowChanges();
		edits = new AllowedEdits({
			locate: name => ({ kept, path: name }),
			conversation,
			take: range => apply.takeAllowed(range),
			onMade: async (step, isTaken) => {
				made.push([step, isTaken]);
				tell(step);
			},
		});
	});
	afterEach(async () => {
		const now = await readdir(root());
		await Promise.all(now.filter(name => !names.includes(name)).map(name => rm(inRoot(name), { recursive: true })));
		for (const { directory } of (await repositoriesOf([root()])).places) {
			await forgetStates(directory, conversation);
		}
	});

	const callOf = (diffs: readonly ToolDiff[], others: Partial<ToolCall> = {}): ToolCall => ({
		id: 'edit',
		title: 'Edit',
		kind: 'edit',
		status: 'pending',
		locations: [],
		output: '',
		diffs,
		...others,
	});
	const planOf = (...diffs: ToolDiff[]) => edits.plan(callOf(diffs), named => named);
	/** Plans, allows and makes an edit, and returns what was shown of it. */
	const make = async (diff: ToolDiff, id = 'edit') => {
		const planned = (await planOf(diff)) ?? assert.fail('nothing was planned');
		edits.allow(id, planned);
		edits.made(callOf([diff], { id, status: 'completed' }));
		await edits.settled();
		return planned.shown;
	};
	const notes = () => readFile(inRoot('notes.txt'), 'utf8');

	it('are shown as whole lines of the file, whatever part of them the agent tells', async () => {
		const [shown] = await make({ path: 'notes.txt', oldText: '// off: ', newText: '' });
		assert.deepEqual(shown, { path: 'notes.txt', before: NOTES, after: NOTES.replace('// off: ', '') });
		assert.equal(await notes(), NOTES.replace('// off: ', ''));
		assert.deepEqual(made, [['edit', true]]);
	});

	it('are about the file of exactly this name', async () => {
		assert.equal(await planOf({ path: ':/notes.txt', oldText: 'one', newText: 'ONE' }), undefined);
		for (const named of ['../notes.txt', '/notes.txt', 'C:/notes.txt', 'notes\ud800.txt']) {
			assert.equal(await planOf({ path: named, newText: 'x' }), undefined, named);
		}
	});

	it('are not planned if the agent shows a different file from the one there, or removes one', async () => {
		assert.equal(await planOf({ path: 'notes.txt', newText: 'new' }), undefined);
		assert.equal(await planOf({ path: 'notes.txt', oldText: 'other', newText: 'new' }), undefined);
		assert.equal(await planOf({ path: 'notes.txt', oldText: NOTES, newText: '' }), undefined);
		assert.equal(
			await edits.plan(callOf([{ path: 'notes.txt', newText: '' }], { kind: 'delete' }), named => named),
			undefined,
		);
	});

	it('never put a new file in the place of another one, nor below it', async () => {
		await make({ path: 'notes.txt/more.txt', newText: 'more\n' });
		assert.deepEqual(made, [['edit', false]]);
		assert.equal(await notes(), NOTES);
	});

	it('leave the user’s lines as they are if both have changed them, without marks of a conflict', async () => {
		const planned = (await planOf({ path: 'notes.txt', oldText: 'two', newText: 'TWO' })) ?? assert.fail();
		await writeFile(inRoot('notes.txt'), NOTES.replace('two', 'mine'));
		edits.allow('edit', planned);
		edits.made(callOf([], { status: 'completed' }));
		await edits.settled();
		assert.deepEqual(made, [['edit', false]]);
		assert.equal(await notes(), NOTES.replace('two', 'mine'));
	});

	it('are not made without a yes, before the agent has made them, or twice', async () => {
		const planned = (await planOf({ path: 'new.txt', newText: 'new\n' })) ?? assert.fail();
		edits.made(callOf([], { status: 'completed' }));
		edits.allow('edit', planned);
		edits.made(callOf([], { status: 'in_progress' }));
		edits.made(callOf([], { status: 'failed' }));
		await edits.settled();
		assert.equal(existsSync(inRoot('new.txt')), false);
		edits.made(callOf([], { status: 'completed' }));
		edits.made(callOf([], { status: 'completed' }));
		await edits.settled();
		assert.deepEqual(made, [['edit', true]]);
		assert.equal(await readFile(inRoot('new.txt'), 'utf8'), 'new\n');
	});

	it('are made as they were shown, even if another one came first', async () => {
		const planned = (await planOf({ path: 'notes.txt', oldText: 'four', newText: '4' })) ?? assert.fail();
		await make({ path: 'notes.txt', oldText: 'one', newText: '1' }, 'first');
		edits.allow('edit', planned);
		edits.made(callOf([], { status: 'completed' }));
		await edits.settled();
		assert.deepEqual(made, [
			['first', true],
			['edit', false],
		]);
		assert.equal(await notes(), NOTES.replace('one', '1'));
	});

	it('go on after one of which nothing could be told', async () => {
		tell = step => {
			if (step === 'first') {
				throw new Error('git has failed');
			}
		};
		await make({ path: 'notes.txt', oldText: 'one', newText: '1' }, 'first');
		await make({ path: 'notes.txt', oldText: 'four', newText: '4' });
		assert.equal(await notes(), NOTES.replace('one', '1').replace('four', '4'));
	});
});
