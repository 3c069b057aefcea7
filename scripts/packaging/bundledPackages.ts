import fs from 'node:fs';
import path from 'node:path';

/** A package with at least one file in a bundle. */
export interface BundledPackage {
	/** The path of its folder from the project's, with slashes. */
	folder: string;
	name: string;
	version: string;
	/** The SPDX expression that the package states. */
	licence: string;
	/** The address of the package's source. */
	source: string;
	/** The texts of the licences and notices that must accompany the package. */
	texts: string[];
}

/** The texts, from their repositories, for packages that state a licence but come without its text. */
const missingTexts = path.join(import.meta.dirname, 'licences');

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Returns the packages from which a bundler has read files, sorted by name.
 * @param inputs the paths of all files in the bundles, relative to `root`
 * @throws if a package states no licence or comes without its text
 */
export function bundledPackages(inputs: Iterable<string>, root: string): BundledPackage[] {
	const folders = new Set([...inputs].map(packageFolder).filter(folder => folder !== undefined));
	const packages = [...folders].map(folder => readPackage(root, folder));
	return packages.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the folder of the package that a file belongs to, or undefined for a file of the project. */
function packageFolder(file: string): string | undefined {
	return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function readPackage(root: string, place: string): BundledPackage {
	const folder = path.join(root, place);
	const { name, version, license, repository } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
	const texts = [folder, path.join(missingTexts, name)].flatMap(licenceTexts);
	if (typeof license !== 'string' || texts.length === 0) {
		throw new Error(
			`${name} ${version} is bundled but ${typeof license === 'string' ? 'comes without the text of its licence' : 'states no licence'}. Take the text from its repository into ${path.relative(process.cwd(), path.join(missingTexts, name))}, or do without the package.`,
		);
	}
	return {
		folder: place,
		name,
		version,
		licence: license.replace(/^\((.*)\)$/, '$1'),
		source: sourceAddress(repository),
		texts,
	};
}

function licenceTexts(folder: string): string[] {
	if (!fs.existsSync(folder)) {
		return [];
	}
	const files = fs.readdirSync(folder).filter(file => LICENCE_FILE.test(file));
	return files.sort().map(file => fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
}

/** Returns a repository's address in a form that a browser can open, whatever the form in the package. */
function sourceAddress(repository: string | { url?: string } | undefined): string {
	const written = (typeof repository === 'string' ? repository : repository?.url) ?? '';
	return written
		.replace(/^[\w.-]+\/[\w.-]+$/, 'https://github.com/$&')
		.replace(/^(?:git\+)?(?:git|ssh|https):\/\/(?:git@)?/, 'https://')
		.replace(/\.git$/, '');
}
