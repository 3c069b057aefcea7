import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { TaskCheck } from '../../src/contract/agents.ts';
import { controlPaths } from '../../src/contract/control.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';

const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { made } from 'dep';

test('the dependency is the one of the lockfile', () => assert.equal(made, 'by its author'));
`;

describe('the tests of a repository without a lockfile', () => {
	let tasks: AgentTasks;

	beforeEach(async () => {
		tasks = await AgentTasks.start({ agent: 'errand', programs: agentPrograms() });
		const { repository } = tasks;
		const manifest = { devDependencies: { dep: '^1.0.0' }, scripts: { test: 'runner' } };
		await repository.write('package.json', JSON.stringify(manifest));
		await repository.write('.gitignore', 'node_modules\n');
		await repository.commitAll('Test with a package');
	});
	afterEach(() => tasks?.stop());

	/** Installs the package with its program, as a package manager would. */
	async function install(version: string): Promise<void> {
		const { repository } = tasks;
		await repository.write('node_modules/dep/package.json', JSON.stringify({ name: 'dep', version }));
		await repository.write('node_modules/dep/main.js', '#!/usr/bin/env node\nconsole.log("1 passing");\n');
		await chmod(path.join(repository.path, 'node_modules/dep/main.js'), 0o755);
		await mkdir(path.join(repository.path, 'node_modules/.bin'));
		await symlink('../dep/main.js', path.join(repository.path, 'node_modules/.bin/runner'));
	}
	const shownBefore = async () => {
		const asked = { repoUrl: tasks.repository.path, agents: ['errand'] };
		const check = (await (await tasks.service.fetch(controlPaths.taskCheck, { json: asked })).json()) as TaskCheck;
		return check.ownDependencies;
	};

	it('run with what the user has installed, for the agent and after it, and nobody changes that', async () => {
		await install('1.2.0');
		assert.deepEqual(await shownBefore(), { shown: ['node_modules'], unmet: [] });
		const { id } = await tasks.create('tamper', { installDependencies: true });
		const { branchName, errand } = await tasks.completed(id);
		assert.equal((errand as { tests?: string }).tests, 'passed');
		assert.match(tasks.model.results.join('\n'), /1 passing[\s\S]*could not be changed/);
		assert.match(
			(await tasks.messagesOf(id, 'installing_dependencies')).join('\n'),
			/is shown, read-only: node_modules\./,
		);
		const { repository } = tasks;
		assert.equal(await repository.git('diff', '--name-only', 'main', branchName), 'notes.txt\n');
		assert.match(await readFile(path.join(repository.path, 'node_modules/dep/main.js'), 'utf8'), /1 passing/);
	});

	it('could not be run where that lacks what the package names, and the preflight and the log say so', async () => {
		await install('0.9.0');
		assert.deepEqual(await shownBefore(), { shown: [], unmet: ['dep@^1.0.0'] });
		const { id } = await tasks.create('tamper');
		const { errand } = await tasks.completed(id);
		assert.equal((errand as { tests?: string }).tests, 'not-run');
		const log = [
			...(await tasks.messagesOf(id, 'installing_dependencies')),
			...(await tasks.messagesOf(id, 'running_tests')),
		];
		assert.match(log.join('\n'), /it lacks dep@\^1\.0\.0 of package\.json[\s\S]*"npm test" could not be run here/);
	});
});

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
