import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import type { Result } from '../../../../src/tasks/apply/applyChanges.ts';
import type { Change, ChangeOutcome } from '../../../../src/tasks/apply/change.ts';
import { findHunks, takeHunks } from '../../../../src/tasks/apply/hunks.ts';
import { isText, lineEndsOf } from '../../../../src/tasks/apply/lineEnds.ts';
import { pathOf } from '../../../../src/tasks/model/changedFile.ts';
import { type Files, mergeFile, TaskInRepository } from '../../../support/taskInRepository.ts';

const LINES = Array.from({ length: 6 }, (_, number) => `line ${number}\n`).join('');
const CRLF = LINES.replaceAll('\n', '\r\n');
const POINTER = (hash: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${hash.repeat(64)}\nsize 9\n`;

/** Makes a repository with exactly these bytes in git, in which files are then checked out by attributes and settings. */
async function checkedOut(before: Files, after: Files, autocrlf = 'false'): Promise<TaskInRepository> {
	const task = await TaskInRepository.create({}, {});
	const attributes = path.join(task.repository.path, '.git/info/attributes');
	await task.repository.git('config', 'core.safecrlf', 'false');
	await writeFile(attributes, '* -text -ident -filter !working-tree-encoding\n');
	await task.commit(before, after);
	await writeFile(attributes, '');
	await task.repository.git('config', 'core.autocrlf', autocrlf);
	await task.replace({});
	await task.repository.git('reset', '-q', '--hard', task.base);
	return task;
}

const kinds = (results: readonly { change: Change; result: Result }[]) =>
	Object.fromEntries(
		results.map(({ change, result }) => [
			(change.after ?? change.before)?.path,
			result.kind === 'cannot' ? result.reason : result.kind,
		]),
	);

describe('what is written into the user’s files', () => {
	let task: TaskInRepository;

	afterEach(() => task.repository.remove());

	for (const { how, attributes, autocrlf } of [
		{ how: 'core.autocrlf', attributes: {}, autocrlf: 'true' },
		{ how: 'attributes', attributes: { '.gitattributes': '* text=auto eol=crlf\n' }, autocrlf: 'false' },
	]) {
		it(`has the line ends that ${how} wants, also of a file that is new or comes back`, async () => {
			const before = { ...attributes, 'gone.txt': LINES, 'moved.txt': `${LINES}moved\n`, 'changed.txt': LINES };
			const after = { ...attributes, 'new.txt': LINES, 'there.txt': `${LINES}moved\n`, 'changed.txt': `x\n${LINES}` };
			task = await checkedOut(before, after, autocrlf);
			assert.ok(Object.values(await task.outcomes()).every(({ kind }) => kind === 'applies'));
			await task.apply(task.files);
			const present = await task.present();
			assert.equal(present['new.txt'], `-x ${CRLF}`);
			assert.equal(present['there.txt'], `-x ${CRLF}moved\r\n`);
			assert.equal(present['changed.txt'], `-x x\r\n${CRLF}`);
			await task.takeBack();
			const back = await task.present();
			assert.equal(back['gone.txt'], `-x ${CRLF}`);
			assert.equal(back['changed.txt'], `-x ${CRLF}`);
		});
	}

	it('has the encoding and the $Id$ that attributes want', async () => {
		const attributes = { '.gitattributes': '*.u16 text working-tree-encoding=UTF-16LE-BOM eol=crlf\n*.c ident\n' };
		task = await checkedOut(
			{ ...attributes, 'a.u16': 'é\n', 'a.c': '$Id$\n' },
			{ ...attributes, 'a.u16': 'é!\n', 'a.c': '$Id$\nx\n', 'new.u16': 'ü\n' },
		);
		assert.ok(Object.values(await task.outcomes()).every(({ kind }) => kind === 'applies'));
		await task.apply(task.files);
		const utf16 = async (name: string) => (await readFile(path.join(task.repository.path, name))).toString('utf16le');
		assert.equal(await utf16('a.u16'), '\ufeffé!\r\n');
		assert.equal(await utf16('new.u16'), '\ufeffü\r\n');
		const object = (await task.repository.git('rev-parse', `${task.tip}:a.c`)).trim();
		assert.equal((await task.present())['a.c'], `-x $Id: ${object} $\nx\n`);
		assert.ok(Object.values(await task.outcomes()).every(({ kind }) => kind === 'there'));
	});

	it('follows attributes that the task itself has changed', async () => {
		task = await checkedOut(
			{ '.gitattributes': '* text=auto\n', 'a.txt': LINES, 'b.txt': LINES, 'in/c.txt': LINES },
			{
				'.gitattributes': '*.txt eol=crlf\n',
				'a.txt': `x\n${LINES}`,
				'in/.gitattributes': '* eol=lf\n',
				'in/c.txt': 'c\n',
			},
		);
		const outcomes = await task.outcomes();
		const { results } = await task.apply(task.files);
		assert.deepEqual(Object.fromEntries(results.map(({ change, result }) => [pathOf(change), result])), outcomes);
		const present = await task.present();
		assert.equal(present['a.txt'], `-x x\r\n${CRLF}`);
		assert.equal(present['in/c.txt'], '-x c\n');
		await task.takeBack();
		assert.equal((await task.present())['a.txt'], `-x ${LINES}`);
	});

	it('is no edit of the user’s where git sees none, and their line ends stay where they have made one', async () => {
		const attributes = { '.gitattributes': '* text=auto\n*.c ident\n' };
		const [changed, gone] = [{ 'mixed.txt': LINES, 'changed.txt': LINES, 'a.c': '$Id$\n' }, { 'gone.txt': LINES }];
		const next = Object.fromEntries(Object.entries(changed).map(([name, content]) => [name, `x\n${content}`]));
		task = await checkedOut({ ...attributes, ...changed, ...gone }, { ...attributes, ...next });
		const mixed = LINES.replace('\n', '\r\n');
		await task.write('gone.txt', mixed);
		await task.write('mixed.txt', mixed);
		await task.write('changed.txt', `${CRLF}mine\r\n`);
		await task.write('a.c', '$Id: of another commit $\n');
		assert.equal(await task.repository.git('diff', '--name-only'), 'changed.txt\n');
		const { results } = await task.apply(task.files);
		assert.deepEqual(kinds(results), {
			'a.c': 'applies',
			'changed.txt': 'applies',
			'gone.txt': 'applies',
			'mixed.txt': 'applies',
		});
		const present = await task.present();
		assert.equal(present['mixed.txt'], `-x x\n${LINES}`);
		assert.equal(present['changed.txt'], `-x x\r\n${CRLF}mine\r\n`);
	});

	it('is asked of git for names that its lists cannot have, and for what the editor has not saved', async () => {
		const names = [' a.txt', 'b\n.txt', 'c\r', '"d\\'];
		const all = (content: string) => Object.fromEntries(names.map(name => [name, content]));
		const attributes = { '.gitattributes': '* eol=crlf\n' };
		task = await checkedOut({ ...attributes, ...all(LINES) }, { ...attributes, ...all(`x\n${LINES}`) });
		const unsaved = Buffer.from(LINES.replace('\n', '\r\n'));
		task.tree = {
			openFile: async file =>
				file.endsWith(' a.txt') ? { content: unsaved, refusal: 'encoding', isDirty: true } : undefined,
		};
		const { results } = await task.apply(task.files, {
			editOpen: async edits => edits.map(({ after }) => after?.content),
		});
		assert.ok(results.every(({ result }) => result.kind === 'applies'));
		const present = await task.present();
		for (const name of names.slice(1)) {
			assert.equal(present[name], `-x x\r\n${CRLF}`, name);
		}
	});

	it('of a hunk has the user’s line ends too', async () => {
		task = await checkedOut({ 'a.txt': LINES }, { 'a.txt': `x\n${LINES}y\n` }, 'true');
		const [file] = task.files;
		assert.ok(file?.before && file.after);
		const options = task.options();
		const hunks = (await findHunks(task.place, file.before, file.after, options.contents)) ?? [];
		const taken = await takeHunks(file, hunks, hunks.slice(1), options);
		assert.ok(taken);
		await task.apply([taken.change], { contents: taken.contents });
		assert.equal((await task.present())['a.txt'], `-x ${CRLF}y\r\n`);
	});

	it('of hunks of a file with both kinds of line ends is that file, also where the first hunk leaves one kind', async () => {
		task = await checkedOut({ 'a.txt': 'a\nb\r\nc\nd\n' }, { 'a.txt': 'a\nc\nd\nx\r\n' });
		const [file] = task.files;
		assert.ok(file?.before && file.after);
		const hunks = (await findHunks(task.place, file.before, file.after, task.options().contents)) ?? [];
		assert.equal(hunks.length, 2);
		for (const hunk of hunks) {
			const taken = await takeHunks(file, hunks, [hunk], task.options());
			assert.ok(taken);
			await task.apply([taken.change], { contents: taken.contents });
		}
		assert.equal((await task.present())['a.txt'], '-x a\nc\nd\nx\r\n');
	});

	it('is never the pointer that a filter has stored, not even where a turn is undone', async () => {
		const attributes = { '.gitattributes': '*.big filter=lfs -text\n' };
		task = await checkedOut(
			{ ...attributes, 'a.big': POINTER('a'), 'gone.big': POINTER('b') },
			{ ...attributes, 'a.big': POINTER('c') },
		);
		await task.repository.git('config', 'filter.lfs.smudge', 'git-lfs smudge -- %f');
		await task.write('a.big', 'the content');
		await task.write('gone.big', 'the other');
		const { results } = await task.apply(task.files);
		assert.deepEqual(kinds(results), { 'a.big': 'filtered', 'gone.big': 'filtered' });
		const back = await task.takeBack();
		assert.deepEqual(kinds(back.results), { 'a.big': 'filtered', 'gone.big': 'filtered' });
		assert.equal((await task.present())['a.big'], '-x the content');
	});
});

const NAMES = ['a.txt', 'b.bat', 'c.id', 'd.u16', 'e.l1', 'f.bin', 'g.md', 'in/h.txt', 'in/i.id', 'j'];
const RULES = [
	'* text=auto',
	'* text=auto eol=crlf',
	'* text=auto eol=lf',
	'*.txt text eol=crlf',
	'*.txt text eol=lf',
	'*.bat eol=crlf',
	'*.id ident',
	'*.u16 text working-tree-encoding=UTF-16LE-BOM',
	'*.l1 working-tree-encoding=ISO-8859-1',
	'*.bin -text',
	'in/* text eol=crlf',
	'*.md -text',
];

const rules = fc.subarray(RULES).map(lines => lines.map(line => `${line}\n`).join(''));
const line = fc.constantFrom('a', 'b', 'c', '', 'é', '$Id$', '}', 'longer than the others');
const lines = fc.array(line, { minLength: 1, maxLength: 9 });
const ends = fc.constantFrom(['\n'], ['\n'], ['\n'], ['\r\n'], ['\n', '\r\n']);

interface Text {
	lines: readonly string[];
	ends: readonly string[];
	last: boolean;
	isProgram: boolean;
}

const text: fc.Arbitrary<Text> = fc.record({ lines, ends, last: fc.boolean(), isProgram: fc.boolean() });

const bytesOf = ({ lines: all, ends: kinds, last, isProgram }: Text) =>
	(isProgram ? ['#!', ...all] : all)
		.map((one, index, whole) => one + (index < whole.length - 1 || last ? kinds[index % kinds.length] : ''))
		.join('');

/** What becomes of a file: in the task, or in the hands of the user. */
const fate = fc.record({
	kind: fc.constantFrom('same', 'edit', 'edit', 'edit', 'ends', 'remove', 'rename', 'program'),
	at: fc.nat({ max: 9 }),
	line,
});
type Fate = typeof fate extends fc.Arbitrary<infer T> ? T : never;

function changed(before: Text, { kind, at, line: added }: Fate): Text {
	const all = [...before.lines];
	all.splice(Math.min(at, all.length), at % 2, added);
	return kind === 'edit'
		? { ...before, lines: all }
		: kind === 'program'
			? { ...before, isProgram: !before.isProgram }
			: kind === 'ends'
				? { ...before, ends: before.ends.length === 1 && before.ends[0] === '\n' ? ['\r\n'] : ['\n'] }
				: before;
}

interface Made {
	newRules: string | undefined;
	files: { before: Text; task: Fate; own: Fate; added: Text | null | undefined }[];
}

/**
 * Where a task changes attributes, git has stored all line ends as it wants them. Other ones it takes for the new version
 * already once it has cleaned them, although by the new attributes it would write other bytes.
 */
function storedForNewRules<History extends Made>(made: History): History {
	const stored = (text: Text): Text => ({ ...text, ends: ['\n'] });
	return made.newRules === undefined
		? made
		: {
				...made,
				files: made.files.map(({ before, task, own, added }) => ({
					before: stored(before),
					task: task.kind === 'ends' ? { ...task, kind: 'edit' as const } : task,
					own,
					added: added && stored(added),
				})),
			};
}

const history = fc
	.record({
		autocrlf: fc.constantFrom('false', 'true', 'input'),
		rules,
		newRules: fc.option(rules, { nil: undefined, freq: 3 }),
		files: fc.array(fc.record({ before: text, task: fate, own: fate, added: fc.option(text, { freq: 5 }) }), {
			minLength: NAMES.length,
			maxLength: NAMES.length,
		}),
	})
	.map(storedForNewRules)
	.map(made => ({ ...made, [fc.toStringMethod]: () => JSON.stringify(made, undefined, 1) }));
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Where a file goes that the task moves: sometimes to a place with other attributes, sometimes into its own place. */
const withAddress = (name: string, at: number) =>
	[`${name}/inner.txt`, `moved/${path.basename(name)}`, `in/${path.basename(name)}.bat`][at % 3] ?? '';

function treesOf({ rules: old, newRules = old, files }: History): { before: Files; after: Files } {
	const before: Record<string, string> = { '.gitattributes': old };
	const after: Record<string, string> = { '.gitattributes': newRules };
	for (const [index, { before: content, task, added }] of files.entries()) {
		const name = NAMES[index] ?? '';
		before[name] = bytesOf(content);
		if (task.kind === 'rename') {
			after[withAddress(name, task.at)] = bytesOf(
				task.at % 2 === 0 ? content : changed(content, { ...task, kind: 'edit' }),
			);
		} else if (task.kind !== 'remove') {
			after[name] = bytesOf(changed(content, task));
		}
		if (added) {
			after[`new/${name}`] = bytesOf(added);
		}
	}
	return { before, after };
}

/** Lets the user edit their files, in the bytes that are there. */
async function edit(task: TaskInRepository, { files }: History): Promise<void> {
	for (const [index, { own }] of files.entries()) {
		const name = NAMES[index] ?? '';
		const file = path.join(task.repository.path, name);
		const bytes = await readFile(file);
		const content = bytes.toString('latin1');
		if (own.kind === 'edit') {
			const all = content.split('\n');
			all.splice(Math.min(own.at, all.length - 1), own.at % 2, `own${content.includes('\r\n') ? '\r' : ''}`);
			await writeFile(
				file,
				bytes.includes(0)
					? Buffer.concat([bytes, Buffer.from('own\n', 'utf16le')])
					: Buffer.from(all.join('\n'), 'latin1'),
			);
		} else if (own.kind === 'ends' && !bytes.includes(0)) {
			await writeFile(file, Buffer.from(content.replace(/\r?\n/g, content.includes('\r\n') ? '\n' : '\r\n'), 'latin1'));
		} else if (own.kind === 'program') {
			await chmod(file, 0o755);
		} else if (own.kind === 'remove') {
			await rm(file);
		}
	}
}

const RUNS = 4;

const check = (run: (history: History) => Promise<void>) =>
	fc.assert(fc.asyncProperty(history, run), { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true });

/** Runs an action with a repository, and with what git itself checks out of both commits, one after the other. */
async function inHistory(
	made: History,
	run: (
		task: TaskInRepository,
		git: { before: Record<string, string>; after: Record<string, string>; back: Record<string, string> },
	) => Promise<void>,
): Promise<void> {
	const { before, after } = treesOf(made);
	const task = await checkedOut(before, after, made.autocrlf);
	try {
		const first = await task.present();
		// Git also writes files anew that are no part of the change, where it takes them for edited under new attributes.
		const paths = new Set(task.files.flatMap(({ before: old, after: next }) => [old?.path, next?.path]));
		const checkOut = async (commit: string) => {
			await task.repository.git('checkout', '-q', '--force', '--detach', commit);
			const written = Object.entries(await task.present()).filter(([name]) => paths.has(name));
			const others = Object.entries(first).filter(([name]) => !paths.has(name));
			return Object.fromEntries([...others, ...written]);
		};
		const [second, third] = [await checkOut(task.tip), await checkOut(task.base)];
		await task.replace({});
		await task.repository.git('reset', '-q', '--hard', task.base);
		await run(task, { before: first, after: second, back: third });
	} finally {
		await task.repository.remove();
	}
}

const bytesIn = (present: Record<string, string>, name: string) => Buffer.from(present[name]?.slice(3) ?? '', 'latin1');

describe('applying over generated attributes, line ends, modes, renames and edits', () => {
	it('gives what git checkout gives, and so does taking it back', () =>
		check(made =>
			inHistory(made, async (task, git) => {
				const outcomes = await task.outcomes();
				const { results, files } = await task.apply(task.files);
				assertAsPreviewed(results, outcomes);
				for (const { change, result } of results) {
					assertTaken(change, result, git.before, git);
				}
				assertSame(await task.present(), git.after);
				await task.undo(files);
				assertSame(await task.present(), git.before);
				await task.apply(task.files);
				await task.takeBack();
				assertSame(await task.present(), git.back);
			}),
		));

	it('to files with edits comes to what was previewed, merges as git merge-file does, and is undone byte for byte', () =>
		check(made =>
			inHistory(made, async (task, git) => {
				await edit(task, made);
				const own = await task.present();
				const edited = new Set((await task.repository.git('diff', '--name-only', '-z')).split('\0'));
				const outcomes = await task.outcomes();
				const { results, files } = await task.apply(task.files);
				assertAsPreviewed(results, outcomes);
				const present = await task.present();
				for (const { change, result } of results) {
					const { before, after } = change;
					const name = before?.path ?? '';
					const isOwn = edited.has(name) && own[name] !== git.before[name];
					if (before && !isOwn) {
						assertTaken(change, result, own, git);
						if (after && before.object !== after.object && result.kind === 'applies') {
							assert.equal(present[after.path], git.after[after.path], after.path);
						}
					} else if (before && after?.path === name && own[name] !== undefined && made.newRules === undefined) {
						const versions = [own, git.before, git.after].map(side => bytesIn(side, name)) as [Buffer, Buffer, Buffer];
						const [mine, base] = versions;
						if (versions.every(isText) && lineEndsOf(mine) === lineEndsOf(base)) {
							const merged = await mergeFile(task.repository.folder, ...versions);
							assert.equal(bytesIn(present, name).toString('latin1'), merged.content.toString('latin1'), name);
						}
					}
				}
				await task.undo(files);
				assertSame(await task.present(), own);
			}),
		));
});

/** A file without edits gets the change, unless it has what a checkout would write, or the task's version in other bytes. */
function assertTaken(
	{ before, after }: Change,
	result: Result,
	own: Record<string, string>,
	git: { before: Record<string, string>; after: Record<string, string> },
): void {
	const name = before?.path ?? '';
	const isThere =
		after !== undefined && (own[name] === git.after[after.path] || (before && own[name] !== git.before[name]));
	const isGood = result.kind === 'applies' || (result.kind === 'there' && isThere);
	assert.ok(isGood, JSON.stringify({ before, after, result, own: own[name], git: git.after[after?.path ?? ''] }));
}

function assertAsPreviewed(
	results: readonly { change: Change; result: Result }[],
	outcomes: Readonly<Record<string, ChangeOutcome>>,
): void {
	assert.deepEqual(
		Object.fromEntries(results.map(({ change, result }) => [(change.after ?? change.before)?.path, result])),
		outcomes,
	);
}

function assertSame(present: Record<string, string>, expected: Record<string, string>): void {
	assert.deepEqual(Object.keys(present).sort(), Object.keys(expected).sort());
	for (const [name, content] of Object.entries(present)) {
		assert.equal(content, expected[name], name);
	}
}
