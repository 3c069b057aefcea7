// Builds the programs of the project:
//   dist/extension.js     the extension, ESM with split chunks, so that a feature loads on first use
//   dist/service.js       the local service, one file, a process of its own
//   dist/webview/*.js     the pages: the chat view's, the attestation report's
// `--production` minifies, `--watch` keeps building, `--tests` builds the tests that run inside the extension host.
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as esbuild from 'esbuild';
import { workerCode } from './scripts/workerCode.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** @type {esbuild.BuildOptions} */
const common = {
	bundle: true,
	minify: production,
	sourcemap: production ? false : 'linked',
	logLevel: 'info',
	legalComments: 'none',
	define: { 'process.env.NODE_ENV': '"production"' },
};

/** A bundle of CommonJS dependencies as ESM has no `require`; the Node built-ins they ask for come from here. */
const requireBanner = {
	js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

/** @type {esbuild.BuildOptions} */
const node = {
	...common,
	platform: 'node',
	target: 'node22',
	format: 'esm',
	// Its build for Node is CommonJS, and requires file access that nothing here needs.
	alias: { '@vscode/l10n': '@vscode/l10n/dist/browser.js' },
};

/** @type {esbuild.BuildOptions[]} */
const programs = [
	{
		...node,
		entryPoints: { extension: 'src/extension.ts' },
		outdir: 'dist',
		splitting: true,
		chunkNames: 'chunks/[name]-[hash]',
		// undici never runs in the extension host: there the root hands in a transport over the editor's own fetch.
		external: ['vscode', './core/undiciTransport.ts'],
		metafile: true,
	},
	{
		...node,
		entryPoints: { service: 'src/service/main.ts' },
		outdir: 'dist',
		banner: requireBanner,
	},
	{
		...common,
		platform: 'browser',
		target: 'es2022',
		format: 'esm',
		entryPoints: { chat: 'src/chat/ui/main.ts', attestation: 'src/channel/ui/main.ts' },
		outdir: 'dist/webview',
		splitting: true,
		chunkNames: '[name].[hash]',
		loader: { '.ttf': 'file' },
		assetNames: '[name]',
		plugins: [workerCode],
	},
];

/** @returns {esbuild.BuildOptions} */
function editorTests() {
	const files = globSync('test/editor/**/*.ts');
	const outdir = path.join('.cache', 'out', 'editor');
	rmSync(outdir, { recursive: true, force: true });
	return {
		...node,
		format: 'cjs',
		entryPoints: files,
		outbase: 'test/editor',
		outdir,
		outExtension: { '.js': '.cjs' },
		external: ['vscode', 'mocha'],
		// A module of CommonJS has no address of its own.
		define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
		banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
		minify: false,
	};
}

if (process.argv.includes('--tests')) {
	await esbuild.build(editorTests());
} else if (watch) {
	for (const options of programs) {
		await (await esbuild.context(options)).watch();
	}
} else {
	// Chunk names carry a hash: what an earlier build left would be packed too.
	rmSync('dist', { recursive: true, force: true });
	await Promise.all(programs.map(options => esbuild.build(options)));
}
