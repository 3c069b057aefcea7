import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { type EditorServer, openWindow } from '../test/support/editor.ts';

/** Opens a window, and with it a fresh extension host, and resolves with the measurements of the probe in the host. */
export async function measureInHost<T>(editor: EditorServer): Promise<T> {
	const printed: string[] = [];
	const window = await openWindow(editor, { onPrint: text => printed.push(text) });
	try {
		await window.testsEnded;
	} finally {
		await window.context.close();
	}
	const line = printed.find(text => text.startsWith('bench| '));
	if (line === undefined) {
		throw new Error(`The probe measured nothing. What the editor printed:\n${printed.join('\n')}`);
	}
	return JSON.parse(line.slice('bench| '.length));
}

/** Writes an extension that does nothing and returns its folder. */
export function emptyExtension(scratch: string): string {
	const folder = path.join(scratch, 'empty');
	fs.mkdirSync(path.join(folder, 'dist'), { recursive: true });
	fs.writeFileSync(path.join(folder, 'dist', 'extension.js'), 'export function activate() {}\n');
	const manifest = { name: 'empty', publisher: 'bench', version: '1.0.0', type: 'module', main: './dist/extension.js' };
	fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, engines: { vscode: '^1.109.0' } }));
	return folder;
}

/** Bundles a program of this folder as a module that an extension host runs as its tests. */
export async function bundleProbe(program: string, scratch: string): Promise<string> {
	const outfile = path.join(scratch, 'probe.cjs');
	await build({
		entryPoints: [path.join(import.meta.dirname, program)],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		external: ['vscode'],
	});
	return outfile;
}
