import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ReceivedRequest, ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const start = (command: string) => call('run', { command, background: true });
const output = (id: number, more: object = {}) => call('output', { id, ...more });
const DONE: ScriptedReply = { text: 'Done.' };

/** Serves until it is ended, and leaves its process id. */
const SERVER = 'echo $$ > pid; echo ready; while :; do sleep 1; done';

describe('a command in the background', () => {
	const own = useOwnAgent();
	const at = (name: string) => path.join(own.folder, name);
	const pid = () => Number(readFileSync(at('pid'), 'utf8'));
	const results = () => own.server.requests.at(-1)?.results ?? [];
	const alive: boolean[] = [];
	beforeEach(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		alive.splice(0);
	});

	/** Plays replies, and notes before each whether the command is alive. */
	async function play(...replies: ScriptedReply[]): Promise<void> {
		const agent = await own.start();
		const first = own.server.requests.length;
		own.server.script = (_: ReceivedRequest, number) => {
			alive.push(existsSync(at('pid')) && isAliveNow(pid()));
			return replies[number - first] ?? DONE;
		};
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
	}

	it('returns at once, tells its new output, works on meanwhile, and ends with the turn', async () => {
		await play(start(SERVER), output(1), call('run', { command: 'echo beside' }), output(1, { seconds: 0 }));
		const [started, first, beside, second] = results();
		assert.match(started ?? '', /in the background with the id 1/);
		assert.match(first ?? '', /^ready\nIt has been running for \d+ seconds\.$/);
		assert.match(beside ?? '', /^beside\nExit code 0/);
		assert.match(second ?? '', /^It has been running/);
		assert.deepEqual(alive.slice(2), [true, true, true]);
		await waitFor('its end', async () => !(await isAlive(pid())));
	});

	it('is stopped by a call, with all that it has started', async () => {
		await play(start(`sh -c '${SERVER}' & wait`), output(1), output(1, { stop: true }), output(1));
		assert.match(results()[2] ?? '', /It was stopped\./);
		assert.match(results()[3] ?? '', /No command 1 is in the background\. There are: none/);
		assert.equal(alive.at(-1), false);
	});

	it('stays where the command would leave it running in its own way', async () => {
		await play(start(`sh -c '${SERVER}' &`), output(1), output(1, { seconds: 0 }));
		assert.match(results()[0] ?? '', /in the background with the id 1/);
		assert.match(results()[1] ?? '', /^ready\nIt has been running/);
		assert.equal(alive.at(-1), true);
	});

	it('tells how it ended', async () => {
		await play(start('echo out; exit 3'), output(1, { seconds: 30 }), output(1, { seconds: 30 }));
		assert.match(results().join('\n'), /out\n[\s\S]*Exit code 3\./);
	});

	it('keeps a bounded part of its output', async () => {
		await play(start('yes | head -c 5000000; echo end'), call('run', { command: 'sleep 1' }), output(1));
		const said = results()[2] ?? '';
		assert.ok(said.length <= 30_000);
		assert.match(said, /characters were left out[\s\S]*end/);
	});

	it('is refused where too many are there already', async () => {
		await play({
			calls: Array.from({ length: 9 }, () => ({ name: 'run', input: { command: 'sleep 300', background: true } })),
		});
		assert.match(results()[8] ?? '', /8 commands are in the background already/);
	});

	it('is what the model is told of where it leaves one running in another way', async () => {
		await play(call('run', { command: 'sleep 300 > /dev/null 2>&1 &' }));
		assert.match(results()[0] ?? '', /left running was ended\. Set background/);
	});

	for (const how of ['cancel', 'input', 'SIGTERM'] as const) {
		it(`does not outlive ${how === 'cancel' ? 'a turn that is stopped' : `the agent (${how})`}`, async () => {
			const agent = await own.start();
			own.server.play(start(`trap "" TERM; ${SERVER}`), output(1, { seconds: 300 }), output(1, { seconds: 300 }));
			const running = agent.session.prompt('Go').catch(() => {});
			await waitFor('the command', () => existsSync(at('pid')) && readFileSync(at('pid'), 'utf8') !== '');
			if (how === 'cancel') {
				await agent.session.cancel();
			} else if (how === 'input') {
				agent.endInput();
			} else {
				process.kill(agent.pid, 'SIGTERM');
			}
			await waitFor('its end', async () => !(await isAlive(pid())));
			await running;
		});
	}
});

/** Like `isAlive`, for a script that cannot wait. */
function isAliveNow(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
	} catch {
		return false;
	}
}
