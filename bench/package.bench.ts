import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { CODE_LIMIT, packedCodeSize } from '../scripts/packaging/packedCodeSize.ts';
import type { BenchRow } from './row.ts';

const root = path.resolve(import.meta.dirname, '..');
const eagerLimit = 60 * 1024;

export async function rows(): Promise<BenchRow[]> {
	const eager = eagerSize(path.join(process.env['ERRAND_TEST_EXTENSION'] ?? '', 'dist', 'extension.js'));
	const { whole, code } = packedSizes();
	return [
		{
			goal: '10',
			what: 'eager code: the entry and what it imports statically',
			ours: kilobytes(eager),
			peers: 'Cline 24.9 MB, Continue 55.9 MB, Copilot Chat 19.6 MB',
			ratio: `${(eager / eagerLimit).toFixed(2)} of the limit`,
			met: eager < eagerLimit ? 'yes' : 'no',
		},
		{
			goal: '14',
			what: 'code of the VSIX, packed',
			ours: `${kilobytes(code)} of ${kilobytes(whole)}, the rest of which are images and texts`,
			peers: 'whole: Cline 8.9 MB, Copilot Chat 8.4 MB, Continue about 21 MB',
			ratio: `${(code / CODE_LIMIT).toFixed(2)} of the limit`,
			met: code < CODE_LIMIT ? 'yes' : 'no',
		},
	];
}

/**
 * Returns the bytes of a module and of everything that it imports statically. `import(…)` loads on first use and does
 * not count.
 */
function eagerSize(entry: string): number {
	const waiting = [entry];
	const seen = new Set<string>();
	let size = 0;
	for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
		if (!seen.has(file)) {
			seen.add(file);
			const text = fs.readFileSync(file, 'utf8');
			size += Buffer.byteLength(text);
			for (const [, name] of text.matchAll(/(?:^|[;\n}])(?:import|export)[^;('"]*["'](\.[^"']+)["']/g)) {
				waiting.push(path.resolve(path.dirname(file), name ?? ''));
			}
		}
	}
	return size;
}

/** Packs the extension, and returns the sizes of the package and of the code in it in bytes, each as packed. */
function packedSizes(): { whole: number; code: number } {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-package-'));
	try {
		const file = path.join(scratch, 'errand.vsix');
		execFileSync(process.execPath, [path.join(root, 'scripts', 'run.ts'), 'package', file], { stdio: 'pipe' });
		// Packing has just built the code in the project's own folder.
		return { whole: fs.statSync(file).size, code: packedCodeSize(root) };
	} finally {
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

function kilobytes(bytes: number): string {
	return `${(bytes / 1024).toFixed(1)} KB`;
}
