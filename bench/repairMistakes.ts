// Forty mistakes that real models and their servers are known to make while they repair something.
import type { Step, Tool } from '../test/support/scriptedModel.ts';
import { linesOf, type Problem, pathOf, TEST_COMMAND } from './repairProblems.ts';

/** One step of the scripted model. The last step of a script says that the work is done. */
export type Stage = 'read' | 'edit' | 'run' | 'end';

/** One reply of the model, or what its server does instead. */
export interface Reply {
	text?: string;
	calls?: readonly { name: string; arguments: string }[];
	/** True if the reply ends at the model's limit, in the middle of the last call. */
	isCut?: boolean;
	/** The connection closes in the middle of the reply, or an error comes there. */
	breaks?: 'connection' | 'error';
	/** The status of an error in place of the reply, and the seconds after which the server lets the agent try again. */
	status?: number;
	waitSeconds?: number;
}

type Action = Exclude<Step, { do: 'say' | 'call' }>;

/** The situation in which the model makes its mistake. */
export interface Moment {
	problem: Problem;
	/** The number of mistaken replies before this one. */
	made: number;
	/** The results of the agent's tools so far. */
	results: readonly string[];
	/** True once the conversation was refused as too long. */
	wasRefused: boolean;
	/** The folder of the repository, as the agent sees it. */
	folder: string;
	/** Returns a step as a call of a tool that the agent offers. */
	call(step: Action): { name: string; input: Record<string, unknown>; tool: Tool };
}

export interface Mistake {
	title: string;
	at: Stage;
	/** The most replies that it takes, all in a row. 1 by default. */
	times?: number;
	/** The name of the problem in which it can be made. By default, any. */
	problem?: string;
	/** Returns the text of the wrong file, if it must be a special one. */
	inFile?(text: string): string;
	/** The bytes by which a conversation may grow before the server refuses it as too long. */
	room?: number;
	/** True if the model has the text of the file wrong, so that it must see the right one before it tries again. */
	isFromMemory?: boolean;
	/** Returns the mistaken reply, or undefined if the model makes the mistake no longer. */
	reply(moment: Moment): Reply | undefined;
}

type Input = Record<string, unknown>;
type Edit = Record<'from' | 'to', string>;

const call = (name: string, input: unknown): Reply => ({ calls: [{ name, arguments: JSON.stringify(input) }] });

/** Returns the right step of a stage. An edit names the wrong line and the one before it. */
export function stepAt(stage: Stage, problem: Problem): Action {
	const path = pathOf(problem);
	switch (stage) {
		case 'read':
			return { do: 'read', path };
		case 'edit':
			return { do: 'edit', path, from: linesOf(problem, 'wrong'), to: linesOf(problem, 'right') };
		default:
			return { do: 'run', command: TEST_COMMAND };
	}
}

function wrongText(title: string, at: Stage, change: (text: string, moment: Moment) => string): Mistake {
	return {
		...{ title, at },
		reply(moment) {
			const { name, input } = moment.call(stepAt(at, moment.problem));
			return { calls: [{ name, arguments: change(JSON.stringify(input), moment) }] };
		},
	};
}

function wrongInput(title: string, at: Stage, change: (input: Input, tool: Tool) => unknown): Mistake {
	return {
		...{ title, at },
		reply(moment) {
			const { name, input, tool } = moment.call(stepAt(at, moment.problem));
			return call(name, change(input, tool));
		},
	};
}

function wrongName(title: string, change: (name: string) => string): Mistake {
	return {
		...{ title, at: 'read' },
		reply(moment) {
			const { name, input } = moment.call(stepAt('read', moment.problem));
			return call(change(name), input);
		},
	};
}

function wrongEdit(title: string, change: (edit: Edit, moment: Moment) => Edit, rest: Partial<Mistake> = {}): Mistake {
	return {
		...{ title, at: 'edit', isFromMemory: true, ...rest },
		reply(moment) {
			const [from, to] = [linesOf(moment.problem, 'wrong'), linesOf(moment.problem, 'right')];
			const { name, input } = moment.call({
				do: 'edit',
				path: pathOf(moment.problem),
				...change({ from, to }, moment),
			});
			return call(name, input);
		},
	};
}

/** The server fails `times` times in a row while it makes the right reply of a stage. */
function failure(title: string, at: Stage, fault: Reply, times = 1): Mistake {
	return {
		...{ title, at, times },
		reply(moment) {
			const { name, input } = moment.call(stepAt(at, moment.problem));
			return { text: 'Let me see.', ...call(name, input), ...fault };
		},
	};
}

/** Returns an input with the numbers of the tool that reads: where to begin, and how many lines. */
function withNumbers(input: Input, { properties }: Tool, first: unknown, count: unknown): Input {
	const names = Object.keys(properties).filter(name => /integer|number/.test(String(properties[name]?.type)));
	return { ...input, ...Object.fromEntries(names.map(name => [name, /^(offset|from)/.test(name) ? first : count])) };
}

/** Returns a value with other names for all of its fields. A field whose name becomes undefined is left out. */
function renamed(value: unknown, nameOf: (name: string) => string | undefined): unknown {
	if (Array.isArray(value)) {
		return value.map(item => renamed(item, nameOf));
	}
	if (typeof value !== 'object' || value === null) {
		return value;
	}
	const fields = Object.entries(value).map(([name, field]) => [nameOf(name), renamed(field, nameOf)] as const);
	return Object.fromEntries(fields.filter(([name]) => name !== undefined));
}

const both = ({ from, to }: Edit, change: (text: string) => string): Edit => ({ from: change(from), to: change(to) });

/** Copies the lines as the agent's tool has shown them, with whatever stands before them there. */
function asShown({ from, to }: Edit, { results, problem }: Moment): Edit {
	const shown = (results.findLast(result => result.includes(problem.wrong)) ?? '').split('\n');
	const at = shown.findIndex(line => line.includes(problem.wrong));
	const before = from.split('\n').map((line, index) => {
		const whole = shown[at - 1 + index] ?? '';
		return whole.endsWith(line) ? whole.slice(0, whole.length - line.length) : '';
	});
	const numbered = (line: string, index: number) => before[index] + line;
	return both({ from, to }, text => text.split('\n').map(numbered).join('\n'));
}

const escapedHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const LOG_LINE = 'build: compiled one more module of the dependencies without a warning\n';
const LOG_LINES = 370;
const LOOPS = 12;

export const mistakes: readonly Mistake[] = [
	wrongInput('numbers as text', 'read', (input, tool) => withNumbers(input, tool, '1', '40')),
	wrongInput('null for all optional arguments', 'read', (input, { properties }) => ({
		...Object.fromEntries(Object.keys(properties).map(name => [name, null])),
		...input,
	})),
	wrongInput('a beginning of 0, and 2,000 lines', 'read', (input, tool) => withNumbers(input, tool, 0, 2_000)),
	wrongInput('arguments that are encoded twice', 'read', input => JSON.stringify(input)),
	wrongInput('a command as a list of words', 'run', input => ({ ...input, command: TEST_COMMAND.split(' ') })),
	wrongInput('the names of another tool’s arguments', 'edit', input =>
		renamed(input, name =>
			/path/i.test(name) ? 'file' : /^old/.test(name) ? 'old_str' : /^new/.test(name) ? 'new_str' : name,
		),
	),
	wrongInput('an argument too many', 'run', input => ({ ...input, explanation: 'To see whether it passes.' })),
	wrongInput('an argument too few', 'edit', input => renamed(input, name => (/^new/.test(name) ? undefined : name))),
	wrongText('a path from the root of the disk', 'read', (text, { folder }) => text.replaceAll(folder, '')),
	wrongText('a path in a folder of another machine', 'read', (text, { folder }) => text.replaceAll(folder, '/app')),

	wrongEdit('old text from memory', edit => ({ ...edit, from: edit.from.replace('return ', 'const result = ') })),
	wrongEdit('spaces in place of a tab', edit => both(edit, text => text.replaceAll('\t', '    '))),
	wrongEdit('lines with the numbers that were shown', asShown),
	wrongEdit('line feeds where the file has CRLF', edit => edit, {
		inFile: text => text.replaceAll('\n', '\r\n'),
	}),
	wrongEdit('old text without the white space at the end of a line', edit => edit, {
		inFile: text => text.replace(') {\n', ') { \n'),
	}),
	wrongEdit('old text that stands there twice', (_, { problem }) => ({ from: problem.wrong, to: problem.right }), {
		problem: 'discount',
		inFile: text => text.replace('//', '// Before: return count > 10 ? 5 : 0;\n//'),
	}),
	wrongEdit('line feeds and tabs as \\n and \\t', edit =>
		both(edit, text => text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')),
	),
	wrongEdit('HTML’s entities', edit => both(edit, escapedHtml), { problem: 'unique' }),
	wrongEdit('typographic quotes', edit => ({ ...edit, from: edit.from.replaceAll("'", '’') }), { problem: 'slug' }),
	{
		title: 'a whole file with the rest left out',
		at: 'edit',
		reply({ problem, call: of }) {
			const [head] = linesOf(problem, 'right').split('\n');
			const content = `${head}\n\t// ... the rest is as before ...\n}\n`;
			const { name, input } = of({ do: 'write', path: pathOf(problem), content });
			return call(name, input);
		},
	},

	{
		title: 'a tool of another agent',
		at: 'edit',
		reply({ problem }) {
			const [head, wrong] = linesOf(problem, 'wrong').split('\n');
			const patch = `*** Begin Patch\n*** Update File: ${pathOf(problem)}\n ${head}\n-${wrong}\n+\t${problem.right}\n*** End Patch`;
			return call('apply_patch', { input: patch });
		},
	},
	wrongName('a tool’s name in capitals', name => name.charAt(0).toUpperCase() + name.slice(1)),
	wrongName('a tool’s name with the template’s words', name => `functions.${name}`),

	wrongText('JSON that ends too early', 'read', text => text.slice(0, -2)),
	wrongText('JSON with line feeds and tabs in a string', 'edit', text =>
		text.replaceAll('\\n', '\n').replaceAll('\\t', '\t'),
	),
	wrongText('JSON with a comma at its end', 'run', text => text.replace(/\}$/, ',}')),
	wrongText('the same JSON twice', 'read', text => text + text),

	{ title: 'an empty reply', at: 'edit', reply: () => ({}) },
	{
		title: 'an announcement without a call',
		at: 'edit',
		reply: ({ problem }) => ({ text: `The cause is clear. I will now change ${pathOf(problem)}.` }),
	},
	{
		title: 'a call as text',
		at: 'edit',
		reply({ problem, call: of }) {
			const { name, input } = of(stepAt('edit', problem));
			return { text: `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>` };
		},
	},
	{
		// It leaves the loop only where something new is said, and gives up in the end.
		title: 'the same call again and again',
		at: 'read',
		times: LOOPS,
		reply({ made, problem, results, call: of }) {
			const { name, input } = of(stepAt('read', problem));
			if (new Set(results).size > 1) {
				return undefined;
			}
			return made === LOOPS - 1 ? { text: 'I cannot find out what is wrong.' } : call(name, input);
		},
	},

	failure('HTTP 500', 'edit', { status: 500 }),
	failure('HTTP 429 with the time to wait', 'edit', { status: 429, waitSeconds: 1 }),
	failure('HTTP 503 twice', 'edit', { status: 503 }, 2),
	failure('a connection that closes in the middle of a call', 'edit', { breaks: 'connection' }),
	failure('an error in the middle of a stream', 'edit', { breaks: 'error' }),
	failure('the maximum length in the middle of a call', 'edit', { isCut: true }),
	{
		title: 'a conversation that becomes too long',
		at: 'read',
		times: 10,
		room: 120_000,
		reply({ made, wasRefused, call: of }) {
			const program = `for (let i = 0; i < ${LOG_LINES}; i++) process.stdout.write(${made} + i + ' ' + ${JSON.stringify(LOG_LINE)})`;
			const { name, input } = of({ do: 'run', command: `node -e '${program}'` });
			return wasRefused ? undefined : call(name, input);
		},
	},

	{
		title: 'a command that never ends',
		at: 'read',
		reply({ call: of }) {
			const { name, input } = of({ do: 'run', command: 'tail -f /dev/null' });
			return call(name, input);
		},
	},
	{
		title: 'a server that is left running',
		at: 'read',
		reply({ call: of }) {
			const { name, input } = of({
				do: 'run',
				command: `node -e 'setInterval(() => {}, 1000)' & ${TEST_COMMAND}`,
			});
			return call(name, input);
		},
	},
];
