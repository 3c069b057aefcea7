import assert from 'node:assert/strict';
import type { TaskResult } from '../../../../src/contract/taskResults.ts';
import type { LogEntry } from '../../../../src/contract/tasks.ts';
import { LogFactsReader } from '../../../../src/tasks/model/logFacts.ts';
import { processorMs } from '../../../support/processorTime.ts';

const one: TaskResult[] = [{ key: 'task', taskId: 'task', branch: 'errand/a', agent: undefined }];
const race = (...agents: string[]): TaskResult[] =>
	agents.map((agent, at) => ({ key: `task:${at}`, taskId: 'task', branch: `errand/${at}`, agent }));

const entryOf = (fields: Partial<LogEntry>): LogEntry => ({
	...{ type: undefined, contentType: undefined, message: undefined, timestamp: undefined, agent: undefined },
	...{ step: undefined, ...fields },
});
const tool = (message: string, more: Partial<LogEntry> = {}) =>
	entryOf({ step: 'agent_tool', type: 'info', message, ...more });

function factsOf(results: readonly TaskResult[], ...entries: LogEntry[]) {
	const reader = new LogFactsReader(results);
	for (const entry of entries) {
		reader.add(entry, undefined);
	}
	return reader.facts();
}

const testsOf = (...entries: LogEntry[]) => {
	const tests = factsOf(one, ...entries)[0]?.tests;
	return tests && [tests.command, tests.outcome, tests.line];
};

describe('what a log says of tests', () => {
	it('is nothing where it says nothing', () => {
		assert.equal(testsOf(), undefined);
		assert.equal(testsOf(tool('Read src/a.ts'), tool('npm install'), tool('git status')), undefined);
	});

	it('is a command without a result where none follows', () => {
		for (const command of [
			'npm test',
			'npx vitest run',
			'pytest -q tests',
			'go test ./...',
			'cargo test',
			'node --test',
		]) {
			assert.deepEqual(testsOf(tool(`\`${command}\``), tool('Read src/a.ts')), [command, 'unknown', undefined]);
		}
	});

	it('is that it failed where the call of the command did', () => {
		assert.deepEqual(testsOf(tool('npm test'), tool('npm test failed: 1 of 3 is red', { type: 'warning' })), [
			'npm test',
			'failed',
			'npm test failed: 1 of 3 is red',
		]);
	});

	it('is what runners write after it', () => {
		const written = (line: string) => testsOf(tool('npm test'), tool(line))?.slice(1);
		assert.deepEqual(written('  12 passing (3s)'), ['passed', '12 passing (3s)']);
		assert.deepEqual(written('Tests:       3 passed, 3 total'), ['passed', 'Tests: 3 passed, 3 total']);
		assert.deepEqual(written('test result: ok. 5 passed; 0 failed; 0 ignored'), [
			'passed',
			'test result: ok. 5 passed; 0 failed; 0 ignored',
		]);
		assert.deepEqual(written('\u001b[31m2 tests failed\u001b[0m'), ['failed', '2 tests failed']);
		assert.deepEqual(written('=== 1 failed, 4 passed in 0.12s ==='), ['failed', '=== 1 failed, 4 passed in 0.12s ===']);
		assert.deepEqual(written('FAIL src/a.test.ts'), ['failed', 'FAIL src/a.test.ts']);
		assert.deepEqual(written('  10 passing\n  1 failing'), ['failed', '1 failing']);
	});

	it('is that it could not be run where the shell, Node or the service says so', () => {
		for (const line of [
			'sh: 1: mocha: not found',
			'bash: line 1: mocha: command not found',
			'zsh: command not found: mocha',
			"'mocha' is not recognized as an internal or external command,",
			"Error: Cannot find module 'mocha'",
			'"npm test" could not be run here, so nothing is known of the tests.',
			'The tests could not be prepared (EEXIST), so nothing is known of them.',
		]) {
			assert.deepEqual(testsOf(tool('npm test'), tool(line))?.slice(0, 2), ['npm test', 'not-run'], line);
		}
		const failure = tool('npm test failed: exit code 127', { type: 'warning' });
		assert.equal(testsOf(tool('npm test'), tool('sh: 1: mocha: not found'), failure)?.[1], 'not-run');
		assert.equal(testsOf(tool('npm test'), tool('sh: 1: mocha: not found'), tool('npm test'))?.[1], 'unknown');
		assert.equal(testsOf(tool('npm test'), tool('3 passing'), tool('bash: x: command not found'))?.[1], 'passed');
		assert.equal(testsOf(tool('npm test'), tool('1 failing'), tool("Cannot find module 'x'"))?.[1], 'failed');
		assert.equal(testsOf(tool('bash: x: command not found')), undefined);
	});

	it('is of the last run only', () => {
		assert.deepEqual(
			testsOf(
				tool('npm test'),
				tool('2 tests failed'),
				tool('Edit src/a.ts'),
				tool('npm test'),
				tool('5 tests passed'),
			),
			['npm test', 'passed', '5 tests passed'],
		);
		assert.deepEqual(testsOf(tool('npm test'), tool('5 tests passed'), tool('npm test')), [
			'npm test',
			'unknown',
			undefined,
		]);
	});

	it('is never what an agent claims, thinks or writes into a test', () => {
		const said = entryOf({ step: 'agent_message', contentType: 'agentResponse', message: 'All 40 tests passed.' });
		assert.deepEqual(testsOf(tool('npm test'), said), ['npm test', 'unknown', undefined]);
		assert.equal(testsOf(said), undefined);
		const runs = entryOf({ step: 'agent_message', message: 'Running `npm test`: 5 tests passed' });
		assert.deepEqual(testsOf(runs), ['npm test', 'unknown', undefined]);
		assert.equal(testsOf(entryOf({ step: 'agent_thought', message: 'I could run npm test' })), undefined);
		assert.deepEqual(testsOf(tool('npm test'), tool("a.test.ts\n+ it('2 tests failed')")), [
			'npm test',
			'unknown',
			undefined,
		]);
	});

	it('is bounded, on one line, and read in little time', () => {
		const long = testsOf(
			tool(`npm test ${'x'.repeat(100_000)}\u202e\n`),
			tool(`5 tests passed ${'y'.repeat(100_000)}`),
		);
		assert.ok((long?.[0]?.length ?? 0) <= 120 && (long?.[2]?.length ?? 0) <= 120);
		const spent = processorMs(() => {
			factsOf(one, ...Array.from({ length: 20_000 }, () => tool(`npm run ${'mvn gradlew ./mvnw '.repeat(20)}`)));
		});
		assert.ok(spent < 8_000, `${spent} ms`);
	});
});

describe('the facts of several agents in one log', () => {
	const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 10, 0, second)).toISOString();

	it('belong to the agent whose label an entry has', () => {
		const [first, second] = factsOf(
			race('agent-a', 'agent-a'),
			tool('[1] npm test', { agent: 'agent-a', timestamp: at(0) }),
			tool('[2] npm test', { agent: 'agent-a', timestamp: at(1) }),
			tool('[1] 3 tests passed', { agent: 'agent-a', timestamp: at(4) }),
			tool('[2] 1 test failed', { agent: 'agent-a', timestamp: at(11) }),
		);
		assert.deepEqual([first?.tests?.outcome, first?.duration], ['passed', 4000]);
		assert.deepEqual([second?.tests?.outcome, second?.duration], ['failed', 10_000]);
	});

	it('belong to the agent that an entry names, where only one has that name', () => {
		const named = tool('npm test', { agent: 'agent-b' });
		assert.deepEqual(
			factsOf(race('agent-a', 'agent-b'), named).map(({ tests }) => tests?.command),
			[undefined, 'npm test'],
		);
		assert.deepEqual(
			factsOf(race('agent-b', 'agent-b'), named).map(({ tests }) => tests?.command),
			[undefined, undefined],
		);
	});

	it('have no time where the log has none', () => {
		assert.deepEqual(factsOf(one, tool('npm test'), tool('x', { timestamp: 'never' }))[0]?.duration, undefined);
	});
});
