import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { discoverAgent } from '../../../../src/agents/catalogue/discovery.ts';
import type { AgentDefinition, AgentInstallation } from '../../../../src/agents/catalogue/entry.ts';
import { type InstallLimits, type InstallPlace, installAgent } from '../../../../src/agents/install/installAgent.ts';
import { removeOldInstallations } from '../../../../src/agents/install/installed.ts';
import { defined } from '../../../../src/base/defined.ts';
import { PackageRegistry, type PackedPackage, packPackage } from '../../../support/packageRegistry.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useFolder } from '../useFolder.ts';

const PLATFORM = 'test-platform';
const MARK = 'echo ran >> "$HOME/scripts-ran"';

/** The packages of a lockfile by their folders below `node_modules`. */
type Locked = Record<string, object>;

function locked(
	{ name, version, integrity }: Pick<PackedPackage, 'name' | 'version' | 'integrity'>,
	dependencies: Record<string, string> = {},
): object {
	return { name, version, integrity, dependencies };
}

function definitionOf(packages: Locked, more: Partial<AgentInstallation> = {}, version = '1.2.3'): AgentDefinition {
	const manifest = { private: true, dependencies: { agent: version } };
	const entries = Object.entries(packages).map(([folder, entry]) => [`node_modules/${folder}`, entry]);
	const lock = { lockfileVersion: 3, requires: true, packages: { '': manifest, ...Object.fromEntries(entries) } };
	return {
		id: 'agent',
		label: 'The Agent',
		command: 'agent',
		args: [],
		needs: [],
		api: 'chat',
		environment: () => ({}),
		files: () => ({}),
		installations: {
			[PLATFORM]: {
				manifest,
				lock: async () => lock,
				programs: { agent: 'agent/bin/agent' },
				downloadMegabytes: 1,
				diskMegabytes: 1,
				...more,
			},
		},
	};
}

describe('installAgent', () => {
	const folder = useFolder();
	let agent: PackedPackage;
	let library: PackedPackage;
	let later: PackedPackage;
	let other: PackedPackage;
	let registry: PackageRegistry;

	before(() => {
		const scripts = { preinstall: MARK, install: MARK, postinstall: MARK, prepare: MARK };
		const files = { 'bin/agent': '#!/bin/sh\necho hello\n' };
		agent = packPackage({ name: 'agent', version: '1.2.3', scripts, dependencies: { library: '*' } }, files);
		library = packPackage({ name: 'library', version: '2.0.0', dependencies: { absent: '*' } }, { 'index.js': '' });
		later = packPackage({ name: 'library', version: '4.0.0' }, { 'index.js': '' });
		other = packPackage({ name: '@scope/other', version: '3.0.0-linux-x64' }, { 'index.js': '' });
	});
	beforeEach(async () => {
		await mkdir(folder.at('home'));
		await mkdir(folder.at('state'));
		registry = await PackageRegistry.start([agent, library, later, other]);
	});
	afterEach(() => registry.stop());

	const environment = (additions: Record<string, string> = {}) => ({
		PATH: process.env['PATH'] ?? '',
		HOME: folder.at('home'),
		npm_config_registry: registry.address,
		...additions,
	});
	const install = (
		definition: AgentDefinition,
		{ signal = new AbortController().signal, timeoutMs, ...place }: Partial<InstallPlace & InstallLimits> = {},
	) =>
		installAgent(
			definition,
			{ platform: PLATFORM, folder: folder.at('state'), environment: environment(), ...place },
			{ signal, ...defined({ timeoutMs }) },
		);
	const discover = (definition: AgentDefinition) =>
		discoverAgent(definition, { path: '', folder: folder.at('state'), platform: PLATFORM });
	/** Nothing of an installation is left, finished or not. */
	const assertNothing = async () => {
		const left = existsSync(folder.at('state/agent')) ? await readdir(folder.at('state/agent')) : [];
		assert.deepEqual(left, []);
	};

	it('installs the packages of the list, and runs none of their scripts, whatever the user’s configuration says', async () => {
		await folder.file(
			'home/.npmrc',
			'ignore-scripts=false\naudit=true\nglobal=true\npackage-lock=false\ndry-run=true\n',
		);
		const definition = definitionOf({ agent: locked(agent) });
		await install(definition);
		const found = await discover(definition);
		assert.equal(found?.source, 'installed');
		assert.equal(found.location, folder.at('state/agent/1.2.3/node_modules/agent/bin/agent'));
		assert.equal(found.version, '1.2.3');
		assert.deepEqual(await readdir(folder.at('state/agent')), ['1.2.3']);
		assert.deepEqual(await readdir(folder.at('home')), ['.npmrc']);
		// What the package itself asks for is not in the list.
		assert.deepEqual(
			registry.requests.filter(request => !/^GET \/(?:agent|archives\/agent-1\.2\.3\.tgz)$/.test(request)),
			[],
		);
	});

	it('installs the packages that others of the list require, under another name where that is so', async () => {
		const definition = definitionOf({
			agent: locked(agent, { library: '2.0.0' }),
			library: locked(library, { '@scope/other-for-linux': 'npm:@scope/other@3.0.0-linux-x64' }),
			'@scope/other-for-linux': locked(other),
		});
		await install(definition);
		const modules = folder.at('state/agent/1.2.3/node_modules');
		assert.equal(JSON.parse(await readFile(`${modules}/library/package.json`, 'utf8')).version, '2.0.0');
		const alias = JSON.parse(await readFile(`${modules}/@scope/other-for-linux/package.json`, 'utf8'));
		assert.deepEqual([alias.name, alias.version], ['@scope/other', '3.0.0-linux-x64']);
		assert.ok(!existsSync(`${modules}/absent`));
	});

	it('installs a second version of a package in the folder of the one that needs it', async () => {
		const definition = definitionOf({
			agent: locked(agent, { library: '2.0.0', '@scope/other': '3.0.0-linux-x64' }),
			library: locked(library),
			'@scope/other': locked(other, { library: '4.0.0' }),
			'@scope/other/node_modules/library': locked(later),
		});
		await install(definition);
		const modules = folder.at('state/agent/1.2.3/node_modules');
		const versionOf = async (place: string) =>
			JSON.parse(await readFile(`${modules}/${place}/package.json`, 'utf8')).version;
		assert.equal(await versionOf('library'), '2.0.0');
		assert.equal(await versionOf('@scope/other'), '3.0.0-linux-x64');
		assert.equal(await versionOf('@scope/other/node_modules/library'), '4.0.0');
	});

	it('refuses a package with another hash, also one that others require, and leaves nothing', async () => {
		const wrong = `sha512-${Buffer.alloc(64).toString('base64')}`;
		for (const packages of [
			{ agent: locked({ ...agent, integrity: wrong }) },
			{ agent: locked(agent, { library: '2.0.0' }), library: locked({ ...library, integrity: wrong }) },
		]) {
			await assert.rejects(install(definitionOf(packages)), {
				name: 'UserFacingError',
				message:
					'The Agent 1.2.3 was not installed: what the registry sent is not the package that Errand knows. Check which registry npm is set to (npm config get registry).',
			});
			await assertNothing();
		}
	});

	it('refuses the package of a platform with another hash, although the lock says that it is optional', async () => {
		const wrong = `sha512-${Buffer.alloc(64).toString('base64')}`;
		const withLibrary = (integrity: string) =>
			definitionOf(
				{
					agent: { ...locked(agent), optionalDependencies: { library: '2.0.0' } },
					library: { ...locked({ ...library, integrity }), optional: true },
				},
				{ packageOfPlatform: 'library' },
			);
		await assert.rejects(install(withLibrary(wrong)), {
			name: 'UserFacingError',
			message:
				/^The Agent 1\.2\.3 was not installed: npm could not install library, or the registry sent another package than/,
		});
		await assertNothing();
		await install(withLibrary(library.integrity));
		assert.ok(existsSync(folder.at('state/agent/1.2.3/node_modules/library/package.json')));
	});

	it('says that the registry does not have the package or the version', async () => {
		for (const definition of [
			definitionOf({ agent: locked({ ...agent, name: 'absent' }) }),
			definitionOf({ agent: locked({ ...agent, version: '9.9.9' }) }, {}, '9.9.9'),
		]) {
			await assert.rejects(install(definition), {
				name: 'UserFacingError',
				message: /was not installed: the registry does not have (?:the package|this version)\. Check/,
			});
			await assertNothing();
		}
	});

	it('says that the registry cannot be reached, and leaves nothing', async () => {
		const address = registry.address;
		await registry.stop();
		try {
			await assert.rejects(
				install(definitionOf({ agent: locked(agent) }), { environment: environment({ npm_config_registry: address }) }),
				{
					name: 'UserFacingError',
					message: /^The Agent 1\.2\.3 was not installed: the registry of packages could not be reached\. Check/,
				},
			);
			await assertNothing();
		} finally {
			registry = await PackageRegistry.start([]);
		}
	});

	it('says that there is no npm, and does not take one from a relative folder of PATH', async () => {
		for (const PATH of ['', folder.at('home'), '.:node_modules/.bin']) {
			await assert.rejects(install(definitionOf({ agent: locked(agent) }), { environment: environment({ PATH }) }), {
				name: 'UserFacingError',
				message:
					'The Agent 1.2.3 was not installed: npm was not found on PATH. Install Node.js with npm, then try again.',
			});
			await assertNothing();
		}
	});

	it('ends npm and leaves nothing when it is aborted in the middle', async () => {
		registry.holdsArchives = true;
		const controller = new AbortController();
		const reason = new Error('aborted by the test');
		const installation = assert.rejects(
			install(definitionOf({ agent: locked(agent) }), { signal: controller.signal }),
			reason,
		);
		await waitFor('a download', () => registry.held > 0);
		controller.abort(reason);
		await installation;
		await waitFor('the end of the download', () => registry.held === 0);
		await assertNothing();
	});

	it('gives up on a registry that does not go on, and leaves nothing', async () => {
		registry.holdsArchives = true;
		await assert.rejects(install(definitionOf({ agent: locked(agent) }), { timeoutMs: 5_000 }), {
			name: 'UserFacingError',
			message: 'The Agent 1.2.3 was not installed: it took too long. Try again, or install it yourself.',
		});
		await waitFor('the end of the download', () => registry.held === 0);
		await assertNothing();
	});

	it('starts nothing when it is aborted before', async () => {
		const signal = AbortSignal.abort(new Error('before'));
		await assert.rejects(install(definitionOf({ agent: locked(agent) }), { signal }), /before/);
		assert.deepEqual(registry.requests, []);
		await assertNothing();
	});

	it('replaces a damaged installation', async () => {
		await folder.file('state/agent/1.2.3/node_modules/agent/bin/agent', 'damaged, and not to be executed');
		await folder.file('state/agent/1.2.3/rest', '');
		const definition = definitionOf({ agent: locked(agent) });
		assert.equal(await discover(definition), undefined);
		await install(definition);
		assert.ok(await discover(definition));
		assert.ok(!existsSync(folder.at('state/agent/1.2.3/rest')));
	});

	it('refuses a package without the program, and an agent that is not made for this machine', async () => {
		await assert.rejects(install(definitionOf({ agent: locked(agent) }, { programs: { agent: 'agent/bin/absent' } })), {
			name: 'UserFacingError',
			message: /npm did not install its program\. Check that npm --version is 7 or newer\.$/,
		});
		await assertNothing();
		await assert.rejects(install(definitionOf({ agent: locked(agent) }), { platform: 'other' }), {
			name: 'UserFacingError',
			message: /^Errand cannot install The Agent on this machine\./,
		});
	});

	it('runs npm with the user’s ways to a registry and no other of the user’s variables', async () => {
		await folder.program(
			'bin/npm',
			`#!/bin/sh\nenv > "$HOME/environment"\nprintf '%s\\n' "$@" > "$HOME/arguments"\nls -A > "$HOME/files"\npwd >> "$HOME/files"\nexit 1\n`,
		);
		const definition = definitionOf({ agent: locked(agent) });
		const additions = {
			PATH: `${folder.at('bin')}:/usr/bin:/bin:relative`,
			HTTPS_PROXY: 'http://proxy.invalid',
			no_proxy: 'localhost',
			NPM_CONFIG_CAFILE: '/ca',
			'npm_config_//registry.invalid/:_authToken': 'given',
			npm_config_ignore_scripts: 'false',
			npm_config_script_shell: '/secret',
			NODE_OPTIONS: '--require=/secret',
			AWS_SECRET: 'secret',
			ELECTRON_RUN_AS_NODE: '1',
		};
		await assert.rejects(install(definition, { environment: environment(additions) }), {
			message: 'The Agent 1.2.3 was not installed: npm failed without a reason. Check that npm works in a terminal.',
		});
		const names = (await readFile(folder.at('home/environment'), 'utf8'))
			.trim()
			.split('\n')
			.map(line => line.split('=')[0] ?? '')
			// The shell that runs the script has these of its own.
			.filter(name => !['_', 'PWD', 'OLDPWD', 'SHLVL'].includes(name));
		const given = ['HOME', 'HTTPS_PROXY', 'NPM_CONFIG_CAFILE', 'PATH', 'no_proxy', 'npm_config_registry'];
		// A shell drops variables with such names.
		assert.deepEqual(names.filter(name => !name.includes('/')).sort(), given.sort());
		const args = (await readFile(folder.at('home/arguments'), 'utf8')).trim().split('\n');
		assert.equal(args[0], 'ci');
		for (const flag of ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--no-global']) {
			assert.ok(args.includes(flag), flag);
		}
		const files = (await readFile(folder.at('home/files'), 'utf8')).trim().split('\n');
		assert.deepEqual(files.slice(0, 2), ['package-lock.json', 'package.json']);
		assert.ok(files[2]?.startsWith(folder.at('state/agent/1.2.3.')));
		await assertNothing();
	});

	it('repeats npm’s reason in one line, without credentials and control sequences', async () => {
		const lines = [
			'npm error code EWEIRD',
			'npm error \\033[31mno way\\033[0m to https://user:password@registry.invalid/x with sk-abcdefghijkl',
			'npm error more',
		];
		await folder.program('bin/npm', `#!/bin/sh\nprintf '${lines.join('\\n')}\\n' >&2\nexit 1\n`);
		const PATH = `${folder.at('bin')}:/usr/bin:/bin`;
		await assert.rejects(install(definitionOf({ agent: locked(agent) }), { environment: environment({ PATH }) }), {
			message:
				'The Agent 1.2.3 was not installed: npm failed: no way to https:[redacted]registry.invalid/x with [redacted].',
		});
	});

	it('says that npm cannot be started', async () => {
		await folder.program('bin/npm', '#!/absent/interpreter\n');
		await assert.rejects(
			install(definitionOf({ agent: locked(agent) }), { environment: environment({ PATH: folder.at('bin') }) }),
			{
				message: /npm could not be started\. Check that npm --version works in a terminal\.$/,
			},
		);
		await assertNothing();
	});
});

describe('removeOldInstallations', () => {
	const folder = useFolder();

	it('removes other versions and what killed installations left, and keeps the one that is in use', async () => {
		const definition = definitionOf({});
		for (const name of ['1.2.3', '1.2.2', '1.2.3.0000.tmp']) {
			await folder.file(`state/agent/${name}/node_modules/agent/bin/agent`, '');
		}
		await folder.file('state/stranger/file', '');
		await removeOldInstallations(folder.at('state'), [definition], PLATFORM);
		assert.deepEqual(await readdir(folder.at('state/agent')), ['1.2.3']);
		assert.deepEqual((await readdir(folder.at('state'))).sort(), ['agent', 'stranger']);
		await removeOldInstallations(folder.at('absent'), [definition], PLATFORM);
	});
});
