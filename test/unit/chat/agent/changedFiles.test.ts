import assert from 'node:assert/strict';
import { changedFiles } from '../../../../src/chat/agent/changedFiles.ts';
import type { Checkpoint } from '../../../../src/chat/model/checkpoint.ts';
import type { CommitRanges } from '../../../../src/tasks/api.ts';

describe('the files that an agent has changed', () => {
	const DIFFERENCES: Record<string, readonly string[]> = {
		'before after': ['both.txt', 'copy.txt', 'partly.txt'],
		'before taken': ['both.txt', 'partly.txt', 'reverted.txt'],
		'taken after': ['copy.txt', 'partly.txt', 'reverted.txt'],
	};

	async function changed(states: Pick<Checkpoint, 'taken' | 'after'>) {
		const list = async ({ from, to }: { from: string; to: string }) =>
			(DIFFERENCES[`${from} ${to}`] ?? assert.fail(`${from} ${to}`)).map(path => ({ path, status: 'M' }));
		const { files = [] } = await changedFiles(
			[{ repository: '/r', before: 'before', ...states }],
			list as unknown as CommitRanges['list'],
		);
		return files.map(({ path, isTaken, isLeft }) => [path, isTaken, isLeft]);
	}

	it('are those of its copy and of the user’s files, each with where its changes are', async () => {
		assert.deepEqual(await changed({ taken: 'taken', after: 'after' }), [
			['both.txt', true, undefined],
			['copy.txt', undefined, undefined],
			['partly.txt', true, true],
			['reverted.txt', true, true],
		]);
	});

	it('are looked for only between states that differ', async () => {
		assert.deepEqual(await changed({ taken: 'taken' }), [
			['both.txt', true, undefined],
			['partly.txt', true, undefined],
			['reverted.txt', true, undefined],
		]);
		assert.deepEqual(await changed({}), []);
	});
});
