// The installations of the agents that Errand can install. The lockfiles leave out optional packages that an agent does
// not need.
import type { AgentInstallation } from '../catalogue/entry.ts';
import claude from './lockfiles/claude/package.json' with { type: 'json' };
import codex from './lockfiles/codex/package.json' with { type: 'json' };
import opencodeX64 from './lockfiles/opencode-linux-x64/package.json' with { type: 'json' };
import opencodeX64Baseline from './lockfiles/opencode-linux-x64-baseline/package.json' with { type: 'json' };
import pi from './lockfiles/pi/package.json' with { type: 'json' };
import qwen from './lockfiles/qwen/package.json' with { type: 'json' };

/** opencode's package for a platform contains only the program. */
const OPENCODE = { downloadMegabytes: 58, diskMegabytes: 177 };

export const opencodeInstallations: Readonly<Record<string, AgentInstallation>> = {
	'linux-x64': {
		...OPENCODE,
		manifest: opencodeX64,
		lock: async () =>
			(await import('./lockfiles/opencode-linux-x64/package-lock.json', { with: { type: 'json' } })).default,
		programs: { opencode: 'opencode-linux-x64/bin/opencode' },
	},
	'linux-x64-baseline': {
		...OPENCODE,
		manifest: opencodeX64Baseline,
		lock: async () =>
			(await import('./lockfiles/opencode-linux-x64-baseline/package-lock.json', { with: { type: 'json' } })).default,
		programs: { opencode: 'opencode-linux-x64-baseline/bin/opencode' },
	},
};

/** The platforms on which a script can be started as a program. */
const WITH_SCRIPTS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

function withScripts(
	installationOn: (platform: string) => AgentInstallation,
): Readonly<Record<string, AgentInstallation>> {
	return Object.fromEntries(WITH_SCRIPTS.map(platform => [platform, installationOn(platform)]));
}

export const piInstallations = withScripts(() => ({
	manifest: pi,
	lock: async () => (await import('./lockfiles/pi/package-lock.json', { with: { type: 'json' } })).default,
	programs: { 'pi-acp': 'pi-acp/dist/index.js', pi: '@earendil-works/pi-coding-agent/dist/bundle/cli.js' },
	downloadMegabytes: 76,
	diskMegabytes: 155,
}));

/** Qwen Code requires Node 22 or newer. */
export const qwenInstallations = withScripts(() => ({
	manifest: qwen,
	lock: async () => (await import('./lockfiles/qwen/package-lock.json', { with: { type: 'json' } })).default,
	programs: { qwen: '@qwen-code/qwen-code/cli-entry.js' },
	downloadMegabytes: 33,
	diskMegabytes: 123,
}));

export const claudeInstallations = withScripts(platform => ({
	manifest: claude,
	lock: async () => (await import('./lockfiles/claude/package-lock.json', { with: { type: 'json' } })).default,
	programs: { 'claude-agent-acp': '@agentclientprotocol/claude-agent-acp/dist/index.js' },
	packageOfPlatform: `@anthropic-ai/claude-agent-sdk-${platform}`,
	terms: {
		package: '@anthropic-ai/claude-agent-sdk',
		text: '© Anthropic PBC. All rights reserved. Use is subject to the Legal Agreements outlined here: https://code.claude.com/docs/en/legal-and-compliance.',
	},
	downloadMegabytes: 161,
	diskMegabytes: 340,
}));

export const codexInstallations = withScripts(platform => ({
	manifest: codex,
	lock: async () => (await import('./lockfiles/codex/package-lock.json', { with: { type: 'json' } })).default,
	programs: { 'codex-acp': '@agentclientprotocol/codex-acp/dist/index.js' },
	packageOfPlatform: `@openai/codex-${platform}`,
	downloadMegabytes: 173,
	diskMegabytes: 457,
}));
