import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { AgentRuns } from '../../../src/chat/agent/agentRuns.ts';
import type { AgentRunsOptions } from '../../../src/chat/agent/agentRunsOptions.ts';
import { changedFiles } from '../../../src/chat/agent/changedFiles.ts';
import { repositoriesOf } from '../../../src/chat/agent/checkpoints.ts';
import type { TurnFiles } from '../../../src/chat/agent/turnFiles.ts';
import { type AgentWork, markFiles } from '../../../src/chat/model/agentWork.ts';
import type { Conversation } from '../../../src/chat/model/conversation.ts';
import { toWorkView } from '../../../src/chat/protocol/toWorkView.ts';
import { describeRange } from '../../../src/tasks/apply/commitRanges.ts';
import { handlersOver } from './handlersOver.ts';
import { useTurnFiles } from './useTurnFiles.ts';

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

describe('the files of a turn of an agent, where something is wrong with them', () => {
	const { at, inCopy, git, write, repository, commit, begin, tell, workAt, id, own } = useTurnFiles();
	const changed = ({ checkpoints }: Pick<TurnFiles, 'checkpoints'>) => changedFiles(checkpoints, describeRange);
	const noEdit = { id: '1', kind: 'edit', title: 'Edit', status: 'pending', locations: [], output: '' } as const;

	it('are not those of another repository that the repository’s own configuration names', async () => {
		repository('private', { 'secret.txt': 'secret\n' });
		write(at('server', 'evil', 'objects', 'x', 'keep'), '');
		write(at('server', 'evil', 'refs', 'x', 'keep'), '');
		write(at('server', 'evil', 'HEAD'), 'ref: refs/heads/main\n');
		write(
			at('server', 'evil', 'config'),
			'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../../private\n',
		);
		commit('server');
		git('client', 'config', 'core.worktree', at('private'));
		const { places, leftOut } = await repositoriesOf([at('client'), at('server'), at('server', 'evil')]);
		assert.deepEqual(
			places.map(({ directory }) => path.basename(directory)),
			['server'],
		);
		assert.deepEqual(
			leftOut.map(({ folder }) => path.relative(at(), folder)),
			['client', path.join('server', 'evil')],
		);
		for (const { reason } of leftOut) {
			assert.match(reason ?? '', /says that its files are in .*private.* Remove “core\.worktree” from .*config/);
		}
	});

	it('are those of a linked worktree and of a submodule', async () => {
		git('server', 'worktree', 'add', '--quiet', '-b', 'other', at('worktree'));
		git('server', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', at('client'), 'sub');
		const { places, leftOut } = await repositoriesOf([at('worktree'), at('server', 'sub')]);
		assert.deepEqual(leftOut, []);
		assert.deepEqual(
			places.map(({ directory }) => path.basename(directory)),
			['worktree', 'sub'],
		);
	});

	it('are merged without a program that the repository’s own configuration names', async () => {
		write(at('server', '.gitattributes'), '*.txt merge=own\n');
		write(at('server', 'lines.txt'), LINES);
		commit('server');
		git('server', 'config', 'merge.own.driver', `touch '${at('ran')}'; false`);
		const first = await begin('server');
		write(inCopy('lines.txt'), LINES.replace('1', 'one'));
		await first.keepEnd();
		tell(first);
		write(at('server', 'lines.txt'), LINES.replace('9', 'nine'));
		const { isSetAside } = await begin('server');
		assert.equal(existsSync(at('ran')), false);
		assert.equal(isSetAside, false);
		assert.equal(readFileSync(inCopy('lines.txt'), 'utf8'), LINES.replace('1', 'one').replace('9', 'nine'));
	});

	it('get no dependencies where the agent has replaced a folder on the way to them with a link or a file', async () => {
		write(at('server', '.gitignore'), 'node_modules/\n');
		for (const name of ['linked', 'file', 'plain']) {
			write(at('server', 'packages', name, 'package.json'), '{}');
		}
		commit('server');
		for (const name of ['linked', 'file', 'plain']) {
			write(at('server', 'packages', name, 'node_modules', 'dep', 'index.js'), '1');
		}
		mkdirSync(at('victim'));
		const first = await begin('client', 'server');
		for (const name of ['linked', 'file']) {
			rmSync(inCopy('server', 'packages', name), { recursive: true });
		}
		symlinkSync(at('victim'), inCopy('server', 'packages', 'linked'));
		writeFileSync(inCopy('server', 'packages', 'file'), '');
		await first.keepEnd();
		tell(first);
		const second = await begin('client', 'server');
		const lent = await second.lentFolders();
		assert.deepEqual(
			lent.map(folder => folder.at),
			['server/packages/plain/node_modules'],
		);
	});

	it('can be used again once what could not be kept has been removed', async () => {
		const files = await begin('client', 'server');
		rmSync(inCopy('server'), { recursive: true });
		writeFileSync(inCopy('server'), 'a file');
		await assert.rejects(files.keepEnd(), /removed or replaced that folder/);
		tell(files);
		await assert.rejects(begin('client', 'server'), /delete that folder, then continue/);
		rmSync(inCopy('server'));
		await begin('client', 'server');
		assert.equal(readFileSync(inCopy('server', 'server.txt'), 'utf8'), 'server\n');
	});

	it('cause a sentence about a repository that is gone, and can be used again once its copy has been removed', async () => {
		tell(await begin('client', 'server'));
		rmSync(at('server'), { recursive: true });
		await assert.rejects(
			begin('client'),
			/Couldn’t save the agent’s changes: The folder .*server no longer exists\. They’re in /,
		);
		rmSync(inCopy('server'), { recursive: true });
		await begin('client');
		assert.equal(readFileSync(inCopy('client.txt'), 'utf8'), 'client\n');
	});

	it('are named where the agent has put them into a repository or a submodule in the copy', async () => {
		git('server', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', at('client'), 'sub');
		commit('server');
		const files = await begin('client', 'server');
		await files.keepEnd();
		write(inCopy('server', 'app', 'main.js'), 'work');
		execFileSync('git', ['init', '--quiet', inCopy('server', 'app')]);
		write(inCopy('server', 'sub', 'new.txt'), 'work');
		await assert.rejects(
			files.keepEnd(),
			/where they aren’t saved: server\/app, server\/sub\. They stay in .* until the next/,
		);
	});

	it('are named where a filter keeps them, because the user’s files do not get them', async () => {
		write(at('server', '.gitattributes'), '*.bin filter=kept\n');
		write(at('server', 'image.bin'), 'pointer\n');
		write(at('server', 'other.bin'), 'pointer\n');
		commit('server');
		git('server', 'config', 'filter.kept.required', 'false');
		const files = await begin('client', 'server');
		assert.deepEqual(await files.filtered(), ['server/image.bin', 'server/other.bin']);
		write(inCopy('server', 'image.bin'), 'content\n');
		await assert.rejects(files.keepEnd(), /a filter such as Git LFS.*: server\/image\.bin\. They stay in /);
		assert.ok(files.checkpoints.every(({ after }) => after !== undefined));
	});

	it('are named where the agent has put them into the place of another open repository', async () => {
		repository('client/sub', { 'sub.txt': 'sub\n' });
		const files = await begin('client', 'client/sub');
		await files.keepEnd();
		write(inCopy('client', 'sub', 'sub.txt'), 'other\n');
		await assert.rejects(files.keepEnd(), /where they aren’t saved: client\/sub\./);
		assert.deepEqual((await changed(files)).files, []);
	});

	it('are kept without the pipes that are among them', async () => {
		const files = await begin('client', 'server');
		write(inCopy('server', 'new', 'file.txt'), 'new\n');
		for (const name of ['.gitignore', '.gitattributes', 'pipe', path.join('new', '.gitignore')]) {
			execFileSync('mkfifo', [inCopy('server', name)]);
		}
		await files.keepEnd();
		assert.deepEqual(
			(await changed(files)).files?.map(file => file.path),
			['server/new/file.txt'],
		);
	});

	it('have a file under its old name after its move was taken back', async () => {
		write(at('server', 'old.txt'), LINES);
		commit('server');
		const first = await begin('client', 'server');
		rmSync(inCopy('server', 'old.txt'));
		write(inCopy('server', 'new.txt'), LINES);
		await first.keepEnd();
		const { files = [] } = await changed(first);
		assert.deepEqual(
			files.map(({ path: name, status }) => [name, status]),
			[['server/new.txt', 'R']],
		);
		tell(first, { files: files.map(file => ({ ...file, isUndone: true as const })) });
		await begin('client', 'server');
		assert.deepEqual(readdirSync(inCopy('server')).sort(), ['.git', 'old.txt', 'server.txt']);
	});

	it('are marked, counted and taken back if there are many', async () => {
		const first = await begin('client', 'server');
		const names = Array.from({ length: 250 }, (_, index) => `new-${index}.txt`);
		for (const name of names) {
			write(inCopy('client', name), 'x');
		}
		write(inCopy('server', 'server.txt'), 'allowed\n');
		await first.keepEnd();
		const [client = assert.fail(), server = assert.fail()] = first.checkpoints;
		const checkpoints = [client, { ...server, taken: server.after ?? '' }];
		tell(first, { checkpoints, ...(await changed({ checkpoints })) });
		const before = workAt(0);
		const changes = (work: AgentWork) => {
			const { files, ...sums } = toWorkView(work, true).changes ?? assert.fail();
			return { listed: files.length, ...sums };
		};
		assert.deepEqual(changes(before), { listed: 200, count: 251, left: 250, canUndo: true });
		const paths = names.map(name => `client/${name}`);
		const { repository: place, after = '' } = client;
		const taken = markFiles(before, { repository: place, taken: after, paths, isTaken: true });
		assert.deepEqual(changes(taken), { listed: 200, count: 251, left: 0, canUndo: true });
		tell(first, markFiles(taken, { repository: place, taken: client.before, paths, isTaken: false }));
		await begin('client', 'server');
		assert.deepEqual(readdirSync(inCopy('client')).sort(), ['.git', 'client.txt']);
	});

	it('are taken back only in the repositories that have some of them', async () => {
		const files = await begin('client', 'server');
		write(inCopy('server', 'new.txt'), 'new\n');
		await files.keepEnd();
		const [client = assert.fail(), server = assert.fail()] = files.checkpoints;
		const checkpoints = [client, { ...server, taken: server.after ?? '' }];
		tell(files, { checkpoints, ...(await changed({ checkpoints })) });
		const asked: string[] = [];
		const takeBack = async ({ repository }: { repository: string }) => {
			asked.push(path.basename(repository));
			return [];
		};
		const handlers = handlersOver(workAt(0), { takeBack }, id());
		await handlers['work-undo']({ kind: 'work-undo', turn: 't' } as never);
		assert.deepEqual(asked, ['server']);
	});

	it('are forgotten in each repository, even if another one cannot be read', async () => {
		const files = await begin('client', 'server');
		await files.keepEnd();
		rmSync(at('client', '.git'), { recursive: true });
		const runs = new AgentRuns({ folder: at('agents') } as AgentRunsOptions);
		await assert.rejects(runs.forget(id()), /not a git repository/);
		assert.equal(git('server', 'for-each-ref', 'refs/errand'), '');
		assert.equal(existsSync(own().directory), false);
	});

	it('stay if a conversation goes on as a copy and the original is deleted', async () => {
		const first = await begin('server');
		write(inCopy('left.txt'), 'left\n');
		await first.keepEnd();
		tell(first);
		const runs = new AgentRuns({ folder: at('agents') } as AgentRunsOptions);
		const turns = [{ replies: [{ work: workAt(0) }] }] as unknown as Conversation['turns'];
		await runs.adopt({ id: randomUUID(), turns } as Conversation);
		await runs.forget(id());
		git('server', 'gc', '--quiet', '--prune=now');
		const second = await begin('server');
		assert.equal(second.isSetAside, false);
		assert.equal(readFileSync(inCopy('left.txt'), 'utf8'), 'left\n');
	});

	it('are set aside if the state that they were kept in has been removed', async () => {
		const first = await begin('server');
		write(inCopy('left.txt'), 'left\n');
		await first.keepEnd();
		tell(first, { files: [{ path: 'left.txt', status: 'A', isUndone: true }] });
		for (const reference of git('server', 'for-each-ref', '--format=%(refname)', 'refs/errand').trim().split('\n')) {
			git('server', 'update-ref', '-d', reference);
		}
		git('server', 'gc', '--quiet', '--prune=now');
		assert.equal((await begin('server')).isSetAside, true);
	});

	it('are not promised to the user’s folder if git ignores them', async () => {
		write(at('server', '.gitignore'), 'local.json\n');
		commit('server');
		const files = await begin('client', 'server');
		const plan = (name: string) =>
			files.edits.plan({ ...noEdit, diffs: [{ path: name, newText: '{}\n' }] }, shown => shown);
		assert.ok(await plan('server/new.json'));
		assert.equal(await plan('server/local.json'), undefined);
	});

	it('are left out, with the reason, if they cannot be put into the copy, and those of the other repositories are there', async () => {
		write(at('server', '.gitattributes'), '*.bin filter=missing\n');
		write(at('server', 'image.bin'), 'x');
		commit('server');
		git('server', 'config', 'filter.missing.smudge', 'false');
		git('server', 'config', 'filter.missing.required', 'true');
		const files = await begin('client', 'server');
		assert.deepEqual(files.folders, ['client']);
		assert.deepEqual(readdirSync(files.copy), ['client']);
		const [{ folder = '', reason = '' } = {}] = files.leftOut;
		assert.equal(path.basename(folder), 'server');
		assert.match(reason, /image\.bin|filter/);
		assert.doesNotMatch(reason, /--no-pager/);
	});

	it('are there whatever the line endings of a file, although the user wants git to refuse mixed ones', async () => {
		write(at('server', 'mixed.txt'), 'a\r\nb\n');
		commit('server');
		const { HOME } = process.env;
		write(at('home', '.gitconfig'), '[core]\n\tsafecrlf = true\n\tautocrlf = input\n');
		process.env['HOME'] = at('home');
		try {
			assert.deepEqual((await begin('client', 'server')).leftOut, []);
		} finally {
			process.env['HOME'] = HOME;
		}
	});

	it('have a path from the agent’s folder for a file that is opened through a link', async () => {
		symlinkSync(at('server'), at('link'));
		const files = await begin('client', 'link');
		appendFileSync(at('server', 'server.txt'), 'more\n');
		assert.equal(files.pathOf(at('link', 'server.txt')), 'server/server.txt');
	});
});
