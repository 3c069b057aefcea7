import { type Measured, race, withServer } from './freshProcess.ts';
import { type BenchRow, cpuOf, median } from './row.ts';

const ROUNDS = 5;
const STREAM_BYTES = 50_000_000;
/** The limit for our processor time, and for our memory, over those of the floor. */
const MAXIMUM_RATIO = 1.1;

export async function rows(): Promise<BenchRow[]> {
	return [await stream('64 B to 64 KB', [64, 64 * 1024]), await stream('64 to 1024 B', [64, 1024])];
}

const memoryOf = (runs: readonly Measured[] = []) => median(runs.map(({ memory }) => memory));
const milliseconds = (microseconds: number) => `${(microseconds / 1000).toFixed(0)} ms`;

/** Measures goal 1, from the socket to the last event, over the host's fetch. */
async function stream(name: string, writes: [number, number]): Promise<BenchRow> {
	const peers = {
		parser: 'eventsource-parser',
		'fetch-event-source': 'fetch-event-source',
		'AI SDK': 'AI SDK',
		openai: 'openai',
	};
	const [floor, ours, ...others] = await withServer(
		'streamServer.ts',
		{ kind: 'chat', size: STREAM_BYTES, writes },
		address =>
			race(
				ROUNDS,
				'streamContender.ts',
				['floor', 'ours', ...Object.keys(peers)].map(contender => ({ contender, address })),
			),
	);
	const base = cpuOf(floor);
	const ratio = cpuOf(ours) / base;
	const memory = memoryOf(ours) / memoryOf(floor);
	return {
		goal: '1',
		what: `chat stream of ${STREAM_BYTES / 1e6} MB, writes of ${name}: CPU; peak memory`,
		ours: `${milliseconds(cpuOf(ours))}; ${memoryOf(ours).toFixed(0)} MB`,
		peers: `fetch + TextDecoder + split + JSON.parse ${milliseconds(base)}, ${memoryOf(floor).toFixed(0)} MB = 1; ${Object.values(
			peers,
		)
			.map((name, index) => `${name} ${(cpuOf(others[index]) / base).toFixed(2)}`)
			.join('; ')}`,
		ratio: `${ratio.toFixed(2)}; ${memory.toFixed(2)}`,
		met: Math.max(ratio, memory) <= MAXIMUM_RATIO ? 'yes' : 'no',
	};
}
