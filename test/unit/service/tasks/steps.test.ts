import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MAXIMUM_STEP_FILE, type TaskStep, taskStepsSchema } from '../../../../src/contract/taskSteps.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useStepping } from './useStepping.ts';

describe('the steps of a task', () => {
	const { local, agent, serve, stepsOf, begin } = useStepping();
	const { final, completed } = local;

	it('are told with their entries, and give files, changes and a bundle', async () => {
		const served = serve();
		const { get } = served;
		const id = begin(served, ['echo 1 > one.txt', 'true', 'ln -s one.txt link; mv README.md docs.md', 'rm one.txt']);
		const task = await completed(id);
		const steps = await stepsOf(served, id);
		assert.deepEqual(
			steps.map(({ index, tool, title, files, fileCount, linesAdded, approximate }) => {
				return { index, tool, title, files, fileCount, linesAdded, approximate };
			}),
			[
				{
					...{ index: 0, tool: 'execute', title: 'echo 1 > one.txt', fileCount: 1, linesAdded: 1, approximate: false },
					files: [{ path: 'one.txt', status: 'added' }],
				},
				{
					...{ index: 1, tool: 'execute', title: 'ln -s one.txt link; mv README.md docs.md', fileCount: 2 },
					...{ linesAdded: 1, approximate: false },
					files: [
						{ path: 'docs.md', status: 'renamed', from: 'README.md' },
						{ path: 'link', status: 'added' },
					],
				},
				{
					...{ index: 2, tool: 'execute', title: 'rm one.txt', fileCount: 1, linesAdded: 0, approximate: false },
					files: [{ path: 'one.txt', status: 'deleted' }],
				},
			],
		);
		const log = local.logOf(task);
		assert.deepEqual(
			steps.map(({ step }) => log[step]?.split('\n')[0]),
			steps.map(({ title }) => title),
		);
		const shown = (await (await get(`/api/tasks/${id}`)).json()) as { task: { errand: { steps: number } } };
		assert.equal(shown.task.errand.steps, 3);

		const text = async (address: string) => (await get(`/api/tasks/${id}/steps/${address}`)).text();
		assert.equal(await text('0/files?path=one.txt'), '1\n');
		assert.equal(await text('1/files?path=link'), 'one.txt');
		assert.match(await text('1/diff'), /^similarity index 100%\nrename from README.md\nrename to docs.md$/m);
		const file = path.join(local.folder, 'steps.bundle');
		writeFileSync(file, Buffer.from(await (await get(`/api/tasks/${id}/steps/1/bundle`)).arrayBuffer()));
		const reference = `refs/errand/steps/${id}/1`;
		await local.repository.git('fetch', '--quiet', file, `${reference}:${reference}`);
		assert.equal((await local.repository.git('rev-parse', reference)).trim(), steps[1]?.tree);
		assert.equal(await local.repository.git('show', `${reference}:one.txt`), '1\n');

		for (const [address, status] of [
			['3/diff', 404],
			['-1/diff', 404],
			['1e0/diff', 404],
			['2/files?path=one.txt', 404],
			['1/files?path=nothing', 404],
			['1/files?path=', 400],
			['1/files?path=../README.md', 400],
			['1/files?path=/etc/passwd', 400],
			['1/files?path=:(top)link', 404],
			['1/files?path=link/one.txt', 404],
		] as const) {
			assert.equal((await get(`/api/tasks/${id}/steps/${address}`)).status, status, address);
		}
		assert.equal((await get('/api/tasks/other/steps')).status, 404);
		assert.equal((await get('/api/tasks/other/steps/0/diff')).status, 404);
		assert.equal((await get(`/api/tasks/${id}/steps?fromIndex=-1`)).status, 400);
		assert.deepEqual(await (await get(`/api/tasks/${id}/steps?fromIndex=3`)).json(), { steps: [], nextIndex: null });
	});

	it('have the runs of tests on their files', async () => {
		const served = serve();
		await local.repository.write('AGENTS.md', 'Run the tests with `sh check.sh all`.\n');
		await local.repository.write('check.sh', 'test ! -e broken\n');
		await local.repository.commitAll('Tests');
		const check = 'sh check.sh all';
		const id = begin(served, [check, 'echo 1 > broken', check, `${check} | cat`, 'rm broken; touch mended', 'ls']);
		await completed(id);
		const failed = { command: check, outcome: 'failed' };
		assert.deepEqual(
			(await stepsOf(served, id)).map(({ testRuns }) => testRuns),
			[[failed, { command: `${check} | cat`, outcome: 'unknown' }], undefined],
		);
	});

	it('come in pages, without files that are too long to read, and with as much of a long diff as ends with a line', async () => {
		await local.repository.write('large', Buffer.alloc(MAXIMUM_STEP_FILE + 1).toString());
		await local.repository.commitAll('Large');
		const served = serve();
		const id = begin(served, ['yes 0123456789 | head -c 3000000 > long.txt']);
		const task = await completed(id);
		const { index: _, ...facts } = local.store.steps.get(task, 0) ?? assert.fail('no step');
		for (let step = 1; step < 204; step++) {
			local.store.steps.add(task, facts);
		}
		const page = async (from: number) =>
			taskStepsSchema.parse(await (await served.get(`/api/tasks/${id}/steps?fromIndex=${from}`)).json());
		const [first, second] = [await page(0), await page(200)];
		assert.deepEqual([first.steps.length, first.nextIndex], [200, 200]);
		assert.deepEqual([second.steps.map(({ index }) => index), second.nextIndex], [[200, 201, 202, 203], null]);
		const large = await served.get(`/api/tasks/${id}/steps/203/files?path=large`);
		assert.equal(large.status, 413);
		assert.match(await large.text(), /The file is larger than 48 MB\./);
		const diff = await served.get(`/api/tasks/${id}/steps/203/diff`);
		assert.equal(diff.headers.get('errand-cut'), 'true');
		const text = await diff.text();
		assert.ok(text.length <= 2 * 1024 * 1024 && text.endsWith('+0123456789\n'));
	});

	it('are approximate where the agent went on meanwhile, and nothing of its work is missing in the end', async () => {
		const served = serve();
		const lines = Array.from({ length: 30 }, (_, number) => `nowait echo ${number} > file-${number}`);
		const id = begin(served, [...lines, 'echo last > last']);
		const { branchName } = await completed(id);
		const steps = await stepsOf(served, id);
		assert.ok(steps.some(({ approximate }) => approximate));
		const file = path.join(local.folder, 'steps.bundle');
		const bundle = await served.get(`/api/tasks/${id}/steps/${steps.length - 1}/bundle`);
		writeFileSync(file, Buffer.from(await bundle.arrayBuffer()));
		await local.repository.git('fetch', '--quiet', file, `refs/errand/steps/${id}/${steps.length - 1}:refs/last`);
		assert.equal(
			await local.repository.git('rev-parse', 'refs/last^{tree}'),
			await local.repository.git('rev-parse', `${branchName}^{tree}`),
		);
	});

	it('are those of each agent of a race, and bring the work of that one alone', async () => {
		const served = serve();
		const id = begin(served, ['pwd > where', 'echo 2 > two.txt'], 2);
		assert.equal((await final(id)).status, 'completed');
		const steps = await stepsOf(served, id);
		assert.deepEqual(steps.map(({ agent: of, title }) => `${of} ${title}`).sort(), [
			...['0 echo 2 > two.txt', '0 pwd > where', '1 echo 2 > two.txt', '1 pwd > where'],
		]);
		const start = (await local.repository.git('rev-parse', 'main')).trim();
		for (const position of [0, 1]) {
			const [first, last] = steps.filter(({ agent: of }) => of === position);
			assert.ok(first && last);
			const at = (step: TaskStep, what: string) => served.get(`/api/tasks/${id}/steps/${step.index}/${what}`);
			assert.ok((await (await at(first, 'files?path=where')).text()).includes(`${id}-${position}`));
			assert.equal((await at(first, 'files?path=two.txt')).status, 404);
			const changed = [...(await (await at(last, 'diff')).text()).matchAll(/^diff --git a\/(\S+)/gm)];
			assert.deepEqual(
				changed.map(([, name]) => name),
				['two.txt'],
			);
			const file = path.join(local.folder, `${position}.bundle`);
			writeFileSync(file, Buffer.from(await (await at(last, 'bundle')).arrayBuffer()));
			await local.repository.git(
				'fetch',
				'--quiet',
				file,
				`refs/errand/steps/${id}/${last.index}:refs/${position}/last`,
			);
			const history = await local.repository.git('log', '--format=%H %s', `${start}..refs/${position}/last`);
			assert.deepEqual(
				history.trim().split('\n'),
				[last, first].map(({ tree, title }) => `${tree} ${title}`),
			);
			assert.ok((await local.repository.git('show', `refs/${position}/last:where`)).includes(`${id}-${position}`));
		}
	});

	it('are gone with the folder of their task', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'rm one.txt']);
		await final(id);
		assert.deepEqual(await stepsOf(served, id), []);
		assert.equal((await served.get(`/api/tasks/${id}/steps/0/diff`)).status, 404);
	});

	it('are what a follow-up goes on from, which is told what was done until there', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'echo 2 > two.txt', 'rm README.md; echo 3 > three.txt']);
		const { branchName } = await completed(id);
		served.runner.continue(id, { prompt: 'echo 4 > four.txt', agent: 'stepping', model: 'none', fromStep: 1 }, agent);
		const task = await completed(id);
		assert.equal(task.branchName, branchName);
		const names = await local.repository.git('ls-tree', '--name-only', branchName);
		assert.deepEqual(names.trim().split('\n'), ['README.md', 'four.txt', 'one.txt', 'two.txt']);
		const log = local.logOf(task);
		assert.ok(log.includes('The files are as they were after step 2: echo 2 > two.txt'));
		assert.ok(log.some(line => line.includes('- echo 1 > one.txt\n- echo 2 > two.txt')));
		const steps = await stepsOf(served, id);
		const [fourth] = steps.slice(3);
		assert.deepEqual(fourth?.files, [{ path: 'four.txt', status: 'added' }]);
		// Without a step, the next one goes on with the branch.
		served.runner.continue(id, { prompt: 'cat four.txt', agent: 'stepping', model: 'none' }, agent);
		await final(id);
		assert.equal(local.store.get(id)?.fromStep, null);
	});

	it('let a task go on that was ended before it had made a branch', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'echo 2 > two.txt', 'sleep 100']);
		await waitFor('two steps', async () => (await stepsOf(served, id)).length === 2);
		await served.runner.stop(id);
		served.runner.continue(id, { prompt: 'echo 3 > three.txt', agent: 'stepping', model: 'none', fromStep: 0 }, agent);
		const { branchName } = await completed(id);
		const names = await local.repository.git('ls-tree', '--name-only', branchName);
		assert.deepEqual(names.trim().split('\n'), ['README.md', 'one.txt', 'three.txt']);
	});

	it('do not take back what others have done on the branch', async () => {
		const served = serve();
		const id = begin(served, ['echo 1 > one.txt', 'echo 2 > two.txt']);
		const { branchName } = await completed(id);
		await local.repository.git('checkout', '--quiet', branchName);
		await local.repository.write('mine.txt', 'mine\n');
		await local.repository.commitAll('Mine');
		await local.repository.write('mine.txt', 'more\n');
		await local.repository.commitAll('Mine');
		await local.repository.git('checkout', '--quiet', 'main');
		served.runner.continue(id, { prompt: 'true', agent: 'stepping', model: 'none', fromStep: 0 }, agent);
		assert.match((await final(id)).error ?? '', /^The branch has been moved since the step/);
		assert.equal(await local.repository.git('show', `${branchName}:mine.txt`), 'more\n');
	});

	it('run nothing that an agent puts into its tree, and do not wait for it', async () => {
		const served = serve();
		const trap = path.join(local.folder, 'trapped');
		const touch = `touch ${trap}`;
		const id = begin(served, [
			`printf '* filter=trap diff=trap text eol=crlf\\n' > .gitattributes`,
			`git config filter.trap.clean '${touch}; cat'; git config core.fsmonitor '${touch}'; git config diff.trap.command '${touch}'`,
			`mkdir -p .git/hooks; printf '#!/bin/sh\\n${touch}\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
			`git init -q inner; git -C inner config core.fsmonitor '${touch}'; echo x > inner/file`,
			'git update-ref refs/errand/steps/mine HEAD; echo "a\r" > crlf.txt; mkfifo pipe',
			'mkdir deep; mkfifo deep/.gitignore; echo x > deep/file',
		]);
		const task = await final(id);
		assert.equal(existsSync(trap), false);
		const steps = await stepsOf(served, id);
		assert.deepEqual(
			steps.map(({ notKept }) => notKept),
			[undefined, [{ reason: 'submodule', names: ['inner/'] }]],
		);
		const crlf = await served.get(`/api/tasks/${id}/steps/${steps.length - 1}/files?path=crlf.txt`);
		assert.equal(await crlf.text(), 'a\r\n');
		const own = path.join(local.folder, 'work', `${id}-0`, 'steps');
		const references = execFileSync('git', ['--git-dir', own, 'for-each-ref', '--format=%(refname)'], {
			encoding: 'utf8',
		});
		assert.doesNotMatch(references, /mine/);
		assert.ok(
			local.logOf(task).some(line => line.startsWith('The states of the files after further steps are not kept')),
		);
	});
});
