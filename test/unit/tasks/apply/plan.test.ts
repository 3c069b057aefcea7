import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { ChangeOutcome } from '../../../../src/tasks/apply/change.ts';
import type { ChangedFile } from '../../../../src/tasks/model/changedFile.ts';
import { type Files, TaskInRepository } from '../../../support/taskInRepository.ts';

const LINES = Array.from({ length: 12 }, (_, number) => `line ${number}\n`).join('');
const CRLF = LINES.replaceAll('\n', '\r\n');

describe('the plan of an application', () => {
	let task: TaskInRepository;

	const start = async (before: Files, after: Files) => {
		task = await TaskInRepository.create(before, after);
		return task;
	};
	afterEach(() => task.repository.remove());

	const inTree = (name: string) => path.join(task.repository.path, name);
	const words = (outcome: ChangeOutcome | undefined) => (outcome?.kind === 'cannot' ? outcome.reason : outcome?.kind);
	const outcomes = async (files?: readonly ChangedFile[]) =>
		Object.fromEntries(Object.entries(await task.outcomes(files)).map(([name, outcome]) => [name, words(outcome)]));
	/** A change as a hostile branch would have it, whatever git itself would refuse. */
	const added = async (name: string): Promise<ChangedFile> => {
		const object = (await task.repository.git('hash-object', '-w', inTree('a.txt'))).trim();
		const after = { path: name, object, kind: 'file' } as const;
		return { status: 'A', before: undefined, after, lines: undefined, hasUnreadableName: false };
	};

	it('says what applies, conflicts and is there already', async () => {
		const changed = `first\n${LINES}`;
		await start(
			{
				'clean.txt': LINES,
				'merged.txt': LINES,
				'fought.txt': LINES,
				'same.txt': LINES,
				'gone.txt': LINES,
				'old.sh': '#!',
			},
			{
				'clean.txt': changed,
				'merged.txt': changed,
				'fought.txt': changed,
				'same.txt': changed,
				'new.txt': 'x',
				'old.sh': '#!b',
			},
		);
		await task.write('merged.txt', `${LINES}last\n`);
		await task.write('fought.txt', `other\n${LINES}`);
		await task.write('same.txt', changed);
		await rm(inTree('gone.txt'));
		await chmod(inTree('old.sh'), 0o644);
		assert.deepEqual(await outcomes(), {
			'clean.txt': 'applies',
			'fought.txt': 'conflicts',
			'gone.txt': 'there',
			'merged.txt': 'applies',
			'new.txt': 'applies',
			'old.sh': 'applies',
			'same.txt': 'there',
		});
	});

	it('counts line ends that a checkout has converted as no edit', async () => {
		await start(
			{ 'a.txt': LINES, 'b.txt': CRLF, 'gone.txt': LINES },
			{ 'a.txt': `x\n${LINES}`, 'b.txt': `x\r\n${CRLF}`, 'new.txt': 'q\nr\n' },
		);
		for (const [name, content] of [
			['a.txt', CRLF],
			['b.txt', LINES],
			['gone.txt', CRLF],
			['new.txt', 'q\r\nr\r\n'],
		]) {
			await task.write(name ?? '', content ?? '');
		}
		assert.deepEqual(await outcomes(), {
			'a.txt': 'applies',
			'b.txt': 'applies',
			'gone.txt': 'applies',
			'new.txt': 'there',
		});
		await task.apply(task.files);
		const present = await task.present();
		assert.equal(present['a.txt'], `-x x\r\n${CRLF}`);
		assert.equal(present['b.txt'], `-x x\n${LINES}`);
	});

	it('refuses what the user has deleted, edited or added meanwhile', async () => {
		await start(
			{ 'changed.txt': LINES, 'deleted.txt': LINES, 'image.png': Buffer.from([0, 1]), 'old.txt': `${LINES}renamed\n` },
			{
				'changed.txt': `x\n${LINES}`,
				'added.txt': 'theirs',
				'image.png': Buffer.from([0, 2]),
				'new.txt': `${LINES}renamed\n`,
			},
		);
		await rm(inTree('changed.txt'));
		await task.write('deleted.txt', `${LINES}mine\n`);
		await task.write('added.txt', 'mine');
		await task.write('image.png', Buffer.from([0, 3]));
		await rm(inTree('old.txt'));
		assert.deepEqual(await outcomes(), {
			'added.txt': 'bothAdded',
			'changed.txt': 'deletedHere',
			'deleted.txt': 'editedHere',
			'image.png': 'notText',
			'new.txt': 'deletedHere',
		});
	});

	it('moves a renamed file with the user’s edits, and sees when it has moved already', async () => {
		await start(
			{ 'old.txt': LINES, 'same.txt': `${LINES}2` },
			{ 'new/name.txt': `x\n${LINES}`, 'moved.txt': `${LINES}2` },
		);
		assert.deepEqual(
			task.files.map(({ status }) => status),
			['R', 'R'],
		);
		await task.write('old.txt', `${LINES}mine\n`);
		await rename(inTree('same.txt'), inTree('moved.txt'));
		assert.deepEqual(await outcomes(), { 'moved.txt': 'there', 'new/name.txt': 'applies' });
		const { files } = await task.apply(task.files);
		assert.deepEqual(await task.present(), { 'moved.txt': `-x ${LINES}2`, 'new/name.txt': `-x x\n${LINES}mine\n` });
		await task.write('new/name.txt', `x\n${LINES}mine\nand later\n`);
		await task.undo(files);
		assert.equal((await task.present())['old.txt'], `-x ${LINES}mine\nand later\n`);
		await task.write('moved.txt', 'another');
		await task.write('same.txt', `${LINES}2`);
		assert.equal((await outcomes())['moved.txt'], 'bothAdded');
	});

	it('refuses links, submodules, git’s own files and places outside', async () => {
		await start(
			{ 'a.txt': LINES, 'link.txt': LINES, 'folder/b.txt': LINES },
			{ 'a.txt': 'x', 'link.txt': 'x', 'folder/b.txt': 'x' },
		);
		const outside = path.join(task.repository.folder, 'outside');
		await mkdir(outside);
		await rm(inTree('link.txt'));
		await symlink(path.join(outside, 'made.txt'), inTree('link.txt'));
		await rename(inTree('folder'), path.join(outside, 'folder'));
		await symlink(path.join(outside, 'folder'), inTree('folder'));
		await mkdir(inTree('real'));
		await symlink('real', inTree('inner'));
		const hostile = [
			'../outside/x.txt',
			'.git/hooks/pre-commit',
			'a/.GIT/config',
			'a/git~1/x',
			'.git\u200b/x',
			'folder/new.txt',
			'inner/x',
			'/etc/x',
			'a//b',
			'./a',
		];
		const found = await outcomes([...task.files, ...(await Promise.all(hostile.map(added)))]);
		assert.deepEqual(found, {
			'a.txt': 'applies',
			'link.txt': 'link',
			'folder/b.txt': 'link',
			'../outside/x.txt': 'outside',
			'.git/hooks/pre-commit': 'gits',
			'a/.GIT/config': 'gits',
			'a/git~1/x': 'gits',
			'.git\u200b/x': 'gits',
			'folder/new.txt': 'link',
			'inner/x': 'link',
			'/etc/x': 'outside',
			'a//b': 'outside',
			'./a': 'outside',
		});
		const [file] = task.files;
		const kinds = (['link', 'submodule'] as const).map(
			kind => ({ ...file, after: { ...file?.after, kind } }) as ChangedFile,
		);
		assert.deepEqual(await outcomes(kinds.slice(0, 1)), { 'a.txt': 'link' });
		assert.deepEqual(await outcomes(kinds.slice(1)), { 'a.txt': 'submodule' });
		assert.deepEqual(await outcomes([{ ...file, hasUnreadableName: true } as ChangedFile]), {
			'a.txt': 'unreadableName',
		});
	});

	it('refuses files outside the folders of the workspace', async () => {
		await start({ 'a.txt': LINES, 'inside/b.txt': LINES }, { 'a.txt': 'x', 'inside/b.txt': 'x' });
		task.tree = { folders: [inTree('inside')] };
		assert.deepEqual(await outcomes(), { 'a.txt': 'outside', 'inside/b.txt': 'applies' });
	});

	it('refuses what git ignores or keeps through a filter, whatever signs a name has', async () => {
		await start(
			{ 'a.txt': LINES },
			{ 'a.txt': 'x', 'made.log': 'x', ':(glob)*': 'x', 'é.bin': 'x', 'tracked.log': 'x' },
		);
		await task.write('.gitignore', '*.log\n');
		await task.write('.gitattributes', '*.bin filter=kept\n');
		await task.repository.git('config', 'filter.kept.clean', 'cat');
		await task.write('tracked.log', 'x');
		await task.repository.git('add', '-f', 'tracked.log');
		assert.deepEqual(await outcomes(), {
			':(glob)*': 'applies',
			'a.txt': 'applies',
			'made.log': 'ignored',
			'tracked.log': 'there',
			'é.bin': 'filtered',
		});
	});

	it('asks git about the others where one is in a submodule', async () => {
		await start({ 'a.txt': LINES }, { 'a.txt': 'x', 'library/b.txt': 'x', 'made.log': 'x' });
		await task.write('.gitignore', '*.log\n');
		await task.repository.git('update-index', '--add', '--cacheinfo', `160000,${task.base},library`);
		const { 'made.log': log, 'a.txt': file } = await outcomes();
		assert.deepEqual([log, file], ['ignored', 'applies']);
	});

	it('refuses a place that is taken or protected', async () => {
		await start({ 'locked.txt': LINES }, { 'locked.txt': 'x', folder: 'x', 'file/in/it.txt': 'x', 'great.bin': 'x' });
		await task.write('folder/b.txt', 'mine');
		await task.write('file', 'mine');
		await chmod(inTree('locked.txt'), 0o444);
		assert.deepEqual(await outcomes(), {
			'file/in/it.txt': 'inTheWay',
			folder: 'inTheWay',
			'great.bin': 'applies',
			'locked.txt': 'readOnly',
		});
	});

	it('lets a folder take the place of a file that goes, and a file that of a folder', async () => {
		await start({ one: LINES, 'two/a.txt': 'a', 'two/b/c.txt': 'c' }, { 'one/a.txt': `x\n${LINES}`, two: 'file' });
		await task.apply(task.files);
		assert.deepEqual(await task.present(), { 'one/a.txt': `-x x\n${LINES}`, two: '-x file' });
	});

	it('refuses names that this system does not tell apart or cannot have', async () => {
		await start({ 'a.txt': LINES, 'Folder/x.txt': LINES }, { 'a.txt': 'x', 'Folder/x.txt': 'y' });
		const names = ['A.TXT', 'README.md', 'readme.MD', 'new.txt'];
		task.tree = { ignoresCase: true };
		await task.write('README.MD', 'mine');
		const cases = await outcomes(await Promise.all(names.map(added)));
		assert.deepEqual(cases, { 'A.TXT': 'case', 'README.md': 'case', 'readme.MD': 'case', 'new.txt': 'applies' });
		task.tree = { isWindows: true };
		const impossible = ['con', 'a/NUL.txt', 'com1', 'a:b', 'a\\b', 'a.', 'b ', 'what?', 'tab\t', 'com¹.x'];
		const fine = ['console', 'com10', '.a', 'b.c'];
		const found = await outcomes(await Promise.all([...impossible, ...fine].map(added)));
		assert.deepEqual(
			impossible.filter(name => found[name] !== 'windowsName'),
			[],
		);
		assert.deepEqual(
			fine.filter(name => found[name] !== 'applies'),
			[],
		);
	});

	it('refuses content that the repository does not have, or that is too large', async () => {
		await start({ 'a.txt': LINES }, { 'a.txt': 'x', 'great.bin': Buffer.alloc(49 * 1024 * 1024, 1) });
		const [file] = task.files;
		const missing = { ...file, after: { ...file?.after, object: '1'.repeat(40) } } as ChangedFile;
		assert.deepEqual(await outcomes([missing]), { 'a.txt': 'missing' });
		assert.deepEqual(await outcomes(), { 'a.txt': 'applies', 'great.bin': 'tooLarge' });
		await task.write('a.txt', Buffer.alloc(9 * 1024 * 1024, 'mine\n'));
		assert.equal((await outcomes())['a.txt'], 'notText');
	});

	it('heeds what the editor has open', async () => {
		await start(
			{ 'a.txt': LINES, 'gone.txt': LINES, 'old.txt': `${LINES}2` },
			{ 'a.txt': `x\n${LINES}`, 'new.txt': `${LINES}2` },
		);
		const openFile = async (file: string) => ({
			content: path.basename(file) === 'a.txt' ? Buffer.from(`${LINES}typed\n`) : Buffer.from(LINES),
			refusal: 'encoding' as const,
			isDirty: true,
		});
		task.tree = { openFile };
		assert.deepEqual(await outcomes(), { 'a.txt': 'applies', 'gone.txt': 'unsaved', 'new.txt': 'unsaved' });
		task.tree = { openFile: async () => ({ content: undefined, refusal: 'encoding', isDirty: false }) };
		assert.equal((await outcomes())['a.txt'], 'encoding');
	});
});
