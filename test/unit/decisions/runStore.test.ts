import assert from 'node:assert/strict';
import { MAXIMUM_RUNS, MAXIMUM_SUBJECTS, type Run } from '../../../src/decisions/model/run.ts';
import { RunStore } from '../../../src/decisions/runStore.ts';
import { State } from '../../support/state.ts';

describe('the runs of decisions', () => {
	const run = (at: number): Run => ({
		id: String(at),
		at: new Date(at).toISOString(),
		connection: 'Acme',
		asked: 'decider-latest',
		servedBy: [],
		questions: { ok: { type: 'noul', instructions: 'All is well.', criteria: { true: 'It is', false: 'It is not' } } },
		answers: {},
		requests: 1,
		state: { sha256: '', characters: 1 },
	});

	it('are kept over a reload, newest first and bounded', async () => {
		const state = new State();
		for (let at = 0; at < MAXIMUM_RUNS + 2; at++) {
			await new RunStore(state).add('file', run(at));
		}
		const kept = new RunStore(state.copy()).of('file');
		assert.equal(kept.length, MAXIMUM_RUNS);
		assert.equal(kept[0]?.id, String(MAXIMUM_RUNS + 1));
	});

	it('are dropped of what was not evaluated for the longest time', async () => {
		const store = new RunStore(new State());
		for (let at = 0; at <= MAXIMUM_SUBJECTS; at++) {
			await store.add(`file ${at}`, run(at));
		}
		assert.deepEqual(store.of('file 0'), []);
		assert.equal(store.of('file 1').length, 1);
	});

	it('that another version has written are ignored', async () => {
		const state = new State();
		await new RunStore(state).add('file', run(1));
		await state.update(state.keys()[0] ?? '', { runs: 'none' });
		assert.deepEqual(new RunStore(state).of('file'), []);
	});
});
