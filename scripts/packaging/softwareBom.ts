import type { BundledPackage } from './bundledPackages.ts';

/** The name of the file with the list, in `dist` and `dist-team`. */
export const BOM_FILE = 'sbom.cdx.json';

export interface Lockfile {
	/** The entries of the packages, by their folders. */
	packages: Readonly<Record<string, { integrity?: string }>>;
}

/**
 * Returns the software bill of materials of the bundles, in JSON of CycloneDX: each package that is in them, with the
 * digest of the archive that it was installed from. It has neither a time nor a number of its own, so that the same
 * source gives the same list.
 */
export function softwareBom(
	product: { name: string; version: string },
	packages: readonly BundledPackage[],
	lockfile: Lockfile,
): string {
	const root = `${product.name}@${product.version}`;
	// The folder of the packages may be a link, through which a bundler reads them by their real paths.
	const keyOf = (folder: string) => folder.slice(folder.indexOf('node_modules'));
	const components = packages.map(one => component(one, lockfile.packages[keyOf(one.folder)]?.integrity));
	const references = components.map(one => one['bom-ref']);
	const list = {
		$schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		version: 1,
		metadata: { component: { type: 'application', 'bom-ref': root, ...product } },
		components,
		dependencies: [{ ref: root, dependsOn: references }, ...references.map(ref => ({ ref }))],
		// Nothing is in the bundles that is not in this list; which of the packages needs which is not in it.
		compositions: [{ aggregate: 'complete', assemblies: [root] }],
	};
	return `${JSON.stringify(list, undefined, '\t')}\n`;
}

function component({ name, version, licence, source, folder }: BundledPackage, integrity: string | undefined) {
	const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
	if (digest === undefined) {
		throw new Error(`package-lock.json has no SHA-512 of ${folder}, which is bundled. Install it with npm once more.`);
	}
	const [scope, ownName] = name.startsWith('@') ? name.split('/') : [undefined, name];
	const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
	return {
		type: 'library',
		'bom-ref': purl,
		...(scope !== undefined && { group: scope }),
		name: ownName,
		version,
		purl,
		hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
		licenses: [{ expression: licence }],
		...(source !== '' && { externalReferences: [{ type: 'vcs', url: source }] }),
	};
}
