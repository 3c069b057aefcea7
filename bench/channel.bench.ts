import { type Measured, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const FRAMES = 2000;

/**
 * Measures goal 11, a streamed reply from the sending of its message on, over the host's fetch, as frames per second
 * from the first frame on.
 */
export async function rows(): Promise<BenchRow[]> {
	const [floor, ours, portable] = await withServer('channelServer.ts', {}, address =>
		race(
			ROUNDS,
			'channelContender.ts',
			['floor', 'ours', 'portable'].map(contender => ({ contender, address, size: FRAMES })),
		),
	);
	const byProcessor = middle(floor, 'busy') / middle(ours, 'busy');
	const byTime = middle(ours, 'rate') / middle(floor, 'rate');
	return [
		{
			goal: '11',
			what: `encrypted stream of ${FRAMES} frames, each verified and decrypted: CPU; frames a second; worst event-loop delay`,
			ours: `${milliseconds(ours)}; ${middle(ours, 'rate').toFixed(0)}; ${middle(ours, 'delay').toFixed(0)} ms`,
			peers: `bare node:crypto loop, as many checks at a time ${milliseconds(floor)}, ${middle(floor, 'rate').toFixed(0)} = 1; noble ${(middle(floor, 'busy') / middle(portable, 'busy')).toFixed(2)}`,
			ratio: `${byProcessor.toFixed(2)} by CPU; ${byTime.toFixed(2)} by time`,
			met: byProcessor >= 0.9 ? 'yes' : 'no',
		},
	];
}

const milliseconds = (runs: readonly Measured[] | undefined) => `${(middle(runs, 'busy') / 1000).toFixed(0)} ms`;

function middle(runs: readonly Measured[] = [], name: 'busy' | 'rate' | 'delay'): number {
	return median(runs.map(run => run[name] ?? Number.NaN));
}
