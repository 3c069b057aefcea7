import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readEntry } from '../../../../src/agents/steps/readEntry.ts';

const MAXIMUM = 1_000;

describe('readEntry', () => {
	let folder: string;
	let tree: string;
	before(async () => {
		folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'errand-entry-')));
		tree = path.join(folder, 'tree');
		const outside = path.join(folder, 'outside');
		await mkdir(path.join(tree, 'own'), { recursive: true });
		await mkdir(outside);
		await writeFile(path.join(tree, 'own', 'file'), 'own');
		await writeFile(path.join(outside, 'file'), 'secret');
		await symlink('file', path.join(outside, 'link'));
		await symlink('../outside', path.join(tree, 'swapped'));
		await symlink('../outside/file', path.join(tree, 'link'));
		execFileSync('mkfifo', [path.join(tree, 'pipe')]);
	});
	after(() => rm(folder, { recursive: true, force: true }));

	it('reads a file, and of a link where it leads', () => {
		assert.equal(readEntry(tree, 'own/file', MAXIMUM)?.content.toString(), 'own');
		const link = readEntry(tree, 'link', MAXIMUM);
		assert.equal(link?.mode, '120000');
		assert.equal(link?.content.toString(), '../outside/file');
	});

	// Such a folder was a plain one when git listed the names, and an agent has put a link in its place since.
	it('reads nothing by way of a folder that is a link, neither a file nor a link', () => {
		assert.equal(readEntry(tree, 'swapped/file', MAXIMUM), undefined);
		assert.equal(readEntry(tree, 'swapped/link', MAXIMUM), undefined);
	});

	it('waits for no pipe, and reads neither a folder nor more than the limit', () => {
		for (const name of ['pipe', 'own', 'none']) {
			assert.equal(readEntry(tree, name, MAXIMUM), undefined, name);
		}
		assert.equal(readEntry(tree, 'own/file', 2), undefined);
	});
});
