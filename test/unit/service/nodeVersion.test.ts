import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { NEEDED_NODE, nodeProblem } from '../../../src/service/nodeVersion.ts';

const read = (file: string) => readFileSync(file, 'utf8');

describe('the Node that is needed', () => {
	it('is told in a sentence if the service is started with an older one', () => {
		for (const version of ['18.20.8', '20.20.2', '22.13.0', '22.18.1']) {
			assert.match(nodeProblem(version) ?? '', /^Errand's local service needs Node \S+ or newer\. This is Node \S+\.$/);
		}
		for (const version of [process.versions.node, '22.19.0', '22.20.1', '23.0.0', '24.0.0', '100.1.0']) {
			assert.equal(nodeProblem(version), undefined, version);
		}
	});

	it('is all that a start with an older one says', () => {
		const fake = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
		const args = ['--import', `data:text/javascript,${encodeURIComponent(fake)}`, 'src/service/entry.ts', '--help'];
		const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
		assert.deepEqual([status, stdout], [1, '']);
		assert.equal(stderr, `Errand's local service needs Node ${NEEDED_NODE} or newer. This is Node 20.20.2.\n`);
	});

	it('is looked at before anything is imported that an older one lacks', () => {
		const importsOf = (file: string) =>
			Array.from(read(file).matchAll(/^import .* from '([^']+)';$/gm), ([, specifier]) => specifier);
		assert.deepEqual(importsOf('src/service/entry.ts'), ['node:process', './nodeVersion.ts']);
		assert.deepEqual(importsOf('src/service/nodeVersion.ts'), []);
	});

	it('is the same one in the manifest and on every page', () => {
		assert.equal(JSON.parse(read('package.json')).engines.node, `>=${NEEDED_NODE}`);
		for (const page of ['README.md', 'CONTRIBUTING.md', path.join('docs', 'local-service.md')]) {
			const named = Array.from(read(page).matchAll(/\bNode (\d[\d.]*\d) or newer/g), ([, version]) => version);
			assert.ok(named.length > 0, page);
			assert.deepEqual(new Set(named), new Set([NEEDED_NODE]), page);
		}
	});

	it('is one that every package which needs a newer one supports', () => {
		const { dependencies } = JSON.parse(read('package.json'));
		for (const name of Object.keys(dependencies)) {
			const range: string = JSON.parse(read(path.join('node_modules', name, 'package.json'))).engines?.node ?? '';
			const oldest = /^>= ?(\d+(?:\.\d+)?)/.exec(range)?.[1];
			if (oldest !== undefined) {
				const [major = 0, minor = 0] = oldest.split('.').map(Number);
				const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
				assert.ok(neededMajor > major || (neededMajor === major && neededMinor >= minor), `${name} needs ${range}`);
			}
		}
	});
});
