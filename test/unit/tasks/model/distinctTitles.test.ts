import assert from 'node:assert/strict';
import { distinctTitles } from '../../../../src/tasks/model/distinctTitles.ts';
import { readTask } from '../../../support/readTask.ts';

describe('the titles of tasks', () => {
	const titles = (...tasks: object[]) => {
		const found = distinctTitles(
			tasks.map((fields, at) => readTask({ id: `t${at}`, ...fields })),
			'Untitled',
		);
		return tasks.map((_, at) => found.get(`t${at}`));
	};
	const prompts = (...texts: string[]) => titles(...texts.map(prompt => ({ prompt })));

	it('are left alone where the beginnings differ', () => {
		assert.deepEqual(prompts('Fix the parser', 'Fix the printer'), [undefined, undefined]);
		assert.deepEqual(titles({}), [undefined]);
	});

	it('have the words by which prompts with one beginning differ, near enough to their own to be seen', () => {
		const first = 'Add an option to the command line that prints everything as JSON';
		assert.deepEqual(prompts(`${first}\n\nUse the stream writer.`, `${first}\n\nUse the old printer.`), [
			'Add an option to the co… stream writer.',
			'Add an option to the co… old printer.',
		]);
		assert.deepEqual(prompts('Fix it\nin a.ts', 'Fix it\nin b.ts', 'Fix it'), [
			'Fix it … a.ts',
			'Fix it … b.ts',
			'Fix it',
		]);
		// Long first lines that are cut before they differ.
		const long = 'x '.repeat(100);
		assert.deepEqual(
			prompts(`${long}one`, `${long}two`).map(title => title?.endsWith('… one') || title?.endsWith('… two')),
			[true, true],
		);
	});

	it('tell each of many from the one that is most like it', () => {
		const all = prompts('Do\nA first', 'Do\nA second', 'Do\nB');
		assert.deepEqual(all, ['Do … first', 'Do … second', 'Do … B']);
	});

	it('have the model where the prompt is the same, and nothing where that is the same too', () => {
		const same = (...models: (string | undefined)[]) =>
			titles(...models.map(selectedModel => ({ prompt: 'Fix', selectedModel })));
		assert.deepEqual(same('small', 'large', undefined), ['Fix (small)', 'Fix (large)', 'Fix']);
		assert.deepEqual(same('small', 'small'), ['Fix', 'Fix']);
	});

	it('are on one line of bounded length, whatever the prompts are', () => {
		for (const title of prompts(`Fix\n${'\u202e'.repeat(9_000)}`, `Fix\n${'y'.repeat(9_000)}`, 'Fix\n\u001b[31mred')) {
			assert.match(title ?? '', /^Fix[\x20-\x7e…]*$/u);
			assert.ok((title?.length ?? 0) <= 80);
		}
	});
});
