import assert from 'node:assert/strict';
import type { ChangedFile } from '../../../../src/tasks/model/changedFile.ts';
import { type ComparedHunk, compareResults } from '../../../../src/tasks/model/compareResults.ts';
import { type CompareText, type CompareWords, compareText } from '../../../../src/tasks/model/compareText.ts';
import { processorMs } from '../../../support/processorTime.ts';

const words: CompareWords = {
	agent: 'Agent',
	facts: ['Changes', 'Tests', 'Nobody knows'],
	section: (state, count, name) => `${state} ${name} (${count})`,
	change: ({ lines }) => (lines ? `+${lines.added} -${lines.removed}` : 'binary'),
	take: 'take',
	unchanged: 'not changed',
	sameAs: name => `same as ${name}`,
	commonHunks: count => `${count} in common`,
	hunk: (line, removed, added) => `line ${line}, +${added} -${removed}`,
	nothing: 'Nothing.',
};
const columns = [
	{ name: 'one', facts: ['+9 -9 in 9 files', 'passed', ''] },
	{ name: 'two', facts: ['+1 -1 in 1 file', '', ''] },
];

function file(path: string, object: string, added = 2): ChangedFile {
	return {
		status: 'M',
		before: { path, object: 'base', kind: 'file' },
		after: { path, object, kind: 'file' },
		lines: { added, removed: 1 },
		hasUnreadableName: false,
	};
}

const files = compareResults([
	[file('src/a.ts', '1'), file('b.ts', '1'), file('same.ts', '1')],
	[file('src/a.ts', '2', 20), file('same.ts', '1')],
]);
const hunk = (oldStart: number, added: string, starts: (number | undefined)[]): ComparedHunk => ({
	hunk: { oldStart, oldLines: 1, newStart: oldStart, newLines: 1, removed: ['old'], added: [added] },
	starts,
});
const hunks = new Map([
	['src/a.ts', [hunk(3, 'both', [3, 4]), hunk(9, 'caf\u00c3\u00a9 \u00e2\u0080\u00ae!', [undefined, 12])]],
]);

const linked = ({ lines, links }: CompareText) =>
	links.map(
		({ line, start, end, action }) => `${lines[line]?.slice(start, end)} → ${JSON.stringify(Object.values(action))}`,
	);

describe('the comparison of agents as a document', () => {
	it('has a column for each agent, and sections by what they have in common', () => {
		assert.deepEqual(compareText(columns, files, hunks, words).lines, [
			'Agent         one               two',
			'Changes       +9 -9 in 9 files  +1 -1 in 1 file',
			'Tests         passed',
			'',
			'different  (1)',
			'  src/a.ts    +2 -1  take       +20 -1       take  1 in common',
			'    line 3, +1 -1  one, two  both',
			'    line 12, +1 -1  two  café !',
			'',
			'only one (1)',
			'  b.ts        +2 -1  take       not changed',
			'',
			'same  (1)',
			'  same.ts     +2 -1  take       same as one',
		]);
	});

	it('keeps both ends of a long name, and the beginning of a long sentence', () => {
		const long = ['1', '2'].map(end => ({
			name: end,
			facts: [`errand/${'a'.repeat(60)}-${end}`, 'word '.repeat(20), ''],
		}));
		const [, names = '', sentences = ''] = compareText(long, [], new Map(), words).lines;
		assert.match(names, /^Changes +errand\/a+…a+-1 +errand\/a+…a+-2$/);
		assert.match(sentences, /^Tests +(?:word )+… +(?:word )+…$/);
	});

	it('links to what can be done at each place, exactly over its words', () => {
		assert.deepEqual(linked(compareText(columns, files, hunks, words)), [
			'src/a.ts → ["compare","src/a.ts",0,1]',
			'+2 -1 → ["open","src/a.ts",0]',
			'take → ["take","src/a.ts",0]',
			'+20 -1 → ["open","src/a.ts",1]',
			'take → ["take","src/a.ts",1]',
			'line 3, +1 -1 → ["open","src/a.ts",0,3]',
			'line 12, +1 -1 → ["open","src/a.ts",1,12]',
			'b.ts → ["open","b.ts",0]',
			'+2 -1 → ["open","b.ts",0]',
			'take → ["take","b.ts",0]',
			'same.ts → ["open","same.ts",0]',
			'+2 -1 → ["open","same.ts",0]',
			'take → ["take","same.ts",0]',
		]);
	});

	it('folds sections, and files with their hunks', () => {
		assert.deepEqual(compareText(columns, files, hunks, words).folds, [
			{ start: 5, end: 7 },
			{ start: 4, end: 7 },
			{ start: 9, end: 10 },
			{ start: 12, end: 13 },
		]);
	});

	it('marks what is the same, within its lines', () => {
		const { lines, marks } = compareText(columns, files, hunks, words);
		assert.deepEqual(
			marks.filter(({ kind }) => kind === 'common').map(({ line, start, end }) => lines[line]?.slice(start, end)),
			['1 in common', 'one, two', 'same as one'],
		);
		assert.ok(marks.every(({ line, start, end }) => start <= end && end <= (lines[line]?.length ?? 0)));
	});

	it('keeps names that are hidden, long or of several lines on one line, and their end in sight', () => {
		const long = `${'folder/'.repeat(30)}name.ts`;
		const hostile = compareResults([[file('a\u202e\nb', '1'), file(long, '1')], []]);
		const { lines } = compareText(columns, hostile, new Map(), words);
		assert.equal(lines.length, 3 + 2 + 2);
		assert.ok(lines.some(line => /^ {2}a b /.test(line)));
		assert.ok(lines.some(line => /^ {2}….*\/name\.ts /.test(line)));
		assert.doesNotMatch(lines.join('\n'), /\u202e/);
	});

	it('says so where nothing was changed', () => {
		assert.deepEqual(compareText(columns, [], new Map(), words).lines.slice(3), ['', 'Nothing.']);
	});

	it('lays out 10,000 files in little time', () => {
		const many = (object: string) => Array.from({ length: 10_000 }, (_, at) => file(`src/folder/${at}.ts`, object));
		const compared = compareResults([many('1'), many('2')]);
		const spent = processorMs(() => {
			assert.equal(compareText(columns, compared, new Map(), words).links.length, 50_000);
		});
		assert.ok(spent < 2_000, `${spent} ms`);
	});
});
