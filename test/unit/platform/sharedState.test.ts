import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { nullLogger } from '../../../src/base/logger.ts';
import { openWorkspaceState, SharedState, StateEntries } from '../../../src/platform/sharedState.ts';

describe('the state that windows share', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-state-'));
	});

	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	const isText = (value: unknown): value is string => typeof value === 'string';
	const open = () => new SharedState(path.join(folder, 'state'), nullLogger);
	const entries = () => new StateEntries(open(), 'kind', isText);

	it('is what any window has written last, under every key', async () => {
		const one = open();
		const other = open();
		assert.deepEqual(one.keys(), []);
		assert.equal(one.get('a'), undefined);
		assert.equal(one.get('a', 'none'), 'none');
		await one.update('a', { text: 'of one' });
		await other.update('b', 'of the other');
		await other.update('ünusual */..\\ KEY', 0);
		assert.deepEqual(one.get('b'), 'of the other');
		assert.deepEqual(other.get('a'), { text: 'of one' });
		assert.deepEqual([...one.keys()].sort(), ['a', 'b', 'ünusual */..\\ KEY']);
		await other.update('a', undefined);
		assert.deepEqual([...one.keys()].sort(), ['b', 'ünusual */..\\ KEY']);
		await other.update('a', undefined);
	});

	it('is for the user alone, and names nothing of what it holds', async () => {
		await open().update('a name', 'a value');
		const [file = ''] = readdirSync(path.join(folder, 'state'));
		assert.match(file, /^[\da-f]{32}\.json$/);
		if (process.platform !== 'win32') {
			assert.equal(statSync(path.join(folder, 'state', file)).mode & 0o077, 0);
			assert.equal(statSync(path.join(folder, 'state')).mode & 0o077, 0);
		}
	});

	it('is the editor’s own where no folder is open, and one for each folder', async () => {
		const editors = open();
		assert.equal(openWorkspaceState(folder, undefined, editors, nullLogger), editors);
		await openWorkspaceState(folder, 'file:///a', editors, nullLogger).update('key', 1);
		assert.equal(openWorkspaceState(folder, 'file:///a', editors, nullLogger).get('key'), 1);
		assert.equal(openWorkspaceState(folder, 'file:///b', editors, nullLogger).get('key'), undefined);
	});

	it('leaves out what is damaged', async () => {
		await open().update('good', 1);
		for (const [index, text] of ['', '{', 'null', '{"key":1,"value":2}', '{"key":"x"}'].entries()) {
			writeFileSync(path.join(folder, 'state', `${index}.json`), text);
		}
		assert.deepEqual(open().keys(), ['good']);
	});

	it('says what keeps it from being written', async () => {
		writeFileSync(path.join(folder, 'state'), 'in the way');
		await assert.rejects(open().update('key', 2), /EEXIST|ENOTDIR/);
		assert.deepEqual(open().keys(), []);
	});

	it('tells only the log, once, what keeps notes from being written', async () => {
		const logged: string[] = [];
		const state = new SharedState(path.join(folder, 'state'), { log: (_, message) => logged.push(message) });
		const notes = new StateEntries(state, 'kind', isText);
		const note = async (id: string, value?: string) => {
			notes.note(id, value);
			// A rejection that nobody takes ends the process before this.
			await new Promise(setImmediate);
		};
		writeFileSync(path.join(folder, 'state'), 'in the way');
		await note('one', '1');
		await note('two', '2');
		assert.deepEqual([notes.values(), logged.length], [[], 1]);
		rmSync(path.join(folder, 'state'));
		await note('one', '1');
		await note('two', '2');
		await note('two');
		assert.deepEqual([notes.values(), logged.length], [['1'], 1]);
	});

	it('loses no entry of two processes that add and remove at the same time', async () => {
		const module = path.join(import.meta.dirname, '../../../src/platform/sharedState.ts');
		const script = `
			const { SharedState, StateEntries } = await import(process.argv[1]);
			const entries = new StateEntries(new SharedState(process.argv[2], { log() {} }), 'kind', value => typeof value === 'string');
			for (let index = 0; index < 100; index++) {
				await entries.set(process.argv[3] + index, process.argv[3] + index);
				entries.values();
				if (index % 2 === 1) {
					await entries.delete(process.argv[3] + index);
				}
			}`;
		const write = (name: string) =>
			promisify(execFile)(process.execPath, [
				'--disable-warning=ExperimentalWarning',
				'--input-type=module',
				'--eval',
				script,
				module,
				path.join(folder, 'state'),
				name,
			]);
		await Promise.all([write('one'), write('other')]);
		const expected = ['one', 'other'].flatMap(name => Array.from({ length: 50 }, (_, index) => `${name}${index * 2}`));
		assert.deepEqual(entries().values().sort(), expected.sort());
		assert.equal(readdirSync(path.join(folder, 'state')).length, 100);
	});
});
