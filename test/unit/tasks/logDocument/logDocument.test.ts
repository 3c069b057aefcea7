import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LogEntry } from '../../../../src/contract/tasks.ts';
import { LogDocument } from '../../../../src/tasks/logDocument/logDocument.ts';
import { createLineFormatter } from '../../../../src/tasks/logDocument/logWindow.ts';
import type { LogRecord } from '../../../../src/tasks/model/formatEntry.ts';
import { createStyledFormatter } from '../../../../src/tasks/model/formatEntry.ts';

const format = createLineFormatter(
	createStyledFormatter({
		words: { error: 'error', warning: 'warning', success: 'success' },
		maximumMessage: 10_000,
		cut: characters => `<${characters} more>`,
	}),
);

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
	numbers: () => number[];
}

/** A document over a log of as many entries as are asked for. */
function make(nextIndex: number, maximumCharacters?: number): Made {
	const reads: [number, number][] = [];
	let changes = 0;
	const log = new LogDocument(
		{
			format,
			words: { earlier: index => `<before ${index}>`, later: count => `<${count} later>` },
			async read(from, to) {
				reads.push([from, to]);
				return Array.from({ length: to - from }, (_, at) => record(from + at));
			},
			onChange: () => changes++,
			...(maximumCharacters !== undefined && { maximumCharacters }),
		},
		nextIndex,
	);
	const numbers = () =>
		log
			.lines()
			.flatMap(({ text }) => /entry (\d+)!/.exec(text)?.[1] ?? [])
			.map(Number);
	return { log, reads, changes: () => changes, numbers };
}

/** Every number once, none left out between the first and the last. */
function assertWithoutHoles(numbers: number[]): void {
	assert.deepEqual(
		numbers,
		numbers.map((_, at) => (numbers[0] ?? 0) + at),
	);
}

const length = (log: LogDocument) => log.lines().reduce((sum, { text }) => sum + text.length + 1, 0);

/** Measures only memory that is still reachable: garbage that merely waits to be collected does not count. */
function heldBytes(): number {
	setFlagsFromString('--expose-gc');
	runInNewContext('gc')();
	return process.memoryUsage().heapUsed;
}

describe('a log as a document', () => {
	it('holds a bounded end of 300,000 entries that were heard, and reads none', () => {
		const { log, reads, numbers } = make(0);
		const before = heldBytes();
		let most = 0;
		for (let index = 0; index < 300_000; index++) {
			log.accept(record(index));
			if (index % 10_000 === 0) {
				most = Math.max(most, length(log));
			}
		}
		log.dispose();
		assert.ok(most <= 95_000, `${most} characters`);
		assert.ok(heldBytes() - before < 8_000_000);
		assert.deepEqual(reads, []);
		assert.equal(numbers().at(-1), 299_999);
		assertWithoutHoles(numbers());
		assert.match(log.lines()[0]?.text ?? '', /^<before \d+>$/);
		assert.ok(!log.hasLater);
	});

	it('goes back through all of it, a part at a time, without holes and within its bound', async () => {
		const { log, numbers } = make(20_000, 20_000);
		const seen = new Set<number>();
		log.setReadingEnd(false);
		for (let steps = 0; log.hasEarlier && steps < 500; steps++) {
			await log.loadEarlier();
			assertWithoutHoles(numbers());
			assert.ok(length(log) <= 20_200);
			for (const number of numbers()) {
				seen.add(number);
			}
		}
		assert.equal(seen.size, 20_000);
		assert.ok(log.hasLater);
		assert.match(log.lines().at(-1)?.text ?? '', /^<\d+ later>$/);
		log.dispose();
	});

	it('goes forward again to the end, and follows from there', async () => {
		const { log, numbers } = make(3_000, 20_000);
		log.setReadingEnd(false);
		await log.loadEarlier();
		await log.loadEarlier();
		await log.loadEarlier();
		for (let steps = 0; log.hasLater && steps < 100; steps++) {
			await log.loadLater();
			assertWithoutHoles(numbers());
			assert.ok(length(log) <= 20_200);
		}
		assert.equal(numbers().at(-1), 2_999);
		log.setReadingEnd(true);
		log.accept(record(3_000));
		assert.equal(numbers().at(-1), 3_000);
		log.dispose();
	});

	it('stands still for a reader who is elsewhere, and says how much has come', () => {
		const { log, numbers } = make(0, 5_000);
		log.setReadingEnd(false);
		for (let index = 0; index < 1_000; index++) {
			log.accept(record(index));
		}
		assert.equal(numbers()[0], 0);
		assert.ok(length(log) < 5_200);
		assert.equal(log.lines().at(-1)?.text, `<${1_000 - numbers().length} later>`);
		log.dispose();
	});

	it('is at the end again when that is asked for', async () => {
		const { log, numbers } = make(0, 5_000);
		log.setReadingEnd(false);
		for (let index = 0; index < 1_000; index++) {
			log.accept(record(index));
		}
		await log.showEnd();
		assert.ok(!log.hasLater);
		assert.equal(numbers().at(-1), 999);
		assertWithoutHoles(numbers());
		log.accept(record(1_000));
		assert.equal(numbers().at(-1), 1_000);
		log.dispose();
	});

	it('keeps in order what is heard while it reads what came before', async () => {
		const { log, numbers } = make(700);
		const loading = log.loadEarlier();
		log.accept(record(700));
		log.accept(record(701));
		await loading;
		assertWithoutHoles(numbers());
		assert.deepEqual([numbers()[0], numbers().at(-1)], [200, 701]);
		log.dispose();
	});

	it('holds notes where they belong', () => {
		const { log } = make(0);
		log.accept(record(0));
		log.accept({ index: 1, note: '<1 to 4 missing>', next: 5 });
		log.accept(record(5));
		assert.deepEqual(
			log.lines().map(({ text }) => text.slice(-8)),
			['entry 0!', 'missing>', 'entry 5!'],
		);
		assert.equal(log.nextIndex, 6);
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

	it('keeps at least one entry, however long', () => {
		const { log } = make(0, 100);
		for (const index of [0, 1]) {
			log.accept({ index, entry: { message: 'x'.repeat(9_000) } as LogEntry, sentAt: undefined });
		}
		assert.ok(log.lines().some(({ index }) => index === 1));
		assert.ok(length(log) < 10_000);
		log.dispose();
	});

	it('tells of its changes in batches', async () => {
		const { log, changes } = make(0);
		for (let index = 0; index < 500; index++) {
			log.accept(record(index));
		}
		assert.equal(changes(), 0);
		await log.showEnd();
		assert.equal(changes(), 1);
		log.dispose();
	});

	it('passes on why it could not read, and reads again when asked', async () => {
		let fails = true;
		const log = new LogDocument(
			{
				format,
				words: { earlier: String, later: String },
				read: () => (fails ? Promise.reject(new Error('lost')) : Promise.resolve([record(0)])),
				onChange: () => {},
			},
			1,
		);
		await assert.rejects(log.loadEarlier(), /lost/);
		fails = false;
		await log.loadEarlier();
		assert.ok(!log.hasEarlier);
		log.dispose();
	});

	it('moves to an entry that is far away, with those around it, and stays there', async () => {
		const { log, reads, numbers } = make(10_000, 4_000);
		await log.showEntry(5_000);
		assert.deepEqual(reads, [[4_950, 5_450]]);
		assert.ok(numbers().includes(5_000) && numbers()[0] === 4_950);
		assertWithoutHoles(numbers());
		assert.ok(length(log) <= 4_200);
		const before = numbers();
		log.accept(record(10_000));
		assert.deepEqual(numbers(), before);
		assert.ok(log.hasEarlier && log.hasLater);
		await log.showEntry(before.at(-1) ?? 0);
		assert.equal(reads.length, 1);
		log.dispose();
	});

	it('moves to an entry of a log that has not arrived yet', async () => {
		const { log, numbers } = make(0);
		await log.showEntry(20);
		assert.deepEqual([numbers()[0], numbers().includes(20), log.hasLater], [0, true, false]);
		log.dispose();
	});
});
