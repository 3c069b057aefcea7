import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { userRegistries } from '../../../../../src/service/tasks/dependencies/userRegistries.ts';

describe('the registries of the user', () => {
	let folder: string;
	let home: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-registries-'));
		home = path.join(folder, 'home');
		for (const name of ['home', 'bin', 'temporary', 'repository']) {
			mkdirSync(path.join(folder, name));
		}
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	const at = (...names: string[]) => path.join(folder, ...names);
	const program = (name: string, line: string, place = 'bin') =>
		writeFileSync(at(place, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
	/** `PATH` has the programs of the test alone, and those of the system if `system` is set. */
	const registriesOf = (environment: Record<string, string> = {}, system = false) =>
		userRegistries({
			environment: { PATH: [at('bin'), ...(system ? [process.env['PATH'] ?? ''] : [])].join(':'), ...environment },
			home,
			repository: at('repository'),
			parent: at('temporary'),
		});

	it('are what npm says, which reads the user’s files and variables, and not those of a repository', async () => {
		writeFileSync(at('home', '.npmrc'), 'registry=https://file.example/npm/\n');
		assert.deepEqual(await registriesOf({}, true).defaultsOf('javascript'), ['https://file.example/npm']);
		const variables = { npm_config_registry: 'https://variable.example/' };
		assert.deepEqual(await registriesOf(variables, true).defaultsOf('javascript'), ['https://variable.example']);
	});

	it('are npm’s own where nothing is configured', async () => {
		assert.match(String(await registriesOf({}, true).defaultsOf('javascript')), /^https:\/\/[^,]+$/);
	});

	it('are what pip says, also what the user has configured, without credentials', async function () {
		const usual = await registriesOf({}, true).defaultsOf('python');
		if (usual.length === 0) {
			// This machine has no pip that could be asked.
			this.skip();
		}
		assert.match(String(usual), /^https:\/\/[^,]+$/);
		// It is longer than the lines of a terminal.
		const host = `${'long-name.'.repeat(20)}example`;
		const own = registriesOf({ PIP_INDEX_URL: `https://me:secret@${host}/simple` }, true);
		assert.deepEqual(await own.defaultsOf('python'), [`https://${host}/simple`]);
	});

	it('are what go says: the first proxy, and the database of checksums', async () => {
		for (const [lines, addresses] of [
			[
				['https://proxy.example,direct', 'sums.example'],
				['https://proxy.example', 'https://sums.example'],
			],
			[
				['https://me:secret@proxy.example|direct', 'sums.example+0a1b https://mirror.example'],
				['https://proxy.example', 'https://mirror.example'],
			],
			[['https://proxy.example', 'off'], ['https://proxy.example']],
			[['direct', 'sums.example'], []],
			[['off', 'off'], []],
		] as const) {
			program('go', `test "$*" = 'env GOPROXY GOSUMDB' && printf '%s\\n' ${lines.map(line => `'${line}'`).join(' ')}`);
			assert.deepEqual(await registriesOf().defaultsOf('go'), addresses, lines.join());
		}
	});

	it('are asked of the next package manager where the first one is missing, fails or tells no address of https', async () => {
		for (const line of ['exit 1', 'echo undefined', 'echo http://npm.example/', 'echo https://npm.example/; exit 1']) {
			program('npm', line);
			program('pnpm', 'echo https://pnpm.example/');
			assert.deepEqual(await registriesOf().defaultsOf('javascript'), ['https://pnpm.example'], line);
		}
		for (const name of ['npm', 'pnpm']) {
			rmSync(at('bin', name));
		}
		assert.deepEqual(await registriesOf().defaultsOf('javascript'), []);
		assert.deepEqual(await registriesOf().defaultsOf('rust'), []);
	});

	it('are asked once, in an empty folder that goes, and with none of the user’s other variables', async () => {
		program(
			'npm',
			'pwd >> "$HOME/asked"; /bin/ls -A >> "$HOME/asked"; /usr/bin/env > "$HOME/variables"; echo https://npm.example/',
		);
		const user = registriesOf({
			AWS_SECRET: 'secret',
			NODE_OPTIONS: '--require=/secret',
			npm_config_registry: 'given',
		});
		await Promise.all([user.defaultsOf('javascript'), user.defaultsOf('javascript')]);
		const asked = readFileSync(at('home', 'asked'), 'utf8').trim().split('\n');
		assert.equal(asked.length, 1);
		assert.ok(asked[0]?.startsWith(`${at('temporary')}/`));
		assert.deepEqual(readdirSync(at('temporary')), []);
		const variables = readFileSync(at('home', 'variables'), 'utf8');
		assert.match(variables, /^npm_config_registry=given$/m);
		assert.doesNotMatch(variables, /secret/);
	});

	it('are not asked of a program in the repository', async () => {
		program('npm', `touch ${at('ran')}; echo https://evil.example/`, 'repository');
		assert.deepEqual(await registriesOf({ PATH: at('repository') }).defaultsOf('javascript'), []);
		assert.ok(!existsSync(at('ran')));
	});

	it('tell which hosts the user logs in to, and nothing of the login', async () => {
		// What npm has by itself is for who publishes.
		program('npm', 'echo https://usual.example/');
		const npmrc = [
			'registry=https://me:secret@registry.example/',
			'//npm.example:8443/team/:_authToken=secret',
			'//basic.example/:username=me',
			'//basic.example/:_password=secret',
			'//named.example/:always-auth=true',
			'//usual.example/:_authToken=secret',
		];
		writeFileSync(at('home', '.npmrc'), npmrc.join('\n'));
		writeFileSync(at('home', '.netrc'), 'machine netrc.example login me password secret\ndefault login x\n');
		mkdirSync(at('home', '.config', 'pip'), { recursive: true });
		writeFileSync(
			at('home', '.config', 'pip', 'pip.conf'),
			'[global]\nextra-index-url = https://me:secret@py.example/s\n',
		);
		mkdirSync(at('home', '.config', 'composer'));
		const composer = { 'http-basic': { 'php.example': { username: 'me', password: 'secret' } }, bearer: 'none' };
		writeFileSync(at('home', '.config', 'composer', 'auth.json'), JSON.stringify(composer));
		const hosts = await registriesOf({ GOPROXY: 'https://me:secret@go.example,direct' }).hostsWithLogin();
		assert.deepEqual(hosts.toSorted(), [
			'basic.example:443',
			'go.example:443',
			'netrc.example:443',
			'npm.example:8443',
			'php.example:443',
			'py.example:443',
			'registry.example:443',
		]);
	});

	it('log in with npm’s earlier settings to the one registry', async () => {
		writeFileSync(at('home', '.npmrc'), 'registry=https://npm.example/\n_auth=secret\n');
		assert.deepEqual(await registriesOf().hostsWithLogin(), ['npm.example:443']);
	});

	it('log in nowhere where nothing is configured', async () => {
		assert.deepEqual(await registriesOf().hostsWithLogin(), []);
	});
});
