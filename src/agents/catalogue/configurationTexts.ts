// The texts of agents' configuration. Model names come from servers and must not end the string that contains them.
import { defined } from '../../base/defined.ts';
import type { AgentPlace } from './entry.ts';

/** The limits, in tokens, that agents are given for a model whose own are not known. */
const CONTEXT_LENGTH = 128_000;
const MAX_OUTPUT_TOKENS = 8_000;

const PLACEHOLDER = /\$\{(relay|key|model|home)\}/g;

/**
 * Fills in the placeholders of a text: the relay's address without a path, the key of the run, the model, and the home.
 * `write` may escape the values.
 */
export function withPlace(
	text: string,
	{ relayUrl, token, model, home }: AgentPlace,
	write = (value: string) => value,
): string {
	const values: Readonly<Record<string, string>> = { relay: relayUrl, key: token, model, home };
	return text.replace(PLACEHOLDER, (_, name: string) => write(values[name] ?? ''));
}

/**
 * Returns the text of a file from a setting. What is filled in stands between double quotes there, which the name of a
 * model must not end: JSON, TOML and YAML have the same escapes.
 */
export function fileText(content: string | Readonly<Record<string, unknown>>, place: AgentPlace): string {
	const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, '\t');
	return withPlace(text, place, value => tomlString(value).slice(1, -1));
}

const v1 = ({ relayUrl }: AgentPlace): string => `${relayUrl}/v1`;

/**
 * The configuration of opencode, and of Kilo, which is derived from it: one provider with one model, no sharing, no
 * updates and no snapshots.
 */
export function opencodeConfiguration(place: AgentPlace): string {
	const { model, token, contextLength = CONTEXT_LENGTH, maxOutputTokens = MAX_OUTPUT_TOKENS } = place;
	const name = `errand/${model}`;
	const text = JSON.stringify({
		autoupdate: false,
		share: 'disabled',
		snapshot: false,
		model: name,
		small_model: name,
		// A repository's own configuration can override these permissions.
		...defined({ permission: place.isAttended ? { edit: 'ask', bash: 'ask', webfetch: 'ask' } : undefined }),
		enabled_providers: ['errand'],
		provider: {
			errand: {
				npm: '@ai-sdk/openai-compatible',
				name: 'Errand',
				options: { baseURL: v1(place), apiKey: token },
				models: {
					[model]: {
						name: model,
						tool_call: true,
						reasoning: true,
						limit: { context: contextLength, output: maxOutputTokens },
						cost: { input: 0, output: 0 },
					},
				},
			},
		},
	});
	// opencode replaces `{env:…}` and `{file:…}` by variables and files before it parses the JSON.
	return text.replace(/\{(?=env:|file:)/g, '\\u007b');
}

/** The configuration of Codex in TOML: one provider, nothing that calls home, and no plugins or apps. */
export function codexConfiguration(place: AgentPlace, keyVariable: string): string {
	return `model = ${tomlString(place.model)}
model_provider = "errand"
check_for_update_on_startup = false
${place.contextLength === undefined ? '' : `model_context_window = ${place.contextLength}\n`}
[model_providers.errand]
name = "Errand"
base_url = ${tomlString(v1(place))}
wire_api = "responses"
env_key = ${tomlString(keyVariable)}

[analytics]
enabled = false

[otel]
exporter = "none"

[features]
plugins = false
apps = false
`;
}

/**
 * Returns a basic string in TOML, which is JSON as well. It has the escapes of JSON, but a delete character must be
 * escaped too.
 */
function tomlString(text: string): string {
	return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

/** The model list of pi: one provider with one model. */
export function piModels(place: AgentPlace): string {
	const { model, token, contextLength = CONTEXT_LENGTH, maxOutputTokens = MAX_OUTPUT_TOKENS } = place;
	return JSON.stringify({
		providers: {
			errand: {
				baseUrl: v1(place),
				apiKey: token,
				api: 'openai-completions',
				models: [
					{
						id: model,
						name: model,
						reasoning: false,
						input: ['text'],
						cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
						contextWindow: contextLength,
						maxTokens: maxOutputTokens,
					},
				],
			},
		},
	});
}

/** Returns the variables that programs for Anthropic's API read. They add the path to the address themselves. */
export function anthropicVariables({ relayUrl, token, model }: AgentPlace): Record<string, string> {
	return { ANTHROPIC_BASE_URL: relayUrl, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_MODEL: model };
}

/** Returns the variables by which Claude Code uses one model for everything, within its limits. */
export function claudeModels({ model, contextLength, maxOutputTokens }: AgentPlace): Record<string, string> {
	const uses = ['SMALL_FAST', 'DEFAULT_OPUS', 'DEFAULT_SONNET', 'DEFAULT_HAIKU', 'DEFAULT_FABLE'];
	return {
		...Object.fromEntries(uses.map(use => [`ANTHROPIC_${use}_MODEL`, model])),
		CLAUDE_CODE_SUBAGENT_MODEL: model,
		...defined({
			CLAUDE_CODE_MAX_CONTEXT_TOKENS: contextLength?.toString(),
			CLAUDE_CODE_MAX_OUTPUT_TOKENS: maxOutputTokens?.toString(),
		}),
	};
}

/** Returns the variables that programs for OpenAI's API read. Both names of the address are in use. */
export function openaiVariables(place: AgentPlace): Record<string, string> {
	return {
		OPENAI_BASE_URL: v1(place),
		OPENAI_API_BASE: v1(place),
		OPENAI_API_KEY: place.token,
		OPENAI_MODEL: place.model,
	};
}
