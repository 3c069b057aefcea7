import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { type BuildOptions, build, type ImportKind, type Metafile, type Plugin } from 'esbuild';

const all = 'errand:eager';
const withoutEditor = 'errand:eager-without-editor';

/**
 * Puts what the extension loads at its start into as few files as possible. The bundler gives the modules that the same
 * entry points reach a chunk of their own, which made 23 chunks of one module each, and each file takes the editor half a
 * millisecond. So whatever is loaded on demand imports all of them, and in the other programs those that need no editor.
 */
export function oneEagerChunk(extension: string, others: readonly string[], options: BuildOptions): Plugin {
	return {
		name: 'one-eager-chunk',
		async setup({ onLoad, onResolve }) {
			const probe = { ...options, sourcemap: false, outdir: 'dist', write: false, metafile: true } as const;
			const { metafile } = await build({ ...probe, entryPoints: [extension, ...others] });
			const eager = reach(metafile, [extension], ['import-statement']);
			const foreign = reach(metafile, others, ['import-statement', 'dynamic-import']);
			const files = Object.keys(metafile.inputs);
			const onDemand = new Set([...others, ...files.flatMap(file => imports(metafile, file, ['dynamic-import']))]);
			onResolve({ filter: /^errand:/ }, ({ path: name }) => ({ path: name, namespace: 'errand' }));
			onLoad({ filter: /./, namespace: 'errand' }, ({ path: name }) => {
				const wanted = [...eager].filter(file => isOwn(file) && (name === all || foreign.has(file)));
				const contents = wanted.map(file => `import ${JSON.stringify(path.resolve(file))};`).join('\n');
				return { contents, resolveDir: process.cwd() };
			});
			onLoad({ filter: /\.ts$/ }, async ({ path: absolute }) => {
				const file = path.relative(process.cwd(), absolute).replaceAll('\\', '/');
				if (!onDemand.has(file) || eager.has(file)) {
					return undefined;
				}
				const name = foreign.has(file) ? withoutEditor : all;
				return { contents: `import '${name}'; ${await fs.readFile(absolute, 'utf8')}`, loader: 'ts' };
			});
		},
	};
}

/** Returns the modules that are imported from one of the entry points, directly or not, with these themselves. */
function reach(metafile: Metafile, entryPoints: readonly string[], kinds: readonly ImportKind[]): Set<string> {
	const reached = new Set(entryPoints);
	// A set also walks over what is added meanwhile.
	for (const file of reached) {
		for (const other of imports(metafile, file, kinds)) {
			reached.add(other);
		}
	}
	return reached;
}

function imports(metafile: Metafile, file: string, kinds: readonly ImportKind[]): string[] {
	const all = metafile.inputs[file]?.imports ?? [];
	return all.filter(({ kind, external }) => kinds.includes(kind) && external !== true).map(one => one.path);
}

function isOwn(file: string): boolean {
	return !file.includes('node_modules/');
}
