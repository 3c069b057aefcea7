import assert from 'node:assert/strict';
import { TextOnce } from '../../../src/agent/askModel.ts';

describe('the text of a reply that is asked for again', () => {
	/** Returns what is shown of several tries, each of which comes in pieces. */
	async function shown(...tries: string[][]): Promise<string> {
		let text = '';
		const once = new TextOnce(async said => {
			text += said;
		});
		for (const [index, pieces] of tries.entries()) {
			if (index > 0) {
				once.beginAgain();
			}
			for (const piece of pieces) {
				await once.add(piece);
			}
		}
		return text;
	}

	it('is not shown twice, however it is cut into pieces', async () => {
		assert.equal(await shown(['Hello ', 'wor'], ['He', 'llo world', '.']), 'Hello world.');
		assert.equal(await shown(['Hello'], ['Hello']), 'Hello');
		assert.equal(await shown(['Hello wor'], ['He'], ['Hello', ' world']), 'Hello world');
		assert.equal(await shown([], ['Hello']), 'Hello');
	});

	it('is shown from the line on in which it differs', async () => {
		assert.equal(await shown(['One\nTwo is'], ['One\nTwo was. Three']), 'One\nTwo is\n\nTwo was. Three');
		assert.equal(await shown(['Hello'], ['Good', ' day']), 'Hello\n\nGood day');
	});

	it('is compared with the try that was shown last', async () => {
		assert.equal(await shown(['A'], ['B is'], ['B is it']), 'A\n\nB is it');
	});
});
