// The agents that Errand knows. Their environment and configuration point them to the relay, and disable whatever would
// call home: updates, telemetry, model lists and downloads.

import {
	claudeInstallations,
	codexInstallations,
	opencodeInstallations,
	piInstallations,
	qwenInstallations,
} from '../install/packages.ts';
import {
	anthropicVariables,
	claudeModels,
	codexConfiguration,
	openaiVariables,
	opencodeConfiguration,
	piModels,
} from './configurationTexts.ts';
import { type AgentDefinition, type AgentPlace, accountLabel, WITHOUT_PARTS } from './entry.ts';

const CODEX_KEY = 'ERRAND_KEY';

/** Claude Code reports nothing and looks for no updates. */
const claudeAlone = {
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
	DISABLE_TELEMETRY: '1',
	DISABLE_ERROR_REPORTING: '1',
	DISABLE_AUTOUPDATER: '1',
};

export const knownAgents: readonly AgentDefinition[] = [
	{
		...WITHOUT_PARTS,
		id: 'opencode',
		label: 'opencode',
		licence: 'MIT',
		command: 'opencode',
		args: ['acp'],
		api: 'chat',
		instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
		megabytes: 680,
		environment: place => ({
			OPENCODE_CONFIG_CONTENT: opencodeConfiguration(place),
			OPENCODE_DISABLE_AUTOUPDATE: '1',
			OPENCODE_DISABLE_MODELS_FETCH: '1',
			OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
			OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
		}),
		installations: opencodeInstallations,
	},
	{
		...WITHOUT_PARTS,
		id: 'pi',
		label: 'pi',
		licence: 'MIT',
		command: 'pi-acp',
		needs: ['pi'],
		nodeVersion: '22.19',
		api: 'chat',
		instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
		megabytes: 210,
		environment: ({ home, programs }) => ({
			PI_ACP_PI_COMMAND: programs['pi'] ?? 'pi',
			PI_OFFLINE: '1',
			PI_SKIP_VERSION_CHECK: '1',
			PI_CODING_AGENT_DIR: `${home}/.pi/agent`,
		}),
		files: place => ({
			'.pi/agent/models.json': piModels(place),
			'.pi/agent/settings.json': JSON.stringify({
				defaultProvider: 'errand',
				defaultModel: place.model,
				quietStartup: true,
			}),
		}),
		installations: piInstallations,
	},
	{
		...WITHOUT_PARTS,
		id: 'codex',
		label: 'Codex',
		licence: 'Apache-2.0',
		command: 'codex-acp',
		api: 'responses',
		// Both modes switch Codex's own sandbox off, because Errand's surrounds it. The second one is of Zed's package.
		modes: ['agent-full-access', 'full-access'],
		instructionFiles: ['AGENTS.md'],
		megabytes: 250,
		environment: ({ home, token }) => ({ CODEX_HOME: `${home}/.codex`, [CODEX_KEY]: token, NO_BROWSER: '1' }),
		files: place => ({ '.codex/config.toml': codexConfiguration(place, CODEX_KEY) }),
		installations: codexInstallations,
	},
	{
		...WITHOUT_PARTS,
		id: 'qwen',
		label: 'Qwen Code',
		licence: 'Apache-2.0',
		command: 'qwen',
		args: ['--acp', '--auth-type', 'openai'],
		api: 'chat',
		// It asks the user before it acts. In its own default mode, it asks the model whether each command is safe.
		modes: ['default'],
		instructionFiles: ['AGENTS.md'],
		megabytes: 1_700,
		environment: openaiVariables,
		files: () => ({
			'.qwen/settings.json': JSON.stringify({
				privacy: { usageStatisticsEnabled: false },
				telemetry: { enabled: false },
				general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
				// Otherwise, it would call the model after each turn, to write notes for later sessions.
				memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
			}),
		}),
		installations: qwenInstallations,
	},
	{
		...WITHOUT_PARTS,
		id: 'kilo',
		label: 'Kilo',
		licence: 'MIT',
		command: 'kilo',
		args: ['acp'],
		api: 'chat',
		instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
		megabytes: 1_000,
		environment: (place: AgentPlace) => ({
			KILO_CONFIG_CONTENT: opencodeConfiguration(place),
			KILO_DISABLE_AUTOUPDATE: '1',
			KILO_DISABLE_MODELS_FETCH: '1',
			KILO_DISABLE_LSP_DOWNLOAD: '1',
			KILO_TELEMETRY_LEVEL: 'off',
		}),
	},
	{
		...WITHOUT_PARTS,
		id: 'claude',
		label: 'Claude Code',
		licence: 'Apache-2.0, its SDK proprietary',
		command: 'claude-agent-acp',
		nodeVersion: '22',
		api: 'messages',
		// It asks the user before it acts. In its own default mode, it may ask the model whether a command is safe.
		modes: ['default'],
		inventsCosts: true,
		instructionFiles: ['CLAUDE.md', '.claude/CLAUDE.md'],
		megabytes: 370,
		environment: place => ({
			...anthropicVariables(place),
			...claudeModels(place),
			CLAUDE_CONFIG_DIR: `${place.home}/.claude`,
			// After each turn, it would ask the model what the user may want next, which nobody is shown.
			CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
			// Only Anthropic's models know the tool by which it would look up the others.
			ENABLE_TOOL_SEARCH: 'false',
			// Otherwise, it may begin before it knows the tools of its MCP servers.
			MCP_CONNECTION_NONBLOCKING: 'false',
			// Otherwise, it would first ask each of them for a method that is refused.
			MCP_PROTOCOL_NEGOTIATION: 'legacy',
			...claudeAlone,
		}),
		installations: claudeInstallations,
	},
	{
		...withAccount('claude', 'Claude Code', ['api.anthropic.com', 'claude.ai', 'claude.com', 'platform.claude.com']),
		licence: 'Apache-2.0, its SDK proprietary',
		command: 'claude-agent-acp',
		nodeVersion: '22',
		installedAs: 'claude',
		modes: ['default'],
		megabytes: 370,
		environment: place => ({ CLAUDE_CONFIG_DIR: `${place.home}/.claude`, ...claudeAlone }),
		installations: claudeInstallations,
	},
	{
		...withAccount('gemini', 'Gemini CLI', [
			...['oauth2.googleapis.com', 'www.googleapis.com'],
			...['cloudcode-pa.googleapis.com', 'generativelanguage.googleapis.com'],
		]),
		licence: 'Apache-2.0',
		command: 'gemini',
		args: ['--acp'],
		megabytes: 690,
	},
	{
		...withAccount('copilot', 'Copilot', [
			...['github.com', 'api.github.com', 'api.githubcopilot.com', 'api.individual.githubcopilot.com'],
			...['api.business.githubcopilot.com', 'api.enterprise.githubcopilot.com'],
		]),
		command: 'copilot',
		args: ['--acp'],
		megabytes: 500,
	},
	{
		...withAccount('cline', 'Cline', ['api.cline.bot', 'api.workos.com']),
		command: 'cline',
		args: ['--acp'],
		environment: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
	},
];

/** The parts of an agent with an account of its own. What it asks of other hosts is refused. */
function withAccount(id: string, label: string, hosts: readonly string[]) {
	return {
		...WITHOUT_PARTS,
		id: `${id}-account`,
		label: accountLabel(label),
		api: undefined,
		account: { hosts },
		environment: () => ({}),
	};
}
