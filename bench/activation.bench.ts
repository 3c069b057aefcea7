import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { copyExtension } from '../scripts/editor/installExtension.ts';
import { type EditorServer, startEditor } from '../test/support/editor.ts';
import { emptyExtension, measureInHost } from './hostProbe.ts';
import { type BenchRow, median } from './row.ts';

/** The times in milliseconds, and the memory of the extension host afterwards in megabytes. */
export interface Activation {
	load: number;
	call: number;
	finish: number;
	/** The time that a caller of `activate()` waits. */
	api: number;
	rss: number;
	/** True if the extension was active before the probe activated it, so that the times are not its own. */
	early: boolean;
}

const runs = 6;
/** The limit for our activation over that of an empty extension. */
const MAXIMUM_RATIO = 2.5;
const probe = path.join(import.meta.dirname, 'activationProbe.cjs');
const elsewhere = 'Cline 3,128 ms, Continue 2,170 ms, Copilot Chat 935 ms; 554, 460, 395 MB (other run)';

export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	const editors: EditorServer[] = [];
	try {
		for (const extension of [emptyExtension(scratch), ownExtension(scratch)]) {
			const { publisher, name } = manifestOf(extension);
			const env = { ERRAND_BENCH_EXTENSION: `${publisher}.${name}` };
			editors.push(await startEditor({ extension, extensionTests: probe, env }));
		}
		const [empty, own] = await interleaved(editors);
		return compare(empty ?? [], own ?? []);
	} finally {
		await Promise.all(editors.map(editor => editor.stop()));
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

/**
 * Measures the editors round by round, so that other load on the machine affects all alike, each time in a fresh
 * extension host.
 */
async function interleaved(editors: EditorServer[]): Promise<Activation[][]> {
	const results: Activation[][] = editors.map(() => []);
	for (let round = 0; round < runs; round += 1) {
		for (const [index, editor] of editors.entries()) {
			results[index]?.push(await measureInHost<Activation>(editor));
		}
	}
	return results;
}

function compare(empty: Activation[], own: Activation[]): BenchRow[] {
	const of = (results: Activation[], key: Exclude<keyof Activation, 'early'>) => median(results.map(one => one[key]));
	const [emptyTime, ownTime] = [of(empty, 'api'), of(own, 'api')];
	const [emptyMemory, ownMemory] = [of(empty, 'rss'), of(own, 'rss')];
	const early = own.filter(one => one.early).length;
	const parts = `load ${of(own, 'load')}, call ${of(own, 'call')}, finish ${of(own, 'finish')} ms`;
	return [
		{
			goal: '10',
			what: `activation, idle editor, median of ${own.length}`,
			ours: `${ownTime.toFixed(1)} ms (${parts})`,
			peers: `empty ${emptyTime.toFixed(1)} ms; ${elsewhere}`,
			ratio: (ownTime / emptyTime).toFixed(2),
			met: ownTime <= MAXIMUM_RATIO * emptyTime && early === 0 ? 'yes' : 'no',
			...(early > 0 && { reason: `in ${early} runs it was active before` }),
		},
		{
			goal: '10',
			what: 'memory of the extension host afterwards',
			ours: `${ownMemory.toFixed(0)} MB`,
			peers: `empty ${emptyMemory.toFixed(0)} MB`,
			ratio: `${more(ownMemory - emptyMemory)} MB`,
			met: ownMemory - emptyMemory <= 15 ? 'yes' : 'no',
		},
	];
}

function more(value: number): string {
	return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

/** Returns the folder of a copy of our extension that only the probe activates. */
function ownExtension(scratch: string): string {
	const folder = path.join(scratch, 'own');
	copyExtension(process.env['ERRAND_TEST_EXTENSION'] ?? '', folder);
	fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifestOf(folder), activationEvents: [] }));
	return folder;
}

function manifestOf(folder: string): Record<string, unknown> {
	return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
}
