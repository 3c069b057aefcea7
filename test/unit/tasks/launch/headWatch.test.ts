import assert from 'node:assert/strict';
import { Emitter, type Event } from '../../../../src/base/event.ts';
import type { GitApi } from '../../../../src/platform/git.ts';
import { HeadWatch } from '../../../../src/tasks/launch/headWatch.ts';

describe('the watch of checked-out branches', () => {
	let listeners: number;
	let changed: Emitter<void>;
	let git: { repositories: { rootUri: string; state: { HEAD: { name: string }; onDidChange: Event<void> } }[] };

	beforeEach(() => {
		listeners = 0;
		changed = new Emitter();
		const counted: Event<void> = listener => {
			listeners++;
			const subscription = changed.event(listener);
			return {
				dispose() {
					listeners--;
					subscription.dispose();
				},
			};
		};
		git = {
			repositories: [{ rootUri: 'file:///widgets', state: { HEAD: { name: 'main' }, onDidChange: counted } }],
			...{ onDidOpenRepository: counted },
		};
	});

	const api = () => git as unknown as GitApi;
	const checkOut = (name: string) => {
		for (const { state } of git.repositories) {
			state.HEAD = { name };
		}
		changed.fire();
	};

	it('reports another branch, and listens once however often it begins', () => {
		let changes = 0;
		const watch = new HeadWatch(() => changes++);
		for (let time = 0; time < 5; time++) {
			watch.watch(api());
		}
		assert.equal(listeners, 2);
		checkOut('other');
		assert.ok(changes > 0);
		watch.dispose();
		assert.equal(listeners, 0);
	});

	it('does not listen to what is read too late, after its end', () => {
		const watch = new HeadWatch(assert.fail);
		watch.dispose();
		watch.watch(api());
		assert.equal(listeners, 0);
		checkOut('other');
	});
});
