import assert from 'node:assert/strict';
import type { BundledPackage } from '../../../../scripts/packaging/bundledPackages.ts';
import { softwareBom } from '../../../../scripts/packaging/softwareBom.ts';

const scoped: BundledPackage = {
	folder: 'node_modules/@some/one',
	name: '@some/one',
	version: '1.2.3',
	licence: 'MPL-2.0 OR MIT',
	source: 'https://github.com/some/one',
	texts: [],
};
const nested: BundledPackage = {
	...scoped,
	folder: 'node_modules/@some/one/node_modules/two',
	name: 'two',
	source: '',
};
const lockfile = {
	packages: { [scoped.folder]: { integrity: 'sha512-AAH/' }, [nested.folder]: { integrity: 'sha512-Ag==' } },
};
const product = { name: 'errand', version: '0.1.0' };

describe('the list of the packages in the bundles', () => {
	it('names each by what it was installed from, and the same packages give the same text', () => {
		const text = softwareBom(product, [scoped, nested], lockfile);
		assert.equal(softwareBom(product, [scoped, nested], lockfile), text);
		const { metadata, components, dependencies } = JSON.parse(text);
		assert.deepEqual(metadata, { component: { type: 'application', 'bom-ref': 'errand@0.1.0', ...product } });
		assert.deepEqual(components, [
			{
				type: 'library',
				'bom-ref': 'pkg:npm/%40some/one@1.2.3',
				group: '@some',
				name: 'one',
				version: '1.2.3',
				purl: 'pkg:npm/%40some/one@1.2.3',
				hashes: [{ alg: 'SHA-512', content: '0001ff' }],
				licenses: [{ expression: 'MPL-2.0 OR MIT' }],
				externalReferences: [{ type: 'vcs', url: 'https://github.com/some/one' }],
			},
			{
				type: 'library',
				'bom-ref': 'pkg:npm/two@1.2.3',
				name: 'two',
				version: '1.2.3',
				purl: 'pkg:npm/two@1.2.3',
				hashes: [{ alg: 'SHA-512', content: '02' }],
				licenses: [{ expression: 'MPL-2.0 OR MIT' }],
			},
		]);
		assert.deepEqual(dependencies[0].dependsOn, ['pkg:npm/%40some/one@1.2.3', 'pkg:npm/two@1.2.3']);
	});

	it('is the same where the folder of the packages is a link', () => {
		const linked = [scoped, nested].map(one => ({ ...one, folder: `../elsewhere/${one.folder}` }));
		assert.equal(softwareBom(product, linked, lockfile), softwareBom(product, [scoped, nested], lockfile));
	});

	it('is refused where the lockfile does not say what a package was installed from', () => {
		assert.throws(
			() => softwareBom(product, [scoped], { packages: {} }),
			/^Error: package-lock\.json has no SHA-512 of node_modules\/@some\/one, which is bundled\./,
		);
	});
});
