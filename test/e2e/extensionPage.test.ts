import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import type { Frame, Page } from 'playwright-core';
import { CODE_LIMIT, packedCodeSize } from '../../scripts/packaging/packedCodeSize.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { openFile, runCommand, screenshot, screenshotInThemes, until, webviewFrame } from '../support/editorWindow.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

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

	it('holds whatever its Markdown files lead to, with the heading that is meant', () => {
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
	});

	it('accompanies everything that is bundled with its licence', () => {
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
	});

	it('has its own licence and an icon', () => {
		assert.ok(existsSync(path.join(folder, 'LICENSE.txt')));
		assert.ok(existsSync(path.join(folder, JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).icon)));
	});

	it('holds less than 1.2 MB of code, as it is packed', () => {
		const size = packedCodeSize(folder);
		assert.ok(size > 0);
		assert.ok(size < CODE_LIMIT);
	});

	it('shows its readme with no link and no image that the editor has made dead', async () => {
		const frame = await openDetails('First steps');
		assert.deepEqual(await deadLinks(frame), []);
		const broken = await frame
			.locator('img')
			.evaluateAll(
				all => all.filter(one => (one as HTMLImageElement).naturalWidth === 0 && one.clientWidth > 0).length,
			);
		assert.equal(broken, 0);
		await screenshotInThemes(page, 'extension-page');
	});

	it('shows the images of its readme where the editor draws images of a package', async () => {
		// The page of an extension draws those from the network alone.
		await openFile(page, 'readme.md');
		await runCommand(page, 'Markdown: Open Preview');
		const frame = await webviewFrame(page, '#first-steps');
		const count = readFileSync(path.join(folder, 'readme.md'), 'utf8').split('![').length - 1;
		assert.ok(count > 0);
		await until('the images are drawn', async () => {
			const images = frame.locator('.markdown-body img');
			const widths = await images.evaluateAll(all => all.map(one => (one as HTMLImageElement).naturalWidth));
			return widths.length === count && widths.every(width => width > 0);
		});
		await screenshot(page, 'extension-readme-preview');
		await runCommand(page, 'View: Close All Editors');
	});

	it('says nothing there that only a copy of the repository can do', async () => {
		const text = await (await openDetails('First steps')).locator('body').innerText();
		assert.doesNotMatch(text, /npm |ARCHITECTURE|CONTRIBUTING/);
	});

	it('shows what has changed without a dead link', async () => {
		await openDetails('First steps');
		await page.locator('.extension-editor .navbar').getByText('Changelog', { exact: true }).click();
		const frame = await pageWith('#unreleased', 'Unreleased');
		assert.deepEqual(await deadLinks(frame), []);
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
