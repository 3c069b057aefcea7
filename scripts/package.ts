import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cache, root } from './bootstrap/folders.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { build, runNode } from './build.ts';
import { copyExtension } from './editor/installExtension.ts';
import {
	isPreRelease,
	type Manifest,
	missingChoices,
	type OwnerChoices,
	packedManifest,
	showsFiles,
} from './packaging/packedManifest.ts';
import { BOM_FILE } from './packaging/softwareBom.ts';
import { NOTICES_FILE } from './packaging/thirdPartyNotices.ts';
import { packedReadme } from './packedReadme.ts';

/** The folder that is packed. It has only the files of the extension, and the manifest with the owner's choices. */
const stage = path.join(cache, 'package');

/**
 * Makes vsce sort the files and give all of them one time. The archive holds times of the local clock, and the order is
 * that of a language.
 */
const REPRODUCIBLE = { SOURCE_DATE_EPOCH: '315532800', TZ: 'UTC', LC_ALL: 'C' };

/** Packs a production build, and writes the list of the packages in it beside the package. With `--publishable`, it refuses to pack anything that no marketplace would accept. */
export async function makePackage(args: string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args,
		options: { publishable: { type: 'boolean' } },
		allowPositionals: true,
	});
	const [file = 'errand.vsix'] = positionals;
	const choices: OwnerChoices = readJson('release.json');
	const missing = missingChoices(choices);
	if (values.publishable && missing !== undefined) {
		throw new Error(missing);
	}
	const manifest = packedManifest(readJson<Manifest>('package.json'), choices);
	const target = path.resolve(root, file);
	const code = await withLock(path.join(cache, 'build.lock'), 'building', async () => {
		await build('--production');
		fs.rmSync(stage, { recursive: true, force: true });
		copyExtension(root, stage);
		for (const [from, to] of [
			['.vscodeignore', '.vscodeignore'],
			[path.join('dist', NOTICES_FILE), NOTICES_FILE],
		] as const) {
			fs.copyFileSync(path.join(root, from), path.join(stage, to));
		}
		fs.writeFileSync(path.join(stage, 'README.md'), packedReadme(root, showsFiles(choices)));
		fs.writeFileSync(path.join(stage, 'package.json'), JSON.stringify(manifest, undefined, '\t'));
		// The permissions of a checkout depend on the user.
		for (const entry of fs.readdirSync(stage, { recursive: true, withFileTypes: true })) {
			if (entry.isFile()) {
				fs.chmodSync(path.join(entry.parentPath, entry.name), 0o644);
			}
		}
		fs.copyFileSync(path.join(root, 'dist', BOM_FILE), target.replace(/(\.vsix)?$/, '.cdx.json'));
		return runNode(
			[path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce'), ...packArguments(manifest, choices, target)],
			{
				folder: stage,
				environment: REPRODUCIBLE,
			},
		);
	});
	if (code === 0) {
		console.log(`${path.basename(file)}: ${(fs.statSync(target).size / 1024).toFixed(0)} KB`);
		console.log(missing ?? 'Everything that the marketplaces need is in release.json.');
	}
	return code;
}

function packArguments({ version }: Manifest, choices: OwnerChoices, target: string): string[] {
	// The readme has no links into the repository, and its images are in the package.
	const links = showsFiles(choices) ? [] : ['--no-rewrite-relative-links'];
	const repository = choices.repository === '' ? ['--allow-missing-repository'] : [];
	const preRelease = isPreRelease(version) ? ['--pre-release'] : [];
	return ['package', '--no-dependencies', ...links, ...repository, ...preRelease, '--out', target];
}

function readJson<T>(name: string): T {
	return JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
}
