import * as vscode from 'vscode';
import type * as z from 'zod';
import { cut } from '../../base/plainText.ts';
import { chatParametersSchema } from '../../contract/chatRequest.ts';
import { providerPreferencesSchema } from '../../contract/provider.ts';
import type { SettingId } from '../../platform/ids.ts';
import { readSetting, readTextSetting } from '../../platform/settings.ts';
import { PolicyRefusal } from '../model/applyPolicy.ts';
import type { PolicyDefaults } from '../model/policy.ts';
import { allowedParameter, allowedPreference, allowedWords } from './allowedValues.ts';

/** The settings that the display of the policy depends on. */
export const POLICY_SETTINGS = [
	'errand.chat.model',
	'errand.chat.routing',
	'errand.chat.parameters',
	'errand.chat.zeroDataRetention',
	'errand.chat.instructions',
] as const satisfies readonly SettingId[];

/** Throws a PolicyRefusal where a setting has the wrong form, instead of guessing a policy. */
export function readPolicySettings(): PolicyDefaults {
	const retention = readSetting('errand.chat.zeroDataRetention');
	if (retention !== 'account' && retention !== 'on' && retention !== 'off') {
		const issue = issueText('', retention, allowedWords('account', 'on', 'off'));
		throw new PolicyRefusal({ kind: 'setting', setting: 'errand.chat.zeroDataRetention', issue });
	}
	return {
		routing: parsed('errand.chat.routing', providerPreferencesSchema, allowedPreference),
		parameters: parsed('errand.chat.parameters', chatParametersSchema, allowedParameter),
		retention: retention === 'account' ? undefined : retention === 'on',
		instructions: readTextSetting('errand.chat.instructions'),
	};
}

function parsed<T extends z.ZodObject>(
	setting: 'errand.chat.routing' | 'errand.chat.parameters',
	schema: T,
	allowed: (field: keyof T['shape']) => string,
): z.output<T> {
	const value: unknown = readSetting(setting);
	const result = schema.safeParse(value);
	if (result.success) {
		return result.data;
	}
	const [issue] = result.error.issues;
	const [field] = issue?.path ?? [];
	throw new PolicyRefusal({
		kind: 'setting',
		setting,
		issue:
			issue?.code === 'unrecognized_keys'
				? vscode.l10n.t('It has no field {0}. Remove that.', issue.keys.join(', '))
				: field === undefined
					? issueText('', value, vscode.l10n.t('Allowed: a JSON object.'))
					: issueText(
							String(field),
							(value as Record<PropertyKey, unknown>)[field],
							allowed(field as keyof T['shape']),
						),
	});
}

const SHOWN_VALUE = 80;

function issueText(field: string, value: unknown, allowed: string): string {
	const shown = cut(JSON.stringify(value) ?? '', SHOWN_VALUE);
	return field === ''
		? vscode.l10n.t('It is {0}. {1}', shown, allowed)
		: vscode.l10n.t('{0} is {1}. {2}', field, shown, allowed);
}
