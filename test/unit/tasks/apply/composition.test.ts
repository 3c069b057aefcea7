import assert from 'node:assert/strict';
import path from 'node:path';
import fc from 'fast-check';
import { runGit } from '../../../../src/base/git.ts';
import type { Composition } from '../../../../src/contract/compositions.ts';
import { composedTree } from '../../../../src/service/tasks/composition.ts';
import { listHunks } from '../../../../src/tasks/apply/hunks.ts';
import {
	type AgentHunks,
	clashOf,
	compositionOf,
	isEither,
	type Part,
	partsOf,
	withPart,
} from '../../../../src/tasks/model/composition.ts';
import { listChangedFiles } from '../../../../src/tasks/results/readChanges.ts';
import { TaskInRepository } from '../../../support/taskInRepository.ts';
import type { TemporaryRepository } from '../../../support/temporaryRepository.ts';

/** What an agent does to a file, as its place and the lines that it removes and adds there. */
type Edit = { at: number; removes: number; adds: number };

const editArb = fc.record({ at: fc.nat(14), removes: fc.nat(3), adds: fc.nat(2) });
const fileArb = fc.record({
	count: fc.nat(14),
	end: fc.constantFrom('\n', '\r\n'),
	isEnded: fc.boolean(),
	edits: fc.tuple(fc.array(editArb, { maxLength: 3 }), fc.array(editArb, { maxLength: 3 })),
	/** What the second agent does like the first. */
	shared: fc.array(editArb, { maxLength: 2 }),
});

/** All lines differ, so that there is only one way to see what has changed. */
function edited(lines: readonly string[], edits: readonly Edit[], name: string): string[] {
	const changed: (string | undefined)[] = [...lines];
	const added = new Map<number, string[]>();
	for (const [number, { at, removes, adds }] of edits.entries()) {
		changed.fill(undefined, at, Math.min(at + removes, changed.length));
		added.set(
			Math.min(at, lines.length),
			Array.from({ length: adds }, (_, more) => `${name} ${number} ${more}`),
		);
	}
	return Array.from({ length: lines.length + 1 }, (_, at) => [...(added.get(at) ?? []), changed[at]])
		.flat()
		.filter(line => line !== undefined);
}

describe('a composition of the hunks of several agents', () => {
	let task: TaskInRepository;
	let repository: TemporaryRepository;
	let number = 0;

	beforeEach(async () => {
		task = await TaskInRepository.create({}, { 'README.md': 'x' });
		({ repository } = task);
	});
	afterEach(() => repository.remove());

	const place = () => ({ gitPath: 'git', directory: repository.path, credentials: {} });
	const commitOf = async (name: string) => (await repository.git('rev-parse', name)).trim();

	/** Commits what each agent writes on top of the base. */
	async function race(base: () => Promise<void>, agents: readonly (() => Promise<void>)[]) {
		const branch = `race-${number++}`;
		await repository.git('checkout', '--quiet', '-b', branch, 'main');
		await base();
		await repository.git('add', '--all');
		await repository.git('commit', '--quiet', '--allow-empty', '-m', 'Base');
		const start = await commitOf('HEAD');
		const results: AgentHunks[] = [];
		for (const [agent, work] of agents.entries()) {
			await repository.git('checkout', '--quiet', '--detach', start);
			await work();
			await repository.git('add', '--all');
			await repository.git('commit', '--quiet', '--allow-empty', '-m', `Agent ${agent}`);
			const commit = await commitOf('HEAD');
			const files = await listChangedFiles(place(), start, commit);
			results.push({ agent, commit, files, hunks: await listHunks(place(), start, commit) });
		}
		return { start, results, parts: partsOf(results) };
	}

	/** What the service makes of a choice: the name of a tree. */
	function compose(composition: Composition): Promise<string> {
		const gitFolder = path.join(repository.path, '.git');
		const location = { gitFolder, home: repository.folder, cwd: repository.folder };
		return composedTree(
			(command, options = {}) => runGit(location, command, { ...options, signal: AbortSignal.timeout(60_000) }),
			path.join(repository.folder, 'index'),
			composition,
		);
	}

	const isOf = (agent: number) => (part: Part) => part.origins.some(origin => origin.agent === agent);
	const idsOf = (parts: readonly Part[]) => new Set(parts.map(({ id }) => id));
	const treeOf = (name: string) => commitOf(`${name}^{tree}`);

	it('of all of one agent is its tree, of none the base, and of what does not overlap what git merges', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(fileArb, { minLength: 10, maxLength: 10 }), async files => {
				const written = files.map(({ count, end, isEnded, edits, shared }, at) => {
					const lines = Array.from({ length: count }, (_, line) => `base ${line}`);
					const text = (all: readonly string[]) => all.join(end) + (isEnded && all.length > 0 ? end : '');
					const sides = edits.map((own, agent) => text(edited(edited(lines, shared, 'both'), own, `agent ${agent}`)));
					return { name: `${at}.txt`, base: text(lines), sides };
				});
				const write = (of: (file: (typeof written)[number]) => string | undefined) => async () => {
					for (const file of written) {
						await repository.write(file.name, of(file) ?? '');
					}
				};
				const { start, results, parts } = await race(
					write(({ base }) => base),
					[write(({ sides }) => sides[0]), write(({ sides }) => sides[1])],
				);
				for (const { agent, commit } of results) {
					const own = parts.filter(isOf(agent));
					assert.equal(await compose(compositionOf(start, results, parts, idsOf(own))), await treeOf(commit));
				}
				assert.equal(await compose(compositionOf(start, results, parts, new Set())), await treeOf(start));

				// Git's own merge takes what we take of the files in which nothing overlaps.
				const inConflict = new Set(
					parts.filter(part => parts.some(other => isEither(part, other))).map(({ path: name }) => name),
				);
				const free = parts.filter(({ path: name }) => !inConflict.has(name));
				const tree = await compose(compositionOf(start, results, parts, idsOf(free)));
				const commits = results.map(({ commit }) => commit);
				const merged = await repository
					.git('merge-tree', '--write-tree', '-z', '--no-messages', ...commits)
					.catch((error: { stdout: string }) => error.stdout);
				const [byGit = '', ...conflicts] = merged.split('\0');
				for (const { name } of written.filter(file => !inConflict.has(file.name))) {
					assert.ok(!conflicts.some(line => line.endsWith(`\t${name}`)), name);
					assert.equal(
						await repository.git('show', `${tree}:${name}`),
						await repository.git('show', `${byGit}:${name}`),
					);
				}
			}),
			{ numRuns: 3, endOnFailure: true },
		);
	});

	it('takes a file as a whole where lines do not say all, and never two of what excludes each other', async () => {
		const { start, results, parts } = await race(async () => {
			for (const name of ['deleted', 'moved', 'program', 'binary', 'place', 'both']) {
				await repository.write(name, `${name}\n1\n2\n3\n4\n5\n6\n7\n8\n`);
			}
			await repository.git('add', '--all');
		}, [
			async () => {
				await repository.git('rm', '--quiet', 'deleted', 'place');
				await repository.git('mv', 'moved', 'moved-there');
				await repository.write('place/inner', 'inner\n');
				await repository.write('binary', '\0\x01');
				await repository.write('both', 'both\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n');
				await repository.write('added\nname', 'x\r@@ -1 +1 @@\rdiff --git a b');
			},
			async () => {
				await repository.write('moved', 'MOVED\n1\n2\n3\n4\n5\n6\n7\n8\n');
				await repository.write('deleted', 'DELETED\n1\n2\n3\n4\n5\n6\n7\n8\n');
				await repository.write('place', 'place\r@@ -1 +1 @@\n1\n2\n3\n4\n5\n6\n7\n8\n');
				await repository.git('update-index', '--chmod=+x', 'program');
				await repository.git('config', 'core.fileMode', 'false');
				await repository.write('both', 'both\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n');
			},
		]);
		const named = (agent: number, name: string) =>
			parts.find(part => part.path === name && isOf(agent)(part)) ?? assert.fail(name);
		assert.deepEqual(
			parts.map(({ path: name, hunk, origins }) => [name, hunk?.before.start, origins.map(({ agent }) => agent)]),
			[
				['added\nname', undefined, [0]],
				['binary', undefined, [0]],
				['both', 8, [0, 1]],
				['deleted', undefined, [0]],
				['deleted', 0, [1]],
				['moved', 0, [1]],
				['moved-there', undefined, [0]],
				['place', undefined, [0]],
				['place', 0, [1]],
				['place/inner', undefined, [0]],
				['program', undefined, [1]],
			],
		);
		const excluding = parts.flatMap(part =>
			parts.filter(other => isEither(part, other)).map(other => `${part.path} ${other.path}`),
		);
		assert.deepEqual(excluding, [
			...['deleted deleted', 'deleted deleted', 'moved moved-there', 'moved-there moved'],
			...['place place', 'place place', 'place place/inner', 'place/inner place'],
		]);
		const removal = named(0, 'place');
		const inner = named(0, 'place/inner');
		assert.deepEqual(withPart(parts, idsOf([removal, inner]), named(1, 'place'), true), idsOf([named(1, 'place')]));
		assert.deepEqual(withPart(parts, idsOf([removal, inner]), inner, false), idsOf([removal]));
		assert.equal(clashOf(parts, idsOf([inner])), 'place');
		assert.equal(clashOf(parts, idsOf([inner, removal])), undefined);
		for (const { agent, commit } of results) {
			const own = idsOf(parts.filter(isOf(agent)));
			assert.equal(clashOf(parts, own), undefined);
			assert.equal(await compose(compositionOf(start, results, parts, own)), await treeOf(commit));
		}
		const mixed = [named(0, 'moved-there'), named(1, 'program'), named(1, 'deleted'), named(0, 'both')];
		const tree = await compose(compositionOf(start, results, parts, idsOf(mixed)));
		assert.deepEqual((await repository.git('diff', '--name-status', start, tree)).trim().split('\n'), [
			...['M\tboth', 'M\tdeleted', 'R100\tmoved\tmoved-there', 'M\tprogram'],
		]);

		// The service trusts no choice.
		const line = (at: number, ...agents: number[]) => {
			return { start: at, count: 1, origins: agents.map(agent => ({ agent, start: at, count: 1 })) };
		};
		const composition = compositionOf(start, results, parts, idsOf(parts));
		for (const [files, expected] of [
			[[{ path: 'both', hunks: [line(8, 1), line(0, 0)] }], /"both" has changes that overlap/],
			[[{ path: 'both', hunks: [line(0, 0), line(1, 1)] }], /overlap/],
			[[{ path: 'both', hunks: [line(9, 0)] }], /not in its lines/],
			[
				[
					{ path: 'place', hunks: [line(0, 1)] },
					{ paths: ['place'], agents: [1] },
				],
				/"place" is chosen twice/,
			],
			[[{ path: 'moved', hunks: [line(0, 1, 0)] }], /"moved" has no lines that could be taken/],
			[
				[{ path: 'deleted', hunks: [{ ...line(0), origins: [{ agent: 1, start: 8, count: 2 }] }] }],
				/does not have the/,
			],
			[[{ paths: ['place/inner'], agents: [0] }], /"place" would be both a file and a folder/],
			[[{ paths: ['place'], agents: [0, 1] }], /"place" is not as the agents have left it/],
			[[{ paths: ['nothing'], agents: [0] }], /"nothing" is not as the agents have left it/],
			[[{ paths: ['both'], agents: [7] }], /names agent 8 without its commit/],
		] as [Composition['files'], RegExp][]) {
			await assert.rejects(compose({ ...composition, files }), expected);
		}
	});

	it('is applied to files with edits of their own, and undone to the byte', async () => {
		const lines = (first: string, last: string, end = '\r\n') =>
			[first, ...Array.from({ length: 9 }, (_, at) => `line ${at}`), last, ''].join(end);
		const { start, results, parts } = await race(async () => {
			await repository.write('both.txt', lines('first', 'last'));
			await repository.write('gone.txt', 'gone\n');
		}, [
			async () => repository.write('both.txt', lines('FIRST', 'last')),
			async () => {
				await repository.write('both.txt', lines('first', 'LAST'));
				await repository.git('rm', '--quiet', 'gone.txt');
			},
		]);
		const tree = await compose(compositionOf(start, results, parts, idsOf(parts)));
		task.base = start;
		task.tip = (await repository.git('commit-tree', tree, '-p', start, '-m', 'Composed')).trim();
		await task.list();
		await repository.git('checkout', '--quiet', '--detach', start);
		await task.write('both.txt', lines('first', 'last').replace('line 4', 'my own line'));
		await task.write('own.txt', 'my own\n');
		const before = await task.present();
		const { files } = await task.apply(task.files);
		assert.deepEqual(await task.present(), {
			'own.txt': '-x my own\n',
			'both.txt': `-x ${lines('FIRST', 'LAST').replace('line 4', 'my own line')}`,
		});
		await task.undo(files);
		assert.deepEqual(await task.present(), before);
	});
});
