import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Answer, FaultServer, sendJson } from '../../support/faultServer.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const row = (index: number | string) => ({ id: `t${index}`, status: 'completed' });
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => row(from + index));

describe('client.tasks.pages', () => {
	let server: FaultServer;
	let client: TestClient;
	/** The tasks that the service has, newest first. */
	let list: unknown[];
	/** Changes the list after a page has been sent. */
	let change: () => void;
	/** The most that the service gives at once, whatever it is asked for. */
	let maximumRows: number;

	const serve: Answer = (response, { query }) => {
		const offset = Number(query.get('offset'));
		const limit = Math.min(Number(query.get('limit')), maximumRows);
		sendJson(response, 200, {
			tasks: list.slice(offset, offset + limit),
			hasMore: offset + limit < list.length,
			offset,
			limit: Number(query.get('limit')),
		});
		change();
	};
	const walk = async () => {
		const { events, error } = await collect(client.tasks.pages());
		assert.equal(error, undefined);
		return events.flat().map(({ id }) => id);
	};
	const offsets = () => server.received.map(({ query }) => Number(query.get('offset')));

	beforeEach(async () => {
		list = rows(0, 120);
		change = () => {};
		maximumRows = 100;
		server = await FaultServer.start(serve);
		client = testClient(server.origin);
	});
	afterEach(() => server.stop());

	it('gives every task once, asking for a page only when it is read', async () => {
		const pages = client.tasks.pages({ status: 'completed' })[Symbol.asyncIterator]();
		assert.equal(server.received.length, 0);
		assert.equal((await pages.next()).value?.length, 50);
		assert.equal(server.received.length, 1);
		assert.equal((await pages.next()).value?.length, 40);
		assert.equal((await pages.next()).value?.length, 30);
		assert.equal((await pages.next()).done, true);
		assert.deepEqual(offsets(), [0, 40, 80]);
		assert.ok(server.received.every(({ query }) => query.get('status') === 'completed'));
		assert.ok(server.received.every(({ query }) => query.get('limit') === '50'));
	});

	it('asks once for a list that fits in a page', async () => {
		list = rows(0, 50);
		assert.equal((await walk()).length, 50);
		assert.equal(server.received.length, 1);
	});

	it('gives a task once that new ones have pushed down', async () => {
		change = () => list.unshift(...rows(1000 + list.length, 1005 + list.length));
		const ids = await walk();
		assert.equal(new Set(ids).size, ids.length);
		assert.deepEqual(
			ids,
			rows(0, 120).map(({ id }) => id),
		);
	});

	it('goes on past a page that new tasks have filled with known ones', async () => {
		let isFirst = true;
		change = () => {
			if (isFirst) {
				list.unshift(...rows(1000, 1040));
			}
			isFirst = false;
		};
		assert.equal((await walk()).length, 120);
	});

	it('skips none when tasks go that it has read', async () => {
		change = () => list.splice(0, 7);
		const kept = rows(50, 120).map(({ id }) => id);
		assert.deepEqual((await walk()).slice(50), kept);
	});

	it('goes back when more have gone than the pages overlap', async () => {
		let isFirst = true;
		change = () => {
			if (isFirst) {
				list.splice(0, 45);
			}
			isFirst = false;
		};
		assert.deepEqual(
			await walk(),
			rows(0, 120).map(({ id }) => id),
		);
		assert.deepEqual(offsets(), [0, 40, 0, 40]);
	});

	it('goes back when the list has become shorter than the offset', async () => {
		let pages = 0;
		change = () => {
			pages++;
			if (pages === 2) {
				list.splice(0, 85);
			}
		};
		assert.deepEqual(
			await walk(),
			rows(0, 120).map(({ id }) => id),
		);
	});

	it('gives each task that stays exactly once, whatever comes and goes between two pages', async () => {
		const change1 = fc.record({
			added: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), count: fc.nat(12) }), {
				maxLength: 4,
			}),
			removed: fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), count: fc.nat(40) }), {
				maxLength: 3,
			}),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.nat(300),
				fc.integer({ min: 2, max: 50 }),
				fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
				fc.array(change1, { minLength: 1, maxLength: 12 }),
				async (total, most, stays, changes) => {
					const all = Array.from({ length: total }, (_, index) =>
						row(stays[index % stays.length] ? `${index}` : `x${index}`),
					);
					list = all;
					maximumRows = most;
					let added = 0;
					let page = 0;
					change = () => {
						// Comes to rest, as every service does: a walk through a list that grows as fast has no end.
						const next = page < 40 ? changes[page++ % changes.length] : undefined;
						let changed = list as { id: string }[];
						for (const { at, count } of next?.removed ?? []) {
							const from = Math.floor(at * changed.length);
							changed = changed.filter(({ id }, index) => index < from || index >= from + count || /^t\d/.test(id));
						}
						for (const { at, count } of next?.added ?? []) {
							const fresh = Array.from({ length: Math.min(count, most >> 3) }, () => row(`n${added++}`));
							changed = changed.toSpliced(Math.floor(at * changed.length), 0, ...fresh);
						}
						list = changed;
					};
					const ids = await walk();
					assert.equal(new Set(ids).size, ids.length);
					const expected = all.map(({ id }) => id).filter(id => /^t\d/.test(id));
					assert.deepEqual(ids.filter(id => /^t\d/.test(id)).sort(), expected.sort());
				},
			),
			{ numRuns: 50 },
		);
	});

	it('counts rows that are no tasks when it asks for the next page, and knows the page by the others', async () => {
		list = [...rows(0, 45), ...Array.from({ length: 30 }, () => null), ...rows(45, 95)];
		assert.deepEqual(
			await walk(),
			rows(0, 95).map(({ id }) => id),
		);
		assert.deepEqual(offsets(), [0, 35, 75]);
	});

	for (const maximum of [1, 2, 3]) {
		it(`reads a service that gives ${maximum} at a time`, async () => {
			list = rows(0, 9);
			maximumRows = maximum;
			assert.deepEqual(
				await walk(),
				rows(0, 9).map(({ id }) => id),
			);
		});
	}

	it('takes what a service gives whose offsets go by whole pages', async () => {
		server.answer = (response, { query }) => {
			const from = Math.floor(Number(query.get('offset')) / 50) * 50;
			sendJson(response, 200, { tasks: list.slice(from, from + 50), hasMore: from + 50 < list.length });
		};
		assert.equal((await walk()).length, 120);
	});

	for (const [what, tasks] of [
		['the same page for ever', rows(0, 50)],
		['empty pages for ever', []],
		['rows for ever that do not fit', [null, null]],
	] as const) {
		it(`ends though the service gives ${what}`, async () => {
			server.answer = response => sendJson(response, 200, { tasks, hasMore: true });
			assert.equal((await walk()).length, tasks.filter(task => task !== null).length);
			assert.ok(server.received.length <= 6);
		});
	}

	it('throws what a page was answered with, after the pages before it', async () => {
		change = () => {
			server.answer = response => sendJson(response, 403, { error: 'Not a member of the team' });
		};
		const { events, error } = await collect(client.tasks.pages());
		assert.equal(events.flat().length, 50);
		assert.equal((error as { code?: string }).code, 'forbidden');
	});
});
