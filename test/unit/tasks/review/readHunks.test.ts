import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { listChangedFiles } from '../../../../src/tasks/changes/readChanges.ts';
import { changeKey } from '../../../../src/tasks/model/compareResults.ts';
import { readFileHunks } from '../../../../src/tasks/review/readHunks.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

describe('the hunks of some of the changed files', () => {
	let repository: TemporaryRepository;
	let place: GitPlace;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		place = { gitPath: 'git', directory: repository.path, credentials: {} };
	});

	afterEach(() => repository.remove());

	/** Reads the hunks of the files whose names match, as the number of lines that each removes and adds. */
	async function read(wanted: RegExp): Promise<Record<string, string[]>> {
		const files = (await listChangedFiles(place, 'main', 'done')).filter(({ after }) => wanted.test(after?.path ?? ''));
		const hunks = await readFileHunks(place, 'main', 'done', files);
		assert.ok(hunks.size <= files.length);
		return Object.fromEntries(
			files.map(file => [
				file.after?.path ?? '',
				(hunks.get(changeKey(file) ?? '') ?? []).map(({ removed, added }) => `-${removed} +${added}`),
			]),
		);
	}

	async function change(names: readonly string[]): Promise<void> {
		for (const name of names) {
			await repository.write(name, 'one\ntwo\nthree\n');
		}
		await repository.commitAll('Base');
		await repository.git('checkout', '--quiet', '-b', 'done');
		for (const name of names) {
			await repository.write(name, `one\n${name}\nthree\n`);
		}
		await repository.commitAll('Done');
	}

	it('are read by name, however the name looks to git', async () => {
		const names = ['*.txt', 'other.txt', ':(top)x', '-p', 'a "b" c.txt', 'caf\u00e9.txt'];
		await change(names);
		assert.deepEqual(await read(/^[^o]/), {
			...Object.fromEntries(
				names
					.filter(name => name !== 'other.txt')
					.map(name => [name, [`-two +${Buffer.from(name).toString('latin1')}`]]),
			),
		});
		assert.deepEqual(await read(/^\*/), { '*.txt': ['-two +*.txt'] });
		assert.deepEqual(await read(/nothing/), {});
	});

	it('are read without running a program that the repository names', async () => {
		const trap = path.join(repository.folder, 'trap');
		await repository.write('.gitattributes', '*.txt diff=trap\n');
		for (const key of ['diff.trap.textconv', 'diff.trap.command', 'diff.external']) {
			await repository.git('config', key, `touch ${trap}; true`);
		}
		await change(['a.txt']);
		assert.deepEqual(await read(/a\.txt/), { 'a.txt': ['-two +a.txt'] });
		assert.ok(!existsSync(trap));
	});
});
