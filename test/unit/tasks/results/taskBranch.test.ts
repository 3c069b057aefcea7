import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { forgetResult, referenceOf } from '../../../../src/tasks/results/taskBranch.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { readRange } from './readRange.ts';

const RESULT = { key: 'task-1', taskId: 'task-1', branch: 'errand/work', agent: undefined };
const START = { branch: 'main', commit: undefined };

describe('the branch of a task', () => {
	let source: TemporaryRepository;
	let base: string;
	let tip: string;

	beforeEach(async () => {
		source = await TemporaryRepository.create();
		base = await source.head();
		await source.git('switch', '-q', '-c', RESULT.branch);
		await source.write('work.txt', 'done\n');
		tip = await source.commitAll('Work');
		await source.git('switch', '-q', 'main');
	});
	afterEach(() => source.remove());

	const place = (directory = source.path) => ({ gitPath: 'git', directory, credentials: {} });
	const references = async (directory: string) => {
		const { stdout } = await promisify(execFile)('git', ['for-each-ref', '--format=%(refname)'], { cwd: directory });
		return stdout.trim().split('\n');
	};
	async function clone(): Promise<string> {
		const directory = path.join(source.folder, 'clone');
		await source.git('clone', '-q', source.path, directory);
		return directory;
	}

	it('goes into a reference of its own, and no other reference changes', async () => {
		const before = await references(source.path);
		assert.deepEqual(await readRange(place(), undefined, RESULT, START), { tip, base, moved: undefined });
		assert.deepEqual(await references(source.path), [...before, 'refs/errand/tasks/task-1'].sort());
		await forgetResult(place(), 'task-1');
		assert.deepEqual(await references(source.path), before);
	});

	it('is fetched from the remote that has it, without the branches, tags and FETCH_HEAD of the user', async () => {
		const directory = await clone();
		await source.write('more.txt', 'more\n');
		await source.commitAll('More on main');
		await source.git('tag', 'v1');
		await source.git('branch', '-f', RESULT.branch, RESULT.branch);
		const before = await references(directory);
		const range = await readRange(place(directory), 'origin', RESULT, START);
		assert.deepEqual(range, { tip, base, moved: { branch: 'main', commits: 1 } });
		assert.deepEqual(
			await references(directory),
			[...before, 'refs/errand/bases/task-1', 'refs/errand/tasks/task-1'].sort(),
		);
		await assert.rejects(promisify(execFile)('git', ['rev-parse', '--verify', 'FETCH_HEAD'], { cwd: directory }));
	});

	it('follows the branch where it was moved, also backwards', async () => {
		await readRange(place(), undefined, RESULT, START);
		await source.git('branch', '-f', RESULT.branch, 'main');
		assert.deepEqual(await readRange(place(), undefined, RESULT, START), { tip: base, base, moved: undefined });
	});

	it('begins at the commit that is known, whatever the branch it started from has become', async () => {
		await source.git('switch', '-q', '--orphan', 'other');
		await source.write('other.txt', 'other\n');
		await source.commitAll('Nothing in common');
		await source.git('branch', '-f', 'main', 'other');
		await assert.rejects(readRange(place(), undefined, RESULT, START), { reason: 'unrelated' });
		assert.equal((await readRange(place(), undefined, RESULT, { branch: 'main', commit: base })).base, base);
		const absent = { branch: undefined, commit: '--output=x' };
		await assert.rejects(readRange(place(), undefined, RESULT, absent), { reason: 'unrelated' });
	});

	it('is said to be missing where it is, here and on the remote', async () => {
		const missing = { ...RESULT, branch: 'errand/other' };
		await assert.rejects(readRange(place(), undefined, missing, START), { reason: 'missing' });
		const directory = await clone();
		await assert.rejects(readRange(place(directory), 'origin', missing, START), { reason: 'missing' });
		const option = { ...RESULT, branch: '--upload-pack=touch x' };
		await assert.rejects(readRange(place(directory), 'origin', option, START));
	});

	it('has a plain name for any id', () => {
		assert.equal(referenceOf('3f2a-11'), 'refs/errand/tasks/3f2a-11');
		assert.equal(referenceOf('3f2a-11:2'), 'refs/errand/tasks/3f2a-11.2');
		for (const hostile of ['../../heads/main', 'a..b', 'x.lock', '-d', 'a b', 'é', '', 'a:b:c']) {
			assert.match(referenceOf(hostile), /^refs\/errand\/tasks\/[\da-f]{40}$/, hostile);
		}
	});
});
