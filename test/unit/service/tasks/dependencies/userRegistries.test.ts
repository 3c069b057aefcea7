import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NPM_HOST } from '../../../../../src/service/tasks/dependencies/registries.ts';
import { readUserRegistries } from '../../../../../src/service/tasks/dependencies/userRegistries.ts';

describe('the registries of the user', () => {
	let home: string;

	beforeEach(() => {
		home = mkdtempSync(path.join(os.tmpdir(), 'errand-home-'));
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	it('are none where nothing is configured', async () => {
		assert.deepEqual(await readUserRegistries({}, home), {});
	});

	it('come from the environment, before files', async () => {
		writeFileSync(path.join(home, '.npmrc'), 'registry=https://file.example/\n');
		const environment = {
			npm_config_registry: 'https://env.example/npm/',
			PIP_INDEX_URL: 'https://py.example/simple',
			GOPROXY: 'https://go.example,direct',
		};
		assert.deepEqual(await readUserRegistries(environment, home), {
			npm: 'https://env.example/npm/',
			pip: 'https://py.example/simple',
			go: 'https://go.example/',
		});
	});

	it('come from the files of npm and pip, without credentials', async () => {
		writeFileSync(path.join(home, '.npmrc'), '//x/:_authToken=secret\nregistry=https://user:secret@npm.example/\n');
		mkdirSync(path.join(home, '.config/pip'), { recursive: true });
		writeFileSync(path.join(home, '.config/pip/pip.conf'), '[global]\nindex-url = https://py.example/simple\n');
		assert.deepEqual(await readUserRegistries({}, home), {
			npm: 'https://npm.example/',
			pip: 'https://py.example/simple',
			withLogin: ['x:443', 'npm.example:443'],
		});
	});

	it('tell which hosts the user logs in to, and nothing of the login', async () => {
		const npmrc = [
			'//npm.example:8443/team/:_authToken=secret',
			'//basic.example/:username=me',
			'//basic.example/:_password=secret',
			'//named.example/:always-auth=true',
			`//${NPM_HOST}/:_authToken=secret`,
		];
		writeFileSync(path.join(home, '.npmrc'), npmrc.join('\n'));
		writeFileSync(path.join(home, '.netrc'), 'machine netrc.example login me password secret\ndefault login x\n');
		mkdirSync(path.join(home, '.config/pip'), { recursive: true });
		writeFileSync(
			path.join(home, '.config/pip/pip.conf'),
			'[global]\nextra-index-url = https://me:secret@py.example/s\n',
		);
		mkdirSync(path.join(home, '.config/composer'));
		const composer = { 'http-basic': { 'php.example': { username: 'me', password: 'secret' } }, bearer: 'none' };
		writeFileSync(path.join(home, '.config/composer/auth.json'), JSON.stringify(composer));
		const found = await readUserRegistries({ GOPROXY: 'https://me:secret@go.example,direct' }, home);
		assert.deepEqual(found.withLogin?.toSorted(), [
			'basic.example:443',
			'go.example:443',
			'netrc.example:443',
			'npm.example:8443',
			'php.example:443',
			'py.example:443',
		]);
		assert.doesNotMatch(JSON.stringify(found), /secret/);
	});

	it('log in with npm’s earlier settings to the one registry', async () => {
		writeFileSync(path.join(home, '.npmrc'), 'registry=https://npm.example/\n_auth=secret\n');
		assert.deepEqual((await readUserRegistries({}, home)).withLogin, ['npm.example:443']);
	});

	it('are left out if they are not reached by https', async () => {
		const environment = { npm_config_registry: 'http://npm.example/', GOPROXY: 'off', PIP_INDEX_URL: 'text' };
		assert.deepEqual(await readUserRegistries(environment, home), {});
	});
});
