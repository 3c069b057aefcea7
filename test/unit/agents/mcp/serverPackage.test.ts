import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { installServerPackage, needsDownload, packageOf } from '../../../../src/agents/mcp/serverPackage.ts';
import { makeCertificate } from '../../../support/certificates.ts';
import { PackageRegistry, packPackage } from '../../../support/packageRegistry.ts';
import { ProxyServer } from '../../../support/proxyServer.ts';
import { writeUv } from '../../../support/uvStandIn.ts';
import { useFolder } from '../useFolder.ts';

describe('the package of an MCP server', () => {
	const folder = useFolder();
	const of = (command: string, ...args: string[]) => packageOf({ command, args });

	it('is what npx is told, with the arguments of its program', () => {
		assert.deepEqual(of('npx', '-y', '@scope/server@1.2.3', '--root', '.'), {
			installer: 'npm',
			wanted: '@scope/server@1.2.3',
			args: ['--root', '.'],
		});
		assert.deepEqual(of('npx', 'server'), { installer: 'npm', wanted: 'server', args: [] });
	});

	it('is what uvx is told, with the name of its program', () => {
		const python = { installer: 'uv', wanted: 'mcp-server', program: 'mcp-server', args: ['--root', '.'] };
		assert.deepEqual(of('uvx', 'mcp-server', '--root', '.'), python);
		for (const wanted of ['mcp-server@1.2.3', 'mcp-server[cli]', 'mcp-server@latest']) {
			assert.deepEqual(of('uvx', wanted, '--root', '.'), { ...python, wanted });
		}
		for (const from of [['--from', 'mcp[cli]>=1,<2'], ['--from=mcp[cli]>=1,<2']]) {
			assert.deepEqual(of('uvx', ...from, 'mcp-server', '--root', '.'), { ...python, wanted: 'mcp[cli]>=1,<2' });
		}
	});

	it('is started by a program of its own, and by no other file of the machine', async () => {
		const own = folder.at('server', 'node_modules', 'server');
		const started = async (bin: unknown) => {
			await writeFile(path.join(own, 'package.json'), JSON.stringify({ bin }));
			return installServerPackage(
				{ installer: 'npm', wanted: 'server', args: [] },
				{ folder: folder.path, environment: {}, outside: [], signal: new AbortController().signal },
			);
		};
		await mkdir(own, { recursive: true });
		const run = path.join(own, 'run.js');
		assert.deepEqual(await started('./run.js'), { command: process.execPath, args: [run], files: [run] });
		assert.deepEqual((await started({ other: 'other.js', server: 'run.js' })).args, [run]);
		for (const bin of ['../../../../../../etc/hostname', '.', '', undefined, { server: '../other/run.js' }]) {
			await assert.rejects(started(bin), /has no program that could be started/, JSON.stringify(bin));
		}
	});

	describe('with a dependency in a repository', () => {
		let theirs: PackageRegistry;
		beforeEach(async () => {
			theirs = await PackageRegistry.start([]);
		});
		afterEach(() => theirs.stop());

		const checkRefusal = async (dependency: string, settings = '') => {
			const server = { name: 'server', version: '1.0.0', bin: 'run.js', dependencies: { repository: dependency } };
			const registry = await PackageRegistry.start([packPackage(server, { 'run.js': '' })]);
			try {
				await writeFile(folder.at('.npmrc'), `registry=${registry.address}\n${settings}`);
				const environment = { PATH: process.env['PATH'], HOME: folder.at() };
				const { signal } = new AbortController();
				const place = { folder: folder.at('packages'), environment, outside: [], signal };
				await assert.rejects(
					installServerPackage(of('npx', 'server') ?? assert.fail(), place),
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
			const repository = folder.at('repository');
			await mkdir(repository);
			await writeFile(path.join(repository, 'package.json'), JSON.stringify(manifest));
			await writeFile(path.join(repository, '.npmrc'), `@theirs:registry=${theirs.address}\n`);
			const archive = execFileSync('tar', ['-cz', '-C', folder.at(), 'repository']);
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

	describe('of uvx', () => {
		let programs: string;

		beforeEach(async function () {
			// The stand-in for uv links to a Python of this machine, which may have none.
			programs = (await writeUv(folder)) ?? this.skip();
		});
		const install = (args: string[], outside: string[] = [], PATH = `${programs}:${process.env['PATH']}`) =>
			installServerPackage(of('uvx', ...args) ?? assert.fail(), {
				folder: folder.at('packages'),
				environment: { PATH, HOME: folder.at('home'), UV_INDEX_URL: 'https://index.example/', GITHUB_TOKEN: 'x' },
				outside,
				signal: new AbortController().signal,
			});
		const environmentOf = (wanted: string) =>
			folder.at('packages', encodeURIComponent(`uv ${wanted}`), 'tools', 'server');

		it('is installed once, with nothing run of it, and is started by the Python of its environment', async () => {
			const own = environmentOf('server@1.2.3');
			const started = { command: path.join(own, 'bin/python'), args: [path.join(own, 'bin/server')], files: [] };
			assert.deepEqual(await install(['server@1.2.3']), started);
			const called = await readFile(folder.at('called'), 'utf8');
			assert.match(called, /^tool\ninstall\nserver==1\.2\.3\n--no-build\n--no-compile-bytecode\n/);
			assert.match(called, /^UV_INDEX_URL=https:\/\/index\.example\/$/m);
			assert.doesNotMatch(called, /GITHUB_TOKEN/);
			assert.deepEqual(await readdir(folder.at('packages')), [encodeURIComponent('uv server@1.2.3')]);
			await rm(folder.at('called'));
			assert.deepEqual(await install(['server@1.2.3']), started);
			assert.ok(!existsSync(folder.at('called')));
		});

		it('that could not be installed is told of, with the next step, and leaves nothing', async () => {
			for (const [name, said] of [
				[
					'absent',
					/^absent was not installed: it, or something that it needs, is not in the index of packages\. Check/,
				],
				['source', /has to be built first, which would run its code\. Install it yourself with uv tool install/],
				['newer@9', /does not have this version\. Check the version\.$/],
				['python', /a Python that is not on this machine\. Install one, as with uv python install/],
				['offline', /the index of packages could not be reached\. Check the network/],
				[
					'platform',
					/uv failed: Because only platform==1\.0 is .* no wheels with a matching .* that it cannot be used\.$/,
				],
				['weird', /uv failed: no way to https:\[redacted\]index\.invalid\/x\.$/],
			] as const) {
				await assert.rejects(install([name]), { name: 'UserFacingError', message: said });
			}
			assert.deepEqual(await readdir(folder.at('packages')), []);
		});

		it('needs the user’s own uv, and takes none of a repository', async () => {
			const missing =
				/^UserFacingError: server was not installed: uv was not found on PATH\. Install uv, then try again\.$/;
			await assert.rejects(install(['server'], [programs]), missing);
			await assert.rejects(install(['server'], [], 'bin'), missing);
			const repository = folder.at('repository');
			await install(['server'], [repository], `${repository}/bin:${programs}:${process.env['PATH']}`);
			assert.doesNotMatch(await readFile(folder.at('called'), 'utf8'), /repository/);
		});

		it('has the program that is named, and says which ones there are', async () => {
			await assert.rejects(
				install(['--from', 'server', 'other']),
				/server has no program “other”, but server\. Declare it as uvx --from server with one of these\.$/,
			);
		});

		it('is not started by another Python than that of its environment, or by one that is gone', async () => {
			await install(['server']);
			const python = path.join(environmentOf('server'), 'bin/python');
			await unlink(folder.at('python-by-its-version'));
			await assert.rejects(
				install(['server']),
				/the Python with which server was installed is gone\. Install that Python/,
			);
			await unlink(python);
			await writeFile(python, '#!/home/user/notes/run\n', { mode: 0o755 });
			await assert.rejects(install(['server']), /server has no Python of its own/);
		});
	});

	it('has to be downloaded by its command itself, unless Errand installs it, a host is named or an argument forbids it', () => {
		const needs = (command: string, args: string[], hosts: string[] = []) =>
			needsDownload({ command, args, hosts, env: {}, files: 'read' });
		assert.deepEqual(
			[needs('uvx', ['--with', 'a', 'b']), needs('npx', ['-y', 'github:a/b']), needs('npx', ['-p', 'a', 'b'])],
			[true, true, true],
		);
		assert.deepEqual(
			[
				needs('npx', ['-y', 'a']),
				needs('uvx', ['a']),
				needs('pipx', ['a'], ['index.example']),
				needs('uvx', ['--offline', 'a']),
				needs('node', ['a']),
			],
			[false, false, false, false, false],
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
		for (const args of [
			['git+https://example.com/x'],
			['./folder'],
			['server>=1'],
			['--with', 'a', 'server'],
			['--from', 'git+https://example.com/x', 'server'],
			['--from', 'server', '../x'],
			['--from', 'server'],
			['--from'],
			[],
		]) {
			assert.equal(of('uvx', ...args), undefined, args.join(' '));
		}
	});
});
