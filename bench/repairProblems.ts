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

/** Each function with its test, its wrong line and the right one. */
const PROBLEMS = `
slug(text): slug('a b c') = 'a-b-c'
- return text.replace(' ', '-');
+ return text.replaceAll(' ', '-');
discount(count): discount(10) = 5
- return count > 10 ? 5 : 0;
+ return count >= 10 ? 5 : 0;
isEven(number): isEven(4) = true
- return number % 2 === 1;
+ return number % 2 === 0;
clamp(value, low, high): clamp(5, 0, 3) = 3
- return Math.max(high, Math.min(low, value));
+ return Math.min(high, Math.max(low, value));
median(values): median([10, 9, 1]) = 9
- return [...values].sort()[Math.floor(values.length / 2)];
+ return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
initials(name): initials('Ada Lovelace') = 'AL'
- return name.split(' ').map(word => word[1]).join('');
+ return name.split(' ').map(word => word[0]).join('');
plural(count, word): plural(1, 'file') = '1 file'
- return count + ' ' + word + 's';
+ return count + ' ' + word + (count === 1 ? '' : 's');
percent(part, whole): percent(1, 3) = 33
- return Math.round(part / whole) * 100;
+ return Math.round((part / whole) * 100);
lastOf(list): lastOf([1, 2, 3]) = 3
- return list[list.length];
+ return list[list.length - 1];
countWords(text): countWords('one  two') = 2
- return text.split(' ').length;
+ return text.split(' ').filter(word => word !== '').length;
sum(values): sum([]) = 0
- return values.reduce((a, b) => a + b);
+ return values.reduce((a, b) => a + b, 0);
capital(word): capital('word') = 'Word'
- return word[0].toUpperCase() + word;
+ return word[0].toUpperCase() + word.slice(1);
range(from, to): range(1, 3) = [1, 2, 3]
- return Array.from({ length: to - from }, (_, index) => from + index);
+ return Array.from({ length: to - from + 1 }, (_, index) => from + index);
unique(list): unique([1, 2, 1]) = [1, 2]
- return list.filter((item, index) => list.indexOf(item) < index);
+ return list.filter((item, index) => list.indexOf(item) === index);
fahrenheit(celsius): fahrenheit(100) = 212
- return (celsius * 5) / 9 + 32;
+ return (celsius * 9) / 5 + 32;
escapeHtml(text): escapeHtml('a & b < c') = 'a &amp; b &lt; c'
- return text.replaceAll('<', '&lt;');
+ return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
reversed(text): reversed('bca') = 'acb'
- return [...text].sort().join('');
+ return [...text].reverse().join('');
area(width, height): area(3, 4) = 12
- return width + height;
+ return width * height;
isPalindrome(text): isPalindrome('level') = true
- return text === [...text].reverse().join();
+ return text === [...text].reverse().join('');
dayOf(date): dayOf('2026-01-31') = 31
- return Number(date.split('-')[1]);
+ return Number(date.split('-')[2]);
extension(file): extension('a.tar.gz') = 'gz'
- return file.split('.')[1];
+ return file.split('.').at(-1);
minutes(time): minutes('1:30') = 90
- return time.split(':').reduce((sum, part) => sum * 24 + Number(part), 0);
+ return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
hex(number): hex(255) = 'ff'
- return number.toString(8);
+ return number.toString(16);
greet(name): greet(' Ada ') = 'Hello, Ada'
- return 'Hello, ' + name.trim;
+ return 'Hello, ' + name.trim();
cents(price): cents('1,5') = 150
- return Number(price.replace(',', '.')) * 10;
+ return Number(price.replace(',', '.')) * 100;
chunk(list, size): chunk([1, 2, 3], 2) = [[1, 2], [3]]
- return list.length === 0 ? [] : [list.slice(0, size), ...chunk(list.slice(1), size)];
+ return list.length === 0 ? [] : [list.slice(0, size), ...chunk(list.slice(size), size)];
both(one, other): both([1, 2], [2, 3]) = [2]
- return one.filter(item => !other.includes(item));
+ return one.filter(item => other.includes(item));
omit(fields, key): omit({ a: 1, b: 2 }, 'a') = { b: 2 }
- return Object.fromEntries(Object.entries(fields).filter(([name]) => name === key));
+ return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));
average(values): average([1, 2, 3]) = 2
- return values.reduce((a, b) => a + b, 0) / (values.length + 1);
+ return values.reduce((a, b) => a + b, 0) / values.length;
isLeap(year): isLeap(1900) = false
- return year % 4 === 0;
+ return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
`;

export const problems: readonly Problem[] = Array.from(
	PROBLEMS.matchAll(
		/^(?<name>\w+)\((?<parameters>.*?)\): (?<call>.+) = (?<result>.+)\n- (?<wrong>.+)\n\+ (?<right>.+)$/gm,
	),
	({ groups }) => ({ ...groups }) as object as Problem,
);
