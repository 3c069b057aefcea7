import { type Measured, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const STREAM_BYTES = 50_000_000;
/** The limit for our processor time, and for our memory, over those of the floor. */
const MAXIMUM_RATIO = 1.1;

export async function rows(): Promise<BenchRow[]> {
	return [
		await stream('64 B to 64 KB', [64, 64 * 1024]),
		await stream('64 to 1024 B', [64, 1024]),
		await validation(),
		await firstToken(),
	];
}

const cpuOf = (runs: readonly Measured[] = []) => median(runs.map(({ cpu }) => cpu));
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
