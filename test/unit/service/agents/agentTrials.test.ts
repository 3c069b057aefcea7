import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import { defined } from '../../../../src/base/defined.ts';
import { UserFacingError } from '../../../../src/base/errors.ts';
import { type Logger, nullLogger } from '../../../../src/base/logger.ts';
import { taskSettingsSchema } from '../../../../src/contract/agents.ts';
import { AgentTrials, type TrialSupport } from '../../../../src/service/agents/agentTrials.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useDirectory } from '../../agents/catalogue/useDirectory.ts';

/** Stands in for npm: makes what the lock of the folder names, without a registry, and says that it ran. */
const FAKE_NPM = `#!/bin/sh
echo run >> "$HOME/npm-runs"
mkdir -p node_modules/opencode-linux-x64/bin
printf '#!/bin/sh\\n' > node_modules/opencode-linux-x64/bin/opencode
chmod +x node_modules/opencode-linux-x64/bin/opencode
`;

describe('AgentTrials', () => {
	const test = useDirectory();
	const never = new AbortController().signal;

	function trials(support: Partial<TrialSupport> = {}): AgentTrials {
		return new AgentTrials(
			test.directory,
			{ environment: test.environment, folder: test.folder.at('agents'), platform: 'linux-x64' },
			{
				handshake: async ({ definition }) => ({ ok: true, name: definition.id, seconds: 1 }),
				logger: nullLogger,
				...support,
			},
		);
	}
	const haveNpm = async (text = FAKE_NPM) => {
		await test.folder.program('tools/npm', text);
		await test.folder.file('home/.npmrc', '');
		test.environment['PATH'] = `${test.folder.at('bin')}:${test.folder.at('tools')}:/usr/bin:/bin`;
	};

	describe('trying', () => {
		it('starts the program that was found and passes its answer on, also where there is no model', async () => {
			const program = await test.folder.program('bin/opencode', '#!/bin/sh\necho "opencode 7"\n');
			test.offered = { models: [], providers: [] };
			const handshake = async ({ location }: FoundAgent) => {
				const child = spawn(location);
				const [text] = await once(child.stdout, 'data');
				return { ok: true as const, name: String(text).trim(), version: '7', seconds: 0.1 };
			};
			assert.deepEqual(await trials({ handshake }).try('opencode', never), {
				ok: true,
				name: 'opencode 7',
				version: '7',
				seconds: 0.1,
			});
			assert.ok(program);
		});

		it('shows the words of an agent as plain text of bounded length', async () => {
			await test.folder.program('bin/opencode');
			const hostile = `\u001b[31mname\u001b[0m\n\u202e${'x'.repeat(100_000)}`;
			const trial = await trials({
				handshake: async () => ({ ok: true, name: hostile, version: hostile, seconds: 1 }),
			}).try('opencode', never);
			assert.ok(trial.ok);
			assert.match(trial.name, /^name x{54}…$/);
			assert.equal(trial.version, trial.name);
			const failed = await trials({ handshake: async () => ({ ok: false, message: hostile }) }).try('opencode', never);
			assert.ok(!failed.ok);
			assert.match(failed.message, /^name x{494}…$/);
		});

		it('says why an agent cannot be tried, without starting anything', async () => {
			const started = trials({ handshake: () => assert.fail('nothing is started') });
			await test.folder.program('bin/gemini');
			for (const [id, words] of [
				['opencode', /^opencode was not found: the program "opencode" is needed\. Install it/],
				['gemini-account', /^Gemini CLI \(own account\) needs your yes/],
				['demo', /^There is no agent "demo" here whose program could be started\.$/],
				['unheard-of', /^There is no agent "unheard-of" here/],
			] as const) {
				const trial = await started.try(id, never);
				assert.ok(!trial.ok);
				assert.match(trial.message, words);
			}
		});

		it('passes on the sentence of a failure, and hides any other behind one', async () => {
			await test.folder.program('bin/opencode');
			const failing = (error: Error, logger: Logger = nullLogger) =>
				trials({ handshake: () => Promise.reject(error), logger }).try('opencode', never);
			assert.deepEqual(await failing(new UserFacingError('It ended at once.')), {
				ok: false,
				message: 'It ended at once.',
			});
			const logged: unknown[] = [];
			const trial = await failing(new Error('secret detail'), { log: (...entry) => logged.push(entry) });
			assert.deepEqual(trial, {
				ok: false,
				message: 'The local service failed at this; its log (service.log) says why.',
			});
			assert.deepEqual(logged, [['error', 'an agent could not be tried', { reason: 'secret detail' }]]);
		});

		it('ends an agent that does not answer in time, and says so', async () => {
			await test.folder.program('bin/opencode');
			let reason: unknown;
			const handshake = (_: FoundAgent, signal: AbortSignal) =>
				new Promise<never>((_resolve, reject) => {
					signal.addEventListener('abort', () => {
						reason = signal.reason;
						reject(signal.reason);
					});
				});
			assert.deepEqual(await trials({ handshake, timeoutMs: 50 }).try('opencode', never), {
				ok: false,
				message: 'opencode did not open a session in time. Try again when the machine is less busy.',
			});
			assert.equal((reason as Error).name, 'TimeoutError');
		});

		it('ends the agent when no client waits for the answer any more', async () => {
			await test.folder.program('bin/opencode');
			const controller = new AbortController();
			const handshake = (_: FoundAgent, signal: AbortSignal) =>
				new Promise<never>((_resolve, reject) => {
					signal.addEventListener('abort', () => reject(new Error('ended')));
					controller.abort(new Error('gone'));
				});
			await assert.rejects(trials({ handshake }).try('opencode', controller.signal), /gone/);
		});
	});

	describe('installing', () => {
		it('installs the agent, which is there at once, and tries it', async () => {
			await haveNpm();
			assert.deepEqual(
				(await test.directory.current()).map(({ id }) => id),
				['demo', 'demo-two'],
			);
			const tried: string[] = [];
			const handshake = async ({ location, source }: FoundAgent) => {
				tried.push(source, location);
				return { ok: true as const, name: 'opencode', seconds: 1 };
			};
			assert.equal((await trials({ handshake }).install({ id: 'opencode' }, never)).ok, true);
			const place = 'agents/opencode/1.18.33/node_modules/opencode-linux-x64/bin/opencode';
			assert.deepEqual(tried, ['installed', test.folder.at(place)]);
			assert.deepEqual(
				(await test.directory.current()).map(({ id }) => id),
				['opencode', 'demo', 'demo-two'],
			);
		});

		it('installs it once for two windows that ask at once, and not at all where it is', async () => {
			await haveNpm();
			const both = trials();
			const answers = await Promise.all([
				both.install({ id: 'opencode' }, never),
				both.install({ id: 'opencode' }, never),
			]);
			assert.deepEqual(
				answers.map(({ ok }) => ok),
				[true, true],
			);
			assert.equal((await both.install({ id: 'opencode' }, never)).ok, true);
			assert.equal(await readFile(test.folder.at('home/npm-runs'), 'utf8'), 'run\n');
		});

		it('says why it failed, and tries nothing', async () => {
			await haveNpm('#!/bin/sh\nexit 1\n');
			const failing = trials({ handshake: () => assert.fail('nothing is started') });
			const trial = await failing.install({ id: 'opencode' }, never);
			assert.ok(!trial.ok);
			assert.match(trial.message, /^opencode 1\.18\.33 was not installed: npm failed without a reason\./);
			assert.deepEqual(await readdir(test.folder.at('agents/opencode')), []);
		});

		it('installs nothing that it does not know, that is never run, or that the settings place elsewhere', async () => {
			await haveNpm('#!/bin/sh\necho run >> "$HOME/npm-runs"\n');
			test.directory.replaceSettings(
				taskSettingsSchema.parse({ agents: [{ id: 'opencode', command: '/absent/opencode' }] }),
			);
			for (const [id, words] of [
				['unheard-of', /^There is no agent "unheard-of" here that could be installed\.$/],
				['demo', /^There is no agent "demo" here that could be installed\.$/],
				['gemini-account', /^Errand cannot install Gemini CLI \(own account\) on this machine\./],
				['kilo', /^Errand cannot install Kilo on this machine\./],
				['opencode', /^Errand cannot install opencode on this machine\./],
			] as const) {
				const trial = await trials().install({ id }, never);
				assert.ok(!trial.ok);
				assert.match(trial.message, words);
			}
			assert.deepEqual(await readdir(test.folder.at('home')), ['.npmrc']);
		});

		it('installs what has terms of its own only after the user has agreed to exactly these', async () => {
			await haveNpm('#!/bin/sh\necho run >> "$HOME/npm-runs"\nexit 1\n');
			for (const agreedTo of [undefined, 'other terms']) {
				const trial = await trials().install({ id: 'claude', ...defined({ agreedTo }) }, never);
				assert.ok(!trial.ok);
				assert.match(
					trial.message,
					/not installed, because nobody has agreed to the terms of @anthropic-ai\/claude-agent/,
				);
			}
			assert.deepEqual(await readdir(test.folder.at('home')), ['.npmrc']);
			const { terms } = (await test.directory.status('claude')).install ?? {};
			const trial = await trials().install({ id: 'claude', ...defined({ agreedTo: terms?.text }) }, never);
			assert.ok(!trial.ok && /npm failed without a reason/.test(trial.message));
			assert.equal(await readFile(test.folder.at('home/npm-runs'), 'utf8'), 'run\n');
		});

		it('ends npm when it is cancelled, and the next one can begin', async () => {
			await haveNpm('#!/bin/sh\necho run >> "$HOME/npm-runs"\nexec sleep 600\n');
			const controller = new AbortController();
			const both = trials();
			const cancelled = assert.rejects(both.install({ id: 'opencode' }, controller.signal), /gone/);
			await waitFor('npm', async () => (await readdir(test.folder.at('home'))).includes('npm-runs'));
			controller.abort(new Error('gone'));
			await cancelled;
			await haveNpm();
			assert.equal((await both.install({ id: 'opencode' }, never)).ok, true);
		});
	});
});
