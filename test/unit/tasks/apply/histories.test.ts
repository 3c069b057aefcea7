import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findHunks, takeHunks } from '../../../../src/tasks/apply/hunks.ts';
import { isText, lineEndsOf } from '../../../../src/tasks/apply/lineEnds.ts';
import { pathOf } from '../../../../src/tasks/model/changedFile.ts';
import { asPresent, type Files, mergeFile, TaskInRepository } from '../../../support/taskInRepository.ts';

const HUGE = 'huge line '.repeat(20_000);

/** Few different lines, so that versions have much in common and lines repeat. */
const line = fc.oneof(
	{ weight: 20, arbitrary: fc.constantFrom('a', 'b', 'c', '', '}', '@@ -1 +1 @@', '<<<<<<< x', '\\ No newline') },
	{ weight: 5, arbitrary: fc.string({ maxLength: 8 }).map(text => text.replace(/[\r\n\0]/g, '.')) },
	{ weight: 1, arbitrary: fc.constant(HUGE) },
);

interface Text {
	lines: readonly string[];
	ends: readonly string[];
	last: boolean;
}

const bytesOf = ({ lines, ends, last }: Text) =>
	Buffer.from(
		lines.map((text, index) => text + (index < lines.length - 1 || last ? ends[index % ends.length] : '')).join(''),
	);

const ends = fc.constantFrom(['\n'], ['\n'], ['\r\n'], ['\n', '\r\n']);
const text = fc.record({ lines: fc.array(line, { maxLength: 14 }), ends, last: fc.boolean() });

/** A text with some of its lines removed, replaced or doubled. */
const edited = (before: Text) =>
	fc
		.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 2 }), fc.array(line, { maxLength: 2 })), { maxLength: 4 })
		.chain(edits => {
			const lines = [...before.lines];
			for (const [at, count, added] of edits) {
				lines.splice(Math.min(at, lines.length), count, ...added);
			}
			return fc.record({
				lines: fc.constant(lines),
				ends: fc.constant(before.ends),
				last: fc.oneof({ weight: 4, arbitrary: fc.constant(before.last) }, fc.boolean()),
			});
		});

const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: fc.constant(undefined) });

/** A file before the task, after it, and as the user has it. */
const versions = fc.oneof(
	{
		weight: 8,
		arbitrary: text.chain(before =>
			fc
				.record({ after: optional(edited(before)), own: optional(edited(before)) })
				.map(({ after, own }) => [before, after, own].map(version => version && bytesOf(version))),
		),
	},
	{
		weight: 1,
		arbitrary: fc.array(optional(fc.uint8Array({ maxLength: 30 }).map(bytes => Buffer.from(bytes))), {
			minLength: 3,
			maxLength: 3,
		}),
	},
);

const FILES = 30;
const RUNS = 3;

/** Files in a few folders; one of them takes the place of a file. */
const histories = fc.array(versions, { minLength: FILES, maxLength: FILES }).map(all => {
	const side = (index: number): Files =>
		Object.fromEntries(
			all.flatMap((sides, number) => {
				const content = sides[index];
				return content === undefined ? [] : [[`folder ${number % 3}/${number}.txt`, content]];
			}),
		);
	// The report names the seed. The files themselves would fill it.
	return { before: side(0), after: side(1), own: side(2), [fc.toStringMethod]: () => 'a history' };
});

const check = (run: (history: { before: Files; after: Files; own: Files }) => Promise<void>) =>
	fc.assert(fc.asyncProperty(histories, run), { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true });

async function inRepository(
	before: Files,
	after: Files,
	run: (task: TaskInRepository) => Promise<void>,
): Promise<void> {
	const task = await TaskInRepository.create(before, after);
	try {
		await run(task);
	} finally {
		await task.repository.remove();
	}
}

describe('applying what a task has changed, over generated histories', () => {
	it('to the tree that it started from gives its files byte for byte, and undo gives the tree back', () =>
		check(({ before, after }) =>
			inRepository(before, after, async task => {
				const outcomes = await task.outcomes();
				assert.deepEqual([...new Set(Object.values(outcomes).map(({ kind }) => kind))].slice(0, 2), ['applies']);
				const { results, files } = await task.apply(task.files);
				assert.ok(results.every(({ result }) => result.kind === 'applies'));
				assertSame(await task.present(), asPresent(after));
				assert.ok(Object.values(await task.outcomes()).every(({ kind }) => kind === 'there'));
				await task.undo(files);
				assertSame(await task.present(), asPresent(before));
			}),
		));

	it('hunk by hunk gives the same, in any order', () =>
		check(({ before, after }) =>
			inRepository(before, after, async task => {
				const whole = [];
				for (const [number, file] of task.files.entries()) {
					const stored = [file.before, file.after].map(version => version?.path);
					const hunks =
						(file.before &&
							file.after &&
							(await findHunks(task.place, file.before, file.after, task.options().contents))) ??
						[];
					const isOwn = file.before?.path === file.after?.path;
					const order = number % 2 === 0 ? hunks : hunks.toReversed();
					for (const hunk of order) {
						const options = task.options();
						const taken = await takeHunks(file, hunks, [hunk], options);
						if (!taken || !isOwn) {
							whole.push(file);
							break;
						}
						const { results } = await task.apply([taken.change], { contents: taken.contents });
						assert.deepEqual(results[0]?.result, { kind: 'applies' }, `${stored}`);
					}
					if (hunks.length === 0) {
						whole.push(file);
					}
				}
				await task.apply(whole);
				assertSame(await task.present(), asPresent(after));
			}),
		));

	it('to a changed tree gives what git merge-file gives, and undo leaves the tree with the user’s edits', () =>
		check(({ before, after, own }) =>
			inRepository(before, after, async task => {
				await task.replace(own);
				const outcomes = await task.outcomes();
				const { results, files } = await task.apply(task.files);
				const expected: Record<string, string | Buffer> = { ...own };
				for (const { change, result } of results) {
					const name = pathOf(change);
					assert.deepEqual(result, outcomes[name]);
					const [base, mine] = [before[change.before?.path ?? ''], own[change.before?.path ?? '']];
					const theirs = after[name];
					const isChange = base !== undefined && theirs !== undefined && mine !== undefined;
					if (change.before?.path !== change.after?.path || !isChange) {
						// Files that are added, removed or moved are in other tests.
						const touched = [change.before?.path, change.after?.path];
						const present = await task.present();
						for (const path of touched.filter(path => path !== undefined)) {
							delete expected[path];
							if (present[path] !== undefined) {
								expected[path] = Buffer.from(present[path].slice(3), 'latin1');
							}
						}
						continue;
					}
					const [a, b, c] = [mine, base, theirs].map(content => Buffer.from(content)) as [Buffer, Buffer, Buffer];
					if (a.equals(b)) {
						expected[name] = c;
					} else if ([a, b, c].every(isText) && !mixes(a, b)) {
						const merged = await mergeFile(task.repository.folder, a, b, c);
						expected[name] = merged.content;
						assert.equal(result.kind === 'conflicts' ? result.count : 0, merged.conflicts);
					} else {
						expected[name] = Buffer.from(((await task.present())[name] ?? '').slice(3), 'latin1');
					}
				}
				assertSame(await task.present(), asPresent(expected));
				await task.undo(files);
				assertSame(await task.present(), asPresent(own));
			}),
		));

	it('is undone as git merge-file would undo it where the edits made since are kept', () =>
		check(({ before, after, own }) =>
			inRepository(before, after, async task => {
				const { files } = await task.apply(task.files);
				const expected: Record<string, string | Buffer> = { ...before };
				for (const name of task.files.filter(({ status }) => status === 'M').map(pathOf)) {
					const versions = [own[name], after[name], before[name]].map(content => content && Buffer.from(content));
					const [now, applied, original] = versions;
					if (now && applied && original && [now, applied, original].every(isText) && !mixes(now, applied)) {
						await task.write(name, now);
						const merged = await mergeFile(task.repository.folder, now, applied, original, '--ours');
						expected[name] = merged.content;
					}
				}
				await task.undo(files);
				assertSame(await task.present(), asPresent(expected));
			}),
		));
});

/** Whether the line ends of two versions differ, so that those of the task's are changed first. */
function mixes(own: Buffer, base: Buffer): boolean {
	const ends = lineEndsOf(own);
	return (ends === 'lf' || ends === 'crlf') && ends !== lineEndsOf(base);
}

/** Names the first file that differs, without the whole of the others. */
function assertSame(present: Record<string, string>, expected: Record<string, string>): void {
	assert.deepEqual(Object.keys(present).sort(), Object.keys(expected).sort());
	for (const [name, content] of Object.entries(present)) {
		assert.equal(content.slice(0, 500), expected[name]?.slice(0, 500), name);
		assert.ok(content === expected[name], name);
	}
}
