// The conversation's own choices, which are kept in its file and override the user's settings.
import * as z from 'zod';
import { type ChatParameters, chatParametersSchema } from '../../contract/chatRequest.ts';
import { type ProviderPreferences, providerPreferencesSchema } from '../../contract/provider.ts';

/** `account` sends no preference, so that the setting of the account applies. */
export type RetentionChoice = boolean | 'account';

/** Fields that are missing take the value of the user's settings. */
export interface ConversationSettings {
	/** The model, in any form in which a request may name it. */
	readonly model?: string;
	/** Alternates of the model, in order of preference. */
	readonly models?: readonly string[];
	/** Each field overrides the same field of the settings. */
	readonly parameters?: ChatParameters;
	/** Replaces the settings' policy as a whole. It never has `zdr`, for which `retention` is used. */
	readonly routing?: ProviderPreferences;
	readonly retention?: RetentionChoice;
}

/** A change of some of the settings; undefined removes one. */
export type ConversationChoice = { readonly [K in keyof ConversationSettings]?: ConversationSettings[K] | undefined };

/** A choice that cannot be read is ignored without affecting the rest of the file. */
export const conversationSettingsSchema = z
	.object({
		model: z.string().min(1).optional().catch(undefined),
		models: z.array(z.string().min(1)).optional().catch(undefined),
		parameters: chatParametersSchema.optional().catch(undefined),
		routing: providerPreferencesSchema.optional().catch(undefined),
		retention: z
			.union([z.boolean(), z.literal('account')])
			.optional()
			.catch(undefined),
	})
	.transform(withoutAbsent)
	.optional()
	.catch(undefined);

/** Returns the settings without undefined fields, or undefined when nothing is left. */
export function settingsOrNone(settings: ConversationChoice): ConversationSettings | undefined {
	const kept = withoutAbsent(settings);
	return Object.keys(kept).length === 0 ? undefined : kept;
}

function withoutAbsent(settings: ConversationChoice) {
	return Object.fromEntries(
		Object.entries(settings).filter(([, value]) => value !== undefined),
	) as ConversationSettings;
}
