import assert from 'node:assert/strict';
import { Emitter, onDidChangeValue } from '../../../src/base/event.ts';

describe('Emitter', () => {
	it('calls listeners in the order of their subscription, even if one function listens twice', () => {
		const emitter = new Emitter<number>();
		const heard: number[] = [];
		const listener = (value: number) => heard.push(value);
		const first = emitter.event(listener);
		emitter.event(listener);
		emitter.fire(1);
		first.dispose();
		emitter.fire(2);
		assert.deepEqual(heard, [1, 1, 2]);
	});

	it('still calls the others when a listener throws, and does not swallow the failure', async () => {
		const emitter = new Emitter<void>();
		let heard = false;
		emitter.event(() => {
			throw new Error('listener failed');
		});
		emitter.event(() => (heard = true));
		const listeners = process.listeners('uncaughtException');
		process.removeAllListeners('uncaughtException');
		try {
			const failure = new Promise<Error>(resolve => process.once('uncaughtException', resolve));
			emitter.fire();
			assert.equal((await failure).message, 'listener failed');
			assert.ok(heard);
		} finally {
			for (const listener of listeners) {
				process.on('uncaughtException', listener);
			}
		}
	});

	it('does not call a listener that an earlier listener unsubscribed', () => {
		const emitter = new Emitter<void>();
		let heard = 0;
		emitter.event(() => later.dispose());
		const later = emitter.event(() => heard++);
		emitter.fire();
		assert.equal(heard, 0);
	});

	it('calls nobody after it was disposed of', () => {
		const emitter = new Emitter<void>();
		let heard = 0;
		emitter.event(() => heard++);
		emitter.dispose();
		emitter.event(() => heard++);
		emitter.fire();
		assert.equal(heard, 0);
	});
});

describe('onDidChangeValue', () => {
	/** Resolves after the timers that have been set. */
	const nextTurn = () => new Promise(resolve => setTimeout(resolve));

	it('reads nothing at once, and reports an event that comes before the first read', async () => {
		const emitter = new Emitter<void>();
		let reads = 0;
		let heard = 0;
		const subscription = onDidChangeValue(
			emitter.event,
			() => ++reads && 'same',
			() => heard++,
		);
		assert.equal(reads, 0);
		emitter.fire();
		assert.equal(heard, 1);
		await nextTurn();
		emitter.fire();
		assert.equal(heard, 1);
		subscription.dispose();
	});

	it('reads nothing once it is disposed of', async () => {
		let reads = 0;
		onDidChangeValue(
			new Emitter<void>().event,
			() => reads++,
			() => {},
		).dispose();
		await nextTurn();
		assert.equal(reads, 0);
	});

	it('reports a value that an event changes without naming it, and no event that leaves it as it was', async () => {
		const emitter = new Emitter<string>();
		let settings: object | undefined;
		let heard = 0;
		const subscription = onDidChangeValue(
			emitter.event,
			() => [settings],
			() => heard++,
		);
		await nextTurn();
		emitter.fire('others');
		assert.equal(heard, 0);
		settings = { cheap: { url: 'https://example.com' } };
		emitter.fire('others');
		assert.equal(heard, 1);
		settings = { cheap: { url: 'https://example.com' } };
		emitter.fire('this');
		assert.equal(heard, 1);
		settings = { cheap: { url: 'https://example.org' } };
		emitter.fire('this');
		assert.equal(heard, 2);
		subscription.dispose();
		settings = undefined;
		emitter.fire('this');
		assert.equal(heard, 2);
	});
});
