import assert from 'node:assert/strict';
import type { LogEntry } from '../../../../src/contract/tasks.ts';
import { createEntryFormatter, createStyledFormatter } from '../../../../src/tasks/model/formatEntry.ts';
import { processorMs } from '../../../support/processorTime.ts';

const formatEntry = createEntryFormatter();
/** Without a zone, a time is the machine's own: the expected text is the same everywhere. */
const timestamp = '2026-11-21T10:42:07';

const entry = (fields: Partial<LogEntry>): LogEntry => ({ timestamp, ...fields }) as LogEntry;
const lines = (fields: Partial<LogEntry>) => formatEntry(entry(fields), undefined);

describe('the lines of a log entry', () => {
	it('show time, step and message, aligned', () => {
		assert.deepEqual(
			[
				lines({ type: 'info', step: 'git_cloning', message: 'Cloning acme/widgets at main…' }),
				lines({
					type: 'info',
					step: 'agent_executing',
					agent: 'demo',
					contentType: 'agentResponse',
					message: 'Reading',
				}),
				lines({ type: 'error', step: 'agent_executing', agent: 'demo', message: '2 tests failed' }),
			].flat(),
			[
				'10:42:07  git cloning       Cloning acme/widgets at main…',
				'10:42:07  demo executing  › Reading',
				'10:42:07  demo executing    error: 2 tests failed',
			],
		);
	});

	it('say in their column which agent it is and what it did, and shorten a long name, not what was done', () => {
		const source = (agent: string, step: string) => lines({ step, agent, message: 'm' })[0]?.slice(10, 25);
		const sources = (agent: string) =>
			['message', 'thought', 'plan', 'tool', 'permission', 'refused', 'usage', 'model', 'limit'].map(step =>
				source(agent, `agent_${step}`)?.trimEnd(),
			);
		assert.deepEqual(sources('opencode'), [
			'opencode',
			'opencode thinks',
			'opencode plan',
			'opencode tool',
			'opencode asks',
			'opencode denied',
			'opencode usage',
			'opencode model',
			'opencode limit',
		]);
		assert.deepEqual(sources('claude-agent-acp').slice(0, 4), [
			'claude-agent-a…',
			'claude-… thinks',
			'claude-ag… plan',
			'claude-ag… tool',
		]);
		assert.equal(source('opencode', 'agent_executing'), 'open… executing');
		// Neither a long step of its own nor a hostile name breaks the column.
		assert.equal(source('opencode', 'agent_reticulating_splines'), 'opencode retic…');
		assert.equal(source('a\u202eb\nc'.repeat(20), 'agent_tool')?.length, 15);
	});

	it('mark every level but info by a word', () => {
		const level = (type: string) => lines({ type, step: 's', message: 'm' })[0]?.slice(28);
		assert.equal(level('info'), 'm');
		assert.equal(level('error'), 'error: m');
		assert.equal(level('warning'), 'warning: m');
		assert.equal(level('success'), 'success: m');
		assert.equal(level('debug'), 'm');
		assert.equal(level('fatal'), 'fatal: m');
	});

	it('have the level in the place of a step that is missing', () => {
		assert.deepEqual(lines({ type: 'error', message: 'm' }), ['10:42:07  error             m']);
		assert.deepEqual(lines({ type: 'system', message: 'm' }), ['10:42:07  system            m']);
	});

	it('stand under the text of a message of several lines', () => {
		assert.deepEqual(lines({ step: 'git_cloned', message: 'one\r\n  two\n\nfour\n\n' }), [
			'10:42:07  git cloned        one',
			'                              two',
			'',
			'                            four',
		]);
	});

	it('are there for an entry that has nothing', () => {
		assert.deepEqual(formatEntry({} as LogEntry, undefined), ['--:--:--']);
	});

	it('take the time of sending where the entry has none', () => {
		assert.match(formatEntry({ message: 'm' } as LogEntry, timestamp)[0] ?? '', /^10:42:07 /);
	});

	it('show the time of each entry, also among many of one second', () => {
		const shown = ['07.100Z', '07.900Z', '08.000Z', '07.000Z', '07.000+01:00', '07.5Z'].map(
			second => formatEntry(entry({ timestamp: `2026-11-21T10:42:${second}`, message: 'm' }), undefined)[0],
		);
		const expected = ['07Z', '07Z', '08Z', '07Z', '07+01:00', '07Z'].map(second => {
			const date = new Date(`2026-11-21T10:42:${second}`);
			return `${date.toTimeString().slice(0, 8)}${' '.repeat(20)}m`;
		});
		assert.deepEqual(shown, expected);
	});

	it('hold no terminal sequence in any part, and show what would turn the direction of writing', () => {
		const red = '\u001b[31mred\u001b[0m';
		const shown = lines({ type: red, step: red, agent: red, contentType: 'ansi', message: `${red}\u202e` });
		assert.deepEqual(shown, ['10:42:07  red               red: red⟨U+202E⟩']);
	});

	it('continue a line of megabytes on lines that the editor can draw, and lose nothing of it', () => {
		const message = '😀x'.repeat(700_000);
		let shown: string[] = [];
		const spent = processorMs(() => {
			shown = lines({ step: 's', message });
		});
		assert.ok(spent < 2_000, `${spent} ms`);
		assert.ok(shown.every(line => line.length <= 2_100 && line.isWellFormed()));
		assert.equal(shown.map(line => line.slice(28)).join(''), message);
	});
});

describe('the coloured lines of a log entry', () => {
	const styled = createStyledFormatter(10_000, characters => `<${characters} more>`);
	const lines = (fields: Partial<LogEntry>) => styled(entry(fields), undefined);

	it('are the plain ones, with each colour where its text stands', () => {
		const fields = { type: 'error', step: 's', message: 'a \u001b[31mred\nstill\u001b[0m not' };
		const shown = lines(fields);
		assert.deepEqual(
			shown.map(({ text }) => text.replace(/\u00a0/g, ' ')),
			formatEntry(entry(fields), undefined),
		);
		assert.deepEqual(
			shown.map(({ text, colours }) =>
				colours.map(({ start, end, style }) => [text.slice(start, end), style.foreground]),
			),
			[[['red', 1]], [['still', 1]]],
		);
	});

	it('begin with less blanks than a stop of tabs is wide, which the editor adds where it wraps them', () => {
		const shown = lines({ step: 's', message: 'first\n        indented\n\tby a tab' });
		for (const { text } of shown) {
			assert.ok((/^[ \t]*/.exec(text)?.[0].length ?? 0) < 28, JSON.stringify(text));
			assert.doesNotMatch(text, /\t/);
		}
		assert.deepEqual(
			shown.map(({ text }) => text.slice(28)),
			['first', '        indented', '    by a tab'],
		);
	});

	it('are cut where a message has ten megabytes, and say by how much', () => {
		const message = '😀x'.repeat(3_500_000);
		let shown: ReturnType<typeof lines> = [];
		const spent = processorMs(() => {
			shown = lines({ step: 's', message });
		});
		assert.ok(spent < 500, `${spent} ms`);
		const text = shown.map(line => line.text.slice(28)).join('');
		assert.ok(text.length < 10_100 && text.isWellFormed());
		assert.match(text, /<1049\d{4} more>$/);
	});

	it('are cut where a message has thousands of lines', () => {
		const shown = lines({ step: 's', message: 'x\n'.repeat(4_000) });
		assert.equal(shown.length, 101);
		assert.match(shown.at(-1)?.text ?? '', /^ +\u00a0<\d+ more>$/);
	});

	it('take bounded time for a message of nothing but colours and line ends', () => {
		const spent = processorMs(() => lines({ step: 's', message: '\u001b[1mx\n'.repeat(2_000) }));
		assert.ok(spent < 500, `${spent} ms`);
	});
});
