import { type Measured, race, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const FRAMES = 2000;
const MESSAGES = 10;

/**
 * Measures goal 11: a streamed reply from the sending of its message on, over the host's fetch, as frames per second
 * from the first frame on; and the messages of a conversation, against a separate attestation for each of them.
 */
export async function rows(): Promise<BenchRow[]> {
	const [[floor, ours, portable], [messages, attestations]] = await withServer(
		'channelServer.ts',
		{},
		async address =>
			[
				await race(ROUNDS, 'channelContender.ts', contenders(['floor', 'ours', 'portable'], address, FRAMES)),
				await race(ROUNDS, 'channelContender.ts', contenders(['messages', 'attestations'], address, MESSAGES)),
			] as const,
	);
	const byAttestation = middle(messages, 'busy') / middle(attestations, 'busy');
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
		{
			goal: '11',
			what: `${MESSAGES} short encrypted messages of one conversation: CPU; requests; worst event-loop delay`,
			ours: `${milliseconds(messages)}; ${middle(messages, 'requests')}; ${middle(messages, 'delay').toFixed(0)} ms`,
			peers: `an attestation for each message ${milliseconds(attestations)}, ${middle(attestations, 'requests')} = 1`,
			ratio: byAttestation.toFixed(2),
			met: byAttestation <= 1 ? 'yes' : 'no',
		},
	];
}

const contenders = (names: readonly string[], address: string, size: number) =>
	names.map(contender => ({ contender, address, size }));

const milliseconds = (runs: readonly Measured[] | undefined) => `${(middle(runs, 'busy') / 1000).toFixed(0)} ms`;

function middle(runs: readonly Measured[] = [], name: 'busy' | 'rate' | 'delay' | 'requests'): number {
	return median(runs.map(run => run[name] ?? Number.NaN));
}
