import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type DiagnosisFinding, diagnosisText } from '../../../../src/models/model/diagnosis.ts';

const words = {
	title: 'Diagnosis of acme',
	head: ['1 problem found.'],
	states: { fine: 'Fine', problem: 'Problem', note: 'Note', unchecked: 'Not checked' },
	step: 'What to do:',
};

/** What begins a link, an image, markup or code in Markdown: it has no backslash before it, or an even number of them. */
const LIVE = /(?<!\\)(?:\\\\)*[[\]<`]/;

describe('the report of a diagnosis', () => {
	it('says of each check what it was, what was found and what to do', () => {
		const findings: DiagnosisFinding[] = [
			{ state: 'fine', subject: 'Name api.example', found: 'resolves to 192.0.2.1.' },
			{ state: 'problem', subject: 'Clock', found: '7 min ahead.', step: 'Set it.' },
		];
		assert.equal(
			diagnosisText(words, findings),
			[
				'# Diagnosis of acme',
				'',
				'1 problem found.',
				'',
				'- Fine · Name api.example: resolves to 192.0.2.1.',
				'- **Problem** · Clock: 7 min ahead.',
				'  - What to do: Set it.',
				'',
			].join('\n'),
		);
	});

	it('holds no key and no credentials, wherever they were mentioned', () => {
		const found = 'It said: “sk-0123456789abcdef and Bearer abc.def and http://me:secret@proxy.example”';
		const text = diagnosisText(words, [{ state: 'note', subject: 'Key', found }]);
		assert.doesNotMatch(text, /sk-0|abc\.def|secret/);
	});

	it('has no line, link, image or code that a service has put there', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), said => {
				const found = `It said: “${said}\n# Fine ![x](https://evil.example) [y](command:z) <img> \`code\``;
				const text = diagnosisText(words, [{ state: 'note', subject: 'S', found }]);
				assert.equal(text.split(/[\n\r\u2028\u2029\v\f\u0085]/).length, 6);
				assert.doesNotMatch(text, LIVE);
			}),
		);
	});

	it('has no link that a service has put there by escaping what escapes it', () => {
		for (const said of ['\\[y](command:z)', '\\\\\\![x](https://evil.example)', '\\<img src=x>', '\\`code`']) {
			const text = diagnosisText(words, [{ state: 'note', subject: 'S', found: said }]);
			assert.doesNotMatch(text, LIVE, text);
		}
	});
});
