import assert from 'node:assert/strict';
import type { TaskCheck } from '../../src/contract/agents.ts';
import { controlPaths } from '../../src/contract/control.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';

const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { made } from 'dep';

test('the dependency is the one of the lockfile', () => assert.equal(made, 'by its author'));
`;

describe('the tests of a repository, after an agent that has changed what was installed for it', () => {
	let tasks: AgentTasks;

	beforeEach(async () => {
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms() });
	});
	afterEach(() => tasks?.stop());

	it('run in the sandbox with dependencies that are installed anew', async () => {
		const { repository, service } = tasks;
		const root = { name: 'sample', dependencies: { dep: 'file:dep' } };
		const packages = { '': root, dep: { version: '1.0.0' }, 'node_modules/dep': { resolved: 'dep', link: true } };
		await repository.write(
			'package.json',
			JSON.stringify({ ...root, type: 'module', scripts: { test: 'node --test' } }),
		);
		await repository.write('package-lock.json', JSON.stringify({ name: 'sample', lockfileVersion: 3, packages }));
		await repository.write('dep/package.json', '{"name":"dep","version":"1.0.0","type":"module","main":"main.js"}');
		await repository.write('dep/main.js', "export const made = 'by its author';\n");
		await repository.write('test/dep.test.js', TEST);
		await repository.write('.gitignore', 'node_modules\n');
		await repository.commitAll('Depend on a package');
		const asked = { repoUrl: repository.path, agents: ['errand'], installDependencies: true };
		const check = (await (await service.fetch(controlPaths.taskCheck, { json: asked })).json()) as TaskCheck;
		const hosts = check.dependencies?.hosts;
		const consent = { kind: 'dependencies', repoUrl: repository.path, hosts, allowsScripts: false };
		assert.equal((await service.fetch(controlPaths.consents, { json: consent })).status, 200);
		const { id } = await tasks.create('forge', { installDependencies: true });
		await tasks.completed(id);
		assert.ok(
			tasks.model.results.some(result => result.includes('forged by an agent')),
			tasks.model.results.join('\n'),
		);
		const installed = (await tasks.messagesOf(id, 'installing_dependencies')).join('\n');
		assert.equal(installed.split('Installed from package-lock.json.').length - 1, 2, installed);
		const tested = (await tasks.messagesOf(id, 'running_tests')).join('\n');
		assert.match(tested, /Tests passed\./);
	});
});
