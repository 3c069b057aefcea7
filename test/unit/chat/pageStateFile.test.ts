import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PageStateFile } from '../../../src/chat/pageStateFile.ts';

describe('what the page keeps', () => {
	let folder: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-page-'));
	});

	afterEach(() => rm(folder, { recursive: true, force: true }));

	it('is read as it was written last, however fast it was written', async () => {
		const file = new PageStateFile(path.join(folder, 'new', 'page.json'));
		assert.equal(await file.read(), undefined);
		for (let count = 0; count < 50; count++) {
			file.write(`state ${count}`);
		}
		await file.settled();
		assert.equal(await file.read(), 'state 49');
		file.write('state 50');
		await file.settled();
		assert.equal(await new PageStateFile(path.join(folder, 'new', 'page.json')).read(), 'state 50');
		assert.deepEqual(await readdir(path.join(folder, 'new')), ['page.json']);
	});

	it('costs nothing but itself where it cannot be written', async () => {
		await writeFile(path.join(folder, 'taken'), '');
		const file = new PageStateFile(path.join(folder, 'taken', 'page.json'));
		file.write('state');
		await file.settled();
		assert.equal(await file.read(), undefined);
	});
});
