import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { checkOut } from '../../../../src/tasks/branches/checkOut.ts';
import { readLocalBranch } from '../../../../src/tasks/branches/localBranch.ts';
import { countLost, countNew, listPushRemotes, readRemoteBranch } from '../../../../src/tasks/branches/remoteBranch.ts';
import { makeScratchBranch, removeScratchBranch } from '../../../../src/tasks/launch/scratchBranches.ts';
import { comparePage, likelyBases } from '../../../../src/tasks/model/comparePage.ts';
import { listChangedFiles } from '../../../../src/tasks/results/readChanges.ts';
import { fetchTip } from '../../../../src/tasks/results/taskBranch.ts';
import { GitHttpServer } from '../../../support/gitHttpServer.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { readRange } from '../results/readRange.ts';

const BRANCH = 'errand/fix-#12';
const RESULT = { key: 'task-1', taskId: 'task-1', branch: BRANCH, agent: undefined };

describe('the branch of a task on a remote that asks for a password', () => {
	let source: TemporaryRepository;
	let server: GitHttpServer;
	let place: GitPlace;
	let credentials: Record<string, string>;
	let clone: string;

	/** `acme/widgets` has `main` and the branch of a task, with one commit more; `jane/widgets` is a fork without it. */
	beforeEach(async () => {
		source = await TemporaryRepository.create();
		const hosted = path.join(source.folder, 'hosted');
		await mkdir(hosted);
		await source.git('clone', '-q', '--bare', source.path, path.join(hosted, 'jane', 'widgets.git'));
		await source.git('switch', '-q', '-c', BRANCH);
		await source.write('work.txt', 'done\n');
		await source.commitAll('Work');
		await source.git('switch', '-q', 'main');
		await source.git('clone', '-q', '--bare', source.path, path.join(hosted, 'acme', 'widgets.git'));
		server = await GitHttpServer.start(hosted);
		credentials = await server.credentials();
		clone = path.join(source.folder, 'clone');
		await asUser(source.folder, 'clone', '-q', server.address('acme/widgets.git'), clone);
		await asUser(clone, 'config', 'user.name', 'Tester');
		await asUser(clone, 'config', 'user.email', 'tester@example.invalid');
		place = { gitPath: 'git', directory: clone, credentials };
	});
	afterEach(async () => {
		await server.stop();
		await source.remove();
	});

	/** Runs git as the editor does for the user. */
	async function asUser(directory: string, ...args: string[]): Promise<string> {
		const env = { PATH: process.env['PATH'], HOME: source.folder, LC_ALL: 'C', NO_PROXY: '127.0.0.1', ...credentials };
		return (await promisify(execFile)('git', args, { cwd: directory, env })).stdout.trim();
	}
	async function commitHere(name: string): Promise<string> {
		await writeFile(path.join(clone, name), `${name}\n`);
		await asUser(clone, 'add', '.');
		await asUser(clone, 'commit', '-q', '-m', name);
		return asUser(clone, 'rev-parse', 'HEAD');
	}
	const look = async (remote: string, commit: string) =>
		(await readRemoteBranch(place, remote, BRANCH, commit)).standing;

	it('is fetched and looked at with the editor’s credentials, and not without them', async () => {
		server.refused = 0;
		const start = { branch: 'main', commit: undefined };
		await assert.rejects(
			readRange({ ...place, credentials: {} }, 'origin', RESULT, start),
			/could not read Username|terminal prompts disabled/,
		);
		assert.ok(server.refused > 0);
		const { base, tip } = await readRange(place, 'origin', RESULT, start);
		const files = await listChangedFiles(place, base, tip);
		assert.deepEqual(
			files.map(({ status, after }) => [status, after?.path]),
			[['A', 'work.txt']],
		);
	});

	it('goes the whole way: checked out, worked on, pushed, and to the page for a pull request', async () => {
		const tip = await fetchTip(place, 'origin', RESULT);
		const local = await readLocalBranch(place, BRANCH, tip);
		await checkOut(place, { local, tip, follows: { remote: 'origin', branch: BRANCH } });
		assert.deepEqual(await look('origin', tip), { kind: 'same' });
		const commit = await commitHere('more.txt');
		assert.deepEqual(await look('origin', commit), { kind: 'behind', commits: 1 });
		await asUser(clone, 'push', '-q', 'origin', `${commit}:refs/heads/${BRANCH}`);
		assert.deepEqual(await look('origin', commit), { kind: 'same' });
		const [origin] = await listPushRemotes(place);
		assert.deepEqual(origin, { name: 'origin', address: server.address('acme/widgets.git') });
		const { address } = origin ?? assert.fail();
		assert.equal(
			comparePage('gitea', { head: address, branch: BRANCH, base: address, baseBranch: 'main' }),
			server.address('acme/widgets/compare/main...errand/fix-%2312'),
		);
	});

	it('goes from a fork to the repository that the fork was made of', async () => {
		await asUser(clone, 'remote', 'rename', 'origin', 'upstream');
		await asUser(clone, 'remote', 'add', 'origin', server.address('jane/widgets.git'));
		await asUser(clone, 'fetch', '-q', 'origin');
		const tip = await fetchTip(place, 'upstream', RESULT);
		assert.deepEqual(await look('origin', tip), { kind: 'missing' });
		assert.equal(await countNew(place, 'origin', tip), 1);
		await asUser(clone, 'push', '-q', 'origin', `${tip}:refs/heads/${BRANCH}`);
		assert.deepEqual(await look('origin', tip), { kind: 'same' });
		const remotes = await listPushRemotes(place);
		const head = remotes.find(({ name }) => name === 'origin') ?? assert.fail();
		const [base, ...others] = likelyBases(head, remotes);
		assert.deepEqual([base?.name, others], ['upstream', []]);
		assert.equal(
			comparePage('gitea', { head: head.address, branch: BRANCH, base: base?.address ?? '', baseBranch: 'main' }),
			server.address('acme/widgets/compare/main...jane:errand/fix-%2312'),
		);
	});

	it('is never pushed to a remote whose name git would take for an option', async () => {
		await asUser(clone, 'config', 'remote.--receive-pack=planted.url', 'elsewhere');
		assert.deepEqual(
			(await listPushRemotes(place)).map(({ name }) => name),
			['origin'],
		);
	});

	it('is known to have moved there, whether or not its commits are here', async () => {
		const tip = await fetchTip(place, 'origin', RESULT);
		await source.git('switch', '-q', BRANCH);
		await source.write('work.txt', 'done again\n');
		await source.git('commit', '-q', '--amend', '-a', '-m', 'Work again');
		await source.git('push', '-q', '--force', path.join(source.folder, 'hosted', 'acme', 'widgets.git'), BRANCH);
		assert.deepEqual(await look('origin', tip), { kind: 'diverged', ahead: Number.NaN, behind: Number.NaN });
		await fetchTip(place, 'origin', { ...RESULT, key: 'other' });
		assert.deepEqual(await look('origin', tip), { kind: 'diverged', ahead: 1, behind: 1 });
	});

	it('is deleted there and here only where it has not moved, and comes back at the same commit', async () => {
		const tip = await fetchTip(place, 'origin', RESULT);
		await asUser(clone, 'branch', '-q', BRANCH, tip);
		const here = { name: BRANCH, commit: tip, remote: undefined };
		const there = { ...here, remote: 'origin' };
		const other = await asUser(clone, 'rev-parse', 'main');
		for (const branch of [here, there]) {
			await assert.rejects(removeScratchBranch(place, { ...branch, commit: other }), /stale info|cannot lock ref/);
			await removeScratchBranch(place, branch);
		}
		assert.deepEqual(await look('origin', tip), { kind: 'missing' });
		assert.equal((await readLocalBranch(place, BRANCH, tip)).commit, undefined);
		for (const branch of [here, there]) {
			await makeScratchBranch(place, branch);
			await assert.rejects(makeScratchBranch(place, { ...branch, commit: other }), 'nobody else’s branch is replaced');
		}
		assert.deepEqual(await look('origin', tip), { kind: 'same' });
		assert.equal((await readLocalBranch(place, BRANCH, tip)).commit, tip);
	});

	it('says how many commits are on no other branch and no tag', async () => {
		const tip = await fetchTip(place, 'origin', RESULT);
		const lost = (...references: string[]) => countLost(place, tip, references);
		await asUser(clone, 'branch', '-q', '--no-track', BRANCH, tip);
		assert.equal(await lost(`refs/heads/${BRANCH}`), 0, 'the remote has it');
		assert.equal(await lost(`refs/heads/${BRANCH}`, `refs/remotes/origin/${BRANCH}`), 1);
		await asUser(clone, 'branch', '-q', '--no-track', `${BRANCH}-2`, tip);
		assert.equal(await lost(`refs/heads/${BRANCH}`, `refs/remotes/origin/${BRANCH}`), 0);
		await asUser(clone, 'branch', '-q', '-D', `${BRANCH}-2`);
		await asUser(clone, 'tag', 'v1', tip);
		assert.equal(await lost(`refs/heads/${BRANCH}`, `refs/remotes/origin/${BRANCH}`), 0);
	});
});
