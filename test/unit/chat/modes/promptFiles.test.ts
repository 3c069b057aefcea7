// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of prompt files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/logger.ts';
import { fillPrompt } from '../../../../src/chat/model/prompt.ts';
import { findPrompts, type PromptFolder } from '../../../../src/chat/modes/promptFiles.ts';

describe('the prompts of files', () => {
	let root: string;
	let github: PromptFolder;
	let claude: PromptFolder;

	beforeEach(async () => {
		root = await mkdtemp(path.join(os.tmpdir(), 'errand-prompts-'));
		const place = (...parts: string[]) => path.join(root, ...parts);
		github = {
			label: 'github',
			root,
			directory: place('.github', 'prompts'),
			extension: '.prompt.md',
			isNested: false,
		};
		claude = { label: 'claude', root, directory: place('.claude', 'commands'), extension: '.md', isNested: true };
		await mkdir(github.directory, { recursive: true });
		await mkdir(path.join(claude.directory, 'team', 'deep'), { recursive: true });
	});
	afterEach(() => rm(root, { recursive: true, force: true }));

	const write = ({ directory }: PromptFolder, name: string, text = 'Do it.') =>
		writeFile(path.join(directory, name), text);
	const names = async (...folders: PromptFolder[]) => (await findPrompts(folders, nullLogger)).map(({ name }) => name);

	it('have the names of their files, also of those in folders below', async () => {
		await write(github, 'review.prompt.md');
		await write(github, 'notes.md');
		await write(claude, 'fix bug.md');
		await write(claude, 'team/ship.md');
		await write(claude, 'readme.txt');
		assert.deepEqual(await names(github, claude), ['review', 'fix-bug', 'ship']);
	});

	it('are told apart by where they lie where names are the same, and where Errand has the name itself', async () => {
		await write(github, 'review.prompt.md');
		await write(claude, 'review.md');
		await write(claude, 'team/review.md');
		await write(claude, 'explain.md');
		await write(claude, 'search.md');
		assert.deepEqual(await names(github, claude), [
			'github:review',
			'claude:explain',
			'claude:review',
			'claude:search',
			'claude:team:review',
		]);
	});

	it('are none where a name cannot be typed or seen, and where no folder is', async () => {
		await write(github, `${'x'.repeat(65)}.prompt.md`);
		await write(github, 'a\u202eb.prompt.md');
		await write(github, '.prompt.md');
		assert.deepEqual(await names(github, { ...claude, directory: path.join(root, 'nowhere') }), []);
	});

	it('cannot look like those of another folder, and have names of their own where files differ in little', async () => {
		if (process.platform !== 'win32') {
			await write(github, 'user:x.prompt.md');
		}
		await write(claude, 'x.md');
		await write(claude, 'fix bug.md');
		await write(claude, 'fix-bug.md');
		const own: PromptFolder = { ...claude, label: 'user', directory: path.join(root, 'own'), isNested: false };
		await mkdir(own.directory);
		await write(own, 'x.md');
		await write(own, 'x.prompt.md');
		assert.deepEqual(await names(github, claude, own), [
			'claude:fix-bug',
			'claude:fix-bug-2',
			'claude:x',
			'user:x',
			'user:x-2',
		]);
	});

	it('say why they cannot be used: too large, or no plain file of their folder', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const outside = await mkdtemp(path.join(os.tmpdir(), 'errand-outside-'));
		try {
			await writeFile(path.join(outside, 'secret.md'), 'secret');
			await write(claude, 'large.md', 'x'.repeat(64 * 1024 + 1));
			await write(claude, 'whole.md', 'Do it.');
			await symlink(path.join(outside, 'secret.md'), path.join(claude.directory, 'link.md'));
			await symlink(path.join(claude.directory, 'whole.md'), path.join(claude.directory, 'inside.md'));
			await writeFile(path.join(root, '.env'), 'secret');
			await writeFile(path.join(claude.directory, 'settings.json'), 'secret');
			await writeFile(path.join(root, 'NOTES.md'), 'secret');
			await symlink(path.join(root, '.env'), path.join(claude.directory, 'linked-env.md'));
			await symlink(path.join(claude.directory, 'settings.json'), path.join(claude.directory, 'linked-json.md'));
			await symlink(path.join(root, 'NOTES.md'), path.join(claude.directory, 'linked-notes.md'));
			await symlink(path.join(outside, 'nothing.md'), path.join(claude.directory, 'lost.md'));
			await symlink(outside, path.join(claude.directory, 'folder'));
			await symlink(claude.directory, path.join(claude.directory, 'team', 'circle'));
			const found = await findPrompts([claude], nullLogger);
			assert.deepEqual(
				found.map(({ name, prompt }) => [name, typeof prompt === 'string' ? prompt : prompt.text]),
				[
					['inside', 'Do it.'],
					['large', 'too-large'],
					['link', 'elsewhere'],
					['linked-env', 'elsewhere'],
					['linked-json', 'elsewhere'],
					['linked-notes', 'elsewhere'],
					['lost', 'unreadable'],
					['whole', 'Do it.'],
				],
			);
			await rm(github.directory, { recursive: true });
			await symlink(outside, github.directory);
			await writeFile(path.join(outside, 'secret.prompt.md'), 'secret');
			assert.deepEqual(await names(github), []);
		} finally {
			await rm(outside, { recursive: true });
		}
	});

	it('are 200 at most of a folder, which leaves room for those of the others', async () => {
		await Promise.all(Array.from({ length: 205 }, (_, at) => write(github, `a${at}.prompt.md`)));
		await write(claude, 'b.md');
		assert.deepEqual((await names(github, claude)).slice(199), ['a94', 'b']);
	});

	it('cause no command, no reading of a file and no request, whatever they say', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		let requests = 0;
		const server = createServer((_, response) => {
			requests++;
			response.end();
		});
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
		const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
		// Who reads a pipe waits for who writes it, and is seen by the writer.
		const pipe = path.join(root, 'pipe.md');
		execFileSync('mkfifo', [pipe]);
		const isRead = () =>
			open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).then(
				async handle => {
					await handle.close();
					return true;
				},
				({ code }) => {
					assert.equal(code, 'ENXIO');
					return false;
				},
			);
		const trace = path.join(root, 'trace');
		const part = fc.constantFrom(
			`!\`touch ${trace}\``,
			`\`\`\`!\ntouch ${trace}\n\`\`\``,
			`$(touch ${trace})`,
			`\${input:x:!\`touch ${trace}\`}`,
			`#file:${pipe}`,
			'#file:../../pipe.md',
			'@pipe.md',
			`@${pipe}`,
			'[it](../../pipe.md)',
			`[it](${address})`,
			`![it](${address})`,
			`#fetch ${address}`,
			'${file}',
			'$ARGUMENTS',
			'---',
			'\n',
			' ',
		);
		const field = fc.constantFrom(
			`description: !\`touch ${trace}\``,
			`description: !include ../../pipe.md`,
			`hooks: touch ${trace}`,
			`tools: ['runCommands', 'fetch', '${address}']`,
			'allowed-tools: Bash(touch:*)',
			'agent: agent',
			`model: ${address}`,
		);
		const file = fc
			.tuple(fc.array(field, { maxLength: 4 }), fc.array(part, { maxLength: 12 }))
			.map(([fields, parts]) => `---\n${fields.join('\n')}\n---\n${parts.join(' ')}`);
		try {
			await fc.assert(
				fc.asyncProperty(file, part, async (text, typed) => {
					await write(claude, 'hostile.md', text);
					for (const { prompt } of await findPrompts([claude], nullLogger)) {
						assert.ok(typeof prompt !== 'string');
						fillPrompt(prompt.text, typed);
					}
					assert.equal(await isRead(), false);
				}),
				{ numRuns: 60 },
			);
			await assert.rejects(access(trace));
			assert.equal(requests, 0);
		} finally {
			server.close();
		}
	});
});
