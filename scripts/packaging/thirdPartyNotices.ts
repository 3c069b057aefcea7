import type { BundledPackage } from './bundledPackages.ts';

/** The name of the file with the notices, in `dist` and in the package. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt';

const RULE = '='.repeat(80);

/** Returns the notices that accompany the bundles: each package with its licence, its source and the licence's text. */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
	const head = [
		'Errand contains the software of others that is listed here. Each is used under the licence below its name;',
		'where that names two, one of them can be chosen.',
		'',
		...packages.map(({ name, version, licence }) => `- ${name} ${version} (${licence})`),
	];
	const parts = packages.map(({ name, version, licence, source, texts }) =>
		[RULE, `${name} ${version}`, `Licence: ${licence}`, `Source: ${source}`, RULE, '', texts.join('\n\n')].join('\n'),
	);
	return `${[head.join('\n'), ...parts].join('\n\n')}\n`;
}
