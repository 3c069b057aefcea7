// The packages of pi and of the adapter through which it speaks the Agent Client Protocol.
import { type AgentInstallation, pinned } from './entry.ts';

const PI =
	'@earendil-works/pi-coding-agent 0.87.1 m8ArJUtVcQMSe1lLE/Ei7vX/JV7O39sWmWBsXV2NOU70F0qCp8GubA24pT3LnwTmM6LL2xV80/h6sQg85n69ew== @earendil-works/chord @earendil-works/pi-agent-core @earendil-works/pi-ai @earendil-works/pi-tui @silvia-odwyer/photon-node chalk cross-spawn diff grok-mermaid highlight.js hosted-git-info ignore jiti minimatch proper-lockfile semver typebox undici yaml';
const ADAPTER =
	'pi-acp 0.0.34 MrCp37UbpUzkTkzTIMJQf1RYrT+kr4fgGDGFoLmBN26UupuCZp0XxVIY+7XYsMo3yDnzDeZUJ0jPyM3Si6Bkkg== @agentclientprotocol/sdk cross-spawn zod';

/** Where its two programs, which are scripts, can be started. */
const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

const INSTALLATION: AgentInstallation = {
	packages: [pinned(PI), pinned(ADAPTER)],
	dependencies: async () => (await import('./piDependencies.ts')).piDependencies,
	programs: { 'pi-acp': 'pi-acp/dist/index.js', pi: '@earendil-works/pi-coding-agent/dist/bundle/cli.js' },
	downloadMegabytes: 76,
	diskMegabytes: 155,
};

export const piInstallations: Readonly<Record<string, AgentInstallation>> = Object.fromEntries(
	PLATFORMS.map(platform => [platform, INSTALLATION]),
);
