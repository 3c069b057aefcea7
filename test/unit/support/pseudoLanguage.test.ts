import assert from 'node:assert/strict';
import { pseudoText, untranslated } from '../../support/pseudoLanguage.ts';

describe('the pseudo-language', () => {
	it('makes a text a third longer and at least a little, and leaves what is filled in and what leads elsewhere', () => {
		const text = pseudoText('{0} of {1} files: [open](command:errand.open)');
		assert.ok(text.includes('{0} of {1} files: [open](command:errand.open)'));
		assert.ok(pseudoText('x'.repeat(100)).length >= 135);
		assert.ok(pseudoText('{0}').length < 10);
	});

	it('keeps a line of its own that is a button one', () => {
		assert.match(pseudoText('Text.\n\n[Start](command:x)'), /^⟦Text\. .*⟧\n\n\[⟦Start .*⟧\]\(command:x\)$/);
	});

	it('tells what was not translated, within a text and around one', () => {
		assert.equal(untranslated(pseudoText('All of it')), '');
		assert.equal(untranslated('None of it'), 'None of it');
		assert.equal(untranslated(`Before ${pseudoText(`one ${pseudoText('inner')} text`)} behind`), 'Before behind');
	});
});
