import assert from 'node:assert/strict';
import { DisposableStore, MutableDisposable, toDisposable } from '../../../src/base/disposable.ts';

describe('DisposableStore', () => {
	it('disposes in the reverse order of addition, once', () => {
		const order: number[] = [];
		const store = new DisposableStore();
		store.add(toDisposable(() => order.push(1)));
		store.add(toDisposable(() => order.push(2)));
		store.dispose();
		store.dispose();
		assert.deepEqual(order, [2, 1]);
	});

	it('disposes at once of what is added too late', () => {
		const store = new DisposableStore();
		store.dispose();
		let disposed = false;
		store.add(toDisposable(() => (disposed = true)));
		assert.ok(disposed);
	});

	it('disposes of the others when one fails, and throws that failure', () => {
		const store = new DisposableStore();
		let disposed = false;
		store.add(toDisposable(() => (disposed = true)));
		store.add(
			toDisposable(() => {
				throw new Error('stuck');
			}),
		);
		assert.throws(() => store.dispose(), /stuck/);
		assert.ok(disposed);
	});
});

describe('MutableDisposable', () => {
	it('disposes of its value when another is set, and of whatever is set after it was disposed of', () => {
		const order: string[] = [];
		const holder = new MutableDisposable();
		holder.value = toDisposable(() => order.push('first'));
		holder.value = toDisposable(() => order.push('second'));
		holder.dispose();
		holder.value = toDisposable(() => order.push('third'));
		assert.deepEqual(order, ['first', 'second', 'third']);
		assert.equal(holder.value, undefined);
	});

	it('keeps a value that is set to it again', () => {
		const holder = new MutableDisposable();
		let disposed = false;
		const value = toDisposable(() => (disposed = true));
		holder.value = value;
		holder.value = value;
		assert.equal(disposed, false);
	});
});
