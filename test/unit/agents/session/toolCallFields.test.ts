import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import type { ToolCall } from '../../../../src/agents/session/events.ts';
import { MAXIMUM_TEXT } from '../../../../src/agents/session/limits.ts';
import { readToolCall } from '../../../../src/agents/session/toolCallFields.ts';
import { ToolCalls } from '../../../../src/agents/session/toolCalls.ts';

const LIMIT = MAXIMUM_TEXT;

/** What is read of a call that was told with this `rawInput`. */
function fieldsOf(rawInput: unknown) {
	const told = readToolCall({ toolCallId: 'call-1', rawInput });
	assert.ok(told);
	return told.fields;
}

const commandOf = (rawInput: unknown) => fieldsOf(rawInput).command;

describe('the input of a tool call', () => {
	it('is told as JSON, with the command that it runs', () => {
		assert.deepEqual(fieldsOf({ command: 'npm test', timeout: 5 }), {
			command: 'npm test',
			input: '{"command":"npm test","timeout":5}',
			isInputCut: undefined,
		});
		assert.equal(commandOf({ cmd: 'ls -l' }), 'ls -l');
		assert.equal(commandOf({ command: null, cmd: 'ls -l' }), 'ls -l');
		assert.deepEqual(fieldsOf({ path: 'a.txt', content: 'é\n' }), {
			command: undefined,
			input: '{"path":"a.txt","content":"é\\n"}',
			isInputCut: undefined,
		});
	});

	it('has the command as it is, whatever is in it', () => {
		for (const command of ['a  b\n rm -rf ~', ' ls', 'echo \u202e\u001b[31m\0', "it's $HOME `id`"]) {
			assert.equal(commandOf({ command }), command);
		}
	});

	it('has the words of a list quoted as a shell needs them', () => {
		assert.equal(
			commandOf({ command: ['git', 'log', '--format=%h', '-n1', 'a/b.c'] }),
			'git log --format=%h -n1 a/b.c',
		);
		assert.equal(
			commandOf({ command: ['bash', '-lc', "echo 'it''s' && rm *"] }),
			"bash -lc 'echo '\\''it'\\'''\\''s'\\'' && rm *'",
		);
		assert.equal(commandOf({ command: ['printf', '', ' ', '~', '$(id)', 'a\nb'] }), "printf '' ' ' '~' '$(id)' 'a\nb'");
	});

	it('has words that a real shell reads unchanged, without running any of them', function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const word = fc
			.string({ unit: fc.constantFrom(...'ab \'"$`\\\n\t;&|<>(){}[]*?!~#=%^é😀-') })
			.filter(text => !text.includes('\0'));
		fc.assert(
			fc.property(fc.array(word, { maxLength: 6 }), words => {
				const command = commandOf({ command: ['printf', '%s\\0', 'first', ...words] }) ?? '';
				const printed = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
				assert.deepEqual(printed.split('\0').slice(0, -1), ['first', ...words]);
			}),
			{ numRuns: 60 },
		);
	});

	it('has the words that are told beside the program', () => {
		assert.equal(commandOf({ command: 'npm', args: ['run', 'a b'] }), "npm run 'a b'");
		assert.equal(commandOf({ command: ['npm', 'run'], args: ['x'] }), 'npm run x');
		assert.equal(commandOf({ command: 'npm test', args: [] }), 'npm test');
		assert.equal(commandOf({ command: 'npm test', args: null }), 'npm test');
	});

	it('has no command where it is not known exactly', () => {
		for (const input of [
			{ command: 'npm', args: { name: 'publish' } },
			{ command: 'npm', args: ['run', 7] },
			{ command: 'npm', args: 'publish' },
			{ command: ['npm', null] },
			{ command: [] },
			{ command: [''] },
			{ command: '' },
			{ command: ' \n ' },
			{ command: 7 },
			{ command: { toString: 'ls' } },
			{ command: [['ls']] },
			{ command: true, cmd: 'ls' },
			{ command: 'ls', cmd: 'rm -rf .' },
			{ script: 'ls' },
		]) {
			const { command, input: told } = fieldsOf(input);
			assert.equal(command, undefined, JSON.stringify(input));
			assert.equal(told, JSON.stringify(input));
		}
	});

	it('is not known from an empty object, which says that the rest is still to come, or from anything but an object', () => {
		for (const input of [undefined, null, {}, [], ['rm', '-rf', '/'], 'rm -rf /', 7, true]) {
			assert.deepEqual(fieldsOf(input), {}, JSON.stringify(input));
		}
	});

	it('is read of objects that were made to confuse, as they are', () => {
		for (const text of [
			'{"__proto__":{"command":"ls"}}',
			'{"constructor":{"prototype":{"command":"ls"}}}',
			'{"toJSON":"ls","hasOwnProperty":1}',
			`{"command":"\\ud800"}`,
			`{"a":${'['.repeat(150)}${']'.repeat(150)}}`,
		]) {
			const fields = fieldsOf(JSON.parse(text));
			assert.equal(fields.input, text.replace('\\ud800', '\\ud800'));
			assert.equal(fields.command, text.includes('"command":"\\') ? '\ud800' : undefined);
		}
		assert.equal(({} as Record<string, unknown>)['command'], undefined);
	});

	it('is left out as a whole if it is too long, which is reported', () => {
		const fits = { command: 'x'.repeat(LIMIT - '{"command":""}'.length) };
		assert.equal(fieldsOf(fits).input?.length, LIMIT);
		const cut = { command: undefined, input: undefined, isInputCut: true };
		assert.deepEqual(fieldsOf({ command: `${fits.command}x` }), cut);
		assert.deepEqual(fieldsOf({ command: 'ls', note: 'x'.repeat(LIMIT) }), cut);
	});
});

describe('the state of a call', () => {
	const told = (rawInput: unknown, others: object = {}) => {
		const read = readToolCall({ toolCallId: 'call-1', rawInput, ...others });
		assert.ok(read);
		return read;
	};

	/** Tells of a call several times, and returns its last state, and what a request for a permission would have. */
	function toldOf(...inputs: unknown[]): { call: ToolCall; asked: ToolCall } {
		const calls = new ToolCalls();
		for (const input of inputs) {
			calls.tell(told(input));
		}
		const read = readToolCall({ toolCallId: 'call-1' });
		assert.ok(read);
		const call = calls.merged(read);
		return { call, asked: calls.merged(told({})) };
	}

	it('keeps the command where nothing newer is told of what the tool was called with', () => {
		const { asked } = toldOf({ command: 'ls' }, {}, undefined);
		assert.deepEqual([asked.command, asked.input], ['ls', '{"command":"ls"}']);
	});

	it('forgets the command of an earlier call of the same id, whose name no later one may stand behind', () => {
		const { call, asked } = toldOf({ command: 'ls' }, { script: 'rm -rf .' });
		assert.ok(!('command' in call) && !('command' in asked));
		assert.equal(asked.input, '{"script":"rm -rf ."}');
	});

	it('forgets what it was called with where more follows than is kept, and says so until it is told anew', () => {
		const long = { command: 'x'.repeat(LIMIT) };
		const { asked } = toldOf({ command: 'ls' }, long);
		assert.deepEqual([asked.command, asked.input, asked.isInputCut], [undefined, undefined, true]);
		const anew = toldOf(long, { command: 'ls' }).asked;
		assert.deepEqual([anew.command, 'isInputCut' in anew], ['ls', false]);
	});

	it('changes with it, and names what has changed', () => {
		const calls = new ToolCalls();
		const changes = [{ command: 'ls' }, { command: 'ls' }, { command: 'ls', timeout: 1 }, { path: 'a' }].map(input => {
			const event = calls.tell(told(input));
			return event?.type === 'tool' ? event.changed : undefined;
		});
		assert.deepEqual(changes, [['command', 'input'], undefined, ['input'], ['command', 'input']]);
	});

	it('counts what it was called with among the texts that are remembered', () => {
		const calls = new ToolCalls();
		const first = readToolCall({ toolCallId: 'first', title: 'First' });
		assert.ok(first);
		calls.tell(first);
		const large = told({ note: 'x'.repeat(60_000) });
		for (let index = 0; index < 300; index++) {
			calls.tell({ ...large, id: `large-${index}` });
		}
		assert.equal(calls.merged({ id: 'first', fields: {}, complete: true }).title, '');
	});
});
