import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownAgent } from '../../src/agents/catalogue/ownAgent.ts';
import { withAgentAndServer } from '../support/agentWithServer.ts';
import { AGENT_PROGRAM } from '../support/programs.ts';
import { ReplyServer, type ScriptedReply } from '../support/replyServer.ts';
import { TestSandbox } from '../support/sandbox.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const run = (command: string, more: object = {}) => call('run', { command, ...more });
const SERVER_PROGRAM = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

describe('a turn that only plans', () => {
	let sandbox: TestSandbox;
	let model: ReplyServer;

	beforeEach(async () => {
		[sandbox, model] = [await TestSandbox.create(), await ReplyServer.start()];
		await writeFile(path.join(sandbox.tree, 'a.txt'), 'before\n');
	});
	afterEach(async () => {
		await model.stop();
		await sandbox.remove();
	});

	/** Plays calls, all of which are allowed, and returns their results. */
	async function play(treeFolders: string[] | undefined, ...replies: ScriptedReply[]): Promise<string[]> {
		await withAgentAndServer(
			{
				...{ sandbox, model: 'scripted', modelUrl: model.url, ...(treeFolders && { treeFolders }) },
				agent: ownAgent(AGENT_PROGRAM, '1') ?? assert.fail('The agent is not built.'),
				server: {
					...{ name: 'test', file: undefined, command: process.execPath, args: [SERVER_PROGRAM, 'honest'] },
					...{ env: {}, hosts: [], files: 'write' },
				},
				...{ ask: async () => undefined, onAnswer: () => {}, known: () => undefined, note: () => {} },
				...{ askAboutTools: async () => true, onFailed: () => {}, onRefused: () => {} },
			},
			async ({ prompt }) => {
				model.play(...replies, { text: 'Done.' });
				await prompt('Go');
			},
		);
		return model.requests.at(-1)?.results ?? [];
	}

	it('writes nothing, whatever is allowed: by tools, commands, those in the background, servers, or later', async () => {
		const { tree, home } = sandbox.inside;
		const commands = [
			...['echo x > a.txt', 'rm a.txt', 'mv a.txt b.txt', 'chmod +x a.txt', 'mkdir d', 'ln -s a.txt l'],
			`mount -o remount,rw ${tree}`,
			`unshare -rm sh -c "mount -o remount,rw,bind ${tree} && echo x > a.txt"`,
			`echo x > /proc/1/root${tree}/n.txt`,
			`ln -s ${tree} ${home}/t && echo x > ${home}/t/n.txt`,
			'git init -q . && git -c core.fsmonitor="touch n.txt" status',
		];
		const later = `(setsid sh -c 'while :; do echo late > late.txt; echo late > ${home}/late.txt; sleep 0.1; done' &) ; sleep 300`;
		const results = await play(
			[],
			...commands.map(command => run(`${command} 2>&1`)),
			call('write', { path: 'n.txt', content: 'x' }),
			call('edit', { path: 'a.txt', old: 'before', new: 'after' }),
			call('edit', { patch: '*** Delete File: a.txt\n' }),
			call('mcp', { tool: 'test/write', arguments: {} }),
			run(later, { background: true }),
			run(`while ! test -s ${home}/late.txt; do sleep 0.1; done`),
		);
		for (const [index, command] of commands.entries()) {
			assert.match(results[index] ?? '', /Exit code [1-9]/, command);
		}
		assert.deepEqual(
			results.slice(commands.length, -2).map(text => /EROFS/.test(text)),
			[true, true, true, true],
			results.slice(commands.length).join('\n'),
		);
		const isAsBefore = () => {
			assert.deepEqual(readdirSync(sandbox.tree), ['a.txt']);
			assert.equal(readFileSync(path.join(sandbox.tree, 'a.txt'), 'utf8'), 'before\n');
		};
		isAsBefore();
		// What it had left running ended with it, so the next turn, which may write, finds nothing of it.
		const [seen] = await play(undefined, run('ps -e -o args | grep -c "[l]ate.txt"; sleep 1; ls'));
		assert.equal(seen, '0\na.txt\nExit code 0.');
		isAsBefore();
	});
});
