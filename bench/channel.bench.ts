import { type Measured, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const FRAMES = 2000;

/** Goal 11: from the first frame of a streamed reply to its last, over the host's fetch. */
export async function rows(): Promise<BenchRow[]> {
	const [floor, ours, portable] = await withServer('channelServer.ts', { size: FRAMES }, address =>
		race(
			ROUNDS,
			'channelContender.ts',
			['floor', 'ours', 'portable'].map(contender => ({ contender, address, size: FRAMES })),
		),
	);
	const ratio = rateOf(ours) / rateOf(floor);
	const delay = median((ours ?? []).map(run => run.delay));
	return [
		{
			goal: '11',
			what: `encrypted stream of ${FRAMES} frames, each verified and decrypted: frames a second; worst event-loop delay`,
			ours: `${rateOf(ours).toFixed(0)}; ${delay.toFixed(0)} ms`,
			peers: `bare node:crypto loop ${rateOf(floor).toFixed(0)} = 1; noble ${(rateOf(portable) / rateOf(floor)).toFixed(2)}`,
			ratio: ratio.toFixed(2),
			met: ratio >= 0.9 ? 'yes' : 'no',
		},
	];
}

function rateOf(runs: readonly Measured[] = []): number {
	return median(runs.map(({ rate = Number.NaN }) => rate));
}
