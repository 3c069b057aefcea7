import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Copies the source as a clone has it. What is installed is linked, because nothing writes to it. */
function copyProject(folder: string, mode: number): void {
	const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
		encoding: 'utf8',
		maxBuffer: 10_000_000,
	});
	for (const file of listed.split('\0').filter(name => fs.existsSync(name) && fs.statSync(name).isFile())) {
		const copy = path.join(folder, file);
		fs.mkdirSync(path.dirname(copy), { recursive: true });
		fs.copyFileSync(file, copy);
		fs.chmodSync(copy, mode);
	}
	for (const entry of fs.readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
		const from = path.join(entry.parentPath, entry.name);
		const to = path.join(folder, from);
		fs.mkdirSync(entry.isDirectory() ? to : path.dirname(to), { recursive: true });
		if (entry.isSymbolicLink()) {
			fs.symlinkSync(fs.readlinkSync(from), to);
		} else if (entry.isFile()) {
			fs.linkSync(from, to);
		}
	}
}

describe('what is released', () => {
	// Links need the file system of what is installed.
	const scratch = path.resolve('.cache', 'reproducible');

	beforeEach(() => fs.rmSync(scratch, { recursive: true, force: true }));
	afterEach(() => fs.rmSync(scratch, { recursive: true, force: true }));

	it('is the same, byte for byte, wherever and by whomever the same source is built', () => {
		const results = [
			{ place: 'one', mode: 0o644, TZ: 'UTC', LC_ALL: 'C' },
			{ place: path.join('another', 'with a longer path'), mode: 0o600, TZ: 'Asia/Tokyo', LC_ALL: 'sv_SE.UTF-8' },
		].map(({ place, mode, ...environment }) => {
			const folder = path.join(scratch, place);
			copyProject(folder, mode);
			for (const command of [
				['package', 'errand.vsix'],
				['build', '--team', '--production'],
			]) {
				execFileSync(process.execPath, [path.join('scripts', 'run.ts'), ...command], {
					cwd: folder,
					env: { ...process.env, ...environment },
					stdio: 'pipe',
				});
			}
			const files = fs.globSync('{errand.*,dist-team/**}', { cwd: folder, withFileTypes: true });
			return new Map(
				files
					.filter(entry => entry.isFile())
					.map(entry => path.join(entry.parentPath, entry.name))
					.map(file => [path.relative(folder, file), fs.readFileSync(file)]),
			);
		});
		const [first = new Map(), second = new Map()] = results;
		assert.ok(['errand.vsix', 'errand.cdx.json', 'dist-team/errand-service.js'].every(name => first.has(name)));
		assert.deepEqual([...second.keys()].sort(), [...first.keys()].sort());
		assert.deepEqual(
			[...first].filter(([name, bytes]) => !second.get(name)?.equals(bytes)).map(([name]) => name),
			[],
		);
	});
});
