import { race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;

/** Measures goal 4 beside the SDKs: from the request to the first token, over an open connection. */
export async function rows(): Promise<BenchRow[]> {
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
	return [
		{
			goal: '4',
			what: 'first token of a conversation of 32 KB over a reused connection, beside the SDKs',
			ours: `${latencyOf('ours').toFixed(0)} µs`,
			peers: `raw socket ${base.toFixed(0)} µs = 1; host fetch ${over('fetch').toFixed(2)}; openai ${over('openai').toFixed(2)}; AI SDK ${over('AI SDK').toFixed(2)}`,
			ratio: over('ours').toFixed(2),
			met: over('ours') <= over('openai') ? 'yes' : 'no',
			reason:
				"held against the SDKs here; against the raw socket with the host's own fetch, in the row of hostFirstToken",
		},
	];
}
