import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { releaseNotes } from '../../../../scripts/release/notes.ts';
import { release } from '../../../../scripts/release/release.ts';

const RUN = path.resolve('scripts', 'run.mjs');
const NOW = new Date('2026-03-04T23:59:00Z');

describe('a release', () => {
	let folder: string;
	const git = (...args: string[]) =>
		execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', ...args], {
			cwd: folder,
			encoding: 'utf8',
		});
	const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
	const version = (name: string) => JSON.parse(read(name)).version;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-release-'));
		for (const name of ['package.json', 'package-lock.json', 'CHANGELOG.md']) {
			copyFileSync(name, path.join(folder, name));
		}
		git('init', '--quiet');
		writeChangelog('## [Unreleased]\n\n### Added\n\n- A thing.\n');
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function writeChangelog(text: string): void {
		writeFileSync(path.join(folder, 'CHANGELOG.md'), `# Changelog\n\n${text}`);
		git('add', '--all');
		git('commit', '--quiet', '--message', 'Work');
	}

	it('says what it has done, and how it goes on', () => {
		assert.match(release(folder, ['9.4.2'], NOW), / becomes 9\.4\.2, a release, .* git tag v9\.4\.2 /s);
		git('commit', '--quiet', '--all', '--message', 'Release');
		writeChangelog('## [Unreleased]\n\n- Another thing.\n');
		assert.match(release(folder, ['minor'], NOW), /^9\.4\.2 becomes 9\.5\.0, a pre-release, /);
	});

	it('moves the version in the manifest and in its lockfile, and changes nothing else of either', () => {
		const before = { manifest: read('package.json'), lockfile: read('package-lock.json') };
		const current = version('package.json');
		release(folder, ['9.4.2'], NOW);
		const back = (text: string) => text.replaceAll('"version": "9.4.2"', `"version": "${current}"`);
		assert.equal(back(read('package.json')), before.manifest);
		assert.equal(back(read('package-lock.json')), before.lockfile);
		assert.equal(version('package.json'), '9.4.2');
		assert.equal(JSON.parse(read('package-lock.json')).packages[''].version, '9.4.2');
	});

	it('dates what was unreleased, and leaves a place for what comes next', () => {
		release(folder, ['9.4.2'], NOW);
		assert.equal(
			read('CHANGELOG.md'),
			'# Changelog\n\n## [Unreleased]\n\n## [9.4.2] - 2026-03-04\n\n### Added\n\n- A thing.\n',
		);
	});

	it('is refused while something is not committed, and then changes nothing', () => {
		writeFileSync(path.join(folder, 'new.txt'), '');
		const before = read('CHANGELOG.md');
		assert.throws(() => release(folder, ['minor'], NOW), /not committed/);
		assert.equal(read('CHANGELOG.md'), before);
		assert.equal(git('status', '--porcelain'), '?? new.txt\n');
	});

	for (const [what, text] of [
		['no change under its heading', '## [Unreleased]\n\n## [0.0.9] - 2026-01-01\n\n- Old.\n'],
		['nothing but further headings there', '## [Unreleased]\n\n### Added\n\n### Fixed\n'],
		['no such heading', '## [0.0.9] - 2026-01-01\n\n- Old.\n'],
	] as const) {
		it(`is refused where the changelog has ${what}, and then changes nothing`, () => {
			writeChangelog(text);
			assert.throws(() => release(folder, ['minor'], NOW), /CHANGELOG\.md (names no change|has no heading)/);
			assert.equal(git('status', '--porcelain'), '');
		});
	}

	it('is refused without a step, and for a step that leads back', () => {
		assert.throws(() => release(folder, [], NOW), /No step is named/);
		assert.throws(() => release(folder, ['1.0.0-beta'], NOW), /"1\.0\.0-beta" is no step/);
		assert.throws(() => release(folder, ['0.0.1'], NOW), /not later than/);
		assert.equal(git('status', '--porcelain'), '');
	});

	it('has notes, for the tag of its version alone', () => {
		release(folder, ['9.4.2'], NOW);
		assert.equal(releaseNotes(folder, ['v9.4.2']), '### Added\n\n- A thing.');
		for (const tag of ['9.4.2', 'v9.4.1', '']) {
			assert.throws(() => releaseNotes(folder, [tag]), /package\.json has the version 9\.4\.2/, tag);
		}
	});

	it('is a command, which says in a sentence why it refuses', () => {
		const { status, stderr } = spawnSync(process.execPath, [RUN, 'release', 'sideways'], { encoding: 'utf8' });
		assert.equal(status, 1);
		assert.match(stderr, /^(There are changes that are not committed\.|"sideways" is no step\.) [^\n]*\n$/);
	});
});
