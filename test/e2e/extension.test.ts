import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import type { Frame, Page } from 'playwright-core';
import { CODE_LIMIT, packedCodeSize } from '../../scripts/packaging/packedCodeSize.ts';
import { launchBrowser } from '../support/browser.ts';
import { type EditorServer, openWindow, startEditor, workbenchStands } from '../support/editor.ts';
import { openFile, runCommand, until, webviewFrame } from '../support/editorWindow.ts';
import { rememberWindow } from '../support/openWindows.ts';
import { waitFor } from '../support/waitFor.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

/** What starting does not need, or makes for itself. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'test', 'test-output', 'bench']);

describe('the package that npm run package makes', () => {
	let scratch: string;
	let server: EditorServer;
	let page: Page;
	/** Where the editor has unpacked it. */
	let folder: string;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-package-'));
		const vsix = path.join(scratch, 'errand.vsix');
		execFileSync(process.execPath, [path.join(root, 'scripts', 'run.ts'), 'package', vsix], { stdio: 'pipe' });
		server = await startEditor({ package: vsix });
		const [unpacked = ''] = globSync('*.errand-*', { cwd: path.join(server.dataFolder, 'extensions') });
		folder = path.join(server.dataFolder, 'extensions', unpacked);
		// The editor shows the images of a readme beside it, so the window is open on what it has unpacked.
		({ page } = await openWindow(server, { folder }));
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	it('holds what its Markdown files lead to, the licence of everything that is bundled, and less code than its limit', () => {
		const files = globSync('**/*.md', { cwd: folder });
		assert.deepEqual(files.map(file => file.toLowerCase()).sort(), [
			'changelog.md',
			'readme.md',
			'skills/errand-tasks/skill.md',
		]);
		for (const file of files) {
			for (const address of addressesIn(readFileSync(path.join(folder, file), 'utf8'))) {
				assert.ok(leadsSomewhere(folder, file, address), `${file} leads to ${address.slice(0, 80)}`);
			}
		}

		const notices = readFileSync(path.join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
		const listed = Array.from(notices.matchAll(/^- (\S+) \S+ \(.+\)$/gm), ([, name]) => name);
		const built = packagesInBuild(builtFolder());
		assert.ok(built.includes('highlight.js') && built.includes('undici') && built.includes('@vscode/codicons'));
		// A package of which only re-exports are used is listed and has no code.
		assert.deepEqual(
			built.filter(name => !listed.includes(name)),
			[],
		);
		for (const name of listed) {
			assert.match(notices, new RegExp(`^${name} \\S+\nLicence: .+\nSource: https://\\S+\n=+\n\n\\S`, 'm'), name);
		}

		const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
		assert.ok(existsSync(path.join(folder, 'LICENSE.txt')) && existsSync(path.join(folder, manifest.icon)));
		const size = packedCodeSize(folder);
		assert.ok(size > 0 && size < CODE_LIMIT, `${size} bytes`);
	});

	it('shows its readme and what has changed in the editor, without a dead link or image, and nothing for developers', async () => {
		const details = await openDetails('First steps');
		assert.deepEqual(await deadLinks(details), []);
		const broken = await details
			.locator('img')
			.evaluateAll(
				all => all.filter(one => (one as HTMLImageElement).naturalWidth === 0 && one.clientWidth > 0).length,
			);
		assert.equal(broken, 0);
		assert.doesNotMatch(await details.locator('body').innerText(), /npm |ARCHITECTURE|CONTRIBUTING/);
		await page.locator('.extension-editor .navbar').getByText('Changelog', { exact: true }).click();
		assert.deepEqual(await deadLinks(await pageWith('#unreleased', 'Unreleased')), []);

		// The page of an extension draws images of a package from the network alone; the preview draws them here.
		await openFile(page, 'readme.md');
		await runCommand(page, 'Markdown: Open Preview');
		const preview = await webviewFrame(page, '#first-steps');
		const count = readFileSync(path.join(folder, 'readme.md'), 'utf8').split('![').length - 1;
		assert.ok(count > 0);
		await until('the images are drawn', async () => {
			const images = preview.locator('.markdown-body img');
			const widths = await images.evaluateAll(all => all.map(one => (one as HTMLImageElement).naturalWidth));
			return widths.length === count && widths.every(width => width > 0);
		});
	});

	async function openDetails(expected: string): Promise<Frame> {
		await runCommand(page, 'Extensions: Show Installed Extensions');
		await page.locator('.extensions-list .monaco-list-row').filter({ hasText: 'Errand' }).first().click();
		return pageWith('#errand', expected);
	}

	async function pageWith(heading: string, text: string): Promise<Frame> {
		let frame = await webviewFrame(page, heading);
		await until(`the page says “${text}”`, async () => {
			frame = await webviewFrame(page, heading);
			return (await frame.locator('body').innerText()).includes(text);
		});
		return frame;
	}
});

describe('npm start', () => {
	let folder: string;
	let launcher: ChildProcess;
	let printed = '';

	// It runs in a copy of the project: a launch of the developer's own may be open in this one.
	before(() => {
		folder = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-start-'));
		for (const name of fs.readdirSync(root).filter(entry => !entry.startsWith('.') && !NOT_COPIED.has(entry))) {
			fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
		}
		fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
		const cache = path.join(root, '.cache');
		fs.mkdirSync(path.join(folder, '.cache'));
		for (const name of fs.readdirSync(cache).filter(entry => /^(node|vscode)-/.test(entry))) {
			fs.symlinkSync(path.join(cache, name), path.join(folder, '.cache', name));
		}
		const { scripts } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
		const [program, script] = scripts.start.split(' ');
		assert.equal(program, 'node');
		launcher = spawn(process.execPath, [script, '--served', '--port', '0'], { cwd: folder });
		for (const stream of [launcher.stdout, launcher.stderr]) {
			stream?.on('data', data => {
				printed += data;
			});
		}
	});

	after(async () => {
		if (launcher?.exitCode === null) {
			launcher.kill();
			await once(launcher, 'exit');
		}
		rmSync(folder, { recursive: true, force: true });
	});

	it('says in three lines that it builds, which agents there are, and where a window opens with chat and tasks, until it is ended', async () => {
		const address = () => /^Errand is ready: (http:\S+)\n/m.exec(printed)?.[1];
		await waitFor('the address', () => address() !== undefined || launcher.exitCode !== null, 150_000);
		const lines = printed.trimEnd().split('\n');
		assert.equal(lines.length, 3, printed);
		assert.equal(lines[0], 'Building …');
		assert.match(lines[1] ?? '', /^Agents: .*Errand's own/);
		assert.match(lines[2] ?? '', /^Errand is ready: http:\/\/127\.0\.0\.1:\d+\//);

		const browser = await launchBrowser();
		try {
			const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
			rememberWindow(page);
			await page.goto(address() ?? '', { waitUntil: 'commit' });
			await workbenchStands(page);
			const frame = await webviewFrame(page, 'chat-composer');
			await frame.locator('chat-composer').first().waitFor();
			await page.locator('.part.sidebar').getByRole('button', { name: 'Start Task' }).first().waitFor();
		} finally {
			await browser.close();
		}

		launcher.kill('SIGTERM');
		const [code] = await once(launcher, 'exit');
		assert.equal(code, 0);
		await assert.rejects(fetch(address() ?? ''));
	});
});

/** The extension as tests run it, where the bundler has left the name of each file above its code. */
function builtFolder(): string {
	return path.join(process.env['ERRAND_TEST_EXTENSION'] ?? '', 'dist');
}

/** The packages of which a build has code, or the font of icons. */
function packagesInBuild(dist: string): string[] {
	const code = globSync('**/*.js', { cwd: dist }).map(file => readFileSync(path.join(dist, file), 'utf8'));
	const names = code.flatMap(text =>
		Array.from(text.matchAll(/\/\/ (?:\S+\/)?node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g), ([, name = '']) => name),
	);
	const font = existsSync(path.join(dist, 'webview', 'codicon.ttf')) ? ['@vscode/codicons'] : [];
	return [...new Set([...names, ...font])].sort();
}

/** The texts of links that lead nowhere. */
const deadLinks = (frame: Frame): Promise<string[]> =>
	frame.locator('a:not([href])').evaluateAll(all => all.map(link => link.textContent ?? ''));

function addressesIn(markdown: string): string[] {
	const tokens = new MarkdownIt({ html: true }).parse(markdown, {});
	const inline = tokens.flatMap(token => token.children ?? []);
	const written = inline
		.map(token => token.attrGet(token.type === 'image' ? 'src' : 'href'))
		.filter(Boolean)
		.map(String);
	const raw = [...tokens, ...inline]
		.filter(({ type }) => type.startsWith('html_'))
		.flatMap(({ content }) =>
			[...content.matchAll(/(?:src|href)\s*=\s*["']?([^\s"'>]+)/gi)].map(([, address]) => address ?? ''),
		);
	return [...written, ...raw];
}

function leadsSomewhere(folder: string, from: string, address: string): boolean {
	if (/^https:\/\/[\w.-]+\.\w+\//.test(address)) {
		return true;
	}
	const [file = '', heading] = address.split('#');
	const target =
		file === '' ? path.join(folder, from) : path.join(folder, path.dirname(from), decodeURIComponent(file));
	return existsSync(target) && (heading === undefined || headingsOf(target).has(heading));
}

/** Returns the ids of the headings as the editor forms them. */
function headingsOf(file: string): Set<string> {
	const titles = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
	return new Set(
		Array.from(titles, ([, title = '']) =>
			title
				.toLowerCase()
				.replace(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);
}
