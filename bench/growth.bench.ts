import { measure } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const GROWTH = 4;
/** The smaller input in megabytes. */
const SMALL = 4;

/** Measures goal 2: the growth of the cost with four times the input. */
export async function rows(): Promise<BenchRow[]> {
	const shapes = ['one event in pieces of 1 KB', 'LF lines with one CR, in one piece', 'one event of many data lines'];
	const found: BenchRow[] = [];
	for (const shape of shapes) {
		const factors: Record<string, number[]> = { ours: [], parser: [], 'fetch-event-source': [], openai: [] };
		for (let round = 0; round < ROUNDS; round++) {
			for (const [contender, list] of Object.entries(factors)) {
				const small = await measure('growthContender.ts', { contender, shape, size: SMALL });
				const large = await measure('growthContender.ts', { contender, shape, size: SMALL * GROWTH });
				list.push(large.cpu / small.cpu);
			}
		}
		const own = median(factors['ours'] ?? []);
		found.push({
			goal: '2',
			what: `growth of CPU for ${GROWTH} times the input: ${shape}`,
			ours: `×${own.toFixed(1)}`,
			peers: Object.entries(factors)
				.slice(1)
				.map(([name, list]) => `${name === 'parser' ? 'eventsource-parser' : name} ×${median(list).toFixed(1)}`)
				.join('; '),
			ratio: own.toFixed(1),
			met: own <= 6 ? 'yes' : 'no',
		});
	}
	return found;
}
