import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { cache } from '../bootstrap/folders.mjs';
import { fetchPackage, npm, tar } from '../bootstrap/npm.mjs';
import { makeOnce } from '../bootstrap/scratch.mjs';

/** The npm package that carries VS Code's server and its web workbench. */
const source = {
	package: 'code-server@4.139.1',
	integrity: 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
	vscode: '1.139.1',
};

const recipe = {
	source,
	platform: `${process.platform}-${process.arch}`,
	/** The modules that the server and its child processes import. */
	serverModules: [
		'@microsoft/1ds-core-js',
		'@parcel/watcher',
		'@vscode/proxy-agent',
		'@vscode/ripgrep-universal',
		'@xterm/addon-serialize',
		'@xterm/addon-unicode11',
		'@xterm/headless',
		'cookie',
		'minimist',
		'node-pty',
		'undici',
		'vscode-regexpp',
		'ws',
		'yauzl',
		'yazl',
	],
	/** The modules that the page loads: colours, terminals, encodings. */
	pageModules: [
		'@vscode/iconv-lite-umd',
		'@xterm/addon-clipboard',
		'@xterm/addon-image',
		'@xterm/addon-ligatures',
		'@xterm/addon-progress',
		'@xterm/addon-search',
		'@xterm/addon-webgl',
		'@xterm/xterm',
		'jschardet',
		'vscode-oniguruma',
		'vscode-textmate',
	],
	/** Modules with native code to compile, which are replaced by stand-ins. */
	standIns: ['deviceid', 'fs-copyfile', 'native-watchdog', 'spdlog'],
	/**
	 * Built-in extensions that are large, start by themselves, and need an account or a network; and one whose server is
	 * a separate package, without which it asks the user to reinstall the editor.
	 */
	leftOut: [
		'copilot',
		'mermaid-markdown-features',
		'microsoft-authentication',
		'ms-vscode.js-debug',
		'ms-vscode.js-debug-companion',
		'ms-vscode.vscode-js-profile-table',
		'tunnel-forwarding',
		'typescript-language-features',
	],
};

const standInFolder = path.join(import.meta.dirname, 'standIns');

/** @returns the folder of VS Code's server, installed on first use */
export async function ensureEditor(): Promise<string> {
	const hash = createHash('sha256').update(JSON.stringify(recipe));
	for (const name of fs.readdirSync(standInFolder).sort()) {
		hash.update(fs.readFileSync(path.join(standInFolder, name)));
	}
	const folder = path.join(cache, `vscode-${source.vscode}-${hash.digest('hex').slice(0, 12)}`);
	await makeOnce(folder, `VS Code ${source.vscode} (80 MB)`, build);
	return folder;
}

async function build(scratch: string, target: string): Promise<void> {
	const archive = await fetchPackage(source.package, source.integrity, scratch);
	const inside = 'package/lib/vscode';
	const excluded = [...recipe.leftOut.map(name => `${inside}/extensions/${name}`), '*.map'];
	await tar([
		'-xzf',
		archive,
		'-C',
		target,
		'--strip-components=3',
		...excluded.map(name => `--exclude=${name}`),
		inside,
	]);
	await installModules(target);
	for (const name of recipe.standIns) {
		const folder = path.join(target, 'node_modules', '@vscode', name);
		fs.mkdirSync(folder, { recursive: true });
		fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: `@vscode/${name}`, main: 'index.mjs' }));
		fs.copyFileSync(path.join(standInFolder, `${name}.mjs`), path.join(folder, 'index.mjs'));
	}
	const agentHost = path.join(target, 'out/vs/platform/agentHost/node/agentHostMain.js');
	fs.copyFileSync(path.join(standInFolder, 'agentHostMain.mjs'), agentHost);
	changeJson(path.join(target, 'product.json'), product => ({ ...product, enableTelemetry: false }));
	dropOtherPlatforms(target);
}

/**
 * Installs the modules from the editor's own lockfile, reduced to what is needed, so that every module keeps its
 * version and its hash.
 */
async function installModules(target: string): Promise<void> {
	const lockfile = JSON.parse(fs.readFileSync(path.join(target, 'npm-shrinkwrap.json'), 'utf8'));
	const dependencies: Record<string, string> = {};
	for (const name of [...recipe.serverModules, ...recipe.pageModules]) {
		dependencies[name] = lockfile.packages[`node_modules/${name}`].version;
	}
	lockfile.packages[''] = { dependencies };
	fs.rmSync(path.join(target, 'npm-shrinkwrap.json'));
	fs.writeFileSync(path.join(target, 'package-lock.json'), JSON.stringify(lockfile));
	changeJson(path.join(target, 'package.json'), ({ name, version, type }) => ({ name, version, type, dependencies }));
	await npm(['install', '--omit=dev', '--loglevel=error'], { cwd: target });
}

function changeJson(file: string, change: (value: Record<string, unknown>) => unknown): void {
	fs.writeFileSync(file, JSON.stringify(change(JSON.parse(fs.readFileSync(file, 'utf8'))), undefined, '\t'));
}

/** Removes the binaries for other platforms, which the archives also contain. */
function dropOtherPlatforms(target: string): void {
	for (const name of ['@vscode/ripgrep-universal/bin', 'node-pty/prebuilds']) {
		const folder = path.join(target, 'node_modules', name);
		for (const platform of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
			if (platform !== recipe.platform) {
				fs.rmSync(path.join(folder, platform), { recursive: true });
			}
		}
	}
}
