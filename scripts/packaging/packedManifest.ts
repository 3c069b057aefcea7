/** The values that only the owner of a release can choose. They are in `release.json`, empty until they are chosen. */
export interface OwnerChoices {
	/** The name of a publisher known to both marketplaces. Until it is chosen, the manifest's own is used instead. */
	publisher: string;
	/** The addresses of the repository, of its issues and of the extension's page. */
	repository: string;
	bugs: string;
	homepage: string;
}

export type Manifest = Record<string, unknown> & { name: string; version: string };

const CHOICES = ['publisher', 'repository', 'bugs', 'homepage'] as const;

/** The fields that only work in the repository. All dependencies are in the bundles. */
const ONLY_IN_THE_REPOSITORY = new Set(['private', 'scripts', 'dependencies', 'devDependencies']);

/**
 * Returns the manifest as it is packed.
 * @throws if a choice is invalid
 */
export function packedManifest(manifest: Manifest, choices: OwnerChoices): Manifest {
	for (const name of CHOICES) {
		const problem = choices[name] === '' ? undefined : problemOf(name, choices[name]);
		if (problem !== undefined) {
			throw new Error(`release.json: "${name}" is ${JSON.stringify(choices[name])}, ${problem}`);
		}
	}
	const { publisher, repository, bugs, homepage } = choices;
	return {
		...(Object.fromEntries(Object.entries(manifest).filter(([name]) => !ONLY_IN_THE_REPOSITORY.has(name))) as Manifest),
		...(publisher !== '' && { publisher }),
		...(repository !== '' && { repository: { type: 'git', url: repository } }),
		...(bugs !== '' && { bugs: { url: bugs } }),
		...(homepage !== '' && { homepage }),
	};
}

function problemOf(name: (typeof CHOICES)[number], value: unknown): string | undefined {
	if (name === 'publisher') {
		return typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/i.test(value)
			? undefined
			: 'which is no name of a publisher: letters, digits and hyphens.';
	}
	return typeof value === 'string' && URL.parse(value)?.protocol === 'https:'
		? undefined
		: 'which is no address that begins with https.';
}

/** Returns a sentence about the choices that the owner still has to make, or undefined if there are none. */
export function missingChoices(choices: OwnerChoices): string | undefined {
	const missing = CHOICES.filter(name => choices[name] === '');
	if (missing.length === 0) {
		return undefined;
	}
	const names = missing.map(name => `"${name}"`).join(', ');
	return `release.json does not name ${names}. The package works without, but no marketplace would take it.`;
}

/** Returns whether vsce knows the addresses of a repository's files, for links and images in the readme. */
export function showsFiles({ repository }: OwnerChoices): boolean {
	return /^https:\/\/(github|gitlab)\.com\//.test(repository);
}

/** The marketplaces do not accept version suffixes. As they recommend, an odd minor version is a pre-release. */
export function isPreRelease(version: string): boolean {
	return Number(version.split('.')[1]) % 2 === 1;
}
