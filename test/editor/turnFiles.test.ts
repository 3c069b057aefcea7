import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AgentFolder } from '../../src/chat/agent/agentFolder.ts';
import { repositoriesOf } from '../../src/chat/agent/checkpoints.ts';
import type { EarlierWork } from '../../src/chat/agent/leftWork.ts';
import { TurnFiles } from '../../src/chat/agent/turnFiles.ts';
import type { AgentWork } from '../../src/chat/model/agentWork.ts';
import { describeRange } from '../../src/tasks/apply/commitRanges.ts';

describe('the files of a turn of an agent, in several repositories', () => {
	let scratch: string;
	let own: AgentFolder;
	let conversation: string;
	/** What was done before, the latest first. */
	let earlier: EarlierWork[];

	beforeEach(() => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-turn-files-'));
		conversation = randomUUID();
		own = new AgentFolder(path.join(scratch, 'agents'), conversation);
		earlier = [];
		for (const name of ['client', 'server']) {
			repository(name, { [`${name}.txt`]: `${name}\n` });
		}
	});
	afterEach(() => rmSync(scratch, { recursive: true, force: true }));

	const at = (...names: string[]) => path.join(scratch, ...names);
	const inCopy = (...names: string[]) => path.join(own.copy, ...names);
	const git = (name: string, ...args: string[]) => execFileSync('git', ['-C', at(name), ...args], { encoding: 'utf8' });
	function write(file: string, text: string): void {
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	function repository(name: string, files: Record<string, string>): void {
		for (const [file, text] of Object.entries(files)) {
			write(at(name, file), text);
		}
		execFileSync('git', ['init', '--quiet', at(name)]);
		git(name, 'add', '--all');
		git(name, '-c', 'user.name=A', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--message', 'Begin');
	}

	async function begin(...names: string[]): Promise<TurnFiles> {
		const { places } = await repositoriesOf(names.map(name => at(name)));
		return TurnFiles.begin(places, {
			conversation,
			own,
			earlier,
			signal: new AbortController().signal,
			listChanges: describeRange,
			takeAllowed: async () => [],
			onMade: async () => {},
		});
	}

	/** Tells the work of a turn, as a conversation has it. */
	function tell({ checkpoints }: TurnFiles): void {
		const entry: EarlierWork = {
			work: { agent: 'errand', label: 'Errand', isSandboxed: true, steps: [], checkpoints },
			isOnPath: true,
			keep: async work => {
				earlier = earlier.map(other =>
					other.work.checkpoints === entry.work.checkpoints ? { ...other, work } : other,
				);
			},
		};
		earlier = [entry, ...earlier];
	}
	const workAt = (index: number): AgentWork => earlier.at(index)?.work ?? assert.fail();
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
		await assert.rejects(files.keepEnd(), /cannot be kept: The agent has removed that folder or put something else/);
		assert.ok(files.checkpoints[0]?.after, 'the other repository is kept');
		assert.equal(files.checkpoints[1]?.after, undefined);
		tell(files);
		await assert.rejects(begin('client', 'server'), /put something else in its place/);
	});

	it('are told where they lie beside the repositories, or where a folder is gone', async () => {
		const files = await begin('client', 'server');
		write(inCopy('notes.md'), 'notes\n');
		await assert.rejects(files.keepEnd(), /beside the repositories, where nothing keeps it: notes\.md\./);
		rmSync(inCopy('server'), { recursive: true });
		await assert.rejects(files.keepEnd(), /removed that folder/);
	});

	it('are read by what the copy was made of, where a turn was stopped before it told anything', async () => {
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

	it('are kept with the turn that has made them, also of a repository that the next turn has not', async () => {
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
