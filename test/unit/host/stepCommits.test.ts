import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { stepNode } from '../../../src/tasks/model/stepNode.ts';
import { bringStep } from '../../../src/tasks/results/stepCommits.ts';
import { forgetResult } from '../../../src/tasks/results/taskBranch.ts';
import { useStepping } from '../service/tasks/useStepping.ts';

describe('the states of a task’s steps in the user’s repository', () => {
	const { local, serve, begin } = useStepping();

	it('are those that the service has kept, each after the one before it, from the start of the branch', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'echo 2 > two.txt', 'rm one.txt']);
		const start = (await local.repository.git('rev-parse', 'HEAD')).trim();
		await local.completed(id);

		const place = { gitPath: 'git', directory: local.repository.path, credentials: {} };
		const bring = (index: number) =>
			bringStep(place, stepNode(id, index), async (_, file) => {
				const reply = await served.get(`/api/tasks/${id}/steps/${index}/bundle`);
				await writeFile(file, Buffer.from(await reply.arrayBuffer()));
			});
		const [first, last] = [await bring(0), await bring(2)];
		assert.deepEqual([first.base, first.before, last.base], [start, start, start]);
		const changed = (from: string, to: string) => local.repository.git('diff', '--name-status', from, to);
		assert.equal(await changed(first.before, first.after), 'A\tone.txt\n');
		assert.equal(await changed(last.before, last.after), 'D\tone.txt\n');
		assert.equal(await changed(last.base, last.after), 'A\ttwo.txt\n');
		await forgetResult(place, id);
		assert.equal(await local.repository.git('for-each-ref', 'refs/errand/steps'), '');
	});
});
