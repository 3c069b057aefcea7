// Builds the programs of the project:
//   dist/extension.js     the extension, so split into chunks that a feature loads on first use
//   dist/service.js       the local service and the demo agent, processes of their own
//   dist/agent.js         Errand's own agent, a process of its own
//   dist/mcp.js           the MCP server, a process of its own
//   dist/sandbox.js       the first program in an agent's sandbox, a process of its own, in one file
//   dist/webview/*.js     the pages: the chat view's, and the reports: of attestations, decisions, comparisons and steps
// and the notices and the list of the packages in them (sbom.cdx.json). All but the sandbox and the pages share chunks.
// `--production` minifies, `--watch` keeps building, `--tests` builds the tests that run inside the extension host.
// `--processes=<folder>` builds nothing but the programs that are processes of their own, into that folder.
// `--team` builds nothing but the service for a team with what its workers start, and its notices, into dist-team.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as esbuild from 'esbuild';
import { iconFont } from './scripts/iconFont.ts';
import { oneEagerChunk } from './scripts/oneEagerChunk.ts';
import { bundledPackages } from './scripts/packaging/bundledPackages.ts';
import { BOM_FILE, softwareBom } from './scripts/packaging/softwareBom.ts';
import { NOTICES_FILE, thirdPartyNotices } from './scripts/packaging/thirdPartyNotices.ts';
import { workerCode } from './scripts/workerCode.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const PROCESSES = '--processes=';

/** @type {esbuild.BuildOptions} */
const common = {
	bundle: true,
	minify: production,
	sourcemap: production ? false : 'linked',
	logLevel: watch ? 'info' : 'warning',
	legalComments: 'none',
	metafile: true,
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

/**
 * undici brings its parser twice, with and without SIMD. The one without runs on every processor, and is enough.
 * @type {esbuild.Plugin}
 */
const oneParser = {
	name: 'one-parser',
	setup(build) {
		let isFound = false;
		build.onResolve({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path: file, resolveDir }) => {
			isFound = true;
			return { path: path.resolve(resolveDir, file.replace('_simd', '')) };
		});
		build.onEnd(({ errors }) => {
			if (isFound || errors.length > 0) {
				return undefined;
			}
			const text = 'Nothing imports llhttp_simd-wasm.js, so undici may bring its second parser under another name.';
			// The bundler has printed its own errors before this.
			console.error(text);
			return { errors: [{ text }] };
		});
	},
};

/**
 * Modules that are loaded on demand are files of their own, and so is what several programs share.
 * @type {esbuild.BuildOptions}
 */
const split = {
	...node,
	splitting: true,
	chunkNames: 'chunks/[name]-[hash]',
	// The MCP package's default for Node is a validator of JSON schemas, of 150 kB, that the server never asks for.
	alias: { ...node.alias, '@modelcontextprotocol/server/_shims': path.resolve('src/mcp/server/withoutValidator.ts') },
	banner: requireBanner,
	// Where this name is defined, as in Node's own build, undici leaves out its second parser, an experiment of 150 kB that
	// has to be asked for.
	define: { ...node.define, esbuildDetection: 'true' },
	external: ['vscode'],
};

const processEntries = {
	// A bundle's imports of Node's own modules are resolved before any of its code runs, so that the first file has to ask
	// for the rest itself.
	service: 'src/service/entry.ts',
	agent: 'src/agent/main.ts',
	mcp: 'src/mcp/server/main.ts',
};

const teamEntries = { 'errand-service': 'src/team/main.ts' };

/** @type {esbuild.BuildOptions} */
const processes = {
	...split,
	entryPoints: processEntries,
	plugins: [oneParser],
	// The driver of the database would use it if it were installed.
	external: [...split.external, 'pg-native'],
};

/** @type {esbuild.BuildOptions} */
const sandbox = { ...node, entryPoints: { sandbox: 'src/agents/sandbox/inside.ts' } };

/** @type {esbuild.BuildOptions[]} */
const programs = [
	{
		...split,
		entryPoints: { extension: 'src/extension.ts', ...processEntries },
		outdir: 'dist',
		plugins: [oneParser, oneEagerChunk('src/extension.ts', Object.values(processEntries), processes)],
	},
	{ ...sandbox, outdir: 'dist' },
	{
		...common,
		platform: 'browser',
		target: 'es2022',
		format: 'esm',
		entryPoints: {
			chat: 'src/chat/ui/main.ts',
			attestation: 'src/channel/ui/attestationReport.ts',
			decision: 'src/decisions/ui/decisionReport.ts',
			comparison: 'src/tasks/ui/comparisonReport.ts',
			steps: 'src/tasks/ui/stepsReport.ts',
		},
		outdir: 'dist/webview',
		splitting: true,
		chunkNames: '[name].[hash]',
		loader: { '.ttf': 'file' },
		assetNames: '[name]',
		plugins: [iconFont, workerCode],
	},
];

/** @returns {esbuild.BuildOptions} */
function editorTests() {
	// The last one is what a window test runs in a host of its own.
	const files = globSync(['test/editor/**/*.test.ts', 'test/editor/index.ts', 'test/editor/settingsProbe.ts']);
	const outdir = path.join('.cache', 'out', 'editor');
	rmSync(outdir, { recursive: true, force: true });
	return {
		...node,
		format: 'cjs',
		entryPoints: files,
		outbase: 'test/editor',
		outdir,
		outExtension: { '.js': '.cjs' },
		// The protocol's package is loaded on first use. It would initialise zod in an order that its modules cannot handle.
		external: ['vscode', 'mocha', '@agentclientprotocol/sdk'],
		// A module of CommonJS has no address of its own.
		define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
		banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
		minify: false,
		// The extension host reads none.
		sourcemap: false,
	};
}

/**
 * Names the chunks of the processes by numbers. The bundler's hashes stand in 2,600 imports and cannot be compressed,
 * which made the package 1 % larger; nothing caches these files by their names.
 * @param {string} folder
 */
function shortenChunkNames(folder) {
	const chunks = globSync('chunks/*.js', { cwd: folder }).sort();
	const names = new Map(chunks.map((file, index) => [path.basename(file), `${index.toString(36)}.js`]));
	for (const file of [...globSync('*.js', { cwd: folder }), ...chunks]) {
		const text = readFileSync(path.join(folder, file), 'utf8');
		const shortened = text.replaceAll(/[\w.-]+-[A-Z\d]{8}\.js/g, name => names.get(name) ?? name);
		const name = path.basename(file);
		rmSync(path.join(folder, file));
		writeFileSync(path.join(folder, path.dirname(file), names.get(name) ?? name), shortened);
	}
}

async function build() {
	if (process.argv.includes('--tests')) {
		await esbuild.build(editorTests());
		return;
	}
	const outdir = process.argv.find(argument => argument.startsWith(PROCESSES))?.slice(PROCESSES.length);
	if (outdir !== undefined) {
		const all = { ...processes, entryPoints: { ...processEntries, ...teamEntries } };
		await Promise.all([all, sandbox].map(options => esbuild.build({ ...options, outdir, sourcemap: false })));
		return;
	}
	if (process.argv.includes('--team')) {
		await buildTeam();
		return;
	}
	if (watch) {
		for (const options of programs) {
			await (await esbuild.context(options)).watch();
		}
		return;
	}
	// Chunk names carry a hash: what an earlier build left would be packed too.
	rmSync('dist', { recursive: true, force: true });
	const results = await Promise.all(programs.map(options => esbuild.build(options)));
	if (production) {
		shortenChunkNames('dist');
	}
	describePackages('errand', 'dist', results);
}

async function buildTeam() {
	const outdir = 'dist-team';
	rmSync(outdir, { recursive: true, force: true });
	const team = { ...processes, entryPoints: { ...teamEntries, agent: processEntries.agent } };
	const results = await Promise.all([team, sandbox].map(options => esbuild.build({ ...options, outdir })));
	describePackages('errand-service', outdir, results);
}

/**
 * Writes the notices and the list of the packages in the bundles of a folder.
 * @param {string} name
 * @param {string} folder
 * @param {readonly esbuild.BuildResult[]} results
 */
function describePackages(name, folder, results) {
	const inputs = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
	const packages = bundledPackages(inputs, '.');
	writeFileSync(path.join(folder, NOTICES_FILE), thirdPartyNotices(packages));
	const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
	const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
	writeFileSync(path.join(folder, BOM_FILE), softwareBom({ name, version }, packages, lockfile));
}

try {
	await build();
} catch (error) {
	process.exitCode = 1;
	// The bundler has printed the errors of the code itself.
	if (!(error instanceof Error && 'errors' in error)) {
		console.error(error instanceof Error ? error.message : error);
	}
}
