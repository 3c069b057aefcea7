import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { openRelay, type Relay } from '../../../../../src/agents/relay/relay.ts';
import { childEnvironment } from '../../../../../src/base/childEnvironment.ts';
import { runChild } from '../../../../../src/base/childProcess.ts';
import {
	findInstallations,
	installationEnvironment,
} from '../../../../../src/service/tasks/dependencies/installations.ts';
import { findLockfiles } from '../../../../../src/service/tasks/dependencies/lockfiles.ts';
import { filesOfFolder } from '../../../../../src/service/tasks/dependencies/treeFiles.ts';
import { InstallationHosts } from '../../../../../src/service/tasks/taskDependencies.ts';
import { makeAuthority, makeCertificate } from '../../../../support/certificates.ts';

const HOST = 'packages.example';
const LIMIT_MS = 240_000;

/** npm itself, a registry of our own, and nothing but the relay between them. */
describe('an installation by npm through the relay', () => {
	let folder: string;
	let tree: string;
	let server: Server;
	let port: number;
	let relay: Relay;
	let allowed: string[];
	/** The hosts that the user's own configuration names. */
	let own: string[];
	const requested: string[] = [];
	const refused: string[] = [];
	let reached: InstallationHosts;

	before(async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-install-'));
		const authority = makeAuthority('Test authority');
		writeFileSync(path.join(folder, 'authority.pem'), authority.cert);
		const archive = packageArchive();
		server = createServer(makeCertificate({ hosts: [HOST], issuer: authority }), (request, response) => {
			const { url = '' } = request;
			requested.push(url);
			response.end(url === '/left' ? descriptionOf(archive) : archive);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		port = (server.address() as AddressInfo).port;
		writeTree(archive);
	});
	after(() => {
		server?.close();
		server?.closeAllConnections();
		rmSync(folder ?? '', { recursive: true, force: true });
	});
	beforeEach(async () => {
		requested.length = 0;
		refused.length = 0;
		allowed = [`127.0.0.1:${port}`];
		own = [];
		for (const left of [path.join(tree, 'node_modules'), path.join(folder, 'home')]) {
			rmSync(left, { recursive: true, force: true });
		}
		reached = new InstallationHosts(allowed, own);
		relay = await openRelay({
			listen: 'loopback',
			handle: (_, response) => response.end(),
			allowsHost: reached.allows,
			onRefused: sentence => refused.push(sentence),
			resolve: async () => ['127.0.0.1'],
			environment: {},
		});
	});
	afterEach(() => relay?.close());

	/** Returns the archive of a package that leaves a mark if its script runs. */
	function packageArchive(): Buffer {
		const place = path.join(folder, 'made', 'package');
		mkdirSync(place, { recursive: true });
		const scripts = { install: 'echo ran > mark.txt' };
		writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name: 'left', version: '1.0.0', scripts }));
		execFileSync('tar', ['-czf', path.join(folder, 'left.tgz'), '-C', path.dirname(place), 'package']);
		return readFileSync(path.join(folder, 'left.tgz'));
	}

	function writeTree(archive: Buffer): void {
		tree = path.join(folder, 'tree');
		mkdirSync(tree);
		const dependencies = { left: '1.0.0' };
		const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
		const resolved = `https://${HOST}:${port}/left/-/left-1.0.0.tgz`;
		const packages = {
			'': { name: 'tree', version: '1.0.0', dependencies },
			'node_modules/left': { version: '1.0.0', resolved, integrity, hasInstallScript: true },
		};
		const manifest = { name: 'tree', version: '1.0.0', dependencies };
		const lock = { name: 'tree', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
		writeFileSync(path.join(tree, 'package.json'), JSON.stringify(manifest));
		writeFileSync(path.join(tree, 'package-lock.json'), JSON.stringify(lock));
		writeFileSync(path.join(tree, '.npmrc'), `registry=https://${HOST}:${port}/\nfetch-retries=0\n`);
	}

	/** Returns what a registry says of the package. */
	function descriptionOf(archive: Buffer): string {
		const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
		const tarball = `https://${HOST}:${port}/left/-/left-1.0.0.tgz`;
		const version = { name: 'left', version: '1.0.0', hasInstallScript: true, dist: { tarball, integrity } };
		return JSON.stringify({ name: 'left', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } });
	}

	async function install(allowsScripts: boolean): Promise<number | undefined> {
		const { installations, hosts } = await findInstallations(await findLockfiles(tree), filesOfFolder(tree), {
			defaultsOf: async () => [],
			hostsWithLogin: async () => [],
		});
		assert.deepEqual(hosts, [`${HOST}:${port}`]);
		const [installation] = installations;
		assert.ok(installation);
		const words = allowsScripts ? installation.command : installation.commandWithoutScripts;
		const [command = '', ...args] = words ?? [];
		const place = { relay: relay.url ?? '', token: relay.token, home: path.join(folder, 'home') };
		const env = {
			...childEnvironment(process.env, installationEnvironment(place)),
			...installation.environment,
			// A certificate file in the machine's own configuration of npm would replace further authorities.
			npm_config_cafile: path.join(folder, 'authority.pem'),
		};
		const cwd = path.join(tree, installation.folder);
		const { exitCode } = await runChild({ command, args, cwd, env, signal: AbortSignal.timeout(LIMIT_MS) });
		return exitCode;
	}

	const installed = (name: string) => existsSync(path.join(tree, 'node_modules', 'left', name));

	it('gets the packages from the host that was allowed, and runs none of their scripts', async () => {
		allowed.push(`${HOST}:${port}`);
		assert.equal(await install(false), 0);
		assert.deepEqual(requested, ['/left/-/left-1.0.0.tgz']);
		assert.ok(installed('package.json'));
		assert.ok(!installed('mark.txt'));
		assert.deepEqual(refused, []);
	});

	it('needs no lockfile, and makes none', async () => {
		const lockfile = path.join(tree, 'package-lock.json');
		const locked = readFileSync(lockfile);
		rmSync(lockfile);
		try {
			allowed.push(`${HOST}:${port}`);
			assert.equal(await install(false), 0);
			assert.deepEqual(requested, ['/left', '/left/-/left-1.0.0.tgz']);
			assert.ok(installed('package.json'));
			assert.ok(!installed('mark.txt'));
			assert.ok(!existsSync(lockfile));
		} finally {
			writeFileSync(lockfile, locked);
		}
	});

	it('reaches a registry in the user’s own network only if the user’s configuration names it as well', async () => {
		allowed.splice(0, 1, `${HOST}:${port}`);
		assert.notEqual(await install(false), 0);
		assert.deepEqual(requested, []);
		assert.deepEqual(reached.takeRefused(), []);
		assert.match(refused[0] ?? '', /the name leads to 127\.0\.0\.1:\d+, an address of this machine or its network/);
		own.push(`${HOST}:${port}`);
		assert.equal(await install(false), 0);
		assert.ok(installed('package.json'));
		allowed.pop();
		rmSync(path.join(tree, 'node_modules'), { recursive: true });
		rmSync(path.join(folder, 'home'), { recursive: true });
		assert.notEqual(await install(false), 0);
	});

	it('fails without an allowed host, which is named, so that the user can be asked for it', async () => {
		assert.notEqual(await install(false), 0);
		assert.deepEqual(requested, []);
		assert.deepEqual(refused, [`The connection to ${HOST}:${port} was refused: this host has not been allowed.`]);
		assert.deepEqual(reached.takeRefused(), [`${HOST}:${port}`]);
		assert.deepEqual(reached.takeRefused(), []);
	});

	it('runs the scripts of packages where the user allowed them', async () => {
		allowed.push(`${HOST}:${port}`);
		assert.equal(await install(true), 0);
		assert.ok(installed('mark.txt'));
	});
});
