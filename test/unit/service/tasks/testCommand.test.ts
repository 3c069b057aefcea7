import assert from 'node:assert/strict';
import { findTestCommand } from '../../../../src/service/tasks/testCommand.ts';

const find = (files: Record<string, string>) => findTestCommand(async name => files[name]);
const withScript = (test: unknown) => JSON.stringify({ scripts: { test } });

describe('how a repository says that it is tested', () => {
	it('is what its AGENTS.md says, before its package', async () => {
		for (const [text, command] of [
			['# Conventions\n\nRun the tests with `make check` before you end.\n', 'make check'],
			['- Tests: `npm run test:unit -- --bail`\n', 'npm run test:unit -- --bail'],
		] as const) {
			const found = await find({ 'AGENTS.md': text, 'package.json': withScript('node --test') });
			assert.deepEqual(found, { command, source: 'AGENTS.md' });
		}
	});

	it('is the script of its package, by the manager whose lockfile is there', async () => {
		const file = { 'package.json': withScript('node --test') };
		assert.deepEqual(await find(file), { command: 'npm test', source: 'package.json' });
		for (const [lockfile, command] of [
			['pnpm-lock.yaml', 'pnpm test'],
			['yarn.lock', 'yarn test'],
			['bun.lock', 'bun run test'],
		] as const) {
			assert.equal((await find({ ...file, [lockfile]: '' }))?.command, command);
		}
	});

	it('is nothing where no file says so', async () => {
		for (const files of [
			{},
			{ 'AGENTS.md': 'The tests are in `test`. Use `tabs not spaces` everywhere.' },
			{ 'AGENTS.md': `The tests: \`${'x '.repeat(300)}\`` },
			{ 'AGENTS.md': 'Before the tests, build it with `npm run build`. Never run tests with `npm test -- -u`.' },
			{ 'AGENTS.md': 'Start the database with `docker compose up` before you run tests.' },
			{ 'package.json': '{' },
			{ 'package.json': '{}' },
			{ 'package.json': withScript(5) },
			{ 'package.json': withScript('  ') },
			{ 'package.json': withScript('echo "Error: no test specified" && exit 1') },
		]) {
			assert.equal(await find(files as Record<string, string>), undefined, JSON.stringify(files));
		}
	});
});
