import path from 'node:path';
import * as esbuild from 'esbuild';

const SUFFIX = '?code';
const root = path.resolve(import.meta.dirname, '..');

/**
 * Makes `import('./x.worker.ts?code')` provide the bundled program of a worker as a string. The program's files are
 * also inputs of the build's metafile, because their contents are shipped.
 */
export const workerCode: esbuild.Plugin = {
	name: 'worker-code',
	setup(build) {
		const { minify = false, target = 'es2022' } = build.initialOptions;
		const workers: esbuild.Metafile['inputs'][] = [];
		build.onEnd(({ metafile }) => {
			if (metafile !== undefined) {
				Object.assign(metafile.inputs, ...workers);
			}
		});
		build.onResolve({ filter: /\?code$/ }, ({ path: specifier, resolveDir }) => ({
			// The bundler makes the names of chunks from this path, which must not depend on the place of the project.
			path: path.relative(root, path.join(resolveDir, specifier.slice(0, -SUFFIX.length))).replaceAll('\\', '/'),
			namespace: 'worker-code',
		}));
		build.onLoad({ filter: /.*/, namespace: 'worker-code' }, async ({ path: entry }) => {
			const { outputFiles, metafile } = await esbuild.build({
				entryPoints: [entry],
				bundle: true,
				write: false,
				metafile: true,
				absWorkingDir: root,
				format: 'iife',
				platform: 'browser',
				legalComments: 'none',
				logLevel: 'silent',
				minify,
				target,
			});
			workers.push(metafile.inputs);
			return {
				contents: `export const code = ${JSON.stringify(outputFiles[0]?.text)};`,
				watchFiles: Object.keys(metafile.inputs).map(file => path.join(root, file)),
			};
		});
	},
};
