import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { AgentInstallation, AgentPlace, FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../../../src/agents/catalogue/knownAgents.ts';
import { agentLaunch } from '../../../../src/agents/run/agentLaunch.ts';
import { agentRequestSchema, hostName } from '../../../../src/contract/agents.ts';

const PLACE: AgentPlace = {
	home: '/home/agent',
	path: '/usr/bin:/bin',
	relayUrl: 'http://127.0.0.1:4567',
	token: 'token-of-the-run',
	model: 'vendor/model',
	contextLength: 32_000,
	maxOutputTokens: 4_000,
	programs: { pi: '/opt/pi/pi' },
};

interface LockedPackage {
	version: string;
	integrity: string;
	dependencies?: Record<string, string>;
}

/** Returns the packages of a lockfile by their folders. */
async function packagesOf(installation: AgentInstallation): Promise<[folder: string, LockedPackage][]> {
	const { packages } = (await installation.lock()) as { packages: Record<string, LockedPackage> };
	return Object.entries(packages).filter(([folder]) => folder !== '');
}

const runnable = knownAgents.filter(({ account }) => account === undefined);

function known(id: string, place: Partial<AgentPlace> = {}) {
	const agent = knownAgents.find(candidate => candidate.id === id);
	assert.ok(agent);
	const full = { ...PLACE, ...place };
	return { ...agent, env: agent.environment(full), texts: agent.files(full) };
}

/** Names that end a string in one of the formats, or mean something to a program that reads one. */
const HOSTILE = [
	'a"\nmodel_provider = "other',
	'a\'\'\'b"""c',
	'a\\',
	'a\\u0022',
	'","provider":{}}',
	'a\u007fb\u0000c\u001b[0m',
	'a\u2028b\r\nc',
	'__proto__',
	'constructor',
	'{env:HOME}',
	'{file:/etc/passwd}',
	'$HOME `id` $(id) !id',
	'../../x',
];

describe('knownAgents', () => {
	it('says of each that runs which files with instructions it reads itself', () => {
		for (const { id, instructionFiles = [] } of runnable) {
			assert.equal(instructionFiles[0], id === 'claude' ? 'CLAUDE.md' : 'AGENTS.md', id);
		}
	});

	it('has ids that requests may name, each once, and none of a demo', () => {
		const ids = knownAgents.map(({ id }) => id);
		assert.equal(new Set(ids).size, ids.length);
		for (const id of ids) {
			assert.equal(agentRequestSchema.safeParse({ id }).success, true, id);
			assert.ok(!id.startsWith('demo'));
		}
	});

	it('has a model API for each, or the hosts of an account of its own, and says in the name which it is', () => {
		assert.deepEqual(
			runnable.map(({ id, api }) => `${id} ${api}`),
			['opencode chat', 'pi chat', 'codex responses', 'qwen chat', 'kilo chat', 'claude messages'],
		);
		const others = knownAgents.filter(({ account }) => account);
		assert.deepEqual(
			others.map(({ id, label, api }) => `${id} ${label} ${api}`),
			[
				'claude-account Claude Code (own account) undefined',
				'gemini-account Gemini CLI (own account) undefined',
				'copilot-account Copilot (own account) undefined',
				'cline-account Cline (own account) undefined',
			],
		);
		for (const { account } of others) {
			const { hosts = [] } = account ?? {};
			assert.ok(hosts.length > 0 && hosts.every(host => hostName.safeParse(host).success));
		}
	});

	it('tells each of the relay, its token and the model, and writes no file outside its home', () => {
		for (const { id } of runnable) {
			const { env, texts } = known(id);
			const all = JSON.stringify([env, texts]);
			const relay = id === 'claude' ? PLACE.relayUrl : `${PLACE.relayUrl}/v1`;
			for (const text of [relay, PLACE.token, PLACE.model]) {
				assert.ok(all.includes(text), `${id} ${text}`);
			}
			for (const file of Object.keys(texts)) {
				assert.match(file, /^\.[a-z]+(?:\/[a-z]+)*\/[a-z]+\.(?:json|toml)$/, id);
			}
		}
	});

	it('gives opencode and Kilo one provider with one model, whatever its name is', () => {
		for (const [id, variable] of [
			['opencode', 'OPENCODE_CONFIG_CONTENT'],
			['kilo', 'KILO_CONFIG_CONTENT'],
		] as const) {
			for (const model of [PLACE.model, ...HOSTILE]) {
				const text = known(id, { model }).env[variable] ?? '';
				assert.doesNotMatch(text, /\{(?:env|file):/);
				const read = JSON.parse(text);
				assert.equal(read.model, `errand/${model}`);
				assert.equal(read.small_model, `errand/${model}`);
				assert.deepEqual(Object.keys(read.provider), ['errand']);
				assert.deepEqual(Object.keys(read.provider.errand.models), [model]);
				assert.deepEqual(read.provider.errand.options, {
					baseURL: 'http://127.0.0.1:4567/v1',
					apiKey: PLACE.token,
				});
				const [{ name, limit }] = Object.values(read.provider.errand.models) as [{ name: string; limit: object }];
				assert.equal(name, model);
				assert.deepEqual(limit, { context: 32_000, output: 4_000 });
			}
		}
	});

	it('gives pi one provider with one model, whatever its name is, and the place of its other program', () => {
		for (const model of [PLACE.model, ...HOSTILE]) {
			const { env, texts, needs } = known('pi', { model });
			assert.deepEqual(needs, ['pi']);
			assert.equal(env['PI_ACP_PI_COMMAND'], '/opt/pi/pi');
			const { providers } = JSON.parse(texts['.pi/agent/models.json'] ?? '');
			assert.deepEqual(Object.keys(providers), ['errand']);
			assert.equal(providers.errand.apiKey, PLACE.token);
			assert.equal(providers.errand.models.length, 1);
			const { id, contextWindow, maxTokens } = providers.errand.models[0];
			assert.deepEqual([id, contextWindow, maxTokens], [model, 32_000, 4_000]);
			const settings = JSON.parse(texts['.pi/agent/settings.json'] ?? '');
			assert.equal(settings.defaultModel, model);
			assert.equal(settings.defaultProvider, 'errand');
		}
	});

	it('gives Codex a configuration of which the model changes one string, whatever its name is', () => {
		const linesFor = (model: string) => (known('codex', { model }).texts['.codex/config.toml'] ?? '').split('\n');
		const [, ...others] = linesFor('x');
		for (const model of [PLACE.model, ...HOSTILE]) {
			const [first = '', ...rest] = linesFor(model);
			assert.deepEqual(rest, others);
			const [, text = ''] = /^model = (".*")$/s.exec(first) ?? [];
			// TOML allows no control characters in a string and has these escapes.
			// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
			assert.match(text, /^"(?:[^"\\\u0000-\u001f\u007f]|\\(?:["\\bfnrt]|u[\da-f]{4}))*"$/);
			assert.equal(JSON.parse(text), model);
		}
		assert.ok(others.includes('wire_api = "responses"'));
		assert.ok(others.includes('env_key = "ERRAND_KEY"'));
		assert.equal(known('codex').env['ERRAND_KEY'], PLACE.token);
	});

	it('replaces half of a character in a name, of which TOML has no form', () => {
		const text = known('codex', { model: 'a\ud800b' }).texts['.codex/config.toml'] ?? '';
		assert.ok(text.startsWith('model = "a\ufffdb"\n'));
	});

	it('says what an unknown model can take at least', () => {
		const { contextLength: _, maxOutputTokens: __, ...place } = PLACE;
		const agent = knownAgents.find(({ id }) => id === 'opencode');
		const read = JSON.parse(agent?.environment(place)['OPENCODE_CONFIG_CONTENT'] ?? '');
		assert.deepEqual(read.provider.errand.models[PLACE.model].limit, { context: 128_000, output: 8_000 });
	});

	it('gives Claude Code one model for all that it does, and no way to Anthropic’s own services', () => {
		const { env } = known('claude');
		const models = Object.entries(env).filter(([name]) => name.endsWith('_MODEL'));
		assert.ok(models.length >= 6);
		assert.ok(models.every(([, model]) => model === PLACE.model));
		assert.equal(env['ANTHROPIC_BASE_URL'], PLACE.relayUrl);
		assert.equal(env['ANTHROPIC_AUTH_TOKEN'], PLACE.token);
		assert.equal(env['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'], '1');
		assert.deepEqual([env['CLAUDE_CODE_MAX_CONTEXT_TOKENS'], env['CLAUDE_CODE_MAX_OUTPUT_TOKENS']], ['32000', '4000']);
	});

	it('pins every package that it installs to one version and one hash, requires none that is not in the lock, and names no registry', async () => {
		const installations = knownAgents.flatMap(agent => Object.entries(agent.installations));
		assert.ok(installations.length > 0);
		for (const [platform, installation] of installations) {
			assert.match(platform, /^(?:linux|darwin)-(?:x64|arm64)(?:-baseline)?$/);
			const packages = await packagesOf(installation);
			const isLocked = (name: string) => packages.some(([folder]) => folder.endsWith(`node_modules/${name}`));
			for (const [folder, { version, integrity, dependencies = {} }] of packages) {
				assert.match(folder, /^node_modules\/[a-z\d./@_-]+$/);
				assert.match(version, /^\d+\.\d+\.\d+(?:-(?:linux|darwin)-(?:x64|arm64))?$/);
				assert.match(integrity, /^sha512-[A-Za-z\d+/]{86}==$/);
				assert.ok(Object.keys(dependencies).every(isLocked), folder);
			}
			const { manifest, packageOfPlatform, programs } = installation;
			const lock = (await installation.lock()) as { packages: { '': object } };
			assert.deepEqual(lock.packages[''], { dependencies: manifest.dependencies });
			assert.doesNotMatch(JSON.stringify(lock), /:\/\//);
			const folders = packages.map(([folder]) => folder.replace('node_modules/', ''));
			for (const place of [...Object.values(programs), ...(packageOfPlatform ? [`${packageOfPlatform}/`] : [])]) {
				assert.ok(
					folders.some(folder => place.startsWith(`${folder}/`)),
					place,
				);
			}
		}
	});

	it('pins what the tests run, with all that it requires', async () => {
		for (const [id, tested] of [
			['opencode', 'agents'],
			['pi', 'agents'],
			['claude', 'furtherAgents'],
			['codex', 'furtherAgents'],
			['qwen', 'furtherAgents'],
		] as const) {
			const { packages } = JSON.parse(await readFile(`test/support/${tested}/package-lock.json`, 'utf8'));
			const installation = knownAgents.find(agent => agent.id === id)?.installations['linux-x64'];
			for (const [folder, { version, integrity, dependencies }] of await packagesOf(installation ?? assert.fail())) {
				const known = packages[folder];
				assert.deepEqual([version, integrity], [known.version, known.integrity], folder);
				assert.deepEqual(dependencies, known.dependencies, folder);
			}
		}
	});

	it('installs each program under the name that is started', () => {
		for (const { command, needs, installations } of knownAgents) {
			for (const { programs } of Object.values(installations)) {
				assert.deepEqual(Object.keys(programs).sort(), [command, ...needs].sort());
			}
		}
	});
});

describe('agentLaunch', () => {
	const found = (id: string): FoundAgent => {
		const definition = knownAgents.find(agent => agent.id === id);
		assert.ok(definition);
		const programs = { [definition.command]: '/real/program', pi: '/real/pi' };
		return { definition, source: 'path', programs, location: '/real/program', version: undefined };
	};
	const { programs: _, ...place } = PLACE;

	it('starts the program that was found, in an environment of its own', () => {
		const { command, args, env, modes } = agentLaunch(found('codex'), place);
		assert.equal(command, '/real/program');
		assert.deepEqual(args, []);
		assert.deepEqual(modes, ['agent-full-access', 'full-access']);
		assert.deepEqual(env, {
			CODEX_HOME: '/home/agent/.codex',
			ERRAND_KEY: 'token-of-the-run',
			NO_BROWSER: '1',
			PATH: '/usr/bin:/bin',
			HOME: '/home/agent',
			TMPDIR: '/home/agent/tmp',
			XDG_CONFIG_HOME: '/home/agent/.config',
			XDG_DATA_HOME: '/home/agent/.local/share',
			XDG_STATE_HOME: '/home/agent/.local/state',
			XDG_CACHE_HOME: '/home/agent/.cache',
			LANG: 'C.UTF-8',
			TERM: 'dumb',
			CI: '1',
			NO_COLOR: '1',
		});
		assert.equal(agentLaunch(found('pi'), place).env['PI_ACP_PI_COMMAND'], '/real/pi');
	});

	it('has nothing of our own environment, no proxy above all', () => {
		const hostile = { HTTPS_PROXY: 'http://secret-proxy', OPENAI_API_KEY: 'secret-key' };
		const before = Object.keys(hostile).map(name => [name, process.env[name]] as const);
		Object.assign(process.env, hostile);
		try {
			for (const { id } of runnable) {
				assert.doesNotMatch(JSON.stringify(agentLaunch(found(id), place)), /secret/);
			}
		} finally {
			// The object itself stays: in another one, a variable that is set never reaches the system.
			for (const [name, value] of before) {
				if (value === undefined) {
					delete process.env[name];
				} else {
					process.env[name] = value;
				}
			}
		}
	});

	it('refuses a name of a model that has invisible characters, in a sentence', () => {
		for (const model of ['', 'a\0b', 'a\nb', 'a\u202eb', 'a\u200bb', 'a\ud800']) {
			assert.throws(() => agentLaunch(found('qwen'), { ...place, model }), {
				name: 'UserFacingError',
				message: /^The name of the model cannot be given to Qwen Code, .*\. Choose another model\.$/,
			});
		}
		assert.equal(
			agentLaunch(found('qwen'), { ...place, model: 'Modèle 7b: "x"' }).env['OPENAI_MODEL'],
			'Modèle 7b: "x"',
		);
	});
});
