// The settings that a request carries beside its messages: the conversation's choices override the user's settings.

import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import {
	type ChatMessage,
	type ChatParameters,
	type ChatRequest,
	chatParametersSchema,
} from '../../contract/chatRequest.ts';
import { type RoutingPolicy, routingPolicySchema } from '../../contract/routingPolicy.ts';

/** The user's settings. */
export interface UserSettings {
	routing: RoutingPolicy;
	/** Undefined means `account`. */
	retention: boolean | undefined;
	parameters: ChatParameters;
	/** Empty if there are none. */
	instructions: string;
}

/** `account` sends no `zdr`, so that the setting of the account applies. */
export type RetentionChoice = boolean | 'account';

/** The conversation's own choices, which are stored in its file. The user's settings apply for missing fields. */
export interface ConversationSettings {
	/** The model, in any form in which a request may name it. */
	readonly model?: string;
	/** The model that generates images; undefined for the first one of the connection. */
	readonly imageModel?: string;
	/** The id of the agent that works in mode “agent”; undefined for the one that was chosen last. */
	readonly agent?: string;
	/** The chosen options of agents: values by option id, by agent id. */
	readonly agentOptions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
	/** Alternates of the model, in order of preference. */
	readonly models?: readonly string[];
	/** Each field overrides the same field of the settings. */
	readonly parameters?: ChatParameters;
	/** Replaces the settings' routing policy as a whole. It never has `zdr`, for which `retention` is used. */
	readonly routing?: RoutingPolicy;
	readonly retention?: RetentionChoice;
	/** Set if the workspace's instruction files are not sent with messages. */
	readonly instructionFiles?: false;
}

/** A change of some of the settings; undefined removes one. */
export type ConversationChoice = { readonly [K in keyof ConversationSettings]?: ConversationSettings[K] | undefined };

/** A choice that cannot be read is ignored without affecting the rest of the file. */
export const conversationSettingsSchema = z
	.object({
		model: z.string().min(1).optional().catch(undefined),
		imageModel: z.string().min(1).optional().catch(undefined),
		agent: z.string().min(1).max(40).optional().catch(undefined),
		agentOptions: z.record(z.string(), z.record(z.string(), z.string())).optional().catch(undefined),
		models: z.array(z.string().min(1)).optional().catch(undefined),
		parameters: chatParametersSchema.optional().catch(undefined),
		routing: routingPolicySchema.optional().catch(undefined),
		retention: z
			.union([z.boolean(), z.literal('account')])
			.optional()
			.catch(undefined),
		instructionFiles: z.literal(false).optional().catch(undefined),
	})
	.transform((settings): ConversationSettings => defined(settings))
	.optional()
	.catch(undefined);

/** Returns the settings without undefined fields, or undefined if nothing is left. */
export function settingsOrNone(settings: ConversationChoice): ConversationSettings | undefined {
	const kept: ConversationSettings = defined(settings);
	return Object.keys(kept).length === 0 ? undefined : kept;
}

/** The settings of a request besides its model and messages. */
export interface RequestSettings {
	models: readonly string[];
	routing: RoutingPolicy;
	parameters: ChatParameters;
	instructions: string;
}

/** The model and settings that a reply was requested with, in the form in which they were sent and are stored. */
export interface ReplySettings {
	readonly model: string;
	readonly models?: readonly string[];
	readonly provider?: RoutingPolicy;
	readonly parameters?: ChatParameters;
}

export function settingsInForce(user: UserSettings, conversation: ConversationSettings = {}): RequestSettings {
	const { zdr: _, ...routing } = conversation.routing ?? user.routing;
	const retention = retentionInForce(user, conversation);
	return {
		models: conversation.models ?? [],
		routing: { ...routing, ...defined({ zdr: retention === 'account' ? undefined : retention }) },
		parameters: { ...user.parameters, ...conversation.parameters },
		instructions: user.instructions,
	};
}

/** Two settings can demand zero data retention; the stricter one wins. The conversation's own choice overrides both. */
export function retentionInForce(user: UserSettings, conversation: ConversationSettings = {}): RetentionChoice {
	if (conversation.retention !== undefined) {
		return conversation.retention;
	}
	const wishes = [user.retention, user.routing.zdr];
	return wishes.includes(true) ? true : wishes.includes(false) ? false : 'account';
}

/** Adds the settings to a request. Nothing is sent for a setting that was not set. */
export function withRequestSettings(request: ChatRequest, settings: RequestSettings): ChatRequest {
	const { models, routing, parameters, instructions } = settings;
	const system: ChatMessage[] = instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }];
	return {
		...request,
		messages: [...system, ...request.messages],
		...defined({
			models: models.length === 0 ? undefined : [...models],
			provider: Object.keys(routing).length === 0 ? undefined : routing,
		}),
		...parameters,
	};
}

export function replySettings(model: string, { models, routing, parameters }: RequestSettings): ReplySettings {
	return {
		model,
		...defined({
			models: models.length === 0 ? undefined : [...models],
			provider: Object.keys(routing).length === 0 ? undefined : routing,
			parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
		}),
	};
}
