import assert from 'node:assert/strict';
import type { FromPage } from '../../../../src/chat/protocol/protocol.ts';
import type { SavedState } from '../../../../src/chat/ui/page.ts';
import { emptyPageState, type PageState } from '../../../../src/chat/ui/pageState.ts';
import { StateKeeper, WindowCopy } from '../../../../src/chat/ui/stateKeeper.ts';
import { waitFor } from '../../../support/waitFor.ts';

describe('a draft', () => {
	let kept: Map<string, string>;
	let editors: SavedState[];
	let posted: FromPage[];

	beforeEach(() => {
		kept = new Map();
		editors = [];
		posted = [];
	});

	const box = {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, text: string) => void kept.set(key, text),
		removeItem: (key: string) => void kept.delete(key),
	};
	const copy = (place = 'here') => new WindowCopy(place, () => box);
	const keeper = (shown: PageState = emptyPageState) =>
		new StateKeeper({
			host: {
				postMessage: message => void posted.push(message),
				getState: () => editors.at(-1),
				setState: state => void editors.push(state),
			},
			copy: copy(),
			nextState: shown,
		});

	it('is kept at once by the window and the editor, for the place where it was typed', () => {
		const typing = keeper();
		typing.save({ draft: 'a' });
		typing.save({ draft: 'ab' });
		assert.equal(JSON.parse(copy().read() ?? '').draft, 'ab');
		assert.equal(editors.at(-1)?.draft, 'ab');
		assert.equal(copy('elsewhere').read(), undefined);
		typing.flush();
	});

	it('is told to the host soon, and at once when the page may be about to go', async () => {
		const typing = keeper();
		typing.save({ draft: 'a' });
		assert.deepEqual(posted, []);
		typing.flush();
		typing.flush();
		const texts = () =>
			posted.flatMap(message => (message.kind === 'state-keep' ? JSON.parse(message.state).draft : []));
		assert.deepEqual(texts(), ['a']);
		typing.save({ draft: 'ab' });
		await waitFor('the host is told', () => texts().length > 1);
		assert.deepEqual(texts(), ['a', 'ab']);
	});

	it('in an encrypted conversation that is not kept is written down nowhere', () => {
		const encryption = { isKept: false } as NonNullable<PageState['encryption']>;
		const typing = keeper({ ...emptyPageState, encryption });
		typing.save({ draft: 'secret', draftOf: 'c', edit: { turn: 't', text: 'secret' } });
		typing.flush();
		assert.doesNotMatch(JSON.stringify([[...kept.values()], editors]), /secret/);
		assert.doesNotMatch(JSON.stringify(posted.filter(({ kind }) => kind === 'state-keep')), /secret/);
		assert.deepEqual(posted.at(-1), { kind: 'draft-hold', conversation: 'c', text: 'secret' });
	});

	it('is left to the other copies if the window has no room for it', () => {
		let isFull = false;
		const narrow = new WindowCopy('here', () => ({
			...box,
			setItem: (key, text) => {
				if (isFull) {
					throw new Error('no room');
				}
				box.setItem(key, text);
			},
		}));
		narrow.write({ draft: 'old' });
		assert.match(narrow.read() ?? '', /old/);
		isFull = true;
		narrow.write({ draft: 'new' });
		assert.equal(narrow.read(), undefined);
	});

	it('is left to the other copies if the browser lets a page keep nothing', () => {
		const none = new WindowCopy('here', () => {
			throw new Error('refused');
		});
		none.write({ draft: 'a' });
		assert.equal(none.read(), undefined);
	});
});
