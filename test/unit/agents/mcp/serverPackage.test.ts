import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installServerPackage, needsDownload, packageOf } from '../../../../src/agents/mcp/serverPackage.ts';
import { PackageRegistry, packPackage } from '../../../support/packageRegistry.ts';

describe('the package of an MCP server', () => {
	const of = (command: string, ...args: string[]) => packageOf({ command, args });

	it('is what npx is told, with the arguments of its program', () => {
		assert.deepEqual(of('npx', '-y', '@scope/server@1.2.3', '--root', '.'), {
			wanted: '@scope/server@1.2.3',
			args: ['--root', '.'],
		});
		assert.deepEqual(of('npx', 'server'), { wanted: 'server', args: [] });
	});

	it('is started by a program of its own, and by no other file of the machine', async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-package-'));
		const own = path.join(folder, 'server', 'node_modules', 'server');
		const place = { folder, environment: {}, signal: new AbortController().signal };
		const started = async (bin: unknown) => {
			await writeFile(path.join(own, 'package.json'), JSON.stringify({ bin }));
			return installServerPackage({ wanted: 'server', args: [] }, place);
		};
		try {
			await mkdir(own, { recursive: true });
			assert.equal(await started('./run.js'), path.join(own, 'run.js'));
			assert.equal(await started({ other: 'other.js', server: 'run.js' }), path.join(own, 'run.js'));
			for (const bin of ['../../../../../../etc/hostname', '.', '', undefined, { server: '../other/run.js' }]) {
				await assert.rejects(started(bin), /has no program that could be started/, JSON.stringify(bin));
			}
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});

	// npm prepares what comes by git with another npm, which obeys the settings in that repository.
	it('brings nothing by git, as a repository could name a program that npm would run', async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-package-'));
		const repository = path.join(folder, 'repository');
		const proof = path.join(folder, 'proof');
		const home = path.join(folder, 'home');
		const manifest = {
			...{ name: 'by-git', version: '1.0.0', scripts: { prepare: 'true' } },
			devDependencies: { other: `git+file://${folder}/other` },
		};
		const server = packPackage(
			{ name: 'server', version: '1.0.0', bin: 'run.js', dependencies: { 'by-git': `git+file://${repository}` } },
			{ 'run.js': '' },
		);
		const registry = await PackageRegistry.start([server]);
		try {
			await mkdir(repository);
			await mkdir(home);
			await writeFile(path.join(repository, 'package.json'), JSON.stringify(manifest));
			await writeFile(path.join(repository, '.npmrc'), 'git=./program.sh\n');
			await writeFile(path.join(repository, 'program.sh'), `#!/bin/sh\ntouch ${proof}\nexit 1\n`, { mode: 0o755 });
			const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args]);
			git('init', '--quiet');
			git('add', '.');
			git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'Begin');
			await writeFile(path.join(home, '.npmrc'), `registry=${registry.address}\n`);
			const environment = { PATH: process.env['PATH'], HOME: home };
			const place = { folder: path.join(folder, 'packages'), environment, signal: new AbortController().signal };
			const installed = installServerPackage({ wanted: 'server', args: [] }, place);
			const { message } = await installed.then(assert.fail, error => error);
			assert.equal(existsSync(proof), false, 'a program of the repository has run');
			assert.match(message, /^server was not installed: one of its dependencies comes by git/);
			assert.ok(registry.requests.includes('GET /server'));
		} finally {
			await registry.stop();
			await rm(folder, { recursive: true, force: true });
		}
	});

	it('has to be downloaded by its command itself, unless Errand installs it, a host is named or an argument forbids it', () => {
		const needs = (command: string, args: string[], hosts: string[] = []) =>
			needsDownload({ command, args, hosts, env: {}, files: 'read' });
		assert.deepEqual(
			[needs('uvx', ['mcp-server-git']), needs('npx', ['-y', 'github:a/b']), needs('npx', ['-p', 'a', 'b'])],
			[true, true, true],
		);
		assert.deepEqual(
			[
				needs('npx', ['-y', 'a']),
				needs('uvx', ['a'], ['pypi.org']),
				needs('uvx', ['--offline', 'a']),
				needs('node', ['a']),
			],
			[false, false, false, false],
		);
	});

	it('is none for another command, and for what would be something else each time', () => {
		assert.equal(of('node', 'server.js'), undefined);
		for (const wanted of [
			'https://example.com/x.tgz',
			'github:a/b',
			'a/b',
			'./folder',
			'../x',
			'--package=x',
			'@scope',
			'',
		]) {
			assert.equal(of('npx', '-y', wanted), undefined, wanted);
		}
	});
});
