import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { installServerPackage, needsDownload, packageOf } from '../../../../src/agents/mcp/serverPackage.ts';
import { makeCertificate } from '../../../support/certificates.ts';
import { PackageRegistry, packPackage } from '../../../support/packageRegistry.ts';
import { ProxyServer } from '../../../support/proxyServer.ts';

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

	describe('with a dependency in a repository', () => {
		let folder: string;
		let theirs: PackageRegistry;
		beforeEach(async () => {
			folder = await mkdtemp(path.join(os.tmpdir(), 'errand-package-'));
			theirs = await PackageRegistry.start([]);
		});
		afterEach(async () => {
			await theirs.stop();
			await rm(folder, { recursive: true, force: true });
		});

		const checkRefusal = async (dependency: string, settings = '') => {
			const server = { name: 'server', version: '1.0.0', bin: 'run.js', dependencies: { repository: dependency } };
			const registry = await PackageRegistry.start([packPackage(server, { 'run.js': '' })]);
			try {
				await writeFile(path.join(folder, '.npmrc'), `registry=${registry.address}\n${settings}`);
				const environment = { PATH: process.env['PATH'], HOME: folder };
				const place = { folder: path.join(folder, 'packages'), environment, signal: new AbortController().signal };
				await assert.rejects(
					installServerPackage({ wanted: 'server', args: [] }, place),
					/^UserFacingError: server was not installed: one of its dependencies comes by git/,
				);
				assert.ok(registry.requests.includes('GET /server'));
				assert.deepEqual(theirs.requests, []);
			} finally {
				await registry.stop();
			}
		};

		it('starts no git', () => checkRefusal(`git+${theirs.address}repository`));

		// npm prepares it with another npm, which obeys the settings in it: they name programs, and where tokens are sent.
		it('prepares no archive of it', async () => {
			const manifest = {
				...{ name: 'repository', version: '1.0.0', scripts: { prepare: 'true' } },
				devDependencies: { '@theirs/package': '1.0.0' },
			};
			const repository = path.join(folder, 'repository');
			await mkdir(repository);
			await writeFile(path.join(repository, 'package.json'), JSON.stringify(manifest));
			await writeFile(path.join(repository, '.npmrc'), `@theirs:registry=${theirs.address}\n`);
			const archive = execFileSync('tar', ['-cz', '-C', folder, 'repository']);
			const host = createServer(makeCertificate({ hosts: ['codeload.github.com'] }), (_, response) => {
				response.end(archive);
			});
			await new Promise<void>(resolve => host.listen(0, '127.0.0.1', resolve));
			const { port } = host.address() as AddressInfo;
			const proxy = await ProxyServer.start({ hosts: new Map([['codeload.github.com', port]]) });
			try {
				const settings = `https-proxy=${proxy.url()}\nnoproxy=127.0.0.1\nstrict-ssl=false\n`;
				await checkRefusal(`github:owner/repository#${'a'.repeat(40)}`, settings);
				assert.equal(proxy.requests[0]?.target, 'codeload.github.com:443');
			} finally {
				await proxy.stop();
				host.closeAllConnections();
				await new Promise(resolve => host.close(resolve));
			}
		});
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
