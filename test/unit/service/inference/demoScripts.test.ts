import assert from 'node:assert/strict';
import { demoReply } from '../../../../src/service/inference/demoScripts.ts';

const textOf = (...contents: string[]) => demoReply(contents.map(content => ({ role: 'user' as const, content }))).text;

describe('demoReply', () => {
	it('says in every reply that it is no language model', () => {
		for (const prompt of ['Hello', '/demo help', '/demo slow', '/demo markdown', '/demo nonsense', '']) {
			assert.match(textOf(prompt), /Errand's built-in demo, not a language model/, prompt);
		}
	});

	it('answers the same conversation with the same text, and another with another', () => {
		assert.equal(textOf('One two'), textOf('One two'));
		assert.notEqual(textOf('One two'), textOf('One two three'));
		assert.notEqual(textOf('One two'), textOf('Before', 'One two'));
	});

	it('reflects the prompt in a list and a code block that the prompt cannot end', () => {
		const text = textOf('Try ``` to escape ```` here');
		assert.match(text, /^- \*\*6\*\* words$/m);
		const [, fence = '', json = ''] = /^(`{3,})json\n([\s\S]+?)\n\1$/m.exec(text) ?? [];
		assert.ok(fence.length > 4);
		assert.equal((JSON.parse(json) as { prompt: string }).prompt, 'Try ``` to escape ```` here');
	});

	it('lists all of its scripts', () => {
		for (const name of ['help', 'slow', 'long', 'cut', 'error', 'markdown']) {
			assert.match(textOf('/demo help'), new RegExp(`^- \`/demo ${name}\`: `, 'm'));
		}
	});

	it('shows the list for a script that does not exist, whatever its name', () => {
		for (const name of ['nonsense', '__proto__', 'constructor', 'toString']) {
			assert.equal(textOf(`/demo ${name}`), textOf('/demo help'));
		}
	});

	it('markdown holds everything that a view must not run or load', () => {
		const text = textOf('/demo markdown');
		for (const part of [
			/^# /m,
			/^\| :--- \|/m,
			/\]\(https:/,
			/!\[.*\]\(https:/,
			/<script>/,
			/onerror=/,
			/^```html$/m,
		]) {
			assert.match(text, part);
		}
	});

	it('long is long', () => {
		assert.ok(textOf('/demo long').length > 8_000);
	});
});
