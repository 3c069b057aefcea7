import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = '.github/workflows';
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const workflows = globSync(`${FOLDER}/*.yml`).map(file => ({ file, text: readFileSync(file, 'utf8') }));

/** Returns the lines of all commands, with a block's lines one by one. */
function commandsOf(text: string): string[] {
	const single = Array.from(text.matchAll(/^\s+(?:- )?run: ([^|\n].*)$/gm), ([, command = '']) => command);
	const blocks = Array.from(text.matchAll(/^( +)(?:- )?run: \|\n((?:\1 +.*\n?)+)/gm), ([, , lines = '']) =>
		lines.split('\n'),
	);
	return [...single, ...blocks.flat()];
}

describe('the workflows', () => {
	it('are there for tests and for releases', () => {
		assert.deepEqual(workflows.map(({ file }) => path.basename(file)).sort(), ['ci.yml', 'release.yml']);
	});

	for (const { file, text } of workflows) {
		describe(path.basename(file), () => {
			it('runs commands that the project has', () => {
				const names = commandsOf(text).flatMap(command =>
					Array.from(command.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g), ([, name = '']) => name),
				);
				for (const name of names) {
					assert.ok(name in scripts, `npm run ${name}`);
				}
				const programs = commandsOf(text).flatMap(command => command.match(/^[\w./-]*node_modules\/\.bin\/\w+/g) ?? []);
				for (const program of programs) {
					const { devDependencies } = JSON.parse(readFileSync(path.join(program, '../../../package.json'), 'utf8'));
					const name = path.basename(program);
					assert.ok(name in devDependencies || `@vscode/${name}` in devDependencies, program);
				}
			});

			it('uses only actions of the host itself, each pinned to a commit', () => {
				const used = Array.from(text.matchAll(/^\s+(?:- )?uses: (.+)$/gm), ([, name = '']) => name);
				assert.ok(used.length > 0);
				for (const name of used.filter(one => !existsSync(one))) {
					assert.match(name, /^actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
				}
			});

			it('may read and nothing more, but for the jobs that sign and attach the package', () => {
				assert.match(text, /^permissions:(?: \{\}|\n {2}contents: read)$/m);
				const writing = Array.from(text.matchAll(/^ {6}(.*): write$/gm), ([, what]) => what);
				const needed = file.endsWith('release.yml') ? ['id-token', 'attestations', 'contents'] : [];
				assert.deepEqual(writing, needed);
				assert.equal([...text.matchAll(/: write$/gm)].length, needed.length);
				assert.doesNotMatch(text, /write-all|pull_request_target/);
			});

			it('leaves no credentials in a checkout', () => {
				const checkouts = [...text.matchAll(/uses: actions\/checkout@.*\n\s+with:\n\s+persist-credentials: false/g)];
				assert.equal(checkouts.length, [...text.matchAll(/uses: actions\/checkout@/g)].length);
			});

			it('puts no text that an outsider can choose into a command, and a secret only into its environment', () => {
				for (const command of commandsOf(text)) {
					assert.doesNotMatch(command.replaceAll(/\$\{\{ matrix\.\w+ \}\}/g, ''), /\$\{\{/, command);
				}
				for (const [line] of text.matchAll(/^.*\bsecrets\..*$/gm)) {
					assert.match(line, /^ {10}[A-Z_]+: \$\{\{ secrets\.[A-Z_]+ \}\}$/);
				}
			});

			it('limits the time of every job', () => {
				const machines = [...text.matchAll(/^ +runs-on: /gm)].length;
				assert.equal([...text.matchAll(/^ +timeout-minutes: \d+$/gm)].length, machines);
			});
		});
	}

	it('publish only what was tested and signed, and what the checksum says', () => {
		const text = readFileSync(`${FOLDER}/release.yml`, 'utf8');
		assert.match(text, /\n {2}package:\n(?: {4}.*\n)*? {4}needs: tests\n/);
		for (const job of ['provenance', 'visual-studio-marketplace', 'open-vsx', 'attach']) {
			const [, steps = ''] = new RegExp(`\\n  ${job}:\\n((?: {4}.*\\n|\\n)+)`).exec(text) ?? [];
			assert.match(steps, /needs: (?:package|provenance|\[visual-studio-marketplace, open-vsx\])\n/, job);
			assert.match(steps, /sha256sum --check errand\.vsix\.sha256/, job);
		}
	});
});

describe('the updates of packages', () => {
	it('are watched in every folder that has a lockfile', () => {
		const text = readFileSync('.github/dependabot.yml', 'utf8');
		const folders = globSync(['{,*/}package-lock.json', '{test,.github}/**/package-lock.json'], {
			exclude: name => ['node_modules', 'corpus'].includes(path.basename(name)) || name.startsWith('.cache'),
		}).map(file => path.posix.join('/', path.dirname(file)).replace(/\/$/, '') || '/');
		assert.ok(folders.includes('/') && folders.includes('/.github/open-vsx'));
		for (const folder of folders) {
			assert.ok(text.includes(`      - ${folder}\n`), folder);
		}
	});

	it('name no host of a registry in a lockfile', () => {
		assert.doesNotMatch(readFileSync('.github/open-vsx/package-lock.json', 'utf8'), /"resolved"/);
	});
});
