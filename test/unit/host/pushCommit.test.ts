import assert from 'node:assert/strict';
import type { GitRepository } from '../../../src/platform/git.ts';
import { pushCommit } from '../../../src/tasks/common/pushCommit.ts';

describe('a commit that is pushed for a task', () => {
	const push = (pushed: () => Promise<void>) =>
		pushCommit(
			{ push: pushed } as unknown as GitRepository,
			{ remote: 'origin', commit: 'c0ffee', to: 'errand/try' },
			(_, run) => run(),
		);

	it('is on the branch when that is told, and a refusal is said with what git said', async () => {
		let isPushed = false;
		await push(async () => {
			await new Promise(setImmediate);
			isPushed = true;
		});
		assert.ok(isPushed);
		await assert.rejects(
			push(() => Promise.reject(new Error('the branch is protected'))),
			/^UserFacingError: Git couldn’t push “errand\/try” to origin: .*the branch is protected/,
		);
	});
});
