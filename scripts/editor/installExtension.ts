import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { packedReadme } from '../packedReadme.ts';

/** The content of the package; esbuild bundles every dependency into `dist`. */
const packaged = /^(package\.json|package\.nls(\..+)?\.json|dist|media|l10n|skills|README\.md|CHANGELOG\.md|LICENSE)$/;

/**
 * Puts a copy of a built extension into an editor's extensions folder, where the editor finds it like an installed one.
 * It must be a copy, because the editor identifies extensions by their real paths.
 * @returns the copy
 */
export function installExtension(source: string, extensionsFolder: string): string {
	const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'));
	const id = `${publisher}.${name}-`.toLowerCase();
	// The editor's own list would still name an earlier copy, so it is removed.
	fs.rmSync(path.join(extensionsFolder, 'extensions.json'), { force: true });
	fs.mkdirSync(extensionsFolder, { recursive: true });
	for (const old of fs.readdirSync(extensionsFolder).filter(entry => entry.startsWith(id))) {
		fs.rmSync(path.join(extensionsFolder, old), { recursive: true });
	}
	// Browsers cache an extension's files for a year by their path, so each copy gets a path of its own.
	const folder = path.join(extensionsFolder, `${id}${version}-${randomBytes(4).toString('hex')}`);
	copyExtension(source, folder);
	return folder;
}

export function copyExtension(source: string, folder: string): void {
	for (const entry of fs.readdirSync(source).filter(entry => packaged.test(entry))) {
		fs.cpSync(path.join(source, entry), path.join(folder, entry), { recursive: true });
	}
	if (fs.existsSync(path.join(source, 'README.md'))) {
		fs.writeFileSync(path.join(folder, 'README.md'), packedReadme(source));
	}
}
