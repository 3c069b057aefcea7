import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
	isPreRelease,
	missingChoices,
	type OwnerChoices,
	packedManifest,
	showsFiles,
} from '../../../../scripts/packaging/packedManifest.ts';

const none: OwnerChoices = { publisher: '', repository: '', bugs: '', homepage: '' };
const all: OwnerChoices = {
	publisher: 'some-one',
	repository: 'https://github.com/some-one/errand',
	bugs: 'https://github.com/some-one/errand/issues',
	homepage: 'https://errand.example/',
};
const manifest = {
	name: 'errand',
	version: '1.2.3',
	publisher: 'errand',
	engines: { vscode: '^1.109.0' },
	private: true,
	scripts: { test: 'x' },
	dependencies: { y: '1' },
	devDependencies: { z: '1' },
};

describe('the manifest of the package', () => {
	it('has what the owner has chosen, in the form that the marketplaces read', () => {
		assert.deepEqual(packedManifest(manifest, all), {
			name: 'errand',
			version: '1.2.3',
			engines: { vscode: '^1.109.0' },
			publisher: 'some-one',
			repository: { type: 'git', url: 'https://github.com/some-one/errand' },
			bugs: { url: 'https://github.com/some-one/errand/issues' },
			homepage: 'https://errand.example/',
		});
		assert.equal(missingChoices(all), undefined);
	});

	it('is whole without any choice, and what is missing is said in a sentence', () => {
		const packed = packedManifest(manifest, none);
		assert.equal(packed['publisher'], 'errand');
		assert.ok(!('repository' in packed) && !('bugs' in packed) && !('homepage' in packed));
		assert.match(missingChoices(none) ?? '', /"publisher", "repository", "bugs", "homepage"/);
		assert.match(missingChoices({ ...all, bugs: '' }) ?? '', /does not name "bugs"\./);
	});

	it('leaves out what works in the repository alone', () => {
		for (const field of ['private', 'scripts', 'dependencies', 'devDependencies']) {
			assert.ok(!(field in packedManifest(manifest, none)), field);
		}
	});

	it('is refused with a choice that cannot be meant', () => {
		for (const wrong of [
			{ publisher: 'Some One' },
			{ publisher: '-x' },
			{ repository: 'some-one/errand' },
			{ bugs: 'http://errand.example/' },
			{ homepage: 'javascript:alert(1)' },
		]) {
			assert.throws(() => packedManifest(manifest, { ...all, ...wrong }), /release\.json: "\w+" is "/);
		}
	});

	it('leads into the repository only where the addresses of its files are known', () => {
		assert.ok(showsFiles(all));
		assert.ok(!showsFiles(none));
		assert.ok(!showsFiles({ ...all, repository: 'https://git.example/github.com/errand' }));
	});
});

describe('a version', () => {
	it('is a pre-release where its second number is odd', () => {
		assert.ok(isPreRelease('0.1.0') && isPreRelease('2.11.4'));
		assert.ok(!isPreRelease('0.2.1') && !isPreRelease('1.10.3'));
	});
});

describe('what the marketplaces show', () => {
	const { icon, categories, keywords, galleryBanner } = JSON.parse(readFileSync('package.json', 'utf8'));

	it('has an icon of 256 pixels, which is transparent at its corners', () => {
		const image = readFileSync(icon);
		assert.equal(image.subarray(1, 4).toString('latin1'), 'PNG');
		assert.deepEqual([image.readUInt32BE(16), image.readUInt32BE(20)], [256, 256]);
		const colourAndTransparency = 6;
		assert.equal(image[25], colourAndTransparency);
	});

	it('is found under categories that say something, and under at most thirty keywords', () => {
		assert.ok(categories.length > 0 && !categories.includes('Other'));
		assert.ok(keywords.length > 0 && keywords.length <= 30);
		assert.equal(new Set(keywords).size, keywords.length);
	});

	it('has a banner on which its text can be read', () => {
		assert.match(galleryBanner.color, /^#[\da-f]{6}$/);
		assert.ok(['dark', 'light'].includes(galleryBanner.theme));
	});
});
