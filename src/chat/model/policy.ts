// The policy that a request is sent under: the conversation's choices override the user's settings.
import type { ChatMessage, ChatParameters, ChatRequest } from '../../contract/chatRequest.ts';
import type { ProviderPreferences } from '../../contract/provider.ts';
import type { ConversationSettings, RetentionChoice } from './conversationSettings.ts';

/** The user's settings. */
export interface PolicyDefaults {
	routing: ProviderPreferences;
	/** Undefined means `account`. */
	retention: boolean | undefined;
	parameters: ChatParameters;
	/** Empty means that there are none. */
	instructions: string;
}

/** What a request carries besides its model and messages. */
export interface Policy {
	models: readonly string[];
	provider: ProviderPreferences;
	parameters: ChatParameters;
	instructions: string;
}

/** What a reply was requested with, in the form in which it was sent and is stored. */
export interface AskedWith {
	readonly model: string;
	readonly models?: readonly string[];
	readonly provider?: ProviderPreferences;
	readonly parameters?: ChatParameters;
}

export function policyInForce(defaults: PolicyDefaults, settings: ConversationSettings = {}): Policy {
	const { zdr: _, ...routing } = settings.routing ?? defaults.routing;
	const retention = retentionInForce(defaults, settings);
	return {
		models: settings.models ?? [],
		provider: { ...routing, ...(retention === 'account' ? {} : { zdr: retention }) },
		parameters: { ...defaults.parameters, ...settings.parameters },
		instructions: defaults.instructions,
	};
}

/** Two settings can demand zero data retention; the stricter one wins. The conversation's own choice overrides both. */
export function retentionInForce(defaults: PolicyDefaults, settings: ConversationSettings = {}): RetentionChoice {
	if (settings.retention !== undefined) {
		return settings.retention;
	}
	const wishes = [defaults.retention, defaults.routing.zdr];
	return wishes.includes(true) ? true : wishes.includes(false) ? false : 'account';
}

/** Adds the policy to a request. Nothing that was not set is sent. */
export function withPolicy(request: ChatRequest, policy: Policy): ChatRequest {
	const { models, provider, parameters, instructions } = policy;
	const system: ChatMessage[] = instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];
	return {
		...request,
		messages: [...system, ...request.messages],
		...(models.length === 0 ? {} : { models: [...models] }),
		...(Object.keys(provider).length === 0 ? {} : { provider }),
		...parameters,
	};
}

export function askedWith(model: string, { models, provider, parameters }: Policy): AskedWith {
	return {
		model,
		...(models.length === 0 ? {} : { models: [...models] }),
		...(Object.keys(provider).length === 0 ? {} : { provider }),
		...(Object.keys(parameters).length === 0 ? {} : { parameters }),
	};
}

/** Whether a policy excludes any provider. A preferred order of providers does not. */
export function isBinding(provider: ProviderPreferences): boolean {
	const { only, ignore = [], quantizations = [], allow_fallbacks, require_parameters, data_collection, zdr } = provider;
	return (
		only !== undefined ||
		ignore.length > 0 ||
		quantizations.length > 0 ||
		allow_fallbacks === false ||
		require_parameters === true ||
		data_collection === 'deny' ||
		zdr === true
	);
}
