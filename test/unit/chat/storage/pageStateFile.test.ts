import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PageStateFile, windowFile } from '../../../../src/chat/storage/pageStateFile.ts';
import { waitFor } from '../../../support/waitFor.ts';

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

	it('of a window without a folder has a file of its own, which is removed after a month without typing', async () => {
		const windows = path.join(folder, 'windows');
		const one = new Map<string, unknown>();
		const stateOf = (values: Map<string, unknown>) => ({
			get: (key: string) => values.get(key),
			update: async (key: string, value: unknown) => void values.set(key, value),
		});
		const file = windowFile(windows, stateOf(one));
		assert.equal(windowFile(windows, stateOf(one)), file);
		assert.notEqual(windowFile(windows, stateOf(new Map())), file);
		assert.equal(path.dirname(windowFile(windows, stateOf(new Map([['errand.window', '../../else']])))), windows);
		await mkdir(windows);
		await writeFile(file, 'mine');
		await writeFile(path.join(windows, 'old.json'), 'old');
		const longAgo = Date.now() / 1000 - 40 * 24 * 60 * 60;
		await utimes(path.join(windows, 'old.json'), longAgo, longAgo);
		windowFile(windows, stateOf(one));
		await waitFor('the old one is gone', async () => (await readdir(windows)).length === 1);
		assert.deepEqual(await readdir(windows), [path.basename(file)]);
	});
});
