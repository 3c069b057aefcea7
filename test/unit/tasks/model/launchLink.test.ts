import assert from 'node:assert/strict';
import { MAXIMUM_PROMPT, readLaunchLink } from '../../../../src/tasks/model/launchLink.ts';

const read = (parameters: Record<string, string>) =>
	readLaunchLink('/start-task', new URLSearchParams(parameters).toString());

describe('a link that starts a task', () => {
	it('brings a prompt, and names a repository and a branch', () => {
		assert.deepEqual(read({ prompt: ' Fix it\r\nnow ', repository: 'acme/widgets', branch: 'main', other: 'x' }), {
			prompt: 'Fix it\nnow',
			repository: 'acme/widgets',
			branch: 'main',
		});
		assert.equal(typeof read({ prompt: 'Love ❤️‍🔥, می‌خواهم' }), 'object');
		assert.deepEqual(read({ prompt: '修理 👩‍💻' }), { prompt: '修理 👩‍💻', repository: undefined, branch: undefined });
	});

	it('is refused under another path, without a prompt, and where it names a thing twice', () => {
		assert.equal(readLaunchLink('/stop-task', 'prompt=x'), 'path');
		assert.equal(readLaunchLink('/start-task', ''), 'no-prompt');
		assert.equal(read({ prompt: ' \n ' }), 'no-prompt');
		assert.equal(readLaunchLink('/start-task', 'prompt=harmless&prompt=other'), 'repeated');
		assert.equal(readLaunchLink('/start-task', 'prompt=x&branch=a&branch=b'), 'repeated');
	});

	it('is refused beyond its caps, before anything of it is read', () => {
		assert.equal(read({ prompt: 'x'.repeat(MAXIMUM_PROMPT + 1) }), 'too-long');
		assert.equal(readLaunchLink('/start-task', `prompt=x&y=${'z'.repeat(1_000_000)}`), 'too-long');
		assert.equal(read({ prompt: 'x', repository: 'r'.repeat(2_001) }), 'too-long');
		assert.equal(read({ prompt: 'x', branch: 'b'.repeat(251) }), 'too-long');
		assert.notEqual(read({ prompt: '漢'.repeat(MAXIMUM_PROMPT) }), 'too-long');
	});

	it('is refused where it hides what it says', () => {
		for (const prompt of [
			'a\u202eb',
			'a\u200bb',
			'a\u0000b',
			'a\u001b[2Jb',
			'a\u{e0041}b',
			'a\u2028b',
			'a\u{e0101}b',
			'a\ufe01b',
			'a\u3164b',
			'a\u2800b',
			'a\u034fb',
			'a\u200d\u200c\u200db',
		]) {
			assert.equal(read({ prompt }), 'control', JSON.stringify(prompt));
		}
		for (const prompt of ['👩‍💻 می\u200cخواهم ❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
			assert.equal(typeof read({ prompt }), 'object', prompt);
		}
		assert.equal(read({ prompt: '🏴\u{e0041}\u{e007f}' }), 'control');
		assert.equal(read({ prompt: 'x', branch: 'ma\nin' }), 'control');
		assert.equal(read({ prompt: 'x', branch: 'main\u3164' }), 'control');
		assert.equal(read({ prompt: 'x', repository: 'ac\u202eme' }), 'control');
	});

	it('is refused where its branch would be an option', () => {
		assert.equal(read({ prompt: 'x', branch: '--upload-pack=id' }), 'branch');
	});
});
