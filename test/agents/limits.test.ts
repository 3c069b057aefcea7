import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DEFAULT_LIMITS, type SandboxLimits } from '../../src/agents/sandbox/limits.ts';
import { descendantsUse, ResourceWatch } from '../../src/agents/sandbox/resourceWatch.ts';
import { holdsOurNode, type Outcome, outcomeOf, TestSandbox } from '../support/sandbox.ts';

const MEGABYTE = 1_000_000;

describe('the limits of a sandbox', () => {
	let sandbox: TestSandbox;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
	});
	afterEach(() => sandbox.remove());

	/** Runs a script under watch and returns the sentences that it was ended with. */
	async function watched(
		script: string,
		changed: Partial<SandboxLimits>,
	): Promise<{ sentences: string[]; outcome: Outcome; most: number }> {
		const limits = { ...DEFAULT_LIMITS, ...changed };
		const child = await sandbox.start(script, { limits });
		const sentences: string[] = [];
		const pid = child.pid ?? 0;
		const watch = new ResourceWatch({
			pid,
			folders: [sandbox.tree, sandbox.home],
			limits,
			onOver(sentence) {
				sentences.push(sentence);
				child.kill('SIGKILL');
			},
		});
		let most = 0;
		const sampling = setInterval(async () => {
			most = Math.max(most, (await descendantsUse(pid)).processes);
		}, 100);
		try {
			return { outcome: await outcomeOf(child), sentences, most };
		} finally {
			clearInterval(sampling);
			watch.dispose();
		}
	}

	it('end an agent that runs too many programs', async () => {
		const { sentences } = await watched('i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i + 1)); done; wait', {
			processes: 60,
		});
		assert.deepEqual(sentences, [
			'The agent was stopped because it ran more than 60 programs at the same time. Ask it to do less at once.',
		]);
	});

	it('hold a fork bomb, which never has more processes than that', async () => {
		// A shell that is refused a program ends. The outermost one starts none, so that the others live until they are
		// counted.
		const { most, outcome, sentences } = await watched('bomb() { bomb & bomb & sleep 3; }; (bomb); exec sleep 5', {
			processes: 200,
		});
		assert.ok(most > 5 && most <= 200 + 124 + 5, `${most} processes`);
		// The system refuses another program, or the watch sees them before that and ends the agent.
		assert.match([outcome.output, ...sentences].join('\n'), /fork|ran more than 200 programs/);
	});

	it('keep the number of processes without a watch too', async () => {
		const script =
			'(i=0; while [ $i -lt 1000 ]; do sleep 1000 & i=$((i + 1)); done) 2>/dev/null; echo tried; read line';
		const child = await sandbox.start(script, { limits: { ...DEFAULT_LIMITS, processes: 50 } });
		const ended = outcomeOf(child);
		assert.ok(child.stdout);
		await once(child.stdout, 'data');
		const { processes } = await descendantsUse(child.pid ?? 0);
		assert.ok(processes > 100 && processes <= 50 + 124 + 5, `${processes} processes`);
		child.kill('SIGKILL');
		await ended;
	});

	it('end programs that take too much memory together', async () => {
		const hold = 'head -c 200000000 /dev/zero | tail | sleep 1000 &';
		const { sentences } = await watched(`${hold.repeat(4)}\nsleep 1000`, { memory: 500 * MEGABYTE });
		assert.deepEqual(sentences, [
			'The agent was stopped because its programs took more than 0.5 GB of memory together. Ask it to do less at once.',
		]);
	});

	it('refuse memory that belongs to no process, however little of it a program keeps mapped', async function () {
		if (!existsSync('/usr/bin/perl')) {
			this.skip();
		}
		const attacks = {
			segments:
				'for (1 .. 5) { defined(my $id = shmget(0, 1e8, 01600)) or exit 1; shmwrite($id, "x" x 1e8, 0, 1e8) or exit 1 }',
			queues:
				'defined(my $id = msgget(0, 01600)) or exit 1; msgsnd($id, pack("l! a*", 1, "x" x 8000), 04000) or exit 1',
			semaphores: 'for (1 .. 50) { defined(semget(0, 32000, 01600)) or exit 1 }',
		};
		const script = Object.entries(attacks).map(([name, code]) => `perl -e '${code}' && echo "kept: ${name}"`);
		const { outcome } = await watched([...script, 'sleep 2; echo done'].join('\n'), { memory: 300 * MEGABYTE });
		assert.equal(outcome.output, 'done\n');
		// A database that makes sure of being alone with its files asks for less than a page.
		const small = 'defined(my $id = shmget(0, 56, 01600)) or exit 1; print shmwrite($id, "x", 0, 1)';
		assert.equal((await sandbox.run(`perl -e '${small}'`)).output, '1');
	});

	it('refuse a single program too much memory', async () => {
		const { outcome, sentences } = await watched('head -c 900000000 /dev/zero | tail >/dev/null; echo "ended: $?"', {
			memory: 300 * MEGABYTE,
		});
		assert.deepEqual(sentences, []);
		assert.match(outcome.output, /ended: [^0]/);
	});

	for (const place of ['/workspace/repository', '/home/agent', '/tmp', '/var/tmp']) {
		it(`end an agent that fills ${place}`, async function () {
			if (holdsOurNode(place)) {
				this.skip();
			}
			const fill = `cd ${place}; i=0; while head -c 4000000 /dev/zero >file-$i; do i=$((i + 1)); sleep 0.02; done`;
			const { sentences } = await watched(fill, { disk: 60 * MEGABYTE });
			assert.equal(sentences.length, 1);
			assert.match(sentences[0] ?? '', /its files took more than 0\.06 GB of disk space/);
		});
	}

	it('end an agent that makes too many empty files, or folders that are too deep', async () => {
		const many = await watched('i=0; while true; do : >file-$i; i=$((i + 1)); done', { disk: 20 * MEGABYTE });
		assert.match(many.sentences[0] ?? '', /of disk space/);
		const deep = await watched(
			'while true; do mkdir deeper-and-deeper-and-deeper && cd deeper-and-deeper-and-deeper || sleep 1; done',
			{},
		);
		assert.match(deep.sentences[0] ?? '', /folders inside one another/);
	});

	it('keep a single file small, and what is in memory', async () => {
		const { outcome, sentences } = await watched(
			[
				'head -c 200000000 /dev/zero >file; echo "file: $(stat -c %s file)"; rm file',
				'head -c 200000000 /dev/zero >/dev/shm/file; echo "memory: $(stat -c %s /dev/shm/file)"',
				'for place in / /dev /etc /run /var /proc; do head -c 1000 /dev/zero >$place/file && echo "written: $place"; done',
			].join('\n'),
			{ disk: 100 * MEGABYTE },
		);
		const sizes = [...outcome.output.matchAll(/(?:file|memory): (\d+)/g)].map(([, size]) => Number(size));
		assert.equal(sizes.length, 2, outcome.output);
		assert.ok((sizes[0] ?? 0) <= 100 * MEGABYTE && (sizes[1] ?? 0) <= 64 * 1024 * 1024, outcome.output);
		assert.doesNotMatch(outcome.output, /written:/);
		assert.ok(sentences.length <= 1);
	});

	it('leave a run alone that keeps to them', async () => {
		const { outcome, sentences } = await watched('head -c 5000000 /dev/zero >file; sleep 3; echo done', {
			disk: 20 * MEGABYTE,
		});
		assert.match(outcome.output, /done/);
		assert.deepEqual(sentences, []);
	});
});
