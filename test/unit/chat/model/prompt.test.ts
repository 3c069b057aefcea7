// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of prompt files.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fillPrompt, parsePrompt } from '../../../../src/chat/model/prompt.ts';
import { processorMs } from '../../../support/processorTime.ts';

const parsed = (front: string, body = 'Do it.') => parsePrompt(`---\n${front}\n---\n${body}\n`);

describe('a prompt file', () => {
	it('is described by flat fields, quoted or not, and its text is what follows', () => {
		const { text, description, hint, mode } = parsed(
			'description: "Reviews: all of it" # a comment\nargument-hint: [file] [why]\nmode: ask',
		);
		assert.deepEqual([text, description, hint, mode], ['Do it.', 'Reviews: all of it', '[file] [why]', 'chat']);
		assert.equal(parsed("description: 'It''s new'").description, "It's new");
		assert.equal(parsePrompt('\ufeff---\r\ndescription: A\r\n---\r\nDo it.').description, 'A');
		assert.equal(parsePrompt('---\ndescription: A\n---').text, '');
		assert.equal(parsed('model: big\rdescription: A').description, 'A');
	});

	it('is its text alone where nothing closes its front matter, or where there is none', () => {
		for (const file of ['---\ndescription: A\nDo it.', 'Do it.\n---\ndescription: A\n---', 'Do it.']) {
			assert.equal(parsePrompt(file).description, undefined, file);
			assert.equal(parsePrompt(file).text, file, file);
		}
	});

	it('ignores of its front matter what is not flat', () => {
		const { description, hint, mode, unused } = parsed(
			'description:\n  nested: Not this\n- description: Nor this\n  argument-hint: Nor this\n: x\nagent: &a agent',
		);
		assert.deepEqual([description, hint, mode, unused], [undefined, undefined, undefined, ['agent']]);
	});

	it('chooses a mode that there is, and says of what else it asks for that it is not used', () => {
		for (const [field, mode] of [
			['mode: agent', 'agent'],
			['agent: search', 'search'],
			['mode: Image', 'image'],
			['agent: ask\nmode: edit', 'chat'],
		] as const) {
			assert.deepEqual([parsed(field).mode, parsed(field).unused], [mode, []], field);
		}
		assert.deepEqual(parsed('mode: edit').unused, ['mode']);
		assert.deepEqual(parsed('agent: reviewer\nmode: agent').mode, undefined);
		assert.deepEqual(parsed("tools: ['run', 'edit']\nmodel: big\nallowed-tools: Bash(git:*)").unused, [
			'model',
			'tools',
			'allowed-tools',
		]);
	});

	it('has no more of a description than a line that can be seen', () => {
		const { description, hint, text } = parsed(
			`description: a\u202eb\u0007\targument-hint: ${'x'.repeat(500)}`,
			'Do\u202e\u{e0041} it.\u001b[31m',
		);
		assert.match(description ?? '', /^a b argument-hint: x{180,181}…$/);
		assert.equal(hint, undefined);
		assert.equal(text, 'Do it.');
	});

	it('says whether it has a command, and names the files that it names', () => {
		const { hasCommand, references } = parsed(
			'',
			'State: !`git status`. See @src/a.ts, @README.md and (#file:docs/b.md). Mail me@example.com or @someone; `@decorator/x`.',
		);
		assert.equal(hasCommand, true);
		assert.deepEqual(references, ['src/a.ts', 'README.md', 'docs/b.md']);
		assert.equal(parsed('', 'Really! `git status` is a word.').hasCommand, false);
		assert.equal(parsed('', Array.from({ length: 99 }, (_, at) => `@a/${at}`).join(' ')).references.length, 20);
	});

	it('is read in time that grows with its length, whatever it is', () => {
		const blanks = ' '.repeat(65_000);
		const parts = ['---\n', '---\r\n', '\r\n', '!`', '@a', '#file:', '${input:', '$1', ' #', '"\\"', "''"];
		const values = [
			...parts.map(part => part.repeat(15_000)),
			...['\r', '\u2028', '\u2029'].flatMap(end => [`${blanks}${end}x`, `${' #'.repeat(32_000)}${end}x`]),
			`"x"${blanks}x`,
			`'${"''".repeat(32_000)}x`,
		];
		for (const value of values) {
			for (const file of [`---\ndescription: ${value}`, `---\ndescription: ${value}\n---\n${value}`]) {
				const took = processorMs(() => fillPrompt(parsePrompt(file).text, value.slice(0, 5_000)));
				assert.ok(took < 1_000, JSON.stringify(file.slice(0, 40)));
			}
		}
	});
});

describe('what is typed after the name of a prompt', () => {
	const filled = (text: string, typed: string) => {
		const result = fillPrompt(text, typed);
		assert.ok('text' in result);
		return result.text;
	};

	it('stands where the prompt has a place for it', () => {
		assert.equal(filled('Fix $ARGUMENTS.', 'it all'), 'Fix it all.');
		assert.equal(filled('$2 of $1, $3', 'a "b c"'), 'b c of a, ');
		assert.equal(filled('By ${input:name:your name}: ${input:name}', 'Ada L'), 'By Ada L: Ada L');
		assert.equal(filled('${input:a} and ${input:b}', 'one two three'), 'one and two three');
		assert.equal(filled('$10 and $ARGUMENTS_ALL', ''), '$10 and $ARGUMENTS_ALL');
	});

	it('follows a prompt that has no place for it', () => {
		assert.equal(filled('Fix it.', 'soon'), 'Fix it.\n\nsoon');
		assert.equal(filled('Fix it.', ''), 'Fix it.');
	});

	it('stands for the selection only where there is no other place for it, and otherwise the context does', () => {
		assert.equal(filled('Explain ${selection}', 'the loop'), 'Explain the loop');
		assert.equal(filled('Explain ${selectedText}', ''), 'Explain the attached context');
		assert.equal(filled('Change ${selection}: $ARGUMENTS', 'faster'), 'Change the attached context: faster');
	});

	it('is asked for where a prompt has inputs that nothing was typed for', () => {
		assert.deepEqual(fillPrompt('${input:what} ${input:why:a reason}', 'it'), { missing: ['why'] });
		assert.deepEqual(fillPrompt('${input:wh\u202eat}', ''), { missing: ['wh at'] });
	});

	it('is plain text, whatever it is: it is never filled in itself', () => {
		const part = fc.constantFrom(
			'$1',
			'$ARGUMENTS',
			'${input:x}',
			'${selection}',
			'$&',
			"$'",
			'!`rm`',
			'@a.ts',
			'\\',
			' ',
		);
		fc.assert(
			fc.property(
				fc.array(part).map(parts => parts.join('').trim()),
				typed => {
					assert.equal(filled('<$ARGUMENTS>', typed), `<${typed}>`);
					assert.equal(filled('<${input:x}>', `x${typed}`), `<x${typed}>`);
				},
			),
		);
	});
});
