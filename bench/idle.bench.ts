import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import type { Idle } from './idleProbe.ts';
import type { BenchRow } from './row.ts';

const SECONDS = 180;
/** One request every 15 seconds, the default of the setting. */
const PROMISED = SECONDS / 15;
const LIMIT = 0.005;

/** Measures three minutes with the task tree in view and no task running, beside an editor with an empty extension. */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	const editors: EditorServer[] = [];
	try {
		const probe = await bundleProbe('idleProbe.ts', scratch);
		const own = process.env['ERRAND_TEST_EXTENSION'] ?? '';
		for (const [variant, extension] of [
			['empty', emptyExtension(scratch)],
			['ours', own],
		] as const) {
			const env = { ERRAND_BENCH_VARIANT: variant, ERRAND_BENCH_SECONDS: String(SECONDS) };
			editors.push(await startEditor({ extension, extensionTests: probe, env }));
		}
		// Both run at the same time, so that other load on the machine affects both alike.
		const [empty, ours] = await Promise.all(editors.map(editor => measureInHost<Idle>(editor)));
		const more = (ours?.share ?? 1) - (empty?.share ?? 0);
		const requests = ours?.requests ?? 0;
		const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
		return [
			{
				goal: '10',
				what: `${SECONDS / 60} minutes idle, task tree in sight, nothing active: share of a core of the extension host; requests`,
				ours: `${percent(ours?.share ?? 1)}; ${requests}`,
				peers: `empty ${percent(empty?.share ?? 0)}; promised ${PROMISED}`,
				ratio: `${more < 0 ? '' : '+'}${percent(more)}`,
				met: more <= LIMIT && requests > 0 && requests <= PROMISED ? 'yes' : 'no',
			},
		];
	} finally {
		await Promise.all(editors.map(editor => editor.stop()));
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}
