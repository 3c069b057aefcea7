import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CountedReply, UseLedger } from '../../../src/languageModels/useLedger.ts';

const NOVEMBER = new Date(2026, 10, 2).getTime();
const DECEMBER = new Date(2026, 11, 2).getTime();
const reply = (others: Partial<CountedReply> = {}): CountedReply => ({
	connection: 'acme',
	model: 'quill',
	provider: 'north',
	inputTokens: 100,
	outputTokens: 10,
	cost: { known: 'whole', dollars: 0.5, isEstimated: false },
	...others,
});

describe('what requests of others have used', () => {
	let folder: string;

	beforeEach(() => {
		folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'errand-ledger-')), 'languageModels');
	});
	afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

	it('is nothing before the first', async () => {
		assert.deepEqual(await new UseLedger(folder).read(), { used: [], unreadable: 0 });
	});

	it('is added up by connection, month, model and provider, those without a price apart', async () => {
		const ledger = new UseLedger(folder);
		await ledger.add(NOVEMBER, reply());
		await ledger.add(NOVEMBER, reply());
		await ledger.add(NOVEMBER, reply({ cost: { known: 'nothing' } }));
		await ledger.add(DECEMBER, reply({ connection: 'other' }));
		const { used } = await ledger.read();
		assert.deepEqual(used, [
			{
				connection: 'acme',
				months: [
					{
						month: '2026-11',
						parts: [
							{
								model: 'quill',
								provider: 'north',
								count: 2,
								inputTokens: 200,
								outputTokens: 20,
								cost: { known: 'whole', dollars: 1, isEstimated: false },
							},
							{
								model: 'quill',
								provider: 'north',
								count: 1,
								inputTokens: 100,
								outputTokens: 10,
								cost: { known: 'nothing' },
							},
						],
					},
				],
			},
			{
				connection: 'other',
				months: [
					{
						month: '2026-12',
						parts: [
							{
								model: 'quill',
								provider: 'north',
								count: 1,
								inputTokens: 100,
								outputTokens: 10,
								cost: { known: 'whole', dollars: 0.5, isEstimated: false },
							},
						],
					},
				],
			},
		]);
	});

	it('loses nothing when two windows write at once, and only its owner may read it', async () => {
		const windows = [new UseLedger(folder), new UseLedger(folder)];
		await Promise.all(Array.from({ length: 200 }, (_, number) => windows[number % 2]?.add(NOVEMBER, reply())));
		const { used, unreadable } = (await windows[0]?.read()) ?? assert.fail();
		assert.equal(used[0]?.months[0]?.parts[0]?.count, 200);
		assert.equal(unreadable, 0);
		if (process.platform !== 'win32') {
			assert.equal(statSync(path.join(folder, '2026-11.jsonl')).mode & 0o077, 0);
		}
	});

	it('counts lines that cannot be read, and reads the others', async () => {
		const ledger = new UseLedger(folder);
		await ledger.add(NOVEMBER, reply());
		appendFileSync(path.join(folder, '2026-11.jsonl'), '{"connection":"acme"}\n{"conn\n');
		await ledger.add(NOVEMBER, reply());
		const { used, unreadable } = await ledger.read();
		assert.equal(used[0]?.months[0]?.parts[0]?.count, 2);
		assert.equal(unreadable, 2);
	});
});
