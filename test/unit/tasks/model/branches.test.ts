import assert from 'node:assert/strict';
import { type Branch, orderBranches, readBranches, refName } from '../../../../src/tasks/model/branches.ts';

const line = (...fields: string[]) => fields.join('\0');
const branch = (name: string, remote?: string, committedAt = 0): Branch => ({
	name,
	remote,
	commit: 'c',
	committedAt,
	upstream: undefined,
});

describe('the branches that git tells', () => {
	it('are read with their remotes and upstreams, and without symbolic names and tags', () => {
		const output = [
			line('refs/heads/main', 'aa', 'refs/remotes/origin/main', '10', ''),
			line('refs/heads/feature/x', 'bb', '', '20', ''),
			line('refs/remotes/origin/HEAD', 'aa', '', '10', 'refs/remotes/origin/main'),
			line('refs/remotes/origin/main', 'aa', '', '10', ''),
			line('refs/remotes/team/fork/topic', 'cc', '', '30', ''),
			line('refs/tags/v1', 'dd', '', '1', ''),
			'',
		].join('\n');
		assert.deepEqual(readBranches(output, ['origin', 'team', 'team/fork']), [
			{ name: 'main', remote: undefined, commit: 'aa', committedAt: 10, upstream: { remote: 'origin', name: 'main' } },
			{ name: 'feature/x', remote: undefined, commit: 'bb', committedAt: 20, upstream: undefined },
			{ name: 'main', remote: 'origin', commit: 'aa', committedAt: 10, upstream: undefined },
			{ name: 'topic', remote: 'team/fork', commit: 'cc', committedAt: 30, upstream: undefined },
		]);
	});

	it('stand in the order: current, local by age, then those that only a remote has', () => {
		const ordered = orderBranches(
			[
				branch('r', 'origin', 99),
				branch('old', undefined, 1),
				branch('new', undefined, 5),
				branch('main'),
				branch('old', 'origin'),
			],
			'main',
		);
		assert.deepEqual(ordered.map(refName), [
			'refs/heads/main',
			'refs/heads/new',
			'refs/heads/old',
			'refs/remotes/origin/r',
		]);
	});
});
