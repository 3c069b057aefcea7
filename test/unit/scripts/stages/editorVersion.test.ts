import assert from 'node:assert/strict';
import { chooseEditor } from '../../../../scripts/stages/editorVersion.ts';

describe('the desktop editor of the tests', () => {
	it('is the newest, the oldest that is supported, or the one that is named', () => {
		assert.equal(chooseEditor([], '^1.109.0').version, 'stable');
		assert.equal(chooseEditor(['--editor=newest'], '^1.109.0').version, 'stable');
		assert.equal(chooseEditor(['--editor=oldest'], '^1.109.0').version, '1.109.0');
		assert.equal(chooseEditor(['--editor=1.112.3'], '^1.109.0').version, '1.112.3');
	});

	it('leaves all other arguments to the tests', () => {
		const { others } = chooseEditor(['--grep', 'keys', '--editor=oldest', '--bail'], '^1.109.0');
		assert.deepEqual(others, ['--grep', 'keys', '--bail']);
	});

	it('is refused where its name is no version', () => {
		for (const name of ['', 'insiders', '1.109', '1.109.0 --x']) {
			assert.throws(() => chooseEditor([`--editor=${name}`], '^1.109.0'), /is no version of the editor/, name);
		}
	});
});
