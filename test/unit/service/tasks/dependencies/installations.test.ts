import assert from 'node:assert/strict';
import { findInstallations } from '../../../../../src/service/tasks/dependencies/installations.ts';
import type { Language, UserRegistries } from '../../../../../src/service/tasks/dependencies/userRegistries.ts';
import { processorLaps } from '../../../../support/processorTime.ts';

/** What package managers tell of the user, for the languages whose can be asked. */
const DEFAULTS: Partial<Record<Language, readonly string[]>> = {
	javascript: ['https://npm.user.example'],
	python: ['https://py.user.example/simple'],
	go: ['https://go.user.example', 'https://sums.user.example'],
};
const NPM = 'npm.user.example:443';
const PYTHON = 'py.user.example:443';

function userOf(withLogin: readonly string[] = [], defaults = DEFAULTS): UserRegistries {
	return {
		defaultsOf: async language => defaults[language] ?? [],
		hostsWithLogin: async () => withLogin,
	};
}

describe('the installations of a repository', () => {
	/** `files` are the texts of a tree, whose lockfiles come in the given order. */
	const find = (files: Record<string, string>, user = userOf()) =>
		findInstallations(Object.keys(files), async name => files[name], user);
	const hostsOf = async (files: Record<string, string>) => (await find(files)).hosts;

	it('have a command with the scripts of packages, and one without where there can be one', async () => {
		for (const [lockfile, text, command, without, hosts] of [
			['package-lock.json', '{}', 'npm ci', 'npm ci --ignore-scripts', [NPM]],
			['npm-shrinkwrap.json', '{}', 'npm ci', 'npm ci --ignore-scripts', [NPM]],
			[
				'pnpm-lock.yaml',
				'',
				'pnpm install --frozen-lockfile',
				'pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile',
				[NPM],
			],
			[
				'yarn.lock',
				'# yarn lockfile v1\n',
				'yarn install --frozen-lockfile --non-interactive',
				'yarn install --frozen-lockfile --non-interactive --ignore-scripts',
				[NPM],
			],
			[
				'yarn.lock',
				'# generated\n\n__metadata:\n  version: 8\n',
				'yarn install --immutable',
				'yarn install --immutable --mode=skip-build',
				[NPM],
			],
			['bun.lock', '', 'bun install --frozen-lockfile', 'bun install --frozen-lockfile --ignore-scripts', [NPM]],
			[
				'package.json',
				'{"devDependencies":{"mocha":"*"}}',
				'npm install --no-package-lock',
				'npm install --no-package-lock --ignore-scripts',
				[NPM],
			],
			['uv.lock', '', 'uv sync --locked', 'uv sync --locked --no-build --no-install-workspace', [PYTHON]],
			['poetry.lock', '', 'poetry install --no-interaction', undefined, [PYTHON]],
			['Pipfile.lock', '{}', 'pipenv sync', undefined, [PYTHON]],
			['requirements.txt', 'requests==2\n', 'python3 -m pip install --user -r requirements.txt', undefined, [PYTHON]],
			['Cargo.lock', '', 'cargo fetch --locked', 'cargo fetch --locked', []],
			['go.sum', '', 'go mod download', 'go mod download', ['go.user.example:443', 'sums.user.example:443']],
			['Gemfile.lock', '', 'bundle install', undefined, []],
			[
				'composer.lock',
				'{}',
				'composer install --no-interaction',
				'composer install --no-interaction --no-scripts --no-plugins',
				[],
			],
		] as const) {
			const { installations, hosts: found } = await find({ [lockfile]: text });
			const [installation] = installations;
			assert.equal(installation?.command.join(' '), command);
			assert.equal(installation?.commandWithoutScripts?.join(' '), without, lockfile);
			assert.deepEqual(found, hosts, lockfile);
		}
	});

	it('are one for each folder and language, those of the top first', async () => {
		const { installations } = await find({
			'yarn.lock': '',
			'package-lock.json': '{}',
			'Cargo.lock': '',
			'web/pnpm-lock.yaml': '',
			'web/requirements.txt': '',
		});
		assert.deepEqual(
			installations.map(({ lockfile, folder }) => `${folder}: ${lockfile}`),
			[': package-lock.json', ': Cargo.lock', 'web: web/pnpm-lock.yaml'],
		);
	});

	it('need no lockfile where the package of the top names dependencies', async () => {
		const needs = '{"dependencies":{"a":"1"}}';
		const found = async (files: Record<string, string>) =>
			(await find(files)).installations.map(({ lockfile }) => lockfile);
		assert.deepEqual(await found({ 'package.json': needs, 'Cargo.lock': '' }), ['package.json', 'Cargo.lock']);
		for (const lockfile of ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']) {
			assert.deepEqual(await found({ 'package.json': needs, [lockfile]: '' }), [lockfile]);
		}
		assert.deepEqual(await found({ 'examples/package.json': needs }), []);
		for (const none of ['{}', 'no JSON', '{"dependencies":[]}', '{"optionalDependencies":{"a":"1"}}', '[]', 'null']) {
			assert.deepEqual(await found({ 'package.json': none }), [], none);
		}
	});

	it('go to the user’s registry and to those that the repository names', async () => {
		for (const [files, hosts] of [
			[
				{
					'package-lock.json': '{}',
					'.npmrc':
						'; ours\n registry = "https://npm.example:8443/all/"\n@team:registry=https://team.example/\n//npm.example/:_authToken=x\nhomepage=https://no.example/\n',
				},
				['npm.example:8443', NPM, 'team.example:443'],
			],
			[
				{
					'web/package-lock.json': '{}',
					'.npmrc': 'registry=https://far.example/',
					'web/.npmrc': 'registry=https://near.example/',
				},
				['far.example:443', 'near.example:443', NPM],
			],
			[
				{
					'package-lock.json':
						'{"packages": {"a": {"resolved": "https://team.example:8443/a.tgz", "funding": {"url": "https://no.example/"}}}}',
				},
				[NPM, 'team.example:8443'],
			],
			[
				{
					'pnpm-lock.yaml': 'a:\n  resolution: {tarball: https://archives.example/a.tgz}\n',
					'pnpm-workspace.yaml':
						'packages:\n  - a\nregistries: # ours\n  default: https://npm.example/ # all\n  \'@team\': "https://team.example/"\n',
				},
				['archives.example:443', 'npm.example:443', NPM, 'team.example:443'],
			],
			[
				{
					'yarn.lock': '__metadata:\n',
					'.yarnrc.yml':
						'npmRegistryServer: "https://npm.example"\nnpmScopes:\n  team:\n    npmRegistryServer: https://team.example\nyarnPath: .yarn/y.cjs\n',
				},
				['npm.example:443', NPM, 'team.example:443'],
			],
			[
				{
					'yarn.lock': 'a@1:\n  version "1.0.0"\n  resolved "https://archives.example/a.tgz#0"\n',
					'.yarnrc': 'registry "https://npm.example/"\n"@team:registry" "https://team.example/"\n',
				},
				['archives.example:443', 'npm.example:443', NPM, 'team.example:443'],
			],
			[
				{
					'bun.lock': '',
					'bunfig.toml':
						'[install]\nregistry = { url = "https://npm.example/", token = "$T" }\n[install.scopes]\n"@team" = "https://team.example/"\n',
				},
				['npm.example:443', NPM, 'team.example:443'],
			],
			[
				{
					'requirements.txt':
						'--index-url https://py.example/simple\n--extra-index-url=https://extra.example/\n# https://no.example/\nrequests\n',
				},
				['extra.example:443', 'py.example:443', PYTHON],
			],
			[
				{
					'poetry.lock': '',
					'pyproject.toml':
						'[tool.poetry]\nhomepage = "https://no.example/"\n[[tool.poetry.source]]\nname = "x"\nurl = "https://py.example/simple/"\npriority = "supplemental"\n',
				},
				['py.example:443', PYTHON],
			],
			[
				{
					'uv.lock':
						'source = { registry = "https://locked.example/simple" }\nwheels = [\n    { url = "https://files.example/a.whl", hash = "sha256:0" },\n]\n',
					'pyproject.toml':
						'[tool.uv]\nextra-index-url = ["https://one.example/", "https://two.example/"]\n[[tool.uv.index]]\nurl = "https://py.example/"\ndefault = true\n',
				},
				['files.example:443', 'locked.example:443', 'one.example:443', 'py.example:443', PYTHON, 'two.example:443'],
			],
			[
				{
					'Pipfile.lock': '{"_meta": {"sources": [{"name": "x", "url": "https://locked.example/simple"}]}}',
					Pipfile: "[[source]]\nurl = 'https://py.example/simple'\nverify_ssl = true\n",
				},
				['locked.example:443', 'py.example:443', PYTHON],
			],
			[
				{
					'sub/Cargo.lock': '',
					'.cargo/config.toml':
						'[registries.ours]\nindex = "sparse+https://crates.example/index/"\n[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+https://mirror.example/"\n',
				},
				['crates.example:443', 'mirror.example:443'],
			],
			[
				{
					'Gemfile.lock': 'GEM\n  remote: https://locked.example/\n  specs:\n',
					Gemfile: "source 'https://gems.example' do\n  gem 'x'\nend\n# source 'https://no.example'\n",
				},
				['gems.example:443', 'locked.example:443'],
			],
			[
				{
					'composer.lock':
						'{"packages": [{"source": {"type": "git", "url": "https://no.example/x.git"},\n "dist": {\n  "type": "zip",\n  "url": "https://archives.example/x"}}]}',
					'composer.json':
						'{"repositories":[{"type":"composer","url":"https://php.example"},{"type":"path","url":"../x"}]}',
				},
				['archives.example:443', 'php.example:443'],
			],
		] as const) {
			assert.deepEqual(await hostsOf(files as unknown as Record<string, string>), hosts, JSON.stringify(files));
		}
	});

	it('are told the user’s registry where the repository names none', async () => {
		const { installations, own } = await find({
			'package-lock.json': '{}',
			'uv.lock': '',
			'go.sum': '',
			'Cargo.lock': '',
		});
		assert.deepEqual(own, ['go.user.example:443', NPM, PYTHON, 'sums.user.example:443']);
		const npm = 'https://npm.user.example';
		assert.deepEqual(
			installations.map(({ environment }) => environment),
			[
				{ npm_config_registry: npm, COREPACK_NPM_REGISTRY: npm },
				{ UV_DEFAULT_INDEX: 'https://py.user.example/simple' },
				{},
				{ GOPROXY: 'https://go.user.example' },
			],
		);
		assert.deepEqual(
			installations.map(({ hasDefault }) => hasDefault),
			[true, true, false, true],
		);
		for (const files of [
			{ 'package-lock.json': '{}', '.npmrc': 'registry=https://npm.example/' },
			{ 'bun.lock': '', 'bunfig.toml': 'registry = "https://npm.example/"' },
			{ 'yarn.lock': '__metadata:\n', '.yarnrc.yml': 'npmRegistryServer: https://npm.example/' },
		]) {
			const replaced = await find(files as unknown as Record<string, string>);
			assert.deepEqual(replaced.installations[0]?.environment, { COREPACK_NPM_REGISTRY: npm });
			assert.deepEqual(replaced.own, [NPM]);
		}
		const scoped = await find({ 'package-lock.json': '{}', '.npmrc': '@team:registry=https://team.example/' });
		assert.equal(scoped.installations[0]?.environment['npm_config_registry'], npm);
	});

	it('guess nothing where no package manager tells', async () => {
		const files = { 'package-lock.json': '{}', 'requirements.txt': '', 'go.sum': '' };
		const { installations, hosts, own } = await find(files, userOf([], {}));
		assert.deepEqual([hosts, own], [[], []]);
		for (const { environment, hasDefault } of installations) {
			assert.deepEqual([environment, hasDefault], [{}, false]);
		}
	});

	it('list an address of this machine as what it is, however it is written', async () => {
		for (const [address, host] of [
			['https://127.0.0.1:4873/', '127.0.0.1:4873'],
			['https://0x7f.1/', '127.0.0.1:443'],
			['https://2130706433/', '127.0.0.1:443'],
			['https://localhost/', 'localhost:443'],
			['https://[::1]:8443/', '[::1]:8443'],
			['https://169.254.169.254/latest', '169.254.169.254:443'],
		] as const) {
			const hosts = await hostsOf({ 'package-lock.json': '{}', '.npmrc': `registry=${address}` });
			assert.deepEqual(hosts, [host, NPM].sort());
		}
	});

	it('have no host that is not reached by https or not valid', async () => {
		for (const address of [
			'http://npm.example/',
			'npm.example',
			'file:///etc',
			'https://',
			'https://a_b.example/',
			'https://-a.example/',
			`https://${'a'.repeat(64)}.example/`,
			'https://a..example/',
			// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in the repository's own file.
			'${REGISTRY}',
			'https://a.example:99999/',
		]) {
			const hosts = await hostsOf({ 'package-lock.json': '{}', '.npmrc': `registry=${address}` });
			assert.deepEqual(hosts, [NPM], address);
		}
	});

	it('name the hosts that the user logs in to', async () => {
		const user = userOf(['npm.example:443', 'team.example:8443', 'elsewhere.example:443']);
		const files = {
			'package-lock.json': '{"packages": {"a": {"resolved": "https://team.example:8443/@team/a/-/a.tgz"}}}',
			'.npmrc': 'registry=https://npm.example/',
		};
		assert.deepEqual((await find(files, user)).withLogin, ['npm.example:443', 'team.example:8443']);
		assert.deepEqual((await find(files)).withLogin, []);
		assert.deepEqual((await find({ 'package-lock.json': '{}' }, user)).withLogin, []);
	});

	it('have at most twenty hosts', async () => {
		const lines = Array.from({ length: 500 }, (_, index) => `@s${index}:registry=https://h${index}.example/`);
		assert.equal((await hostsOf({ 'package-lock.json': '{}', '.npmrc': lines.join('\n') })).length, 20);
	});

	it('are found in bounded time, whatever the files hold', async () => {
		const size = 256 * 1024;
		const texts = [' ', '\n', '=', '"', '[', 'a ', '#', ':', '\t#', 'https://', '@a:registry=', '- '].map(piece =>
			piece.repeat(size / piece.length),
		);
		const lockfiles = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'uv.lock', 'poetry.lock'];
		lockfiles.push('Pipfile.lock', 'requirements.txt', 'Cargo.lock', 'go.sum', 'Gemfile.lock', 'composer.lock');
		const lap = processorLaps();
		for (const text of [...texts, ...texts.map(text => `a${text}b`), ...texts.map(text => `registry = ${text}`)]) {
			for (const lockfile of lockfiles) {
				await findInstallations([lockfile], async () => text, userOf());
			}
		}
		const spent = lap();
		assert.ok(spent < 40_000, `${spent} ms`);
	});
});
