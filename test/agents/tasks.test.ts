import assert from 'node:assert/strict';
import type { TaskCheck } from '../../src/contract/agents.ts';
import { controlPaths } from '../../src/contract/control.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';

/** The service does this alike for every agent, so one of them is enough. */
describe('the tasks of an agent', () => {
	let tasks: AgentTasks;

	before(async () => {
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms() });
	});
	after(() => tasks?.stop());

	it('find the dependencies installed in the sandbox, once the user has allowed their hosts', async () => {
		const { repository, service } = tasks;
		const lock = { name: 'sample', lockfileVersion: 3, requires: true, packages: { '': { name: 'sample' } } };
		await repository.write('package.json', '{ "name": "sample", "type": "module" }\n');
		await repository.write('package-lock.json', JSON.stringify(lock));
		await repository.commitAll('Lock');
		const asked = { repoUrl: repository.path, agents: ['errand'], installDependencies: true };
		const reply = await service.fetch(controlPaths.taskCheck, { json: asked });
		const { dependencies } = (await reply.json()) as TaskCheck;
		const install = async () => {
			const { id } = await tasks.create('mend', { installDependencies: true });
			await tasks.completed(id);
			return (await tasks.messagesOf(id, 'installing_dependencies')).join('\n');
		};
		assert.match(await install(), /Nothing was installed: nobody has allowed the hosts/);
		const consent = {
			kind: 'dependencies',
			repoUrl: repository.path,
			hosts: dependencies?.hosts,
			allowsScripts: false,
		};
		assert.equal((await service.fetch(controlPaths.consents, { json: consent })).status, 200);
		assert.match(await install(), /Running "npm ci --ignore-scripts"…\n[\s\S]*Installed from package-lock\.json\./);
	});

	it('have the files of submodules to be read, and cannot write to them', async () => {
		const { repository, model } = tasks;
		const library = await TemporaryRepository.create();
		try {
			const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'library'];
			await repository.git(...add);
			await repository.commitAll('Submodule');
			const { id } = await tasks.create('submodule');
			const task = await tasks.completed(id);
			assert.equal(task.diffStats?.totalFilesChanged, 1);
			const seen = model.results.join('\n');
			for (const line of ['# Sample', 'Read-only file system', 'cannot be written']) {
				assert.ok(seen.includes(line), seen);
			}
			assert.match((await tasks.messagesOf(id, 'git_cloned')).join('\n'), /submodules .* to be read.*: library\./);
			assert.doesNotMatch((await tasks.messagesOf(id, 'git_committed')).join('\n'), /submodules/);
		} finally {
			await library.remove();
		}
	});

	it('work on a repository of 2,000 files', async () => {
		const { repository } = tasks;
		for (let folder = 0; folder < 40; folder++) {
			for (let file = 0; file < 50; file++) {
				await repository.write(`many/${folder}/${file}.txt`, `${folder} ${file}\n`);
			}
		}
		await repository.commitAll('Many');
		const task = await tasks.completed((await tasks.create('mend')).id);
		assert.equal(task.diffStats?.totalFilesChanged, 2);
	});
});
