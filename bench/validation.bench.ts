import { race } from './freshProcess.ts';
import { type BenchRow, cpuOf } from './row.ts';

const ROUNDS = 5;

/** Measures goal 3: the additional cost of validation over JSON.parse. */
export async function rows(): Promise<BenchRow[]> {
	const names = ['floor', 'ours', 'zod', 'lenient'];
	const [floor, ours, zod, lenient] = await race(
		ROUNDS,
		'validationContender.ts',
		names.map(contender => ({ contender })),
	);
	const base = cpuOf(floor);
	const ratio = cpuOf(ours) / base;
	return [
		{
			goal: '3',
			what: 'validation of chat chunks over JSON.parse alone: CPU',
			ours: `${(cpuOf(ours) / 1000).toFixed(0)} ms`,
			peers: `JSON.parse ${(base / 1000).toFixed(0)} ms = 1; zod ${(cpuOf(zod) / base).toFixed(2)}; our lenient schema alone ${(cpuOf(lenient) / base).toFixed(2)}`,
			ratio: ratio.toFixed(2),
			met: ratio <= 1.25 ? 'yes' : 'no',
		},
	];
}
