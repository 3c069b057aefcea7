import assert from 'node:assert/strict';
import { type ChangedFile, readChangedFiles } from '../../../../src/tasks/model/changedFile.ts';
import {
	compareHunks,
	compareResults,
	countChanges,
	type PatchHunk,
	readPatchHunks,
} from '../../../../src/tasks/model/compareResults.ts';
import { processorMs } from '../../../support/processorTime.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

function file(path: string, after: string | undefined, more: Partial<ChangedFile> = {}): ChangedFile {
	return {
		status: 'M',
		before: { path, object: 'base', kind: 'file' },
		after: after === undefined ? undefined : { path, object: after, kind: 'file' },
		lines: { added: 2, removed: 1 },
		hasUnreadableName: false,
		...more,
	};
}

const summary = (...results: ChangedFile[][]) =>
	compareResults(results).map(
		({ path, state, versions }) => `${path}: ${state} ${versions.map(v => v ?? '-').join('')}`,
	);

describe('what several agents have changed', () => {
	it('tells files of one, files in different states and files that are the same', () => {
		assert.deepEqual(
			summary([file('a', '1'), file('b', '1'), file('both', '1')], [file('b', '2'), file('both', '1'), file('c', '1')]),
			['a: only 0-', 'b: different 01', 'both: same 00', 'c: only -1'],
		);
	});

	it('marks what some of three have in common', () => {
		assert.deepEqual(summary([file('a', '1')], [file('a', '2')], [file('a', '1')]), ['a: different 010']);
		assert.deepEqual(summary([file('a', '1')], [], [file('a', '1')]), ['a: different 0-0']);
	});

	it('takes the same content for the same only with the same mode, and a deletion for one', () => {
		const program = file('a', '1', { after: { path: 'a', object: '1', kind: 'executable' } });
		assert.deepEqual(summary([file('a', '1')], [program]), ['a: different 01']);
		const gone = file('a', undefined, { status: 'D' });
		assert.deepEqual(summary([gone], [gone]), ['a: same 00']);
		assert.deepEqual(summary([gone], [file('a', '1')]), ['a: different 01']);
	});

	it('takes a file that was renamed for another one than a file that was added', () => {
		const renamed = file('new', '1', { status: 'R', before: { path: 'old', object: '1', kind: 'file' } });
		const added = file('new', '1', { status: 'A', before: undefined });
		assert.deepEqual(summary([renamed], [added]), ['new: different 01']);
		assert.deepEqual(summary([renamed], [renamed]), ['new: same 00']);
	});

	it('counts files without lines as files', () => {
		assert.deepEqual(countChanges([file('a', '1'), file('b', '1', { lines: undefined })]), {
			added: 2,
			removed: 1,
			files: 2,
		});
	});

	it('compares 10,000 files of four in little time', () => {
		const files = Array.from({ length: 10_000 }, (_, at) => file(`src/${at}.ts`, String(at % 7)));
		const spent = processorMs(() => {
			assert.equal(compareResults([files, files, files, files]).length, 10_000);
		});
		assert.ok(spent < 2_000, `${spent} ms`);
	});
});

describe('the hunks of what several agents have changed', () => {
	let repository: TemporaryRepository;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.write('a.txt', `${lines(1, 30).join('\n')}\n`);
		await repository.commitAll('Base');
	});

	afterEach(() => repository.remove());

	const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

	/** What a commit on the base changes in one file. */
	async function result(
		branch: string,
		content: string,
	): Promise<{ file: ChangedFile; hunks: Map<string, PatchHunk[]> }> {
		await repository.git('checkout', '--quiet', '-b', branch, 'main');
		await repository.write('a.txt', content);
		await repository.commitAll(branch);
		const tree = ['diff-tree', '-r', 'main', branch];
		const [changed] = readChangedFiles(await repository.git(...tree, '-z', '--raw', '--numstat'));
		const patch = await repository.git(...tree, '-p', '--unified=0', '--full-index');
		return { file: changed ?? assert.fail(), hunks: readPatchHunks(Buffer.from(patch).toString('latin1')) };
	}

	async function compare(...contents: string[]) {
		const results = await Promise.all([]).then(async () => {
			const made: Awaited<ReturnType<typeof result>>[] = [];
			for (const [at, content] of contents.entries()) {
				made.push(await result(`branch-${at}`, content));
			}
			return made;
		});
		const [compared] = compareResults(results.map(made => [made.file]));
		return compareHunks(
			compared ?? assert.fail(),
			results.map(({ hunks }) => hunks),
		)?.map(({ hunk, starts }) => ({ removed: hunk.removed, added: hunk.added, starts }));
	}

	it('are found in common where both change the same lines into the same', async () => {
		const [one, two] = [lines(1, 30), lines(1, 30)];
		one[4] = two[4] = 'both';
		one.splice(10, 2);
		two[20] = 'only two';
		assert.deepEqual(await compare(`${one.join('\n')}\n`, `${two.join('\n')}\n`), [
			{ removed: ['line 5'], added: ['both'], starts: [5, 5] },
			{ removed: ['line 11', 'line 12'], added: [], starts: [10, undefined] },
			{ removed: ['line 21'], added: ['only two'], starts: [undefined, 21] },
		]);
	});

	it('are not the same where only the end of the last line differs', async () => {
		const text = lines(1, 29).join('\n');
		const compared = await compare(`${text}\nlast`, `${text}\nlast\n`);
		assert.deepEqual(
			compared?.map(({ added, starts }) => ({ added, starts })),
			[
				{ added: ['last\0'], starts: [30, undefined] },
				{ added: ['last'], starts: [undefined, 30] },
			],
		);
	});

	it('are read from lines that look like parts of a patch', async () => {
		const hostile = [
			'@@ -1 +1 @@',
			`index ${'a'.repeat(40)}..${'b'.repeat(40)}`,
			'diff --git a/x b/x',
			'\\ No newline',
		];
		const compared = await compare(`${[...hostile, ...lines(1, 30)].join('\n')}\n`, `${lines(2, 30).join('\n')}\n`);
		assert.deepEqual(
			compared?.map(({ removed, added }) => [removed, added]),
			[
				[[], hostile],
				[['line 1'], []],
			],
		);
	});

	it('are not compared where nothing is known of them, or the changes begin with other contents', () => {
		const base = (object: string) => ({ path: 'a', object, kind: 'file' }) as const;
		const [compared] = compareResults([[file('a', '1')], [file('a', '2', { before: base('other') })]]);
		const known = new Map([
			['base..1', []],
			['other..2', []],
		]);
		assert.equal(compareHunks(compared ?? assert.fail(), [known, known]), undefined);
		const [unknown] = compareResults([[file('a', '1')], [file('a', '2')]]);
		assert.equal(compareHunks(unknown ?? assert.fail(), [known, known]), undefined);
	});
});
