import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { OWN_AGENT } from '../src/agents/catalogue/ownAgent.ts';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import { defined } from '../src/base/defined.ts';
import { agentPrograms } from '../test/support/agentPrograms.ts';
import { ScriptedModel } from '../test/support/scriptedModel.ts';
import { TemporaryRepository } from '../test/support/temporaryRepository.ts';
import type { StartedAgent } from './agentContender.ts';
import { startByHand } from './agentStart.ts';
import { type BenchRow, median } from './row.ts';

/** pi is the smallest of the other agents. */
const PEER = 'pi';
const ROUNDS = 7;

/** Compares Errand's own agent with the smallest of the others, each started by hand in the same sandbox. */
export async function rows(): Promise<BenchRow[]> {
	process.env['PATH'] = [...agentPrograms(), process.env['PATH']].join(path.delimiter);
	const repository = await TemporaryRepository.create();
	const { tree } = insidePlaces(path.basename(repository.path));
	const scripts = { begin: [{ do: 'say', text: 'Begun.' }] } as const;
	const model = await ScriptedModel.start({ scripts, tree });
	try {
		const own: StartedAgent[] = [];
		const peer: StartedAgent[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			peer.push(await startByHand(PEER, repository, model));
			own.push(await startByHand(OWN_AGENT, repository, model));
		}
		return [
			rowOf('from its start to its first message', 'ms', own, peer, ({ milliseconds }) => milliseconds),
			rowOf('the most memory of its processes up to then (RSS)', 'MB', own, peer, ({ megabytes }) => megabytes),
		];
	} finally {
		await model.stop();
		await repository.remove();
	}
}

function rowOf(
	what: string,
	unit: string,
	own: readonly StartedAgent[],
	peer: readonly StartedAgent[],
	read: (started: StartedAgent) => number,
): BenchRow {
	const [ours, theirs] = [median(own.map(read)), median(peer.map(read))];
	return {
		goal: '17',
		what: `Errand's own agent in the sandbox: ${what}`,
		ours: `${ours.toFixed(0)} ${unit}`,
		peers: `${PEER} ${theirs.toFixed(0)} ${unit} = 1`,
		ratio: (ours / theirs).toFixed(2),
		met: ours <= theirs ? 'yes' : 'no',
		...defined({ reason: loadText() }),
	};
}

/** Returns a note if the machine had more to do than it has cores, because then only the ratio counts. */
function loadText(): string | undefined {
	const [load = 0] = os.loadavg();
	const cores = os.availableParallelism();
	return load > cores + 1 ? `measured on a loaded machine (load ${load.toFixed(0)} on ${cores} cores)` : undefined;
}
