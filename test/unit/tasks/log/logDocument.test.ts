import assert from 'node:assert/strict';
import type { LogEntry } from '../../../../src/contract/tasks.ts';
import { LogDocument } from '../../../../src/tasks/log/logDocument.ts';
import { createLineFormatter } from '../../../../src/tasks/log/logLine.ts';
import type { LogRecord } from '../../../../src/tasks/model/formatEntry.ts';
import { heldBytes } from '../../../support/heldMemory.ts';
import { waitFor } from '../../../support/waitFor.ts';

const format = createLineFormatter(10_000, characters => `<${characters} more>`);

const record = (index: number): LogRecord => ({
	index,
	entry: {
		type: 'info',
		step: 'agent_executing',
		message: `entry ${index}!`,
		timestamp: '2026-11-21T10:42:07',
	} as LogEntry,
	sentAt: undefined,
});

interface Made {
	log: LogDocument;
	reads: [number, number][];
	changes: () => number;
	/** The lines of the next text. */
	take: () => string[];
}

/** A document over a log of as many entries as are asked for. */
function make(nextIndex: number): Made {
	const reads: [number, number][] = [];
	let changes = 0;
	const log = new LogDocument(
		{
			format,
			async read(from, to) {
				reads.push([from, to]);
				return Array.from({ length: to - from }, (_, at) => record(from + at));
			},
			onChange: () => changes++,
		},
		nextIndex,
	);
	return { log, reads, changes: () => changes, take: () => log.take().map(({ text }) => text) };
}

const numbersIn = (lines: readonly string[]) => lines.flatMap(text => /entry (\d+)!/.exec(text)?.[1] ?? []).map(Number);

/** Every number once, none left out between the first and the last. */
function assertWithoutHoles(numbers: number[]): void {
	assert.deepEqual(
		numbers,
		numbers.map((_, at) => (numbers[0] ?? 0) + at),
	);
}

describe('a log as a document', () => {
	it('shows the last 20,000 of 300,000 entries that were heard, reads none, and says how many it leaves out', () => {
		const { log, reads, take } = make(0);
		const before = heldBytes();
		for (let index = 0; index < 300_000; index++) {
			log.accept(record(index));
		}
		assert.ok(heldBytes() - before < 20_000_000);
		const [first, ...lines] = take();
		log.dispose();
		const numbers = numbersIn(lines);
		assert.deepEqual(reads, []);
		assert.equal(numbers.at(-1), 299_999);
		assert.equal(
			first,
			`— ${numbers[0]?.toLocaleString('en')} earlier entries aren’t shown: export the log to read them —`,
		);
		assert.ok(lines.length >= 20_000 && lines.length <= 22_000, String(lines.length));
		assertWithoutHoles(numbers);
	});

	it('reads the last entries before those that were heard, and no more than it shows', async () => {
		const { log, reads, take } = make(50_000);
		await log.load();
		assert.deepEqual(reads, [[30_000, 50_000]]);
		const numbers = numbersIn(take());
		assert.deepEqual([numbers[0], numbers.at(-1), numbers.length], [30_000, 49_999, 20_000]);
		assertWithoutHoles(numbers);
		log.dispose();
	});

	it('reads a short log from its first entry, and then leaves nothing out', async () => {
		const { log, reads, take } = make(700);
		await log.load();
		assert.deepEqual(reads, [[0, 700]]);
		assert.match(take()[0] ?? '', /entry 0!/);
		log.dispose();
	});

	it('shares the beginning or the end of each text with the one before, however long and fast the log grows', () => {
		const { log, take } = make(0);
		let before: string[] = [];
		let trimmed = 0;
		let next = 0;
		for (const batch of [1, 9_000, 13_000, 1, 500, 0, 1_999, 0, 2_100, 0, 700, 3_000, 10_000, 0, 5]) {
			for (const end = next + batch; next < end; next++) {
				log.accept(record(next));
			}
			const lines = take();
			assertWithoutHoles(numbersIn(lines));
			const isLonger = before.every((line, at) => line === lines[at]);
			const rest = lines.slice(1);
			const isEnd = rest.every((line, at) => line === before[before.length - rest.length + at]);
			assert.ok(isLonger || isEnd, `${before.length} to ${lines.length} lines, at ${next}`);
			trimmed += isLonger ? 0 : 1;
			before = lines;
		}
		assert.ok(trimmed >= 4, String(trimmed));
		assert.equal(numbersIn(before).at(-1), next - 1);
		log.dispose();
	});

	it('asks for one more text when it has trimmed, for what is new', async () => {
		const { log, changes, take } = make(0);
		for (let index = 0; index < 22_000; index++) {
			log.accept(record(index));
		}
		take();
		await waitFor('the change', () => changes() === 1);
		log.accept(record(22_000));
		await waitFor('the change', () => changes() === 2);
		assert.equal(numbersIn(take()).at(-1), 21_999);
		await waitFor('the change', () => changes() === 3);
		assert.equal(numbersIn(take()).at(-1), 22_000);
		log.dispose();
	});

	it('keeps in order what is heard while it reads what came before', async () => {
		const { log, take } = make(700);
		const loading = log.load();
		log.accept(record(700));
		log.accept(record(701));
		await loading;
		const numbers = numbersIn(take());
		assertWithoutHoles(numbers);
		assert.deepEqual([numbers[0], numbers.at(-1)], [0, 701]);
		log.dispose();
	});

	it('has an entry once, also where it is heard again', () => {
		const { log, take } = make(0);
		for (const index of [0, 1, 0, 1, 2]) {
			log.accept(record(index));
		}
		assert.deepEqual(numbersIn(take()), [0, 1, 2]);
		log.dispose();
	});

	it('holds notes where they belong', () => {
		const { log, take } = make(0);
		log.accept(record(0));
		log.accept({ index: 1, note: '<1 to 4 missing>', next: 5 });
		log.accept(record(5));
		assert.deepEqual(
			take().map(text => text.slice(-8)),
			['entry 0!', 'missing>', 'entry 5!'],
		);
		log.dispose();
	});

	it('dims what an agent thinks and what its models cost, and marks what went wrong whatever it is', () => {
		const marks = (fields: object) => {
			const [line] = format({
				index: 0,
				entry: { agent: 'pi', message: 'm', ...fields } as LogEntry,
				sentAt: undefined,
			});
			return [line?.level, line?.step, line?.turn];
		};
		assert.deepEqual(marks({ step: 'agent_message', type: 'info' }), [undefined, 'pi', 'message']);
		assert.deepEqual(marks({ step: 'agent_thought', type: 'info' }), ['aside', 'pi thinks', 'work']);
		assert.deepEqual(marks({ step: 'agent_model', type: 'info' }), ['aside', undefined, 'work']);
		assert.deepEqual(marks({ step: 'agent_usage', type: 'info' }), ['aside', undefined, 'work']);
		assert.deepEqual(marks({ step: 'agent_model', type: 'error' }), ['error', undefined, 'work']);
		assert.deepEqual(marks({ step: 'agent_tool', type: 'warning' }), ['warning', 'pi tool', 'work']);
		assert.deepEqual(marks({ step: 'agent_limit', type: 'error' }), ['error', 'pi limit', 'work']);
		assert.deepEqual(marks({ step: 'git_committed', type: 'success' }), ['success', 'git committed', undefined]);
	});

	it('is no longer than the editor can fold and colour, with fewer entries where those are long', () => {
		const { log, take } = make(0);
		const entry = { message: 'x'.repeat(9_000) } as LogEntry;
		for (let index = 0; index < 1_000; index++) {
			log.accept({ index, entry, sentAt: undefined });
		}
		const length = take().reduce((sum, text) => sum + text.length + 1, 0);
		assert.ok(length > 6_000_000 && length < 8_000_000, String(length));
		log.dispose();
	});

	it('tells of its changes in batches', async () => {
		const { log, changes } = make(0);
		for (let index = 0; index < 500; index++) {
			log.accept(record(index));
		}
		assert.equal(changes(), 0);
		await waitFor('the change', () => changes() === 1);
		log.dispose();
	});

	it('passes on why it could not read, and reads when asked again', async () => {
		let fails = true;
		const log = new LogDocument(
			{
				format,
				read: () => (fails ? Promise.reject(new Error('lost')) : Promise.resolve([record(0)])),
				onChange: () => {},
			},
			1,
		);
		await assert.rejects(log.load(), /lost/);
		assert.deepEqual(
			log.take().map(({ text }) => text),
			['— 1 earlier entry isn’t shown: export the log to read it —'],
		);
		fails = false;
		await log.load();
		assert.match(log.take()[0]?.text ?? '', /entry 0!/);
		log.dispose();
	});
});
