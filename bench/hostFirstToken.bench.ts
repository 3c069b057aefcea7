import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import { firstTokenGoal, type Latency } from './firstToken.ts';
import { withServer } from './freshProcess.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 9;
const VARIANTS = ['floor', 'fetch', 'ours', 'warmed'] as const;

/** Measures goal 4 in a real extension host, whose fetch includes the editor's proxy and certificates. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	const editors: EditorServer[] = [];
	try {
		const probe = await bundleProbe('hostFirstTokenProbe.ts', scratch);
		return await withServer('streamServer.ts', { kind: 'chat', size: 1, writes: [1024, 1024] }, async address => {
			for (const variant of VARIANTS) {
				const env = { ERRAND_BENCH_ADDRESS: address, ERRAND_BENCH_VARIANT: variant };
				editors.push(await startEditor({ extension: emptyExtension(scratch), extensionTests: probe, env }));
			}
			const runs: Latency[][] = VARIANTS.map(() => []);
			for (let round = 0; round < ROUNDS; round++) {
				for (const [index, editor] of editors.entries()) {
					runs[index]?.push(await measureInHost<Latency>(editor));
				}
			}
			return compare(runs);
		});
	} finally {
		await Promise.all(editors.map(editor => editor.stop()));
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

function compare(runs: Latency[][]): BenchRow[] {
	const of = (name: (typeof VARIANTS)[number], field: keyof Latency) =>
		median((runs[VARIANTS.indexOf(name)] ?? []).map(run => run[field]));
	const base = of('floor', 'latency');
	const ratio = of('ours', 'latency') / base;
	const fetch = of('fetch', 'latency') / base;
	const { most, ...reason } = firstTokenGoal(fetch);
	const milliseconds = (microseconds: number) => `${(microseconds / 1000).toFixed(1)} ms`;
	const first = of('warmed', 'first') / of('warmed', 'second');
	return [
		{
			goal: '4',
			what: 'first token of a conversation of 32 KB over a reused connection, in a real extension host',
			ours: `${of('ours', 'latency').toFixed(0)} µs`,
			peers: `raw socket ${base.toFixed(0)} µs = 1; host fetch ${fetch.toFixed(2)}`,
			ratio: ratio.toFixed(2),
			met: ratio <= most ? 'yes' : 'no',
			...reason,
		},
		{
			goal: '4',
			what: 'first request of a user over the second, in a real extension host, warmed when a view opens',
			ours: `${milliseconds(of('warmed', 'first'))} and ${milliseconds(of('warmed', 'second'))}`,
			peers: `ours, not warmed ${milliseconds(of('ours', 'first'))} and ${milliseconds(of('ours', 'second'))}; host fetch ${milliseconds(of('fetch', 'first'))} and ${milliseconds(of('fetch', 'second'))}`,
			ratio: first.toFixed(2),
			met: first <= 1.5 ? 'yes' : 'no',
		},
	];
}
