import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Processors } from '../../../../scripts/stages/processors.ts';

describe('the processors that test processes share', () => {
	/** Works that a test ends by their names. */
	function share(quarters: number) {
		const processors = new Processors(quarters);
		const ends = new Map<string, PromiseWithResolvers<void>>();
		return {
			/** The works that have begun and have not ended. */
			get running() {
				return [...ends.keys()];
			},
			use: (name: string, needed: number) =>
				processors.use(needed, async () => {
					const end = Promise.withResolvers<void>();
					ends.set(name, end);
					await end.promise.finally(() => ends.delete(name));
				}),
			async end(name: string, error?: Error) {
				const end = ends.get(name) ?? assert.fail(`${name} is not running`);
				error ? end.reject(error) : end.resolve();
				await turn();
				await turn();
			},
		};
	}

	it('are never given to more than they can carry, and to who needs most first', async () => {
		const shared = share(8);
		const all = [1, 2, 1, 3, 3].map((quarters, at) => shared.use(`${quarters}${'abcde'[at]}`, quarters));
		const last = shared.use('8f', 8);
		await turn();
		assert.deepEqual(shared.running, ['1a', '2b', '1c', '3d']);
		for (const name of ['1a', '2b', '1c', '3d']) {
			await shared.end(name);
		}
		assert.deepEqual(shared.running, ['8f']);
		await shared.end('8f');
		assert.deepEqual(shared.running, ['3e']);
		await shared.end('3e');
		await Promise.all([...all, last]);
	});

	it('go on with who has just had them, before somebody who needs less takes a part', async () => {
		const shared = share(4);
		const windows = shared.use('first window', 3).then(() => shared.use('second window', 3));
		const small = ['a', 'b', 'c'].map(name => shared.use(name, 1));
		await turn();
		assert.deepEqual(shared.running, ['first window', 'a']);
		await shared.end('first window');
		assert.deepEqual(shared.running, ['a', 'second window']);
		await shared.end('second window');
		assert.deepEqual(shared.running, ['a', 'b', 'c']);
		for (const name of ['a', 'b', 'c']) {
			await shared.end(name);
		}
		await Promise.all([windows, ...small]);
	});

	it('are free again after a work that fails', async () => {
		const shared = share(4);
		const failing = shared.use('failing', 4);
		const next = shared.use('next', 4);
		await turn();
		await Promise.all([shared.end('failing', new Error('in vain')), assert.rejects(failing, /in vain/)]);
		assert.deepEqual(shared.running, ['next']);
		await shared.end('next');
		await next;
	});
});
