import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isPreRelease } from '../packaging/packedManifest.ts';
import { releaseChanges } from './changelog.ts';
import { nextVersion } from './nextVersion.ts';

/**
 * Moves the version in package.json and its lockfile, and dates the changes in CHANGELOG.md. Committing, tagging and
 * pushing are left to whoever has read the difference.
 * @returns a report of what was done, and the next steps
 * @throws if the release is refused, in which case nothing has changed
 */
export function release(folder: string, [step = '']: string[], now: Date): string {
	const changed = execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' });
	if (changed !== '') {
		throw new Error(
			'There are changes that are not committed. Commit or stash them first, so that the release is a commit of its own.',
		);
	}
	const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
	const current: string = JSON.parse(read('package.json')).version;
	const version = nextVersion(current, step);
	const changes = releaseChanges(read('CHANGELOG.md'), version, now.toISOString().slice(0, 10));
	const manifests = ['package.json', 'package-lock.json'].map(
		name => [name, withVersion(read(name), current, version)] as const,
	);
	for (const [name, text] of [...manifests, ['CHANGELOG.md', changes] as const]) {
		fs.writeFileSync(path.join(folder, name), text);
	}
	const kind = isPreRelease(version) ? 'pre-release' : 'release';
	return [
		`${current} becomes ${version}, a ${kind}, in package.json, package-lock.json and CHANGELOG.md. If the difference is right:`,
		`  git commit --all --message "Release ${version}" && git tag v${version} && git push --atomic origin HEAD v${version}`,
	].join('\n');
}

/** Returns a manifest or lockfile with another version of the project, and otherwise unchanged text. */
function withVersion(text: string, current: string, version: string): string {
	const count = JSON.parse(text).packages === undefined ? 1 : 2;
	let replaced = 0;
	const result = text.replaceAll(`"version": "${current}"`, line =>
		replaced++ < count ? `"version": "${version}"` : line,
	);
	const parsed = JSON.parse(result);
	if (parsed.version !== version || (parsed.packages && parsed.packages[''].version !== version)) {
		throw new Error(
			`The version ${current} is not where package.json and its lockfile have it. Run npm install and commit the lockfile.`,
		);
	}
	return result;
}
