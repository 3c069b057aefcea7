import assert from 'node:assert/strict';
import { findTodo, problemPrompt, selectionPrompt, todoPrompt } from '../../../../src/tasks/model/promptText.ts';

const source = { file: 'src/a.ts', firstLine: 3, lastLine: 4, language: 'typescript', text: 'one\ntwo\n' };

describe('the prompt for a place in a file', () => {
	it('begins with file, lines and the text in a fence', () => {
		assert.equal(selectionPrompt(source), '`src/a.ts:3-4`:\n\n```typescript\none\ntwo\n```\n\n');
		assert.match(selectionPrompt({ ...source, lastLine: 3 }), /^`src\/a\.ts:3`:/);
	});

	it('keeps a text from ending its own fence', () => {
		const prompt = selectionPrompt({ ...source, text: 'a\n````\nb' });
		assert.match(prompt, /\n`````typescript\na\n````\nb\n`````\n/);
	});

	it('takes no line end and no fence out of a name', () => {
		const prompt = selectionPrompt({ ...source, file: 'a`\n\u202eb\u{e0041}\u3164.ts', language: 'x\n```' });
		assert.match(prompt, /^`ab\.ts:3-4`:\n\n```\none/);
	});

	it('says a problem as a quotation, and what a comment asks for', () => {
		assert.equal(
			problemPrompt(source, 'Fix the problem at', 'first\nsecond'),
			'Fix the problem at `src/a.ts:3-4`:\n\n> first\n> second\n\n```typescript\none\ntwo\n```\n',
		);
		assert.match(todoPrompt(source, 'Do this at'), /^Do this at `src\/a\.ts:3-4`:\n\n```/);
	});
});

describe('a comment that asks for work', () => {
	it('is found by its word alone', () => {
		assert.equal(findTodo('	// TODO: round prices '), 'TODO: round prices');
		assert.equal(findTodo('# FIXME(robin) later'), 'FIXME(robin) later');
		for (const line of ['const TODOS = 1;', 'mastodon', 'todo', 'XTODO', 'TODO_LIST', `${' '.repeat(5_000)}TODO`]) {
			assert.equal(findTodo(line), undefined, line.slice(0, 20));
		}
	});
});
