import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { useCheckout } from './useCheckout.ts';

describe('a clone that lacks something', () => {
	const at = useCheckout();
	let clone: string;

	beforeEach(async () => {
		const { repository } = at;
		await repository.write('in/a.txt', 'first a\n');
		await repository.write('out/b.txt', 'first b\n');
		await repository.commitAll('Second');
		await repository.write('in/a.txt', 'second a\n');
		await repository.write('out/b.txt', 'second b\n');
		await repository.commitAll('Third');
		await repository.git('config', 'uploadpack.allowFilter', 'true');
		await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
		clone = path.join(repository.folder, 'clone');
	});

	const make = (...how: string[]) =>
		at.repository.git('clone', '--quiet', ...how, `file://${at.repository.path}`, clone);
	const gitThere = (...args: string[]) => at.repository.git('-C', clone, ...args);

	/** Works in a checkout, and returns the commit that has reached the clone. */
	async function work(checkout: Checkout): Promise<string> {
		await writeFile(path.join(checkout.tree, 'new.txt'), 'new\n');
		const { commit } = await checkout.commit('Work');
		await checkout.push(commit ?? assert.fail('no commit'), 'errand/work');
		return (await gitThere('rev-parse', 'errand/work')).trim();
	}

	for (const [what, how] of [
		['content of earlier commits', ['--filter=blob:none']],
		['large files of earlier commits', ['--filter=blob:limit=1']],
		['folders of earlier commits', ['--filter=tree:0']],
		['earlier commits', ['--depth=1']],
		['earlier commits, and content of those that it has', ['--depth=2', '--filter=blob:none']],
	] as const) {
		it(`has a task’s work on top of its branch where it lacks ${what}`, async () => {
			await make(...how);
			const checkout = await at.checkOut(clone);
			const start = (await gitThere('rev-parse', 'main')).trim();
			assert.equal(await checkout.start(), start);
			const commit = await work(checkout);
			assert.equal((await gitThere('rev-parse', `${commit}^`)).trim(), start);
			assert.deepEqual(await checkout.statistics(start, commit), { linesAdded: 1, linesRemoved: 0, filesChanged: 1 });
		});
	}

	it('is continued where it is a partial clone, and the statistics count from where the branch began', async () => {
		await make('--filter=blob:none');
		const first = await at.checkOut(clone);
		const base = await first.start();
		await work(first);
		await gitThere('branch', '--quiet', '--move', 'main', 'left');
		await gitThere('branch', '--quiet', 'main', 'errand/work');
		await gitThere('symbolic-ref', 'HEAD', 'refs/heads/main');

		const again = await at.checkOut(clone);
		await writeFile(path.join(again.tree, 'newer.txt'), 'newer\n');
		const { commit } = await again.commit('More');
		assert.equal(await again.has(base), true);
		assert.equal((await again.statistics(base, commit ?? '')).filesChanged, 2);
		assert.equal(await again.has(await at.repository.commitAll('Elsewhere')), false);
	});

	for (const [what, how] of [
		['a sparse checkout of a partial clone', ['--filter=blob:none', '--sparse']],
		['a partial clone that was never checked out', ['--filter=blob:none', '--no-checkout']],
		['a partial clone without any folder', ['--filter=tree:0', '--no-checkout']],
	] as const) {
		it(`is refused in a sentence before anything is cloned where it is ${what}`, async () => {
			await make(...how);
			await assert.rejects(at.checkOut(clone), {
				message: new RegExp(
					`${clone} is a partial clone without all files of the branch "main": \\d+ objects are missing\\. .*git fetch --refetch --no-filter`,
				),
			});
			// What the sentence says helps.
			await gitThere('fetch', '--quiet', '--refetch', '--no-filter');
			await work(await at.checkOut(clone));
		});
	}

	it('has all files of the branch in a task where its checkout is sparse', async () => {
		await make('--sparse');
		await gitThere('sparse-checkout', 'set', 'in');
		const checkout = await at.checkOut(clone);
		const commit = await work(checkout);
		assert.deepEqual(await checkout.changedFiles(await checkout.start(), commit), ['new.txt']);
		assert.match(await gitThere('show', `${commit}:out/b.txt`), /second b/);
	});
});
