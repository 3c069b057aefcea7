import assert from 'node:assert/strict';
import { decisiveReason } from '../../../src/base/decisiveFiles.ts';

describe('a file that decides what runs', () => {
	for (const [reason, paths] of [
		['git', ['.git/config', 'a/.git', '.GIT/hooks/x', 'git~1/config', '.git./config', '.g\u200dit/config']],
		[
			'hidden',
			[
				'.exrc',
				'a/.b/c.txt',
				'.github/workflows/evil.yml',
				'.codex/config.toml',
				'.gemini/settings.json',
				'.zed/tasks.json',
				'.pnpmfile.cjs',
				'.cursorrules',
				'.eslintrc.json',
				'\u200b.vscode/tasks.json',
				'.yarnrc.yml',
				'a\\.npmrc',
			],
		],
		[
			'build',
			[
				'Makefile',
				'sub/GNUmakefile',
				'MAKEFILE',
				'Makefile.',
				'Makefile:stream',
				'rules.mk',
				'lefthook.yml',
				'lefthook-local.yml',
				'Taskfile.yaml',
				'docker-compose.override.yml',
				'Dockerfile.dev',
				'vite.config.ts',
				'jest.setup.js',
				'build.gradle.kts',
				'setup.py',
				'conftest.py',
				'build.rs',
				'a.code-workspace',
				'scripts/release.sh',
				'husky/pre-commit',
				'pyproject.toml',
				'azure-pipelines.yml',
				'flake.nix',
				'x.pth',
				'gradle/wrapper/gradle-wrapper.properties',
				'gradle/wrapper/gradle-wrapper.jar',
				'rust-toolchain.toml',
				'meson.build',
				'lib/tasks/a.rake',
				'project/plugins.sbt',
				'phpunit.xml.dist',
				'deno.jsonc',
				'package.yaml',
				'Directory.Build.proj',
				'webpack.config.babel.js',
				'gulpfile.babel.js',
			],
		],
		[
			'instructions',
			['AGENTS.md', 'pkg/CLAUDE.md', 'gemini.MD', 'prompts/a.prompt.md', 'rules/x.mdc', 'opencode.jsonc', 'SKILL.md'],
		],
	] as const) {
		it(`is one: ${reason}`, () => {
			assert.deepEqual(
				paths.filter(path => decisiveReason({ path }) !== reason),
				[],
			);
		});
	}

	it('is one that is a program, or begins as one', () => {
		assert.equal(decisiveReason({ path: 'bin/run', isExecutable: true }), 'executable');
		assert.equal(decisiveReason({ path: 'bin/run', texts: [undefined, '#!/bin/sh\n'] }), 'executable');
	});

	it('is not one that only looks like one', () => {
		const usual = [
			'src/index.ts',
			'docs/Makefile.md/a.txt',
			'src/hooks/useName.ts',
			'compose.ts',
			'package-lock.json',
			'yarn.lock',
			'Cargo.lock',
			'agents.ts',
			'opencode.json.md',
			'build/a.txt',
			'my-makefile-notes.txt',
			'config.ts',
			'./a.ts',
			'tsconfig.json',
			'gradle.lockfile',
			'src/config/app.ts',
			'configure.ts',
		];
		assert.deepEqual(
			usual.filter(path => decisiveReason({ path }) !== undefined),
			[],
		);
	});

	it('is a manifest that gets another script, a hook or a setting, and not one with other dependencies', () => {
		const reason = (before: string | undefined, after: string | undefined) =>
			decisiveReason({ path: 'packages/a/package.json', texts: [before, after] });
		const old = { name: 'a', scripts: { test: 'mocha' }, dependencies: { b: '1' } };
		const text = (fields: object) => JSON.stringify({ ...old, ...fields }, undefined, 2);
		assert.equal(reason(text({}), text({ dependencies: { c: '2' }, version: '2' })), undefined);
		for (const fields of [
			{ scripts: { test: 'mocha', prepare: 'x' } },
			{ husky: {} },
			{ packageManager: 'npm@1' },
			{ jest: { transform: {} } },
			{ workspaces: ['evil'] },
		]) {
			assert.equal(reason(text({}), text(fields)), 'build', JSON.stringify(fields));
		}
		assert.equal(decisiveReason({ path: 'package.json' }), 'build');
		for (const path of ['constructor', '__proto__']) {
			assert.equal(decisiveReason({ path, texts: [text({}), text({ version: '2' })] }), undefined, path);
		}
		assert.equal(reason(undefined, '{"name":"a"}'), undefined);
		assert.equal(reason(undefined, text({})), 'build');
		assert.equal(reason(text({}), undefined), 'build');
		assert.equal(reason(text({}), '{ broken'), 'build');
		assert.equal(reason('"test": "a"', '"test": "b"'), 'build');
		assert.equal(reason('{}', '{"version":"rm -rf ."}'), 'build');
	});
});
