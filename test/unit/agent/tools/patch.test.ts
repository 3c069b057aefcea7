import assert from 'node:assert/strict';
import { addedText, patchedText, readPatch } from '../../../../src/agent/tools/patch.ts';

/** Returns what a patch of one file makes of a text. */
function applied(text: string, patch: string): string {
	const [file, ...others] = readPatch(patch);
	assert.ok(file !== undefined && others.length === 0);
	return patchedText(text, file, 'a.ts').after;
}

describe('a patch', () => {
	const named = (patch: string) =>
		readPatch(patch).map(({ path, to = '', kind, hunks }) =>
			[path, kind, hunks.length, to].filter(part => part !== ''),
		);

	it('names its files in the heads of git, of diff, and of apply_patch', () => {
		assert.deepEqual(
			named(
				[
					'diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b',
					'--- a/b.ts\t2026-01-01\n+++ a/b.ts\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d',
					'--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a',
					'--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a',
					'--- a/one.ts\n+++ b/two.ts\n@@ -1 +1 @@\n-a\n+b',
				].join('\n'),
			),
			[
				['src/a.ts', 'change', 1],
				['a/b.ts', 'change', 2],
				['new.ts', 'add', 1],
				['old.ts', 'delete', 1],
				['one.ts', 'change', 1, 'two.ts'],
			],
		);
		assert.deepEqual(
			named(
				[
					'diff --git a/a.ts b/b.ts\nsimilarity index 100%\nrename from a.ts\nrename to b.ts',
					'rename from c.ts\nrename to d.ts\n--- a/c.ts\n+++ b/d.ts\n@@ -1 +1 @@\n-a\n+b',
					'*** Update File: e.ts\n*** Move to: f.ts\n@@\n-a\n+b',
				].join('\n'),
			),
			[
				['a.ts', 'change', 0, 'b.ts'],
				['c.ts', 'change', 1, 'd.ts'],
				['e.ts', 'change', 1, 'f.ts'],
			],
		);
		assert.deepEqual(
			named(
				'*** Begin Patch\n*** Update File: a.ts\n@@ class A\n-a\n+b\n*** Add File: b.ts\n+a\n*** Delete File: c.ts\n*** End Patch',
			),
			[
				['a.ts', 'change', 1],
				['b.ts', 'add', 1],
				['c.ts', 'delete', 0],
			],
		);
	});

	it('may leave out the heads, the beginning of a hunk, and the blank of an empty line', () => {
		assert.equal(applied('a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n\n'), 'a\n\nc\n');
		assert.equal(applied('a\nb\n', '--- a/a.ts\n+++ b/a.ts\n-b\n+c\n'), 'a\nc\n');
		assert.deepEqual(readPatch('What I would do:\n- something\n+ else'), []);
	});

	it('may remove and add lines that look like a head', () => {
		assert.equal(applied('a\n-- b\nc\n', '@@ -1,3 +1,3 @@\n a\n--- b\n+++ b\n c\n'), 'a\n++ b\nc\n');
	});

	it('is put where its lines stand, the nearest to the line that it names', () => {
		assert.equal(applied('x\ny\nx\ny\nx\n', '@@ -4 +4 @@\n-x\n+z\n'), 'x\ny\nz\ny\nx\n');
		assert.equal(applied('a\r\nb\r\n', '@@ -9 +9 @@\n-b\n+c\n'), 'a\r\nc\r\n');
	});

	it('is matched without its white space where one place fits, which the model is told', () => {
		const [file] = readPatch('@@ -1,3 +1,3 @@\n if (a)\n-  b();\n+  c();\n');
		const { after, remark } = patchedText('if (a)\n\tb();\n', file ?? assert.fail(), 'a.ts');
		assert.equal(after, 'if (a)\n\tc();\n');
		assert.match(remark, /white space of hunk 1 was not that of a\.ts/);
	});

	it('has the whole text of a new file', () => {
		assert.equal(
			addedText(readPatch('--- /dev/null\n+++ b/a\n@@ -0,0 +1,3 @@\n+a\n+\n+b\n')[0] ?? assert.fail()),
			'a\n\nb\n',
		);
	});
});
