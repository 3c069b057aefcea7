import assert from 'node:assert/strict';
import {
	findLoosely,
	nearestLines,
	withoutNumbers,
	withPlainCharacters,
} from '../../../../src/agent/tools/looseText.ts';
import { processorMs } from '../../../support/processorTime.ts';

describe('a text that was not copied exactly', () => {
	const found = (lines: string[], old: string, put: string) => findLoosely(lines, old, put);

	it('is found where only the white space around its lines differs, and what is put there is indented like the file', () => {
		assert.deepEqual(found(['if (a) {', '\tb();', '}'], '  b();', '  b();\n  c();'), {
			start: 1,
			count: 1,
			lines: ['\tb();', '\tc();'],
		});
		assert.deepEqual(
			found(
				['\tif (a) {', '\t\tb( 1, 2 );', '\t}'],
				'if (a) {\n  b( 1, 2 );\n}\n',
				'if (a) {\n  if (b) {\n    c();\n  }\n}\n',
			),
			{
				start: 0,
				count: 3,
				lines: ['\tif (a) {', '\t\tif (b) {', '\t\t\tc();', '\t\t}', '\t}'],
			},
		);
		assert.deepEqual(found(['a', '', 'b  '], 'a\n\nb', ''), { start: 0, count: 3, lines: [] });
	});

	it('is not found where two places fit, where none does, and where it is blank', () => {
		assert.equal(found(['a', ' a'], '  a', 'b'), undefined);
		assert.equal(found(['a', 'b'], 'a\nc', 'd'), undefined);
		assert.equal(found(['', ''], ' ', 'a'), undefined);
		assert.equal(found(['a'], 'a\nb', 'c'), undefined);
		assert.equal(found(['f("a  b");'], '\tf("a b");', 'g();'), undefined);
	});

	it('is searched for with a bound', () => {
		const lines = Array.from({ length: 300_000 }, () => 'a');
		const spent = processorMs(() => assert.equal(found(lines, `${' a\n'.repeat(100_000)}b`, 'c'), undefined));
		assert.ok(spent < 20_000);
	});

	it('loses the numbers of the read tool if each line has one', () => {
		assert.deepEqual(withoutNumbers('   12\ta\n   13\t\tb\n', '   12\tc\n'), { old: 'a\n\tb\n', put: 'c\n' });
		assert.deepEqual(withoutNumbers('12\ta', 'b'), { old: 'a', put: 'b' });
		assert.equal(withoutNumbers('12\ta\nb', 'c'), undefined);
		assert.equal(withoutNumbers('12\t', 'c'), undefined);
	});

	it('loses typographic characters, and what is put there loses the same ones', () => {
		assert.deepEqual(withPlainCharacters('f(‘a’)\u00a0— “b”', 'g(‘a’) — “c” …„'), {
			old: 'f(\'a\') - "b"',
			put: 'g(\'a\') - "c" …„',
		});
		assert.equal(withPlainCharacters("f('a')", 'g(‘a’)'), undefined);
	});

	it('is told with the lines that are most like it, up to a bound', () => {
		const told = nearestLines(['first();', 'second(one, two);', 'third();'], ['first();', 'second(one, 2);']);
		assert.match(told, /lines 1 to 2/);
		assert.match(told, /^ {2}first\(\);\n- second\(one, 2\);\n\+ second\(one, two\);$/m);
		assert.equal(nearestLines(['first();'], ['wholly different']), '');
		assert.equal(nearestLines([], ['a']), '');
		const long = Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}`);
		assert.ok(
			nearestLines(
				long,
				long.map(line => `${line}y`),
			).length < 3_000,
		);
	});
});
