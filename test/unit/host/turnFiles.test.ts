import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { repositoriesOf } from '../../../src/chat/agent/checkpoints.ts';
import type { AgentWork } from '../../../src/chat/model/agentWork.ts';
import { useTurnFiles } from './useTurnFiles.ts';

describe('the files of a turn of an agent, in several repositories', () => {
	const { at, inCopy, git, write, repository, commit, begin, tell, workAt } = useTurnFiles();
	const pathsOf = ({ files = [] }: AgentWork) => files.map(file => file.path);

	it('lie in a folder for each, with a repository of its own, and each change is kept where it belongs', async () => {
		const files = await begin('client', 'server');
		assert.deepEqual(files.folders, ['client', 'server']);
		assert.equal(readFileSync(inCopy('server', 'server.txt'), 'utf8'), 'server\n');
		assert.equal(execFileSync('git', ['-C', inCopy('client'), 'status', '--porcelain'], { encoding: 'utf8' }), '');
		write(inCopy('server', 'new.txt'), 'new\n');
		await files.keepEnd();
		const [client, server] = files.checkpoints;
		assert.equal(git('client', 'diff', '--name-only', client?.before ?? '', client?.after ?? ''), '');
		assert.equal(git('server', 'diff', '--name-only', server?.before ?? '', server?.after ?? ''), 'new.txt\n');
	});

	it('are not read through a link in the place of a folder', async () => {
		write(at('secrets', 'id'), 'PRIVATE KEY');
		const files = await begin('client', 'server');
		rmSync(inCopy('server'), { recursive: true });
		symlinkSync(at('secrets'), inCopy('server'), 'dir');
		appendFileSync(inCopy('client', 'client.txt'), 'more\n');
		await assert.rejects(
			files.keepEnd(),
			/Couldn’t save the agent’s changes: The agent removed or replaced that folder/,
		);
		assert.ok(files.checkpoints[0]?.after, 'the other repository is kept');
		assert.equal(files.checkpoints[1]?.after, undefined);
		tell(files);
		await assert.rejects(begin('client', 'server'), /removed or replaced/);
	});

	it('are reported if they lie beside the repositories, or if a folder is gone', async () => {
		const files = await begin('client', 'server');
		write(inCopy('notes.md'), 'notes\n');
		await assert.rejects(files.keepEnd(), /outside the repositories, where they aren’t saved: notes\.md\./);
		rmSync(inCopy('server'), { recursive: true });
		await assert.rejects(files.keepEnd(), /removed or replaced that folder/);
	});

	it('are read by what the copy was made from, if a turn was stopped before it told anything', async () => {
		const first = await begin('client');
		appendFileSync(inCopy('client.txt'), 'left\n');
		tell(first);
		// The next one fills the copy and is stopped before it has told anything.
		await begin('client', 'server');
		assert.deepEqual(pathsOf(workAt(-1)), ['client.txt']);
		const third = await begin('client', 'server');
		assert.equal(readFileSync(inCopy('client', 'client.txt'), 'utf8'), 'client\nleft\n');
		await third.keepEnd();
		const [client] = third.checkpoints;
		assert.equal(git('client', 'diff', '--name-only', client?.before ?? '', client?.after ?? ''), 'client.txt\n');
	});

	it('are kept with the turn that made them, even for a repository that the next turn does not have', async () => {
		const first = await begin('client', 'server');
		write(inCopy('server', 'left.txt'), 'left\n');
		tell(first);
		tell(await begin('client'));
		assert.deepEqual(pathsOf(workAt(-1)), ['server/left.txt']);
		const [, server] = workAt(-1).checkpoints;
		assert.equal(git('server', 'show', `${server?.after}:left.txt`), 'left\n');
		await begin('client', 'server');
		assert.equal(readFileSync(inCopy('server', 'left.txt'), 'utf8'), 'left\n', 'and come again with the repository');
	});

	it('belong to the innermost repository', async () => {
		repository('client/sub', { 'sub.txt': 'sub\n' });
		const files = await begin('client', 'client/sub');
		assert.equal(files.locate('client/sub/new.txt'), undefined);
		assert.equal(files.locate('sub/new.txt')?.kept.at, 'sub');
		assert.equal(files.locate('client/new.txt')?.kept.at, 'client');
		assert.equal(files.locate('beside.txt'), undefined);
		assert.equal(files.pathOf(at('client', 'sub', 'sub.txt')), 'sub/sub.txt');
		assert.equal(files.pathOf(at('client', 'client.txt')), 'client/client.txt');
		assert.equal(files.pathOf(at('elsewhere.txt')), undefined);
	});

	it('are in a copy that ignores what the repository ignores, by the lists beside its files too', async () => {
		write(at('client', '.git', 'info', 'exclude'), '*.local\n');
		git('client', 'config', 'core.ignoreCase', 'true');
		const files = await begin('client');
		write(inCopy('a.LOCAL'), 'ignored\n');
		write(inCopy('new.txt'), 'new\n');
		const status = execFileSync('git', ['-C', inCopy(), 'status', '--porcelain'], { encoding: 'utf8' });
		assert.equal(status, '?? new.txt\n');
		await files.keepEnd();
		const [client] = files.checkpoints;
		assert.equal(git('client', 'diff', '--name-only', client?.before ?? '', client?.after ?? ''), 'new.txt\n');
	});

	describe('of a partial clone', () => {
		let questions: string[];
		let answer: string | undefined;

		beforeEach(() => {
			write(at('client', 'in', 'a.txt'), 'a\n');
			write(at('client', 'out', 'b.txt'), 'b\n');
			git('client', 'add', '--all');
			commit('client');
			git('client', 'config', 'uploadpack.allowFilter', 'true');
			questions = [];
			Object.assign(vscode.window, {
				showWarningMessage: async (question: string, { detail }: { detail: string }) => {
					questions.push(`${question} ${detail}`);
					return answer;
				},
			});
		});
		afterEach(() => Reflect.deleteProperty(vscode.window, 'showWarningMessage'));

		const clone = (name: string, ...how: string[]) =>
			execFileSync('git', ['clone', '--quiet', ...how, `file://${at('client')}`, at(name)]);

		it('are all there without a question where git has checked them out', async () => {
			clone('whole', '--filter=blob:none');
			const files = await begin('whole');
			write(inCopy('new.txt'), 'new\n');
			await files.keepEnd();
			assert.deepEqual(questions, []);
			assert.equal(readFileSync(inCopy('out', 'b.txt'), 'utf8'), 'b\n');
		});

		for (const how of [['--sparse'], ['--no-checkout']]) {
			it(`are fetched after a yes, and nothing begins after a no (${how})`, async () => {
				clone('partial', '--filter=blob:none', ...how);
				answer = undefined;
				await assert.rejects(begin('partial'), /needs all files of the branch, but “partial” is a partial clone/);
				answer = 'Get Them';
				const files = await begin('partial');
				assert.match(
					questions[1] ?? '',
					/“partial” is a partial clone, .* Missing objects: \d\. Git downloads them from origin\./,
				);
				assert.equal(questions.length, 2);
				if (how[0] === '--sparse') {
					assert.equal(readFileSync(inCopy('out', 'b.txt'), 'utf8'), 'b\n');
				}
				write(inCopy('new.txt'), 'new\n');
				await files.keepEnd();
				const [kept] = files.checkpoints;
				assert.equal(git('partial', 'diff', '--name-only', kept?.before ?? '', kept?.after ?? ''), 'new.txt\n');
			});
		}
	});

	it('leave out a repository that cannot be read or kept, with the reason, and go on with the others', async () => {
		appendFileSync(at('server', '.git', 'config'), '[broken\n');
		mkdirSync(at('plain'));
		const { places, leftOut } = await repositoriesOf([at('client'), at('server'), at('plain')]);
		assert.deepEqual(
			places.map(({ directory }) => path.basename(directory)),
			['client'],
		);
		assert.deepEqual(
			leftOut.map(({ folder, reason }) => [path.basename(folder), reason === undefined]),
			[
				['server', false],
				['plain', true],
			],
		);
		await assert.rejects(repositoriesOf([at('server')]), /config/);
		await assert.rejects(repositoriesOf([at('plain')]), /needs a Git repository/);
	});
});
