import assert from 'node:assert/strict';
import { access, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFile } from '../../../../src/tasks/common/fileMessages.ts';
import { pathOf } from '../../../../src/tasks/model/changedFile.ts';
import { listChangedFiles, listChangedNames, MAXIMUM_COMPARED } from '../../../../src/tasks/results/readChanges.ts';
import { branchEnds, fetchBranch, rangeOf } from '../../../../src/tasks/results/taskBranch.ts';
import { ObjectReader } from '../../../../src/tasks/review/changeFiles.ts';
import { RepositoryTrap } from '../../../support/repositoryTrap.ts';
import type { TemporaryRepository } from '../../../support/temporaryRepository.ts';

const RESULT = { key: 'task-1', taskId: 'task-1', branch: 'errand/work', agent: undefined };
const START = { branch: 'main', commit: undefined };

const TYPES: Readonly<Record<string, string>> = { '040000': 'tree', '160000': 'commit' };

/** Far more than any of this takes, and far less than an editor that waits for it. */
const SOON_MS = 20_000;

describe('a hostile branch', () => {
	let trap: RepositoryTrap;
	let repository: TemporaryRepository;

	beforeEach(async () => {
		trap = await RepositoryTrap.create();
		repository = trap.repository;
	});
	afterEach(() => repository.remove());

	const place = () => ({ gitPath: 'git', directory: repository.path, credentials: {} });

	/** Makes the branch of a commit with these entries, whatever git thinks of them. */
	async function branchOf(entries: { mode: string; object: string; path: string }[]): Promise<void> {
		const file = path.join(repository.folder, 'tree');
		const lines = entries.map(
			({ mode, object, path: name }) => `${mode} ${TYPES[mode] ?? 'blob'} ${object}\t${name}\0`,
		);
		await writeFile(file, lines.join(''));
		const tree = (await feed('mktree -z --missing', file)).trim();
		const commit = (await repository.git('commit-tree', '-p', 'main', '-m', 'Work', tree)).trim();
		await repository.git('branch', '-f', RESULT.branch, commit);
	}

	const feed = (command: string, file: string) =>
		repository.git('-c', `alias.feed=!git ${command} < '${file}'`, 'feed');

	async function blob(text: string | Uint8Array): Promise<string> {
		await repository.write('../blob', text);
		return (await repository.git('hash-object', '-w', '--no-filters', path.join(repository.folder, 'blob'))).trim();
	}

	/** Does all that unfolding a task and reading its files does. */
	async function unfold() {
		const named = branchEnds(undefined, RESULT, START) ?? assert.fail();
		const ends = await fetchBranch(place(), undefined, RESULT, START);
		const names = await listChangedNames(place(), named.start, named.tip);
		const { base, tip } = await rangeOf(place(), RESULT, ends);
		return { names, files: await listChangedFiles(place(), base, tip) };
	}

	it('runs nothing and writes nothing but Errand’s own reference, whatever is configured', async () => {
		for (const [name, command] of [
			['diff.external', 'external'],
			['diff.shown.textconv', 'textconv'],
			['diff.shown.command', 'driver'],
			['filter.shown.clean', 'clean'],
			['filter.shown.smudge', 'smudge'],
			['filter.shown.process', 'process'],
			['core.fsmonitor', 'fsmonitor'],
		] as const) {
			await repository.git('config', name, trap.command(command));
		}
		await trap.plantHooks(path.join(repository.path, '.git', 'hooks'));
		const attributes = await blob('* diff=shown filter=shown\n');
		const object = await blob('text\n');
		await branchOf([
			{ mode: '100644', object: attributes, path: '.gitattributes' },
			{ mode: '100644', object, path: 'file.txt' },
		]);
		await trap.sprung();
		const before = await readdir(repository.path);
		const { files } = await unfold();
		await new ObjectReader(100).read(place(), object);
		assert.deepEqual(files.map(pathOf), ['.gitattributes', 'README.md', 'file.txt']);
		assert.deepEqual(await trap.sprung(), []);
		assert.deepEqual(await readdir(repository.path), before);
		const references = await repository.git('for-each-ref', '--format=%(refname)', 'refs/errand');
		assert.equal(references.trim(), 'refs/errand/tasks/task-1');
	});

	it('is read as objects, so that its links lead nowhere and no name is a place', async () => {
		const target = path.join(repository.folder, 'outside');
		const link = await blob(target);
		const object = await blob('evil\n');
		const inner = await repository.git('rev-parse', 'main^{tree}');
		await branchOf([
			{ mode: '120000', object: link, path: 'link' },
			{ mode: '100644', object, path: '..' },
			{ mode: '100644', object, path: '.GIT' },
			{ mode: '160000', object: await repository.head(), path: 'library' },
			{ mode: '040000', object: inner.trim(), path: '.git' },
		]);
		const { names, files } = await unfold();
		assert.deepEqual(files.map(pathOf).sort(), ['..', '.GIT', '.git/README.md', 'library', 'link'].sort());
		assert.deepEqual(names.map(pathOf).sort(), files.map(pathOf).sort());
		assert.deepEqual(await new ObjectReader(1000).read(place(), link), { content: Buffer.from(target) });
		await assert.rejects(access(target), { code: 'ENOENT' });
	});

	it('shows names without what is hidden in them, on one line', async () => {
		const object = await blob('text\n');
		const names = ['a\u202etxt.exe', 'b\nc', 'd\u001b[2Je', 'f\u200bg', `${'long'.repeat(60)}.txt`];
		await branchOf(names.map(name => ({ mode: '100644', object, path: name })));
		const { files } = await unfold();
		assert.equal(files.length, names.length + 1);
		for (const file of files) {
			const { label, description, accessibleLabel } = describeFile(file, true);
			assert.doesNotMatch(label + description + accessibleLabel, /[\p{Cc}\p{Cf}]/u);
			assert.ok(label.length <= 120);
		}
	});

	it('takes no longer for a commit of 10,000 files', async () => {
		const object = await blob('text\n');
		await branchOf(Array.from({ length: 10_000 }, (_, index) => ({ mode: '100644', object, path: `file${index}` })));
		const start = performance.now();
		const { names, files } = await unfold();
		assert.deepEqual([names.length, files.length], [10_001, 10_001]);
		assert.ok(performance.now() - start < SOON_MS);
	});

	it('has files of 100 MB said to be too large, without reading them', async () => {
		const size = 100 * 1024 * 1024;
		const object = await blob(Buffer.alloc(size, 'line of text\n'));
		await branchOf([{ mode: '100644', object, path: 'huge.txt' }]);
		const start = performance.now();
		const { files } = await unfold();
		const huge = files.find(file => pathOf(file) === 'huge.txt');
		assert.deepEqual([huge?.lines, huge?.isTooLarge], [undefined, true]);
		assert.ok(size > MAXIMUM_COMPARED);
		assert.deepEqual(await new ObjectReader(MAXIMUM_COMPARED).read(place(), object), { tooLarge: size });
		assert.ok(performance.now() - start < SOON_MS);
	});

	it('cannot pass an expression for its name', () => {
		for (const branch of ['a..b', 'a^{/x}', 'a~1', '@{-1}x@{u}', 'a:b', 'a b', 'a\nb', 'a*', '\0']) {
			assert.equal(branchEnds(undefined, { ...RESULT, branch }, START), undefined, branch);
			assert.equal(branchEnds(undefined, RESULT, { branch, commit: undefined }), undefined, branch);
		}
		assert.equal(branchEnds('origin', RESULT, START), undefined);
		assert.deepEqual(branchEnds(undefined, RESULT, { branch: 'main', commit: '--output=x' }), {
			start: 'refs/heads/main',
			tip: 'refs/heads/errand/work',
		});
	});
});
