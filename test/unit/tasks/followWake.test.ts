import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { followLog } from '../../../src/tasks/followLog.ts';
import { LogWriter } from '../../../src/tasks/logWriter.ts';
import type { FollowState } from '../../../src/tasks/model/followState.ts';
import type { FollowWords } from '../../../src/tasks/model/formatEntry.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { TcpRelay } from '../../support/tcpRelay.ts';
import { waitFor } from '../../support/waitFor.ts';
import { TaskServer } from './taskServer.ts';

const SILENCE_MS = 15_000;
const HOUR_MS = 3_600_000;

const words: FollowWords = {
	error: 'error',
	warning: 'warning',
	success: 'success',
	reconnecting: nextIndex => `<reconnecting at ${nextIndex}>`,
	resumed: nextIndex => `<resumed at ${nextIndex}>`,
	missing: (from, to) => `<missing ${from} to ${to}>`,
};

describe('a log that is followed through a sleep of the machine and a change of its network', () => {
	let server: TaskServer;
	let relay: TcpRelay;
	let clock: ManualClock;
	let controller: AbortController;
	let writer: LogWriter;
	let text: string;
	let states: FollowState[];

	beforeEach(async () => {
		server = await TaskServer.start();
		relay = await TcpRelay.start(Number(new URL(server.address).port));
		// The waits between two tries pass at once; what watches for silence does not.
		clock = new ManualClock({ passesAtOnce: milliseconds => milliseconds < SILENCE_MS });
		controller = new AbortController();
		text = '';
		states = [];
		const append = (more: string) => {
			text += more;
		};
		writer = new LogWriter({ append, clear: assert.fail }, index => `<before ${index}>`);
	});

	afterEach(async () => {
		controller.abort();
		writer.dispose();
		relay.stop();
		await server.stop();
	});

	const follow = () =>
		followLog({
			client: createClient({
				connection: { ...server.connection, apiUrl: relay.address, cloudUrl: relay.address },
				keys: () => Promise.resolve('test'),
				clock,
			}),
			taskId: 'a',
			fromIndex: 0,
			writer,
			words,
			signal: controller.signal,
			onState: state => states.push(state),
			onStatus: () => {},
			onRecord: () => {},
			now: () => clock.now(),
		});
	const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}.`);
	const has = (index: number) => waitFor(`entry ${index}`, () => text.includes(`line ${index}.`));

	it('goes on with the next entry, each once, when the machine wakes and the network is back', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 10));
		const end = follow();
		await has(9);
		relay.freeze();
		relay.close();
		server.log('a', ...numbered(10, 20));
		clock.pass(HOUR_MS);
		await clock.wake(SILENCE_MS);
		await waitFor('tries in vain', () => states.some(state => state.kind === 'reconnecting' && state.attempt >= 3));
		const lost = states.find(({ kind }) => kind === 'reconnecting');
		assert.deepEqual(lost && 'nextIndex' in lost && lost.nextIndex, 10);
		await relay.open();
		await has(19);
		assert.equal(states.at(-1)?.kind, 'live');
		server.finish('a', 'completed');
		assert.equal((await end).status, 'completed');
		writer.finish();
		assert.deepEqual(text.match(/line \d+\./g), numbered(0, 20));
		assert.match(text, /<resumed at 10>/);
	});
});
