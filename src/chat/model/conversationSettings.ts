// What a conversation has chosen for itself: kept in its file, before the user's settings.
import * as z from 'zod';
import { type ChatParameters, chatParametersSchema } from '../../contract/chatRequest.ts';
import { type ProviderPreferences, providerPreferencesSchema } from '../../contract/provider.ts';

/** `account`: asks for nothing, so that it is as the account is set. */
export type RetentionChoice = boolean | 'account';

/** What is missing is as the user's settings have it. */
export interface ConversationSettings {
	/** In any form in which a request may name a model. */
	readonly model?: string;
	/** Alternates of the model, in order. */
	readonly models?: readonly string[];
	/** Field by field before those of the settings. */
	readonly parameters?: ChatParameters;
	/** In the place of the settings' policy as a whole. Never with `zdr`, which is `retention`. */
	readonly routing?: ProviderPreferences;
	readonly retention?: RetentionChoice;
}

/** Some of them; undefined takes one back. */
export type ConversationChoice = { readonly [K in keyof ConversationSettings]?: ConversationSettings[K] | undefined };

/** A choice that cannot be read is none; it takes nothing else of the file with it. */
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

/** The same without fields that say nothing; undefined when nothing is left. */
export function settingsOrNone(settings: ConversationChoice): ConversationSettings | undefined {
	const kept = withoutAbsent(settings);
	return Object.keys(kept).length === 0 ? undefined : kept;
}

function withoutAbsent(settings: ConversationChoice) {
	return Object.fromEntries(
		Object.entries(settings).filter(([, value]) => value !== undefined),
	) as ConversationSettings;
}
