import assert from 'node:assert/strict';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import { SharedState, StateEntries } from '../../../../src/platform/sharedState.ts';
import {
	makeScratchBranch,
	nameScratchBranch,
	type ScratchBranch,
	ScratchBranches,
} from '../../../../src/tasks/launch/scratchBranches.ts';
import { SCRATCH_ENTRIES } from '../../../../src/tasks/model/storageKeys.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

describe('scratch branches', () => {
	let repository: TemporaryRepository;
	let kept: ScratchBranch[];
	let warnings: string[];
	/** How often a branch was to be removed. */
	let removals: number;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		const origin = path.join(repository.folder, 'origin.git');
		await repository.git('init', '--quiet', '--bare', origin);
		await repository.git('remote', 'add', 'origin', origin);
		kept = [];
		warnings = [];
		removals = 0;
	});

	afterEach(() => repository.remove());

	const place = () => ({ gitPath: 'git', directory: repository.path, credentials: {} });
	const state = () => new SharedState(path.join(repository.folder, 'state'), nullLogger);
	const remembered = () => new StateEntries(state(), SCRATCH_ENTRIES, (_value): _value is { madeAt: number } => true);
	const makeOld = async (name: string) => {
		const scratch = remembered().get(name);
		assert.ok(scratch);
		await remembered().set(name, { ...scratch, madeAt: scratch.madeAt - 60 * 60_000 });
	};
	/** Creates the branches as after a reload or in another window on the folder: they share only what is remembered. */
	const open = () =>
		new ScratchBranches({
			workspaceState: state(),
			async place() {
				removals++;
				return place();
			},
			onKept: branch => kept.push(branch),
			logger: { log: (_level, message, fields) => void warnings.push(`${message}: ${fields?.['reason']}`) },
		});
	const make = async (remote: string | undefined = 'origin') => {
		const branch = nameScratchBranch(await repository.head(), remote);
		await open().remember(branch, 'local', repository.path);
		await makeScratchBranch(place(), branch);
		return branch;
	};
	const remote = () => repository.git('ls-remote', '--heads', 'origin');
	const ended = () => true;
	/** Returns the tasks of the branches that are remembered, of which none has ended. */
	const waiting = async () => {
		const asked: string[] = [];
		await open().sweep(
			'local',
			id => asked.push(id) < 0,
			() => false,
		);
		return asked;
	};

	it('go when their task has ended, also after a reload of the window', async () => {
		const { name } = await make();
		await open().claim(name, 'task-1');
		assert.deepEqual(await waiting(), ['task-1']);
		await open().sweep('other', ended, () => false);
		assert.match(await remote(), new RegExp(name));
		await open().sweep('local', ended, () => false);
		assert.equal(await remote(), '');
		assert.deepEqual(state().keys(), []);
	});

	it('are removed once, even if two sweeps ask at the same time whether their task has ended', async () => {
		const { name } = await make();
		await open().claim(name, 'task-1');
		const branches = open();
		const answer = Promise.withResolvers<boolean>();
		const sweeps = [1, 2].map(() =>
			branches.sweep(
				'local',
				() => answer.promise,
				() => false,
			),
		);
		answer.resolve(true);
		await Promise.all(sweeps);
		assert.deepEqual([removals, warnings, await remote()], [1, [], '']);
	});

	it('go at once where the service refused the task, here as well', async () => {
		for (const where of ['origin', undefined]) {
			const { name } = await make(where);
			await open().remove(name);
		}
		assert.equal(await remote(), '');
		assert.deepEqual(await repository.branches(), ['main']);
		assert.deepEqual(state().keys(), []);
	});

	it('stay while a request may still become their task', async () => {
		const { name } = await make();
		await open().sweep('local', ended, () => false);
		await makeOld(name);
		await open().sweep('local', ended, () => true);
		assert.match(await remote(), new RegExp(name));
		await open().sweep('local', ended, () => false);
		assert.equal(await remote(), '');
	});

	it('are kept, with a message, if they have been moved', async () => {
		const { name } = await make();
		const next = await repository.commitAll('Somebody’s work');
		await repository.git('push', '--quiet', 'origin', `${next}:refs/heads/${name}`);
		await open().remove(name);
		assert.deepEqual(
			kept.map(branch => branch.name),
			[name],
		);
		assert.match(await remote(), new RegExp(next));
		assert.deepEqual(state().keys(), []);
	});

	it('are forgotten without a word where they are gone already', async () => {
		const { name } = await make();
		await repository.git('push', '--quiet', 'origin', `:refs/heads/${name}`);
		await open().remove(name);
		assert.deepEqual([kept, warnings, state().keys()], [[], [], []]);
	});

	it('stay remembered while the remote cannot be reached, and go later', async () => {
		const { name } = await make();
		const url = (await repository.git('remote', 'get-url', 'origin')).trim();
		await repository.git('remote', 'set-url', 'origin', path.join(repository.folder, 'elsewhere.git'));
		await open().remove(name);
		assert.equal(warnings.length, 1);
		// Git takes the password to end at its first “@”, and prints the rest.
		await repository.git('remote', 'set-url', 'origin', 'https://robin:sec@ret@127.0.0.1:1/origin.git');
		await open().remove(name);
		assert.match(warnings[1] ?? '', /could not be removed: fatal: unable to access 'https:\/\/127\.0\.0\.1:1/);
		assert.doesNotMatch(warnings[1] ?? '', /robin|sec|ret@/);
		assert.equal(state().keys().length, 1);
		await repository.git('remote', 'set-url', 'origin', url);
		await open().remove(name);
		assert.equal(await remote(), '');
	});

	it('are forgotten where the window closed before they were made', async () => {
		for (const where of ['origin', undefined]) {
			const branch = nameScratchBranch(await repository.head(), where);
			await open().remember(branch, 'local', repository.path);
			await makeOld(branch.name);
			await open().sweep('local', ended, () => false);
			assert.deepEqual([kept, warnings, state().keys()], [[], [], []]);
		}
	});

	it('are not read from what is damaged', async () => {
		for (const [index, value] of [null, 7, { name: 'x' }].entries()) {
			await state().update(`${SCRATCH_ENTRIES}/${index}`, value);
		}
		assert.deepEqual(await waiting(), []);
	});

	it('of two windows on one folder are all remembered, and all removed', async () => {
		const windows = [open(), open()];
		const branches = await Promise.all(
			Array.from({ length: 10 }, async (_, index) => {
				const branch = nameScratchBranch(await repository.head(), undefined);
				const window = windows[index % 2];
				await window?.remember(branch, 'local', repository.path);
				await makeScratchBranch(place(), branch);
				await window?.claim(branch.name, `task-${index}`);
				return branch;
			}),
		);
		assert.equal(new Set(branches.map(({ name }) => name)).size, 10);
		assert.equal((await waiting()).length, 10);
		await windows[0]?.sweep('local', ended, () => false);
		assert.deepEqual(await repository.branches(), ['main']);
		assert.deepEqual(state().keys(), []);
	});
});
