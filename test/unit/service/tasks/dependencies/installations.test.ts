import assert from 'node:assert/strict';
import { findInstallations } from '../../../../../src/service/tasks/dependencies/installations.ts';
import type { UserRegistries } from '../../../../../src/service/tasks/dependencies/registries.ts';
import { NPM_HOST, YARN_HOST } from '../../../../../src/service/tasks/dependencies/registries.ts';
import { processorLaps } from '../../../../support/processorTime.ts';

const NPM = `${NPM_HOST}:443`;
const YARN = `${YARN_HOST}:443`;

const PYPI = ['files.pythonhosted.org:443', 'pypi.org:443'];
const CRATES = ['index.crates.io:443', 'static.crates.io:443'];
const PACKAGIST = ['api.github.com:443', 'codeload.github.com:443', 'repo.packagist.org:443'];

describe('the installations of a repository', () => {
	/** `files` are the texts of a tree, whose lockfiles come in the given order. */
	const find = (files: Record<string, string>, user: UserRegistries = {}) =>
		findInstallations(Object.keys(files), async name => files[name], user);
	const hostsOf = async (files: Record<string, string>, user?: UserRegistries) => (await find(files, user)).hosts;

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
				[NPM, YARN],
			],
			[
				'yarn.lock',
				'# generated\n\n__metadata:\n  version: 8\n',
				'yarn install --immutable',
				'yarn install --immutable --mode=skip-build',
				[NPM, YARN],
			],
			['bun.lock', '', 'bun install --frozen-lockfile', 'bun install --frozen-lockfile --ignore-scripts', [NPM]],
			['uv.lock', '', 'uv sync --locked', 'uv sync --locked --no-build --no-install-workspace', PYPI],
			['poetry.lock', '', 'poetry install --no-interaction', undefined, PYPI],
			['Pipfile.lock', '{}', 'pipenv sync', undefined, PYPI],
			['requirements.txt', 'requests==2\n', 'python3 -m pip install --user -r requirements.txt', undefined, PYPI],
			['Cargo.lock', '', 'cargo fetch --locked', 'cargo fetch --locked', CRATES],
			['go.sum', '', 'go mod download', 'go mod download', ['proxy.golang.org:443', 'sum.golang.org:443']],
			['Gemfile.lock', '', 'bundle install', undefined, ['index.rubygems.org:443', 'rubygems.org:443']],
			[
				'composer.lock',
				'{}',
				'composer install --no-interaction',
				'composer install --no-interaction --no-scripts --no-plugins',
				PACKAGIST,
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

	it('go to the registries that the repository names', async () => {
		for (const [files, hosts] of [
			[
				{
					'package-lock.json': '{}',
					'.npmrc':
						'; ours\n registry = "https://npm.example:8443/all/"\n@team:registry=https://team.example/\n//npm.example/:_authToken=x\n',
				},
				['npm.example:8443', 'team.example:443'],
			],
			[
				{
					'web/package-lock.json': '{}',
					'.npmrc': 'registry=https://far.example/',
					'web/.npmrc': 'registry=https://near.example/',
				},
				['near.example:443'],
			],
			[
				{
					'pnpm-lock.yaml': '',
					'pnpm-workspace.yaml':
						'packages:\n  - a\nregistries: # ours\n  default: https://npm.example/ # all\n  \'@team\': "https://team.example/"\nother:\n  default: https://no.example/\n',
				},
				['npm.example:443', 'team.example:443'],
			],
			[
				{
					'yarn.lock': '__metadata:\n',
					'.yarnrc.yml':
						'npmRegistryServer: "https://npm.example"\nnpmScopes:\n  team:\n    npmRegistryServer: https://team.example\nyarnPath: .yarn/y.cjs\n',
				},
				['npm.example:443', 'team.example:443'],
			],
			[
				{ 'yarn.lock': '', '.yarnrc': 'registry "https://npm.example/"\n"@team:registry" "https://team.example/"\n' },
				['npm.example:443', NPM, YARN, 'team.example:443'],
			],
			[
				{
					'bun.lock': '',
					'bunfig.toml':
						'[install]\nregistry = { url = "https://npm.example/", token = "$T" }\n[install.scopes]\n"@team" = "https://team.example/"\n',
				},
				['npm.example:443', 'team.example:443'],
			],
			[
				{
					'requirements.txt':
						'--index-url https://py.example/simple\n--extra-index-url=https://extra.example/\nrequests\n',
				},
				['extra.example:443', 'py.example:443'],
			],
			[{ 'requirements.txt': 'a\n--extra-index-url https://extra.example/\n' }, ['extra.example:443', ...PYPI]],
			[
				{
					'poetry.lock': '',
					'pyproject.toml':
						'[tool.poetry]\nurl = "https://no.example/"\n[[tool.poetry.source]]\nname = "x"\nurl = "https://py.example/simple/"\npriority = "supplemental"\n',
				},
				['files.pythonhosted.org:443', 'py.example:443', 'pypi.org:443'],
			],
			[
				{
					'poetry.lock': '',
					'pyproject.toml': '[[tool.poetry.source]]\nurl = "https://py.example/"\npriority = "primary" # all\n',
				},
				['py.example:443'],
			],
			[
				{
					'uv.lock': '',
					'pyproject.toml':
						'[tool.uv]\nextra-index-url = ["https://one.example/", "https://two.example/"]\n[[tool.uv.index]]\nurl = "https://py.example/"\ndefault = true\n',
				},
				['one.example:443', 'py.example:443', 'two.example:443'],
			],
			[
				{ 'Pipfile.lock': '', Pipfile: "[[source]]\nurl = 'https://py.example/simple'\nverify_ssl = true\n" },
				['py.example:443'],
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
					'Gemfile.lock': '',
					Gemfile: "source 'https://gems.example' do\n  gem 'x'\nend\n# source 'https://no.example'\n",
				},
				['gems.example:443'],
			],
			[
				{
					'composer.lock': '',
					'composer.json':
						'{"repositories":[{"type":"composer","url":"https://php.example"},{"type":"path","url":"../x"}]}',
				},
				['api.github.com:443', 'codeload.github.com:443', 'php.example:443', 'repo.packagist.org:443'],
			],
		] as const) {
			assert.deepEqual(await hostsOf(files as unknown as Record<string, string>), hosts, JSON.stringify(files));
		}
	});

	it('go to the user’s registry where the repository names none, and are told so', async () => {
		const user = {
			npm: 'https://npm.corp.example/',
			pip: 'https://py.corp.example/simple',
			go: 'https://go.corp.example',
		};
		const { installations, hosts } = await find({ 'package-lock.json': '{}', 'uv.lock': '', 'go.sum': '' }, user);
		assert.deepEqual(hosts, [
			'go.corp.example:443',
			'npm.corp.example:443',
			'py.corp.example:443',
			'sum.golang.org:443',
		]);
		assert.deepEqual(
			installations.map(({ environment }) => environment),
			[{ npm_config_registry: user.npm }, { UV_DEFAULT_INDEX: user.pip }, { GOPROXY: user.go }],
		);
		const own = await find({ 'package-lock.json': '{}', '.npmrc': 'registry=https://npm.example/' }, user);
		assert.deepEqual(own.hosts, ['npm.example:443']);
		assert.deepEqual(own.installations[0]?.environment, {});
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
			assert.deepEqual(hosts, [host]);
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
			assert.deepEqual(hosts, [], address);
		}
	});

	it('name the hosts that the user logs in to, also those that only a lockfile names', async () => {
		const withLogin = ['npm.example:443', 'team.example:8443', 'elsewhere.example:443'];
		const files = {
			'package-lock.json': '{"packages": {"a": {"resolved": "https://team.example:8443/@team/a/-/a.tgz"}}}',
			'.npmrc': 'registry=https://npm.example/',
		};
		assert.deepEqual((await find(files, { withLogin })).withLogin, ['npm.example:443', 'team.example:8443']);
		assert.deepEqual((await find(files)).withLogin, []);
		assert.deepEqual((await find({ 'package-lock.json': '{}' }, { withLogin })).withLogin, []);
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
				await findInstallations([lockfile], async () => text);
			}
		}
		const spent = lap();
		assert.ok(spent < 40_000, `${spent} ms`);
	});
});
