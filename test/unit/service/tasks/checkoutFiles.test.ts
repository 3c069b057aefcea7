import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { outwardLinks } from '../../../../src/service/tasks/checkoutFiles.ts';

const outward = (links: Record<string, string>) => outwardLinks(new Map(Object.entries(links)));

describe('outwardLinks', () => {
	for (const [target, name = 'link'] of [
		['..'],
		['../'],
		['../x'],
		['./../x'],
		['/'],
		['/etc/passwd'],
		['a/../../x'],
		['../..', 'a/link'],
		['../../x', 'a/link'],
		['../../../x', 'a/b/link'],
	] as const) {
		it(`names ${name} → ${target}`, () => {
			assert.deepEqual(outward({ [name]: target }), [name]);
		});
	}

	for (const [target, name = 'link'] of [
		['.'],
		['x'],
		['./x'],
		['a/../x'],
		['a//b'],
		[''],
		['..', 'a/link'],
		['../x', 'a/link'],
		['../../x', 'a/b/link'],
		['..x'],
		['.../x'],
	] as const) {
		it(`does not name ${name} → ${target}`, () => {
			assert.deepEqual(outward({ [name]: target }), []);
		});
	}

	it('goes through other links, also where their text looks as if it stayed inside', () => {
		assert.deepEqual(outward({ here: '.', out: 'here/../x' }), ['out']);
		assert.deepEqual(outward({ deep: 'a/b', in: 'deep/../x', out: 'deep/../../../x' }), ['out']);
		assert.deepEqual(outward({ out: '..', alias: 'out', behind: 'alias/state' }), ['out', 'alias', 'behind']);
		assert.deepEqual(outward({ 'a/up': '..', out: 'a/up/../x' }), ['out']);
	});

	it('ends with links that lead in circles or grow without end', () => {
		assert.deepEqual(outward({ a: 'b', b: 'a' }), []);
		assert.deepEqual(outward({ a: 'a/a/a' }), []);
	});

	it('agrees with what the file system does, for every link that can be opened', () => {
		const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-links-')));
		const step = fc.constantFrom('..', '.', 'a', 'b', 'l0', 'l1', 'l2');
		const target = fc.array(step, { minLength: 1, maxLength: 5 }).map(steps => steps.join('/'));
		const places = ['', 'a/', 'a/b/'];
		let round = 0;
		try {
			fc.assert(
				fc.property(fc.array(fc.tuple(fc.nat(2), target), { minLength: 1, maxLength: 3 }), entries => {
					// Two folders above the tree, so that what leads out finds something.
					const tree = path.join(folder, `${round++}`, 'a', 'tree');
					mkdirSync(path.join(tree, 'a', 'b', 'a'), { recursive: true });
					mkdirSync(path.join(tree, '..', 'b'));
					writeFileSync(path.join(tree, 'b'), '');
					const links = new Map(entries.map(([place, text], index) => [`${places[place]}l${index}`, text]));
					for (const [name, text] of links) {
						symlinkSync(text, path.join(tree, name));
					}
					const named = new Set(outwardLinks(links));
					for (const name of links.keys()) {
						let real: string;
						try {
							real = realpathSync(path.join(tree, name));
						} catch {
							continue;
						}
						if (!`${real}/`.startsWith(`${tree}/`)) {
							assert.ok(named.has(name), `${name} of ${JSON.stringify([...links])} leads to ${real}`);
						}
					}
				}),
				{ numRuns: 300 },
			);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
});
