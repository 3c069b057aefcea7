import { type Measured, measure, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const STREAM_BYTES = 50_000_000;
const GROWTH = 4;
/** The smaller input of goal 2 in megabytes. */
const SMALL = 4;

export async function rows(): Promise<BenchRow[]> {
	return [
		await stream('64 B to 64 KB', [64, 64 * 1024]),
		await stream('64 to 1024 B', [64, 1024]),
		...(await growth()),
		await validation(),
		await firstToken(),
	];
}

const cpuOf = (runs: readonly Measured[] = []) => median(runs.map(({ cpu }) => cpu));
const memoryOf = (runs: readonly Measured[] = []) => median(runs.map(({ memory }) => memory));
const milliseconds = (microseconds: number) => `${(microseconds / 1000).toFixed(0)} ms`;

const nameOf = (contender: string) => (contender === 'parser' ? 'eventsource-parser' : contender);

/** Measures goal 1, from the socket to the last event, over the host's fetch. */
async function stream(name: string, writes: [number, number]): Promise<BenchRow> {
	const peers = ['parser', 'fetch-event-source', 'AI SDK', 'openai'];
	const [floor, ours, ...others] = await withServer(
		'streamServer.ts',
		{ kind: 'chat', size: STREAM_BYTES, writes },
		address =>
			race(
				ROUNDS,
				'streamContender.ts',
				['floor', 'ours', ...peers].map(contender => ({ contender, address })),
			),
	);
	const base = cpuOf(floor);
	const ratio = cpuOf(ours) / base;
	const memory = memoryOf(ours) / memoryOf(floor);
	return {
		goal: '1',
		what: `chat stream of ${STREAM_BYTES / 1e6} MB, writes of ${name}: CPU; peak memory`,
		ours: `${milliseconds(cpuOf(ours))}; ${memoryOf(ours).toFixed(0)} MB`,
		peers: `fetch + TextDecoder + split + JSON.parse ${milliseconds(base)}, ${memoryOf(floor).toFixed(0)} MB = 1; ${peers
			.map((name, index) => `${nameOf(name)} ${(cpuOf(others[index]) / base).toFixed(2)}`)
			.join('; ')}`,
		ratio: `${ratio.toFixed(2)}; ${memory.toFixed(2)}`,
		met: ratio <= 1.25 && memory <= 1.2 ? 'yes' : 'no',
	};
}

/** Measures goal 2: the growth of the cost with four times the input. */
async function growth(): Promise<BenchRow[]> {
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
				.map(([name, list]) => `${nameOf(name)} ×${median(list).toFixed(1)}`)
				.join('; '),
			ratio: own.toFixed(1),
			met: own <= 6 ? 'yes' : 'no',
		});
	}
	return found;
}

/** Measures goal 3: the additional cost of validation over JSON.parse. */
async function validation(): Promise<BenchRow> {
	const names = ['floor', 'ours', 'zod', 'lenient'];
	const [floor, ours, zod, lenient] = await race(
		ROUNDS,
		'validationContender.ts',
		names.map(contender => ({ contender })),
	);
	const base = cpuOf(floor);
	const ratio = cpuOf(ours) / base;
	return {
		goal: '3',
		what: 'validation of chat chunks over JSON.parse alone: CPU',
		ours: milliseconds(cpuOf(ours)),
		peers: `JSON.parse ${milliseconds(base)} = 1; zod ${(cpuOf(zod) / base).toFixed(2)}; our lenient schema alone ${(cpuOf(lenient) / base).toFixed(2)}`,
		ratio: ratio.toFixed(2),
		met: ratio <= 1.25 ? 'yes' : 'no',
	};
}

/** Measures goal 4 beside the SDKs: from the request to the first token, over an open connection. */
async function firstToken(): Promise<BenchRow> {
	const names = ['floor', 'fetch', 'ours', 'openai', 'AI SDK'];
	const runs = await withServer('streamServer.ts', { kind: 'chat', size: 1, writes: [1024, 1024] }, address =>
		race(
			ROUNDS,
			'firstTokenContender.ts',
			names.map(contender => ({ contender, address })),
		),
	);
	const latencyOf = (name: string) =>
		median((runs[names.indexOf(name)] ?? []).map(({ latency = Number.NaN }) => latency));
	const base = latencyOf('floor');
	const over = (name: string) => latencyOf(name) / base;
	return {
		goal: '4',
		what: 'first token of a conversation of 32 KB over a reused connection, beside the SDKs',
		ours: `${latencyOf('ours').toFixed(0)} µs`,
		peers: `raw socket ${base.toFixed(0)} µs = 1; host fetch ${over('fetch').toFixed(2)}; openai ${over('openai').toFixed(2)}; AI SDK ${over('AI SDK').toFixed(2)}`,
		ratio: over('ours').toFixed(2),
		met: over('ours') <= over('openai') ? 'yes' : 'no',
		reason:
			"held against the SDKs here; against the raw socket with the host's own fetch, in the row of hostFirstToken",
	};
}
