import type * as z from 'zod';
import { chatParametersSchema } from '../../contract/chatRequest.ts';
import { providerPreferencesSchema } from '../../contract/provider.ts';
import type { SettingId } from '../../platform/ids.ts';
import { readSetting, readTextSetting } from '../../platform/settings.ts';
import { PolicyRefusal } from './applyPolicy.ts';
import type { PolicyDefaults } from './model/policy.ts';

/** The settings that a view of the policy depends on. */
export const POLICY_SETTINGS = [
	'errand.chat.model',
	'errand.chat.routing',
	'errand.chat.parameters',
	'errand.chat.zeroDataRetention',
	'errand.chat.instructions',
] as const satisfies readonly SettingId[];

/** Throws a PolicyRefusal where a setting has another form than it must have: no policy is guessed. */
export function readPolicySettings(): PolicyDefaults {
	const retention = readSetting('errand.chat.zeroDataRetention');
	if (retention !== 'account' && retention !== 'on' && retention !== 'off') {
		const issue = 'allowed: "account", "on", "off"';
		throw new PolicyRefusal({ kind: 'setting', setting: 'errand.chat.zeroDataRetention', issue });
	}
	return {
		routing: parsed('errand.chat.routing', providerPreferencesSchema),
		parameters: parsed('errand.chat.parameters', chatParametersSchema),
		retention: retention === 'account' ? undefined : retention === 'on',
		instructions: readTextSetting('errand.chat.instructions'),
	};
}

function parsed<T extends z.ZodType>(
	setting: 'errand.chat.routing' | 'errand.chat.parameters',
	schema: T,
): z.output<T> {
	const result = schema.safeParse(readSetting(setting));
	if (result.success) {
		return result.data;
	}
	const [issue] = result.error.issues;
	const field = issue?.path.join('.') || setting;
	throw new PolicyRefusal({ kind: 'setting', setting, issue: `${field}: ${issue?.message ?? ''}` });
}
