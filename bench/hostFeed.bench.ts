import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import type { HostFeeds } from './hostFeedProbe.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const TOKENS_PER_SECOND = 2000;
const GOAL = 0.4;

/** Measures goal 9 in a real extension host, where a message takes a longer route to a webview than over a port. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	let editor: EditorServer | undefined;
	try {
		const probe = await bundleProbe('hostFeedProbe.ts', scratch);
		const env = { ERRAND_BENCH_TOKENS: String(TOKENS_PER_SECOND) };
		editor = await startEditor({ extension: emptyExtension(scratch), extensionTests: probe, env });
		const runs: HostFeeds[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			runs.push(await measureInHost<HostFeeds>(editor));
		}
		const of = (name: keyof HostFeeds) => median(runs.map(run => run[name]));
		const [ours, single] = [of('batches') - of('nothing'), of('tokens') - of('nothing')];
		return [
			{
				goal: '9',
				what: `host to page at ${TOKENS_PER_SECOND} tokens/s in a real extension host: its CPU for a reply of 4 s`,
				ours: `${ours.toFixed(0)} ms`,
				peers: `one message a token ${single.toFixed(0)} ms = 1; what the tokens cost that nobody is told of ${of('nothing').toFixed(0)} ms, taken off both`,
				ratio: (ours / single).toFixed(2),
				met: ours / single <= GOAL ? 'yes' : 'no',
			},
		];
	} finally {
		await editor?.stop();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}
