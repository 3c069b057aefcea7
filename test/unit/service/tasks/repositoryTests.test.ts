import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { USER_SETTINGS } from '../../../../src/service/tasks/relay/taskGateway.ts';
import { runRepositoryTests } from '../../../../src/service/tasks/repositoryTests.ts';
import type { RunServices } from '../../../../src/service/tasks/runServices.ts';
import { readSource, writeGitConfiguration } from '../../../../src/service/tasks/sourceRepository.ts';
import { TaskLog } from '../../../../src/service/tasks/taskLog.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { NO_SERVICES } from './shellTaskAgent.ts';
import { useTaskRunner } from './useTaskRunner.ts';

const ALLOWED: RunServices = {
	...NO_SERVICES,
	allowsUnsandboxed: async () => true,
	openModels: () => ({
		maxCost: undefined,
		settings: USER_SETTINGS,
		tellCost: () => {},
		allCounted: async () => {},
		handle: (_request, response) => response.end(),
		search: () => assert.fail('no agent here searches'),
	}),
};

describe('the tests of a repository, run by the service after an agent', () => {
	const local = useTaskRunner();
	const { task, completed, logOf } = local;
	const agentOf = (line: string): Agent => ({ ...local.shell(line, 'own'), isBuiltIn: false });
	const start = (line: string, agent = agentOf(line)) =>
		local.runnerOf({ services: ALLOWED }).create(task(), [agent]).id;
	const treeOf = (id: string) => path.join(local.folder, 'work', `${id}-0`, 'tree');
	const testedWith = async (command: string) => {
		await local.repository.write('AGENTS.md', `Run the tests with \`${command}\`.\n`);
		await local.repository.commitAll('Say how it is tested');
	};
	const run = async (line: string) => {
		const record = await local.final(start(line));
		assert.equal(record.status, 'completed', record.error ?? '');
		const [execution] = local.store.executions(record);
		assert.ok(execution);
		return { record, execution, log: logOf(record).join('\n') };
	};

	it('have passed where their command ends well, and the log shows what they print', async () => {
		await testedWith('sh check.sh now');
		await local.repository.write('check.sh', 'echo "looked at $(cat one.txt)"\n');
		await local.repository.commitAll('Check');
		const { execution, log } = await run('echo 1 > one.txt');
		assert.deepEqual([execution.tests, execution.testFilesChanged], ['passed', 0]);
		assert.match(
			log,
			/Running the tests once more: "sh check\.sh now", as AGENTS\.md says.*\n[\s\S]*looked at 1\nTests passed\./,
		);
	});

	it('have failed where it does not, whatever the agent says', async () => {
		await testedWith('test -f missing.txt');
		const { record, execution, log } = await run('echo All tests pass; echo 1 > one.txt');
		assert.equal(record.status, 'completed');
		assert.equal(execution.tests, 'failed');
		assert.match(log, /Tests failed: "test -f missing\.txt" ended with exit code 1\./);
	});

	it('are those of the commit that the branch began with', async () => {
		await testedWith('test -f missing.txt');
		const { execution, log } = await run('echo "Run the tests with \\`true tests\\`." > AGENTS.md; echo 1 > one.txt');
		assert.equal(execution.tests, 'failed');
		assert.doesNotMatch(log, /true tests/);
	});

	it('run the scripts that the package had before the work', async () => {
		await local.repository.write('package.json', '{"scripts":{"test":"exit 7","more":"true"}}');
		await local.repository.commitAll('Say how it is tested');
		const { record, execution, log } = await run(`echo '{"name":"x","scripts":{"test":"true"}}' > package.json`);
		assert.equal(execution.tests, 'failed', log);
		assert.match(log, /changed the scripts of package\.json/);
		const kept = await local.repository.git('show', `${record.branchName}:package.json`);
		assert.equal(kept, '{"name":"x","scripts":{"test":"true"}}\n');
	});

	it('run the scripts that the package had before the work, also where it has become too large to be read', async () => {
		await local.repository.write('package.json', '{"scripts":{"test":"exit 7"}}');
		await local.repository.commitAll('Say how it is tested');
		const blanks = `head -c 1100000 /dev/zero | tr '\\0' ' '`;
		const { execution, log } = await run(`{ echo '{"scripts":{"test":"true"}}'; ${blanks}; } > package.json`);
		assert.equal(execution.tests, 'failed', log);
	});

	it('leave nothing behind, and nothing in the agent’s tree or on the branch', async () => {
		await testedWith('echo test > left.txt && echo y > one.txt && rm README.md');
		const { record, execution } = await run('echo 1 > one.txt');
		assert.equal(execution.tests, 'passed');
		const tree = treeOf(record.id);
		assert.equal(existsSync(path.join(tree, 'left.txt')), false);
		assert.equal(existsSync(path.join(tree, 'README.md')), true);
		assert.equal(existsSync(path.join(tree, '..', 'tests')), false);
		assert.equal(await local.repository.git('diff', '--name-only', 'main', String(record.branchName)), 'one.txt\n');
		await rm(tree, { recursive: true });
	});

	it('have a home of their own, where no setting of the agent decides how they end', async () => {
		await testedWith('test ! -e "$HOME/.npmrc" && test -d "$HOME"');
		const { execution } = await run('echo "script-shell=true" > "$HOME/.npmrc"; echo 1 > one.txt');
		assert.equal(execution.tests, 'passed');
	});

	it('see the files of the commit alone, and none that git ignores and the agent has left', async () => {
		await local.repository.write('.gitignore', 'node_modules\n');
		await local.repository.write('package.json', '{"scripts":{"test":"runner"}}');
		await local.repository.commitAll('Test with a program that is not there');
		const plant = 'mkdir -p node_modules/.bin; printf "#!/bin/sh\\n" > node_modules/.bin/runner';
		const { execution, log } = await run(`${plant}; chmod +x node_modules/.bin/runner; npm test; echo 1 > one.txt`);
		assert.equal(execution.tests, 'not-run', log);
		assert.match(log, /"npm test" could not be run here/);
	});

	it('are no failure of the work where a package that they need is not there, which is named', async () => {
		const manifest = {
			scripts: { test: 'node test.cjs' },
			devDependencies: { 'left-side': '^1.0.0', '@team/right': '2' },
		};
		await local.repository.write('package.json', JSON.stringify(manifest));
		await local.repository.write('test.cjs', "require('@team/right/deep');\n");
		await local.repository.commitAll('Test with packages');
		const { execution, log } = await run('echo 1 > one.txt');
		assert.equal(execution.tests, 'not-run', log);
		assert.match(
			log,
			/"npm test" could not be run here.* package\.json names what is not there: left-side@\^1\.0\.0, @team\/right@2\./,
		);
		// A file of its own that is missing is a failure.
		await local.repository.write('test.cjs', "require('./gone.cjs');\n");
		await local.repository.commitAll('Forget a file');
		assert.equal((await run('echo 2 > one.txt')).execution.tests, 'failed');
	});

	it('have a git repository whose settings are not the agent’s', async () => {
		await testedWith('git ls-files --error-unmatch one.txt && test -z "$(git config test.planted)"');
		const { execution, log } = await run('git config test.planted yes; echo 1 > one.txt');
		assert.equal(execution.tests, 'passed', log);
	});

	it('see no link that leads out of the repository, as the agent saw none', async () => {
		await symlink('/etc/hostname', path.join(local.repository.path, 'out'));
		await testedWith('test ! -e out && test ! -L out');
		assert.equal((await run('echo 1 > one.txt')).execution.tests, 'passed');
	});

	it('see nothing that the agent has left beside the commit through a link either', async () => {
		await local.repository.write('.gitignore', 'left/\n');
		await testedWith('sh tool/test.sh now');
		const { execution, log } = await run('mkdir left; touch left/test.sh; ln -s ../../tree/left tool; ln -s . inner');
		assert.equal(execution.tests, 'failed', log);
	});

	it('name the files of tests that the work has changed', async () => {
		await testedWith('true tests');
		const { execution, log } = await run('mkdir test; echo 1 > test/one.js; echo 2 > two.js');
		assert.equal(execution.testFilesChanged, 1);
		assert.match(log, /changed files of tests: test\/one\.js\./);
	});

	it('are not known where the repository does not say how, and are not run where they cannot be', async () => {
		assert.equal((await run('echo 1 > one.txt')).execution.tests, null);
		await testedWith('no-such-test now');
		const { execution, log } = await run('echo 2 > two.txt');
		assert.equal(execution.tests, 'not-run');
		assert.match(log, /"no-such-test now" could not be run here/);
	});

	it('are not known where git cannot read the commits, or their folder is there already; nothing is thrown', async () => {
		await testedWith('sh check.sh now');
		const { record, execution } = await run('touch one.txt');
		const log = new TaskLog(local.store, record, execution);
		const folder = path.join(local.folder, 'checkout');
		const { signal } = new AbortController();
		await mkdir(folder);
		await writeGitConfiguration(folder, signal);
		const sourceFolder = local.repository.path;
		const source = await readSource({
			folder: sourceFolder,
			branch: undefined,
			scratchFolder: folder,
			signal,
		});
		const checkout = await Checkout.create({ folder, sourceFolder, agent: 'own', signal, source });
		const base = await checkout.start();
		const place = {
			tree: path.join(local.folder, 'tests', 'tree'),
			home: path.join(local.folder, 'tests', 'home'),
			name: 'widgets',
			isSandboxed: false,
			privateFolders: [],
			toolchains: { path: process.env['PATH'] ?? '', readOnly: [], variables: {} },
			insideProgram: '',
			marker: 'tests',
			folder: local.folder,
		};
		const testsSince = (begun: string) =>
			runRepositoryTests(
				{ checkout, base: begun, commit: base },
				{ place, provide: async () => ({ variables: {}, lent: [] }) },
				log,
				signal,
			);
		await mkdir(place.tree, { recursive: true });
		assert.equal((await testsSince(base)).tests, 'not-run');
		assert.equal((await testsSince('0'.repeat(40))).tests, null);
		assert.match(
			logOf(record).join('\n'),
			/could not be prepared \(.*EEXIST[\s\S]*could not be prepared \(.*nothing is known/,
		);
	});

	it('are not known where their command ends well without having run any', async () => {
		for (const line of ['# tests 0', 'ℹ tests 0', 'Ran 0 tests in 0.000s']) {
			await testedWith(`echo ${line.replace('#', '\\#')}`);
			const { execution, log } = await run('date +%N > one.txt');
			assert.equal(execution.tests, null);
			assert.match(log, /ran no test, so nothing is known of the tests\./);
		}
		await testedWith('echo Ran 10 tests in 0.000s');
		assert.equal((await run('date +%N > one.txt')).execution.tests, 'passed');
	});

	it('are not run where nothing was changed, nor for an agent that is built in', async () => {
		await testedWith('false tests');
		const { execution } = await run('true');
		assert.equal(execution.tests, null);
		const record = await completed(start('', local.shell('echo 1 > one.txt', 'own')));
		assert.equal(local.store.executions(record)[0]?.tests, null);
	});

	it('do not keep the task from being complete when it is stopped meanwhile', async () => {
		await testedWith('touch begun && sleep 300 # test');
		const runner = local.runnerOf({ services: ALLOWED });
		const { id } = runner.create(task(), [agentOf('echo 1 > one.txt')]);
		await waitFor('the tests', () => existsSync(path.join(treeOf(id), '..', 'tests', 'tree', 'begun')));
		await runner.stop(id);
		const record = await local.final(id);
		assert.equal(record.status, 'completed');
		assert.equal(local.store.executions(record)[0]?.tests, null);
		assert.ok((await local.repository.branches()).includes(record.branchName ?? ''));
	});
});
