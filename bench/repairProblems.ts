// Thirty tiny repositories, each with one wrong line and a test that fails because of it.

/** One repository: a function whose body is one wrong line, and a call of it with the right result. */
export interface Problem {
	name: string;
	parameters: string;
	wrong: string;
	right: string;
	call: string;
	result: string;
}

/** The command that runs the test, and what it prints if the test passes. */
export const TEST_COMMAND = 'node test.js';
export const PASSES = 'The test passes.';

/** The path of the wrong file in a problem's repository. */
export const pathOf = ({ name }: Problem): string => `src/${name}.js`;

/** Returns the first two lines of the function, with the wrong line or the right one. */
export const linesOf = (problem: Problem, which: 'wrong' | 'right'): string =>
	`export function ${problem.name}(${problem.parameters}) {\n\t${problem[which]}`;

/** Returns the test as a module beside the folder `src`. */
export const testOf = ({ name, call, result }: Problem): string => `import assert from 'node:assert/strict';
import { ${name} } from './src/${name}.js';

assert.deepEqual(${call}, ${result});
console.log('${PASSES}');
`;

/** Returns the texts of all files of a repository, by their paths. */
export function filesOf(problem: Problem): Record<string, string> {
	const { name } = problem;
	return {
		'package.json': `{ "name": "${name}", "type": "module", "scripts": { "test": "${TEST_COMMAND}" } }\n`,
		[pathOf(problem)]: `// The function ${name}, which test.js tests.\n\n${linesOf(problem, 'wrong')}\n}\n`,
		'test.js': testOf(problem),
	};
}

export const problems: readonly Problem[] = (
	[
		['slug', 'text', "return text.replace(' ', '-');", "return text.replaceAll(' ', '-');", "('a b c')", "'a-b-c'"],
		['discount', 'count', 'return count > 10 ? 5 : 0;', 'return count >= 10 ? 5 : 0;', '(10)', '5'],
		['isEven', 'number', 'return number % 2 === 1;', 'return number % 2 === 0;', '(4)', 'true'],
		[
			'clamp',
			'value, low, high',
			'return Math.max(high, Math.min(low, value));',
			'return Math.min(high, Math.max(low, value));',
			'(5, 0, 3)',
			'3',
		],
		[
			'median',
			'values',
			'return [...values].sort()[Math.floor(values.length / 2)];',
			'return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];',
			'([10, 9, 1])',
			'9',
		],
		[
			'initials',
			'name',
			"return name.split(' ').map(word => word[1]).join('');",
			"return name.split(' ').map(word => word[0]).join('');",
			"('Ada Lovelace')",
			"'AL'",
		],
		[
			'plural',
			'count, word',
			"return count + ' ' + word + 's';",
			"return count + ' ' + word + (count === 1 ? '' : 's');",
			"(1, 'file')",
			"'1 file'",
		],
		[
			'percent',
			'part, whole',
			'return Math.round(part / whole) * 100;',
			'return Math.round((part / whole) * 100);',
			'(1, 3)',
			'33',
		],
		['lastOf', 'list', 'return list[list.length];', 'return list[list.length - 1];', '([1, 2, 3])', '3'],
		[
			'countWords',
			'text',
			"return text.split(' ').length;",
			"return text.split(' ').filter(word => word !== '').length;",
			"('one  two')",
			'2',
		],
		[
			'sum',
			'values',
			'return values.reduce((a, b) => a + b);',
			'return values.reduce((a, b) => a + b, 0);',
			'([])',
			'0',
		],
		[
			'capital',
			'word',
			'return word[0].toUpperCase() + word;',
			'return word[0].toUpperCase() + word.slice(1);',
			"('word')",
			"'Word'",
		],
		[
			'range',
			'from, to',
			'return Array.from({ length: to - from }, (_, index) => from + index);',
			'return Array.from({ length: to - from + 1 }, (_, index) => from + index);',
			'(1, 3)',
			'[1, 2, 3]',
		],
		[
			'unique',
			'list',
			'return list.filter((item, index) => list.indexOf(item) < index);',
			'return list.filter((item, index) => list.indexOf(item) === index);',
			'([1, 2, 1])',
			'[1, 2]',
		],
		['fahrenheit', 'celsius', 'return (celsius * 5) / 9 + 32;', 'return (celsius * 9) / 5 + 32;', '(100)', '212'],
		[
			'escapeHtml',
			'text',
			"return text.replaceAll('<', '&lt;');",
			"return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');",
			"('a & b < c')",
			"'a &amp; b &lt; c'",
		],
		[
			'reversed',
			'text',
			"return [...text].sort().join('');",
			"return [...text].reverse().join('');",
			"('bca')",
			"'acb'",
		],
		['area', 'width, height', 'return width + height;', 'return width * height;', '(3, 4)', '12'],
		[
			'isPalindrome',
			'text',
			'return text === [...text].reverse().join();',
			"return text === [...text].reverse().join('');",
			"('level')",
			'true',
		],
		[
			'dayOf',
			'date',
			"return Number(date.split('-')[1]);",
			"return Number(date.split('-')[2]);",
			"('2026-01-31')",
			'31',
		],
		['extension', 'file', "return file.split('.')[1];", "return file.split('.').at(-1);", "('a.tar.gz')", "'gz'"],
		[
			'minutes',
			'time',
			"return time.split(':').reduce((sum, part) => sum * 24 + Number(part), 0);",
			"return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);",
			"('1:30')",
			'90',
		],
		['hex', 'number', 'return number.toString(8);', 'return number.toString(16);', '(255)', "'ff'"],
		['greet', 'name', "return 'Hello, ' + name.trim;", "return 'Hello, ' + name.trim();", "(' Ada ')", "'Hello, Ada'"],
		[
			'cents',
			'price',
			"return Number(price.replace(',', '.')) * 10;",
			"return Number(price.replace(',', '.')) * 100;",
			"('1,5')",
			'150',
		],
		[
			'chunk',
			'list, size',
			'return list.length === 0 ? [] : [list.slice(0, size), ...chunk(list.slice(1), size)];',
			'return list.length === 0 ? [] : [list.slice(0, size), ...chunk(list.slice(size), size)];',
			'([1, 2, 3], 2)',
			'[[1, 2], [3]]',
		],
		[
			'both',
			'one, other',
			'return one.filter(item => !other.includes(item));',
			'return one.filter(item => other.includes(item));',
			'([1, 2], [2, 3])',
			'[2]',
		],
		[
			'omit',
			'fields, key',
			'return Object.fromEntries(Object.entries(fields).filter(([name]) => name === key));',
			'return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));',
			"({ a: 1, b: 2 }, 'a')",
			'{ b: 2 }',
		],
		[
			'average',
			'values',
			'return values.reduce((a, b) => a + b, 0) / (values.length + 1);',
			'return values.reduce((a, b) => a + b, 0) / values.length;',
			'([1, 2, 3])',
			'2',
		],
		[
			'isLeap',
			'year',
			'return year % 4 === 0;',
			'return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);',
			'(1900)',
			'false',
		],
	] as const
).map(([name, parameters, wrong, right, given, result]) => ({
	...{ name, parameters, wrong, right, result },
	call: name + given,
}));
