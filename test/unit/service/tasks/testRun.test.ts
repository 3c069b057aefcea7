import assert from 'node:assert/strict';
import { OWN_AGENT } from '../../../../src/agents/catalogue/ownAgent.ts';
import type { ToolCall } from '../../../../src/agents/session/events.ts';
import { testRunOf } from '../../../../src/service/tasks/steps/testRun.ts';
import { processorMs } from '../../../support/processorTime.ts';

const OWN_TESTS = './verify all';

const call = (command: string, fields: Partial<ToolCall> = {}): ToolCall => ({
	...{ id: 'call', title: command, kind: 'execute', status: 'completed', command, locations: [], diffs: [] },
	...{ output: '3 passing\nExit code 0.', ...fields },
});
const failed = { status: 'failed', output: '1 failing\nExit code 2.' } as const;
const outcomeOf = (command: string, fields: Partial<ToolCall> = {}, agent = OWN_AGENT) =>
	testRunOf(call(command, fields), agent, OWN_TESTS)?.outcome;

describe('the runs of tests by an agent', () => {
	it('are told from other commands by what they begin with', () => {
		for (const command of [
			...['npm test', 'npm run test:unit -- --grep words', 'CI=1 pnpm t', 'npx vitest run', 'yarn jest src/a.test.ts'],
			...[
				'python3 -m pytest -x',
				'go test ./...',
				'cargo test',
				'make check',
				'./gradlew --offline test',
				'node --test',
			],
			...['cd packages/a && time npm test', OWN_TESTS, `${OWN_TESTS} --quick`, 'npm run build && npm test 2>&1'],
		]) {
			assert.equal(outcomeOf(command), 'passed', command);
		}
		for (const command of [
			...['git checkout main', 'cat test/a.test.ts', 'npm install', 'echo npm test', 'echo "fix; npm test now"'],
			...["git commit -m 'npm test'", 'cat > notes <<EOF\nnpm test\nEOF', 'npx jest --version', 'mkdir tests', ''],
		]) {
			assert.equal(outcomeOf(command), undefined, command);
		}
		assert.equal(outcomeOf('npm test', { kind: 'read' }), undefined);
		assert.equal(outcomeOf('npm test', { status: 'in_progress' }), undefined);
		assert.equal(testRunOf({ ...call('npm test'), command: undefined }, OWN_AGENT, undefined), undefined);
	});

	it('are looked for in lines that people write, as others could take any time', () => {
		for (const part of ['A=1 ', '1', '"\\', '> ', '-a ']) {
			const spent = processorMs(() => assert.equal(outcomeOf(`npm test ${part.repeat(20_000)}`), undefined, part));
			assert.ok(spent < 200, `${part}: ${spent} ms`);
			assert.equal(outcomeOf(`npm test <<< ${part.repeat(20_000)}`), 'unknown', part);
		}
		assert.equal(outcomeOf(`${'A=1 '.repeat(20_000)}npm test`), undefined);
	});

	it('have failed where the exit code says so, and nothing but the tests can have failed', () => {
		assert.equal(outcomeOf('cd src && npm test', failed), 'failed');
		assert.equal(outcomeOf('npm test && npm run test:e2e', failed), 'failed');
		assert.equal(outcomeOf('npm run build && npm test', failed), 'unknown');
	});

	it('are not known to have passed or failed where their end is not that of the line', () => {
		for (const command of [
			'npm test | tail',
			'npm test || true',
			'npm test; git status',
			'npm test &',
			'npm test\nls',
		]) {
			assert.equal(outcomeOf(command), 'unknown', command);
			assert.equal(outcomeOf(command, failed), 'unknown', command);
		}
		assert.equal(outcomeOf('npm test', { status: 'failed', output: 'It did not end within 9 seconds.' }), 'unknown');
	});

	it('of other agents have failed where these say so, and are not known to have passed', () => {
		assert.equal(outcomeOf('npm test', failed, 'another'), 'failed');
		assert.equal(outcomeOf('npm test', {}, 'another'), 'unknown');
	});
});
