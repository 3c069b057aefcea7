import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
	type AppliedFile,
	type ApplyOptions,
	NotEdited,
	type Result,
} from '../../../../src/tasks/apply/applyChanges.ts';
import { type Change, ConcurrentChangeError } from '../../../../src/tasks/apply/change.ts';
import { type ChangedFile, pathOf } from '../../../../src/tasks/model/changedFile.ts';
import { asPresent, type Files, TaskInRepository } from '../../../support/taskInRepository.ts';

const LINES = Array.from({ length: 12 }, (_, number) => `line ${number}\n`).join('');

describe('applying changes to the working tree', () => {
	let task: TaskInRepository;

	const start = async (before: Files, after: Files) => {
		task = await TaskInRepository.create(before, after);
	};
	afterEach(() => task.repository.remove());

	const inTree = (name: string) => path.join(task.repository.path, name);
	const modeOf = async (name: string) => (await lstat(inTree(name))).mode & 0o777;
	const kinds = (results: readonly { change: Change; result: Result }[]) =>
		Object.fromEntries(results.map(({ change, result }) => [(change.after ?? change.before)?.path, result.kind]));
	/** Runs something when all was read, before anything is written. */
	const beforeWriting = (run: () => Promise<void>): Partial<ApplyOptions> => {
		const { contents } = task.options();
		return {
			contents: {
				...contents,
				read: async objects => {
					const found = await contents.read(objects);
					await run();
					return found;
				},
			},
		};
	};

	it('stages and commits nothing, and leaves no other file behind', async () => {
		await start({ 'a.txt': LINES, 'gone/b.txt': LINES }, { 'a.txt': `x\n${LINES}`, 'made/c.txt': 'c' });
		const [head, index] = [await task.repository.head(), await readFile(inTree('.git/index'))];
		await task.apply(task.files);
		assert.deepEqual(await task.present(), { 'a.txt': `-x x\n${LINES}`, 'made/c.txt': '-x c' });
		assert.deepEqual((await readdir(task.repository.path)).sort(), ['.git', 'a.txt', 'made']);
		assert.equal(await task.repository.head(), head);
		assert.deepEqual(await readFile(inTree('.git/index')), index);
	});

	it('keeps permissions but for what the task has changed, and undo gives them back', async () => {
		await start(
			{ 'a.txt': LINES, 'b.sh': LINES, 'c.sh': '#!' },
			{ 'a.txt': 'x', 'b.sh': `#!${LINES}`, 'c.sh': 'c', 'd.sh': '#!' },
		);
		await chmod(inTree('a.txt'), 0o660);
		await chmod(inTree('b.sh'), 0o640);
		await chmod(inTree('c.sh'), 0o700);
		const { files } = await task.apply(task.files);
		assert.deepEqual(await Promise.all(['a.txt', 'b.sh', 'c.sh'].map(modeOf)), [0o660, 0o750, 0o600]);
		assert.equal((await modeOf('d.sh')) & 0o500, 0o500);
		await task.undo(files);
		assert.deepEqual(await Promise.all(['a.txt', 'b.sh', 'c.sh'].map(modeOf)), [0o660, 0o640, 0o700]);
	});

	it('writes conflicts with the markers that editors know, and with the line ends of the file', async () => {
		await start({ 'a.txt': 'one\n' }, { 'a.txt': 'theirs\n' });
		await task.repository.git('config', 'merge.conflictStyle', 'diff3');
		await task.write('a.txt', 'mine\r\n');
		const { results } = await task.apply(task.files);
		assert.deepEqual(results[0]?.result, { kind: 'conflicts', count: 1 });
		const expected = ['<<<<<<< Yours', 'mine', '=======', 'theirs', '>>>>>>> Task', ''].join('\r\n');
		assert.equal((await task.present())['a.txt'], `-x ${expected}`);
	});

	it('says of each file what has become of it; one that fails does not keep the others', async () => {
		await start({ 'a.txt': LINES, 'b.txt': LINES, 'c.txt': LINES }, { 'a.txt': 'x', 'b.txt': 'x', 'c.txt': 'x' });
		const meanwhile = beforeWriting(() => task.write('b.txt', 'typed just now'));
		const { results, files } = await task.apply(task.files, meanwhile);
		assert.deepEqual(kinds(results), { 'a.txt': 'applies', 'b.txt': 'cannot', 'c.txt': 'applies' });
		const refused = results.find(({ result }) => result.kind === 'cannot')?.result;
		assert.deepEqual(refused, { kind: 'cannot', reason: 'changedMeanwhile' });
		assert.equal((await task.present())['b.txt'], '-x typed just now');
		assert.equal(files.length, 2);
	});

	it('leaves alone a file that was made, removed or became a program’s link meanwhile', async () => {
		await start({ 'gone.txt': LINES, 'link.txt': LINES }, { 'gone.txt': 'x', 'link.txt': 'x', 'made.txt': 'x' });
		const outside = path.join(task.repository.folder, 'outside.txt');
		await writeFile(outside, LINES);
		const meanwhile = beforeWriting(async () => {
			await rm(inTree('gone.txt'));
			await writeFile(inTree('made.txt'), 'mine');
			await unlink(inTree('link.txt'));
			await symlink(outside, inTree('link.txt'));
		});
		const { results } = await task.apply(task.files, meanwhile);
		assert.deepEqual(kinds(results), { 'gone.txt': 'cannot', 'link.txt': 'failed', 'made.txt': 'failed' });
		assert.ok(results.every(({ result }) => result.kind !== 'failed' || result.cause instanceof ConcurrentChangeError));
		assert.equal(await readFile(outside, 'utf8'), LINES);
		assert.ok((await lstat(inTree('link.txt'))).isSymbolicLink());
	});

	it('never writes through a folder that became a link meanwhile', async () => {
		await start({ 'folder/a.txt': LINES, 'folder/gone.txt': LINES }, { 'folder/a.txt': 'x', 'folder/new/b.txt': 'x' });
		const outside = path.join(task.repository.folder, 'outside');
		const meanwhile = beforeWriting(async () => {
			await rename(inTree('folder'), outside).catch(() => {});
			await symlink(outside, inTree('folder')).catch(() => {});
		});
		const { results, files } = await task.apply(task.files, meanwhile);
		assert.deepEqual([...new Set(Object.values(kinds(results)))], ['failed']);
		assert.deepEqual(files, []);
		assert.deepEqual((await readdir(outside)).sort(), ['a.txt', 'gone.txt']);
		assert.equal(await readFile(path.join(outside, 'a.txt'), 'utf8'), LINES);
	});

	it('refuses after the preview what it would have refused in it', async () => {
		await start({ 'folder/a.txt': LINES }, { 'folder/a.txt': 'x' });
		assert.deepEqual(await task.outcomes(), { 'folder/a.txt': { kind: 'applies' } });
		const outside = path.join(task.repository.folder, 'outside');
		await rename(inTree('folder'), outside);
		await symlink(outside, inTree('folder'));
		const { results } = await task.apply(task.files);
		assert.deepEqual(results[0]?.result, { kind: 'cannot', reason: 'link' });
		assert.equal(await readFile(path.join(outside, 'a.txt'), 'utf8'), LINES);
	});

	it('tells of each file before it changes it, until there is no room, and leaves it alone where that fails', async () => {
		await start({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }, { 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' });
		const told: (string | undefined)[] = [];
		const beforeEdit = async (file: AppliedFile | undefined) => {
			told.push(file && `${file.before?.content} ${file.after?.content}`);
			if (told.length === 3) {
				throw new Error('no space left');
			}
		};
		const { results } = await task.apply(task.files, { beforeEdit, maximumRecord: 3 });
		assert.deepEqual(told, ['a A', undefined, undefined]);
		assert.deepEqual(kinds(results), { 'a.txt': 'applies', 'b.txt': 'applies', 'c.txt': 'failed' });
		assert.deepEqual(await task.present(), { 'a.txt': '-x A', 'b.txt': '-x B', 'c.txt': '-x c' });
		await assert.rejects(
			task.apply(task.files, { beforeEdit: () => Promise.reject(new Error('read-only')) }),
			/read-only/,
		);
	});

	it('is undone but for the lines that have changed since, such as those of a conflict that was resolved', async () => {
		const near = LINES.replace('line 2', 'LINE 2');
		await start({ 'a.txt': LINES }, { 'a.txt': near.replace('line 9', 'LINE 9') });
		await task.write('a.txt', LINES.replace('line 2', 'mine'));
		const { results, files } = await task.apply(task.files);
		assert.deepEqual(kinds(results), { 'a.txt': 'conflicts' });
		const marked = (await task.present())['a.txt']?.slice(3) ?? '';
		await task.write('a.txt', marked.replace(/^(<<<<<<<|=======|>>>>>>>).*\n/gm, ''));
		const undone = await task.undo(files);
		assert.deepEqual(kinds(undone.results), { 'a.txt': 'conflicts' });
		assert.equal((await task.present())['a.txt'], `-x ${LINES.replace('line 2', 'mine\nLINE 2')}`);
	});

	it('of a conflict is taken back with its markers, wherever the user has not written into it', async () => {
		const changed = LINES.replace('line 2', 'LINE 2').replace('line 9', 'LINE 9');
		const names = ['a.txt', 'heading.txt', 'crlf.txt', 'written.txt', 'last.txt'];
		const all = (content: string) => Object.fromEntries(names.map(name => [name, content]));
		await start({ ...all(LINES), 'last.txt': 'old' }, { ...all(changed), 'last.txt': 'new' });
		const own: Record<string, string> = {
			...all(LINES.replace('line 2', 'mine')),
			'heading.txt': LINES.replace('line 2', 'mine\n=======\n'),
			'crlf.txt': LINES.replace('line 2', 'mine').replaceAll('\n', '\r\n'),
			'last.txt': 'mine',
		};
		await task.replace(own);
		const { results } = await task.apply(task.files);
		assert.deepEqual([...new Set(Object.values(kinds(results)))], ['conflicts']);
		const marked = (await task.present())['written.txt']?.slice(3) ?? '';
		own['written.txt'] = marked.replace('LINE 2', 'LINE 2 as I want it').replace('LINE 9', 'line 9');
		await task.write('written.txt', own['written.txt']);
		const back = await task.takeBack();
		assert.deepEqual(kinds(back.results), {
			'a.txt': 'applies',
			'crlf.txt': 'applies',
			'heading.txt': 'applies',
			'last.txt': 'applies',
			'written.txt': 'conflicts',
		});
		assert.deepEqual(await task.present(), asPresent(own));
	});

	it('of a conflict is undone with its markers where the user has gone on with their own side', async () => {
		await start({ 'a.txt': LINES }, { 'a.txt': LINES.replace('line 2', 'LINE 2').replace('line 9', 'LINE 9') });
		await task.write('a.txt', LINES.replace('line 2', 'mine'));
		const { files } = await task.apply(task.files);
		const marked = (await task.present())['a.txt']?.slice(3) ?? '';
		await task.write('a.txt', marked.replace('mine', 'mine, and more'));
		const { results } = await task.undo(files);
		assert.deepEqual(kinds(results), { 'a.txt': 'applies' });
		assert.deepEqual(await task.present(), asPresent({ 'a.txt': LINES.replace('line 2', 'mine, and more') }));
	});

	it('gives a folder the place of a file, and a file that of a folder, only where that goes', async () => {
		await start(
			{ file: LINES, 'folder/a': LINES, edited: LINES, 'busy/a': LINES },
			{ 'file/inner': 'new', folder: 'new', 'edited/inner': 'new', busy: 'new' },
		);
		const own = { file: LINES, 'folder/a': LINES, edited: `${LINES}mine\n`, 'busy/a': `${LINES}mine\n` };
		await task.replace(own);
		await mkdir(inTree('folder/empty'));
		const outcomes = await task.outcomes();
		const { results, files } = await task.apply(task.files);
		assert.deepEqual(
			Object.fromEntries(results.map(({ change, result }) => [pathOf(change as ChangedFile), result])),
			outcomes,
		);
		assert.deepEqual(outcomes, {
			busy: { kind: 'cannot', reason: 'inTheWay' },
			'busy/a': { kind: 'cannot', reason: 'editedHere' },
			edited: { kind: 'cannot', reason: 'editedHere' },
			'edited/inner': { kind: 'cannot', reason: 'inTheWay' },
			file: { kind: 'applies' },
			'file/inner': { kind: 'applies' },
			folder: { kind: 'applies' },
			'folder/a': { kind: 'applies' },
		});
		const untouched = { edited: own.edited, 'busy/a': own['busy/a'] };
		assert.deepEqual(await task.present(), asPresent({ 'file/inner': 'new', folder: 'new', ...untouched }));
		await task.undo(files);
		assert.deepEqual(await task.present(), asPresent(own));
	});

	it('moves an edited file into a folder in its own place, and out of one, and undo moves it back', async () => {
		await start({ in: LINES, 'out/a': `${LINES}a\n` }, { 'in/inner': `x\n${LINES}`, out: `x\n${LINES}a\n` });
		const own = { in: `${LINES}mine\n`, 'out/a': `${LINES}a\nmine\n` };
		await task.replace(own);
		assert.deepEqual(await task.outcomes(), { 'in/inner': { kind: 'applies' }, out: { kind: 'applies' } });
		const { results, files } = await task.apply(task.files);
		assert.deepEqual(kinds(results), { 'in/inner': 'applies', out: 'applies' });
		const moved = { 'in/inner': `x\n${own.in}`, out: `x\n${own['out/a']}` };
		assert.deepEqual(await task.present(), asPresent(moved));
		await task.undo(files);
		assert.deepEqual(await task.present(), asPresent(own));
	});

	it('is undone without the edits made since; a file where that is impossible stays as it is', async () => {
		const changed = `x\n${LINES}`;
		await start(
			{ 'a.txt': LINES, 'b.txt': LINES, 'c.txt': LINES, 'gone.txt': 'gone' },
			{ 'a.txt': changed, 'b.txt': changed, 'c.txt': changed, 'made.txt': 'made' },
		);
		const { files } = await task.apply(task.files);
		await task.write('a.txt', `${changed}later\n`);
		await task.write('b.txt', `y\n${LINES}`);
		await task.write('made.txt', 'made and edited');
		const { results } = await task.undo(files);
		assert.deepEqual(kinds(results), {
			'a.txt': 'applies',
			'b.txt': 'conflicts',
			'c.txt': 'applies',
			'gone.txt': 'applies',
			'made.txt': 'cannot',
		});
		assert.deepEqual(await task.present(), {
			'a.txt': `-x ${LINES}later\n`,
			'b.txt': `-x y\n${LINES}`,
			'c.txt': `-x ${LINES}`,
			'gone.txt': '-x gone',
			'made.txt': '-x made and edited',
		});
	});

	it('keeps no record that would be too large, and applies nevertheless', async () => {
		await start({ 'a.txt': LINES, 'b.txt': LINES }, { 'a.txt': 'x', 'b.txt': 'x' });
		const applied = await task.apply(task.files, { maximumRecord: 150 });
		assert.deepEqual([applied.isRecorded, applied.files], [false, []]);
		assert.deepEqual(await task.present(), { 'a.txt': '-x x', 'b.txt': '-x x' });
	});

	it('lets the editor change what it has open, and says where it has not', async () => {
		await start(
			{ 'a.txt': LINES, 'b.txt': LINES, 'c.sh': LINES },
			{ 'a.txt': `x\n${LINES}`, 'b.txt': 'x', 'c.sh': `#!${LINES}` },
		);
		const texts = new Map([
			['a.txt', `${LINES}typed\n`],
			['b.txt', LINES],
			['c.sh', LINES],
		]);
		task.tree = {
			openFile: async file => ({
				content: Buffer.from(texts.get(path.basename(file)) ?? ''),
				refusal: 'encoding',
				isDirty: true,
			}),
		};
		const { results, files } = await task.apply(task.files, {
			editOpen: async edits => edits.map(({ after }) => (after?.path === 'b.txt' ? undefined : after?.content)),
		});
		assert.deepEqual(kinds(results), { 'a.txt': 'applies', 'b.txt': 'failed', 'c.sh': 'applies' });
		const failed = results.find(({ result }) => result.kind === 'failed')?.result;
		assert.ok(failed?.kind === 'failed' && failed.cause instanceof NotEdited);
		assert.deepEqual(
			files.map(({ after }) => after?.content.toString()),
			[`x\n${LINES}typed\n`, `#!${LINES}`],
		);
		// On disk, only the permissions have changed.
		assert.deepEqual(await task.present(), { 'a.txt': `-x ${LINES}`, 'b.txt': `-x ${LINES}`, 'c.sh': `+x ${LINES}` });
	});

	it('starts git a few times for 600 files', async () => {
		const names = Array.from({ length: 600 }, (_, number) => `folder ${number % 50}/${number}.txt`);
		const all = (content: string) => Object.fromEntries(names.map(name => [name, content + name]));
		await start(all('before\n'), all('after\n'));
		const [program, calls] = ['git', 'calls'].map(name => path.join(task.repository.folder, name)) as [string, string];
		await mkdir(path.dirname(program), { recursive: true });
		await writeFile(program, `#!/bin/sh\necho call >> '${calls}'\nexec git "$@"\n`, { mode: 0o755 });
		const place = { ...task.place, gitPath: program };
		const { results } = await task.apply(task.files, { place, contents: task.options().contents });
		assert.ok(results.every(({ result }) => result.kind === 'applies'));
		assert.deepEqual(
			await task.outcomes(),
			Object.fromEntries(names.toSorted().map(name => [name, { kind: 'there' }])),
		);
		const count = (await readFile(calls, 'utf8')).split('\n').length - 1;
		assert.ok(count <= 6, `${count} calls`);
	});
});
