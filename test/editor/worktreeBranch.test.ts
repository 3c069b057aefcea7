import assert from 'node:assert/strict';
import path from 'node:path';
import { findWorktreeBranch } from '../../src/tasks/branches/worktreeBranch.ts';
import type { TaskTarget } from '../../src/tasks/model/taskConnection.ts';
import { readTask } from '../support/readTask.ts';
import { startTasks } from '../support/taskClient.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';

describe('a task’s branch that is checked out', () => {
	it('is found in the repository and in a linked worktree, and only of a service of this machine', async () => {
		const { server, client } = await startTasks();
		const repository = await TemporaryRepository.create();
		try {
			await repository.git('branch', 'errand/done');
			await repository.git('checkout', '--quiet', '-b', 'errand/begun', 'main');
			server.add({ id: 'next', repoUrl: repository.path });
			const find = (branchName: string, isLocal = true) => {
				const target: TaskTarget = {
					connection: { name: 'test', label: 'Test', isLocal, hasLookUps: true, agents: [] },
					client,
				};
				return findWorktreeBranch(readTask({ ...(server.tasks[0] ?? assert.fail()), branchName }), target);
			};
			assert.deepEqual(await find('errand/begun'), { branch: 'errand/begun', worktree: repository.path });
			assert.equal(await find('errand/begun', false), undefined);
			assert.equal(await find('errand/done'), undefined);
			assert.equal(await find('errand/gone'), undefined);
			const linked = path.join(repository.folder, 'linked');
			await repository.git('worktree', 'add', '--quiet', linked, 'errand/done');
			assert.deepEqual(await find('errand/done'), { branch: 'errand/done', worktree: linked });
		} finally {
			await repository.remove();
			await server.stop();
		}
	});
});
