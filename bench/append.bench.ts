import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import type { Append, Appends } from './appendProbe.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import type { BenchRow } from './row.ts';

const LINES = 1_000_000;
const DELAY_MS = 50;

/** Measures goal 8 in a real extension host: the lines of a followed log are written to its output channel. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	let editor: EditorServer | undefined;
	try {
		const probe = await bundleProbe('appendProbe.ts', scratch);
		const env = { ERRAND_BENCH_LINES: String(LINES) };
		editor = await startEditor({ extension: emptyExtension(scratch), extensionTests: probe, env });
		const run = await measureInHost<Appends>(editor);
		const of = (name: keyof Appends, field: keyof Append) => run[name][field];
		return (
			[
				['hidden', 'batchHidden', 'oneHidden', 0.35],
				['shown', 'batchShown', 'oneShown', 0.15],
			] as const
		).map(([what, ours, peer, goal]) => {
			const ratio = of(ours, 'cpu') / of(peer, 'cpu');
			const delay = of(ours, 'delay');
			return {
				goal: '8',
				what: `${LINES.toLocaleString('en')} lines into a ${what} output channel in a real extension host: CPU; worst event-loop delay`,
				ours: `${of(ours, 'cpu').toFixed(0)} ms; ${delay.toFixed(0)} ms`,
				peers: `one by one ${of(peer, 'cpu').toFixed(0)} ms = 1; ${of(peer, 'delay').toFixed(0)} ms`,
				ratio: ratio.toFixed(2),
				met: ratio <= goal && delay <= DELAY_MS ? ('yes' as const) : ('no' as const),
				reason: 'ours holds the last 20,000 to 40,000 lines, one by one all of them',
			};
		});
	} finally {
		await editor?.stop();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}
