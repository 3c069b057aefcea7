import assert from 'node:assert/strict';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { PermissionRequest } from '../../../src/agents/session/events.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const edit = (old: string, put: string, file = 'a.txt') => call('edit', { path: file, old, new: put });
const write = (content: string, file = 'a.txt') => call('write', { path: file, content });
const DONE: ScriptedReply = { text: 'Done.' };

describe('Errand’s own agent, before it changes a file', () => {
	const own = useOwnAgent();
	const at = (name: string) => path.join(own.folder, name);
	const read = (name = 'a.txt') => readFileSync(at(name), 'utf8');
	const put = (text: string, name = 'a.txt') => writeFileSync(at(name), text);

	/**
	 * Plays calls for an agent that has to ask, and allows all of them after `meanwhile`. Returns what was asked and the
	 * results of the calls.
	 */
	async function play(replies: ScriptedReply[], meanwhile: (request: PermissionRequest) => void = () => {}) {
		const asked: PermissionRequest[] = [];
		const agent = await own.start(
			{},
			{
				mode: 'ask',
				decide: request => {
					asked.push(request);
					meanwhile(request);
					return { option: request.options.find(({ kind }) => kind === 'allow_once')?.id };
				},
			},
		);
		own.server.play(...replies, DONE);
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		return { asked, results: own.server.requests.at(-1)?.results ?? [], events: agent.events };
	}

	it('shows the change with its question, and has changed nothing by then', async () => {
		put('one\ntwo\nthree\n');
		const patch = '@@ -1,3 +1,3 @@\n one\n-TWO\n+two again\n three\n';
		const seen: string[] = [];
		const { asked } = await play(
			[edit('two', 'TWO'), call('edit', { path: 'a.txt', patch }), write('whole\n'), write('new\n', 'folder/new.txt')],
			() => seen.push(read()),
		);
		assert.deepEqual(
			asked.map(({ call: { diffs } }) => diffs),
			[
				[{ path: at('a.txt'), oldText: 'one\ntwo\nthree\n', newText: 'one\nTWO\nthree\n' }],
				[{ path: at('a.txt'), oldText: 'one\nTWO\nthree\n', newText: 'one\ntwo again\nthree\n' }],
				[{ path: at('a.txt'), oldText: 'one\ntwo again\nthree\n', newText: 'whole\n' }],
				[{ path: at('folder/new.txt'), newText: 'new\n' }],
			],
		);
		assert.ok(
			asked.every(({ complete, call: { isInputCut, status } }) => complete && !isInputCut && status === 'pending'),
		);
		assert.deepEqual(
			seen,
			asked.map(({ call: { diffs } }, index) => (index < 3 ? diffs[0]?.oldText : 'whole\n')),
		);
		assert.equal(read('folder/new.txt'), 'new\n');
	});

	it('shows the part that changes of a long file', async () => {
		const around = 'the same\n'.repeat(10_000);
		put(`${around}old\n${around}`);
		const { asked } = await play([edit('old', 'new')]);
		assert.deepEqual(asked[0]?.call.diffs, [{ path: at('a.txt'), oldText: 'old\n', newText: 'new\n' }]);
		assert.equal(read(), `${around}new\n${around}`);
	});

	it('shows what it was called with where the change is too long to be shown', async () => {
		put(`${'x'.repeat(600_000)}\nold\n`);
		const { asked } = await play([edit('old', 'new')]);
		assert.deepEqual(asked[0]?.call.diffs, []);
		assert.deepEqual(JSON.parse(asked[0]?.call.input ?? ''), {
			...{ path: 'a.txt', old: 'old', new: 'new' },
			replace_all: false,
		});
		assert.ok(read().endsWith('\nnew\n'));
	});

	it('tells the exact command before it runs it', async () => {
		const { asked } = await play([call('run', { command: 'touch "a b"\ntouch c' })]);
		assert.equal(asked[0]?.call.command, 'touch "a b"\ntouch c');
		assert.deepEqual(Object.keys(JSON.parse(asked[0]?.call.input ?? '')), ['command', 'seconds']);
		assert.ok(existsSync(at('a b')) && existsSync(at('c')));
	});

	it('tells of a command whether it is to run in the background', async () => {
		const { asked } = await play([call('run', { command: 'echo one', background: true })]);
		assert.deepEqual([asked[0]?.call.title, asked[0]?.call.command], ['In the background: echo one', 'echo one']);
	});

	describe('makes it only where the file is still what was shown, and not', () => {
		const refused = /has changed since this was shown to the user/;

		it('if another part of it has been changed', async () => {
			put('one\ntwo\n');
			const { results } = await play([edit('two', 'TWO'), write('whole\n')], () => put(`${read()}mine\n`));
			assert.ok(
				results.every(text => refused.test(text)),
				results.join('\n'),
			);
			assert.equal(read(), 'one\ntwo\nmine\nmine\n');
		});

		it('if the file that was to be new has been made', async () => {
			const { results } = await play([write('whole\n')], () => put('mine\n'));
			assert.match(results[0] ?? '', refused);
			assert.equal(read(), 'mine\n');
		});

		it('if it has been removed', async () => {
			put('one\n');
			const { results } = await play([edit('one', 'two'), write('whole\n', 'b.txt')], request => {
				rmSync(at('a.txt'), { force: true });
				rmSync(request.call.diffs[0]?.path ?? '', { force: true });
			});
			assert.match(results[0] ?? '', /a\.txt does not exist/);
			assert.match(results[1] ?? '', /was written/);
			assert.ok(!existsSync(at('a.txt')));
		});

		it('if the path leads to another file by then, in the folder or outside of it', async () => {
			const outside = path.join(own.scratch, 'outside.txt');
			writeFileSync(outside, 'one\n');
			put('one\n', 'other.txt');
			for (const [target, said] of [
				['other.txt', refused],
				[outside, /outside of the working folder/],
			] as const) {
				rmSync(at('a.txt'), { force: true });
				put('one\n');
				const { results } = await play([edit('one', 'two')], () => {
					rmSync(at('a.txt'));
					symlinkSync(target, at('a.txt'));
				});
				assert.match(results[0] ?? '', said);
			}
			assert.deepEqual([readFileSync(outside, 'utf8'), read('other.txt')], ['one\n', 'one\n']);
		});

		it('if its folder has become a link out of the working folder', async () => {
			const outside = path.join(own.scratch, 'outside');
			mkdirSync(outside);
			mkdirSync(at('folder'));
			const { results } = await play([write('planted\n', 'folder/new.txt')], () => {
				rmSync(at('folder'), { recursive: true });
				symlinkSync(outside, at('folder'));
			});
			assert.match(results[0] ?? '', /outside of the working folder/);
			assert.ok(!existsSync(path.join(outside, 'new.txt')));
		});
	});

	it('asks nothing where the change cannot be made, and tells the model why', async () => {
		put('one\ntwo\none\n');
		mkdirSync(at('folder'));
		const { asked, results } = await play([
			edit('three', 'four'),
			edit('one', 'two'),
			edit('two', 'two'),
			edit('x', 'y', 'absent.txt'),
			edit('x', 'y', '../outside.txt'),
			call('edit', { path: 'a.txt', old: 'one' }),
			call('edit', { path: 'a.txt', patch: '@@ -1 +1 @@\n-nothing\n+like it\n' }),
			write('x', 'folder'),
			write('x', '.git/hooks/pre-commit'),
			write('x', '../outside.txt'),
		]);
		assert.deepEqual(asked, []);
		for (const [index, said] of [
			/three|does not stand/,
			/2 times/,
			/changes nothing/,
			/does not exist/,
			/outside of the working folder/,
			/either old and new, or patch/,
			/does not fit/,
			/is a folder/,
			/git's own files/,
			/outside of the working folder/,
		].entries()) {
			assert.match(results[index] ?? '', said);
		}
		assert.equal(read(), 'one\ntwo\none\n');
	});

	describe('with a patch of several files', () => {
		const patch = [
			'--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n',
			'--- a/b/c.txt\n+++ b/b/c.txt\n@@ -1 +1 @@\n-three\n+four\n',
			'--- /dev/null\n+++ b/d/new.txt\n@@ -0,0 +1 @@\n+new\n',
		];
		const edits = (...parts: string[]) => call('edit', { patch: parts.join('') });
		beforeEach(() => {
			put('one\n');
			mkdirSync(at('b'));
			put('three\n', 'b/c.txt');
		});

		it('shows all of them with one question, and makes them', async () => {
			const { asked, results } = await play([edits(...patch)]);
			assert.deepEqual(
				asked.map(({ call: { diffs, title } }) => [title, diffs.map(({ path: file }) => file)]),
				[['Edit a.txt, b/c.txt, d/new.txt', [at('a.txt'), at('b/c.txt'), at('d/new.txt')]]],
			);
			assert.deepEqual(results, ['a.txt, b/c.txt, d/new.txt were changed.']);
			assert.deepEqual([read(), read('b/c.txt'), read('d/new.txt')], ['two\n', 'four\n', 'new\n']);
		});

		it('makes none where one cannot be made, and says which', async () => {
			symlinkSync('b/c.txt', at('link.txt'));
			put('three\nfour\n', 'b/d.txt');
			const bad = [
				['--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nine\n+ten\n', /Hunk 1 does not fit a\.txt/],
				['--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n', /outside of the working folder/],
				['--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n', /a\.txt exists already/],
				['--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-nine\n', /Hunk 1 does not fit a\.txt/],
				['*** Delete File: absent.txt\n', /absent\.txt does not exist/],
				['*** Delete File: b\n', /b is a folder/],
				['*** Delete File: ../x\n', /outside of the working folder/],
				['*** Delete File: .git/config\n', /git's own files/],
				['*** Delete File: link.txt\n', /link\.txt is a link/],
				['rename from link.txt\nrename to new.txt\n', /link\.txt is a link/],
				['rename from a.txt\nrename to b/c.txt\n', /b\/c\.txt exists already/],
				['rename from a.txt\nrename to b\n', /b is a folder/],
				['rename from a.txt\nrename to .git/hooks/pre-commit\n', /git's own files/],
				['rename from a.txt\nrename to ../x\n', /outside of the working folder/],
				['*** Delete File: a.txt\n*** Update File: a.txt\n-one\n+two\n', /a\.txt does not exist/],
				['*** Update File: a.txt\n', /no hunk for a\.txt/],
			] as const;
			const refused = await play(bad.map(([steps]) => edits(patch[1] ?? '', steps)));
			assert.deepEqual(refused.asked, []);
			for (const [index, [, said]] of bad.entries()) {
				assert.match(refused.results[index] ?? '', said);
			}
			assert.equal(read('b/c.txt'), 'three\n');
			const { results } = await play([
				call('edit', { patch: '@@ -1 +1 @@\n-one\n+two\n' }),
				call('edit', { patch: 'x' }),
			]);
			const [half = '', other = ''] = (
				await play([
					edits('--- a/b/d.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-three\n'),
					call('edit', { path: 'b/c.txt', patch: '*** Delete File: a.txt\n' }),
				])
			).results;
			assert.match(half, /would delete b\/d\.txt, but leaves lines of it/);
			assert.match(other, /would delete a\.txt, not b\/c\.txt/);
			assert.deepEqual([read(), read('b/c.txt'), read('b/d.txt')], ['one\n', 'three\n', 'three\nfour\n']);
			assert.match(results[0] ?? '', /Give path, or name each file in the patch/);
			assert.match(results[1] ?? '', /The patch has no hunk/);
		});

		it('deletes and renames, shows all of it, and keeps the permissions', async () => {
			chmodSync(at('b/c.txt'), 0o750);
			const { asked, results } = await play([
				edits(patch[2] ?? '', 'rename from b/c.txt\nrename to e/f.txt\n', '*** Delete File: a.txt\n'),
				edits('--- a/d/new.txt\n+++ b/d/newer.txt\n@@ -1 +1 @@\n-new\n+newer\n'),
				edits('--- a/d/newer.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-newer\n'),
			]);
			assert.deepEqual(
				asked.map(({ call: { title, kind, diffs } }) => [
					title,
					kind,
					...diffs.map(({ path: file, oldText = '', newText }) => [file, oldText, newText]),
				]),
				[
					[
						'Edit d/new.txt; move b/c.txt to e/f.txt; delete a.txt',
						'edit',
						[at('d/new.txt'), '', 'new\n'],
						[at('b/c.txt'), 'three\n', ''],
						[at('e/f.txt'), '', 'three\n'],
						[at('a.txt'), 'one\n', ''],
					],
					['Move d/new.txt to d/newer.txt', 'move', [at('d/new.txt'), 'new\n', ''], [at('d/newer.txt'), '', 'newer\n']],
					['Delete d/newer.txt', 'delete', [at('d/newer.txt'), 'newer\n', '']],
				],
			);
			assert.deepEqual(results, [
				'd/new.txt, e/f.txt were changed. b/c.txt, a.txt were deleted.',
				'd/newer.txt was changed. d/new.txt was deleted.',
				'd/newer.txt was deleted.',
			]);
			assert.deepEqual(
				[existsSync(at('a.txt')), existsSync(at('b/c.txt')), read('e/f.txt')],
				[false, false, 'three\n'],
			);
			assert.deepEqual(readdirSync(at('d')), []);
			assert.equal(statSync(at('e/f.txt')).mode & 0o777, 0o750);
		});

		it('follows one file through all that happens to it, and shows what becomes of it in the end', async () => {
			symlinkSync('a.txt', at('link.txt'));
			const change = '-one\n+two\n';
			const good = [
				['*** Delete File: a.txt\n*** Add File: a.txt\n+new\n', [['a.txt', 'one\n', 'new\n']], 'a=new'],
				[
					'rename from a.txt\nrename to n.txt\n*** Add File: a.txt\n+new\n',
					[
						['a.txt', 'one\n', 'new\n'],
						['n.txt', '', 'one\n'],
					],
					'a=new n=one',
				],
				[
					'rename from a.txt\nrename to n.txt\nrename from n.txt\nrename to m.txt\n',
					[
						['a.txt', 'one\n', ''],
						['m.txt', '', 'one\n'],
					],
					'm=one',
				],
				['rename from a.txt\nrename to n.txt\n*** Delete File: n.txt\n', [['a.txt', 'one\n', '']], ''],
				[
					`rename from a.txt\nrename to n.txt\n*** Update File: n.txt\n@@\n${change}rename from n.txt\nrename to a.txt\n`,
					[['a.txt', 'one\n', 'two\n']],
					'a=two',
				],
				[`*** Update File: link.txt\n@@\n${change}*** Delete File: ./a.txt\n`, [['a.txt', 'one\n', '']], ''],
			] as const;
			const begin =
				'for f in a m n; do test -f $f.txt && printf "$f=%s " "$(cat $f.txt)"; done; rm -f [amn].txt; echo one > a.txt';
			const { asked, results } = await play(good.flatMap(([steps]) => [edits(steps), call('run', { command: begin })]));
			const shown = asked.flatMap(({ call: { kind, diffs } }) =>
				kind === 'execute' ? [] : [diffs.map(({ path: file, oldText = '', newText }) => [file, oldText, newText])],
			);
			for (const [index, [steps, changes, left]] of good.entries()) {
				assert.deepEqual(
					shown[index],
					changes.map(([name, ...texts]) => [at(name), ...texts]),
					steps,
				);
				assert.equal(results[2 * index + 1]?.split(/ ?\n?Exit/)[0], left, steps);
			}
			const bad = [
				['rename from a.txt\nrename to n.txt\n*** Delete File: a.txt\n', /a\.txt does not exist/],
				['*** Delete File: a.txt\nrename from a.txt\nrename to n.txt\n', /a\.txt does not exist/],
				['rename from a.txt\nrename to a.txt\n', /changes nothing in a\.txt/],
				['rename from a.txt\nrename to link.txt\n', /changes nothing in a\.txt/],
				['*** Add File: n.txt\n+one\n*** Add File: ./n.txt\n+two\n', /n\.txt exists already/],
			] as const;
			const refused = await play(bad.map(([steps]) => edits(steps)));
			assert.deepEqual(refused.asked, []);
			for (const [index, [steps, said]] of bad.entries()) {
				assert.match(refused.results[index] ?? '', said, steps);
			}
			const below = await play([edits('rename from a.txt\nrename to a.txt/b.txt\n')]);
			assert.match(below.results[0] ?? '', /The folder of a\.txt\/b\.txt cannot be made/);
			assert.deepEqual([read(), existsSync(at('n.txt'))], ['one\n', false]);
		});

		it('has deleted nothing where another file cannot be written', async () => {
			const { results } = await play([edits('*** Delete File: b/c.txt\n', ...patch.slice(2))], () => put('', 'd'));
			assert.match(results[0] ?? '', /^The folder of d\/new\.txt cannot be made/);
			assert.equal(read('b/c.txt'), 'three\n');
		});

		it('leaves the others as they were where one cannot be written', async () => {
			const { results } = await play([edits(...patch)], () => {
				// A file stands where the folder of the last one would be.
				put('', 'd');
			});
			assert.match(results[0] ?? '', /^The folder of d\/new\.txt cannot be made/);
			assert.deepEqual([read(), read('b/c.txt')], ['one\n', 'three\n']);
		});
	});

	it('asks no more where all changes were allowed for the session, and still makes none that fails', async () => {
		put('one\n');
		let asked = 0;
		const agent = await own.start(
			{},
			{
				mode: 'ask',
				decide: ({ options }) => {
					asked++;
					return { option: options.find(({ kind }) => kind === 'allow_always')?.id };
				},
			},
		);
		own.server.play(edit('one', 'two'), edit('one', 'three'), edit('two', 'three'), DONE);
		await agent.session.prompt('Go');
		assert.equal(asked, 1);
		assert.match(own.server.requests.at(-1)?.results[1] ?? '', /does not stand/);
		assert.equal(read(), 'three\n');
	});

	it('gives its model the texts that go with a prompt, each behind its name', async () => {
		const agent = await own.start();
		own.server.play(DONE);
		await agent.session.prompt('Go', [{ uri: 'file:///srv/a.txt', text: 'one\ntwo' }]);
		assert.deepEqual(own.server.requests[0]?.body['input'], [
			{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'file:///srv/a.txt:\none\ntwo\nGo' }] },
		]);
	});
});
