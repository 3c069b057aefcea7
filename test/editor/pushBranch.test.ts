import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BRANCH, useBranchCommands } from '../support/useBranchCommands.ts';
import { closeRepository, openRepository } from './gitExtension.ts';

describe('the commands for the branch of a task', () => {
	const flow = useBranchCommands(openRepository, closeRepository);
	const { branches, readAgain, refused, saw } = flow;

	it('push it after a yes with branch, remote, address and number of commits, and never over other commits', async () => {
		await branches().push(undefined);
		refused(/has no remote\. Add one/);
		const bare = path.join(flow.repository.folder, 'bare.git');
		await flow.repository.git('clone', '-q', '--bare', flow.repository.path, bare);
		await flow.repository.git('-C', bare, 'branch', '-q', '-D', BRANCH);
		await flow.repository.git('remote', 'add', 'origin', bare);
		await flow.repository.git('fetch', '-q', 'origin');
		await readAgain();
		await branches().push(undefined);
		saw(
			/^ask: Push “errand\/work” to origin\? Address: .*bare\.git\nCommits: 1\nThis creates the branch there\. \[Push\]$/,
		);
		flow.answers = ['Push', 'Open Pull Request'];
		await branches().push(undefined);
		saw(/^ask/, /“errand\/work” is on origin/, /^run errand\.openTaskPullRequest .*"resultKey":"task-1"/);
		const there = () => flow.repository.git('-C', bare, 'rev-parse', BRANCH);
		assert.equal((await there()).trim(), await flow.repository.head(BRANCH));
		assert.equal((await flow.repository.git('config', `branch.${BRANCH}.remote`)).trim(), 'origin');
		await branches().push(undefined);
		saw(/origin is already up to date/);
		await flow.repository.git('branch', '-f', BRANCH, 'main');
		await flow.repository.git('switch', '-q', BRANCH);
		await flow.repository.write('else.txt', 'else\n');
		await flow.repository.commitAll('Something else');
		const before = await there();
		await branches().push(undefined);
		refused(/has commits on origin that aren’t here, so it wasn’t pushed/);
		assert.equal(await there(), before);
	});

	it('say why a push has failed, and what to do', async () => {
		const bare = path.join(flow.repository.folder, 'bare.git');
		await flow.repository.git('clone', '-q', '--bare', '--single-branch', flow.repository.path, bare);
		await writeFile(path.join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\necho not today >&2; exit 1\n', {
			mode: 0o755,
		});
		await flow.repository.git('remote', 'add', 'origin', bare);
		await readAgain();
		flow.answers = ['Push'];
		await branches().push(undefined);
		refused(/couldn’t push “errand\/work” to origin: .*declined.*\. See “Git: Show Git Output”/);
		await flow.repository.git('remote', 'set-url', 'origin', path.join(flow.repository.folder, 'gone.git'));
		flow.answers = ['Push'];
		await branches().push(undefined);
		refused(/couldn’t push “errand\/work” to origin: .*gone\.git.*\. Check the remote’s address and your access/);
		assert.equal((await flow.repository.git('-C', bare, 'branch', '--list', BRANCH)).trim(), '');
	});
});
