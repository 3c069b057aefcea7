import { measure, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 9;
const ENTRIES = 1_000_000;
const FAULTY_ENTRIES = 100_000;
const DROPS = 100;
const WRITES = [1024, 64 * 1024];
const PROGRAM = 'followContender.ts';

export async function rows(): Promise<BenchRow[]> {
	return [await speed(), await faults()];
}

/** Measures goal 8: the CPU of the process that follows a log, over decode and JSON.parse of the same bytes. */
async function speed(): Promise<BenchRow> {
	const [floor = [], ours = []] = await withServer(
		'streamServer.ts',
		{ kind: 'log', size: ENTRIES, writes: WRITES },
		address =>
			race(ROUNDS, PROGRAM, [
				{ contender: 'floor', address },
				{ contender: 'ours', address },
			]),
	);
	const [base, own] = [median(floor.map(({ cpu }) => cpu)), median(ours.map(({ cpu }) => cpu))];
	const delay = median(ours.map(run => run.delay));
	const ratio = own / base;
	return {
		goal: '8',
		what: `${ENTRIES.toLocaleString('en')} log events to batches, checked and escaped: CPU; worst event-loop delay`,
		ours: `${(own / 1000).toFixed(0)} ms; ${delay.toFixed(0)} ms`,
		peers: `decode + JSON.parse ${(base / 1000).toFixed(0)} ms = 1`,
		ratio: ratio.toFixed(2),
		met: ratio <= 1.2 && delay <= 50 ? 'yes' : 'no',
	};
}

/** Measures goal 12: each entry arrives once and in order over breaking connections, and how much was read twice. */
async function faults(): Promise<BenchRow> {
	const log = { kind: 'log', size: FAULTY_ENTRIES, writes: WRITES };
	const once = await withServer('streamServer.ts', log, address =>
		measure(PROGRAM, { contender: 'unescaped', address }),
	);
	const faulty = await withServer('streamServer.ts', { ...log, drops: DROPS }, address =>
		measure(PROGRAM, { contender: 'unescaped', address }),
	);
	const { count, gaps = 0, connections = 0, bytes = 0 } = faulty;
	const repeated = bytes / (once['bytes'] ?? 0) - 1;
	const isWhole = count === FAULTY_ENTRIES && gaps === 0 && connections === DROPS + 1;
	return {
		goal: '12',
		what: `follow over ${DROPS} drops in ${FAULTY_ENTRIES.toLocaleString('en')} entries`,
		ours: `${count} entries in order, ${gaps} gaps, ${connections} connections`,
		peers: 'none of the peers can',
		ratio: `${(repeated * 100).toFixed(2)} % read twice`,
		met: isWhole && repeated <= 0.01 ? 'yes' : 'no',
	};
}
