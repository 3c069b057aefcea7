// Reads the user's settings for requests, and describes the valid values of a setting or a field.
import * as vscode from 'vscode';
import type * as z from 'zod';
import { cut } from '../../base/plainText.ts';
import { type ChatParameter, chatParametersSchema } from '../../contract/chatRequest.ts';
import { routingPolicySchema } from '../../contract/routingPolicy.ts';
import { formatNumber } from '../../platform/amounts.ts';
import type { SettingId } from '../../platform/ids.ts';
import { readSetting, readTextSetting } from '../../platform/settings.ts';
import { RequestRefusal } from '../model/applySettings.ts';
import { type ParameterRange, rangeOf } from '../model/parameterRange.ts';
import type { UserSettings } from '../model/settings.ts';
import type { RoutingField } from './messages.ts';

/** The settings that requests depend on. */
export const CHAT_SETTINGS = [
	'errand.chat.model',
	'errand.chat.routing',
	'errand.chat.parameters',
	'errand.chat.zeroDataRetention',
	'errand.chat.instructions',
] as const satisfies readonly SettingId[];

/** Throws a RequestRefusal if a setting has the wrong form, instead of guessing. */
export function readChatSettings(): UserSettings {
	const retention = readSetting('errand.chat.zeroDataRetention');
	if (retention !== 'account' && retention !== 'on' && retention !== 'off') {
		const issue = issueText('', retention, allowedWords('account', 'on', 'off'));
		throw new RequestRefusal({ kind: 'setting', setting: 'errand.chat.zeroDataRetention', issue });
	}
	return {
		routing: parsed('errand.chat.routing', routingPolicySchema, allowedRouting),
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
	throw new RequestRefusal({
		kind: 'setting',
		setting,
		issue:
			issue?.code === 'unrecognized_keys'
				? vscode.l10n.t('It has no field {0}. Remove it.', issue.keys.join(', '))
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

/** `contextLength` is that of the model; `max_tokens` must be below it. */
export function allowedParameter(name: ChatParameter, contextLength?: number): string {
	const range = rangeOf(name);
	if (name === 'max_tokens' && contextLength !== undefined) {
		return vscode.l10n.t(
			'Allowed: a whole number from {0} to {1}.',
			formatNumber(range.minimum ?? 1),
			formatNumber(contextLength - 1),
		);
	}
	switch (range.kind) {
		case 'text':
			return vscode.l10n.t('Allowed: text.');
		case 'texts':
			return vscode.l10n.t('Allowed: a string, or a JSON list of strings.');
		case 'object':
			return name === 'response_format'
				? vscode.l10n.t('Allowed: a JSON object with a type.')
				: vscode.l10n.t('Allowed: a JSON object of numbers.');
		case 'number':
		case 'integer':
			return numberText(range);
	}
}

function numberText({ kind, minimum, maximum, isAbove }: ParameterRange): string {
	if (minimum === undefined) {
		return vscode.l10n.t('Allowed: a whole number.');
	}
	const [low, high] = [formatNumber(minimum), maximum === undefined ? '' : formatNumber(maximum)];
	if (isAbove) {
		return vscode.l10n.t('Allowed: a number above {0}, at most {1}.', low, high);
	}
	return kind === 'integer'
		? vscode.l10n.t('Allowed: a whole number, at least {0}.', low)
		: vscode.l10n.t('Allowed: a number from {0} to {1}.', low, high);
}

function allowedRouting(field: RoutingField): string {
	switch (field) {
		case 'sort':
			return vscode.l10n.t('Allowed: {0}, or a JSON object.', '"price", "throughput", "latency"');
		case 'order':
		case 'only':
		case 'ignore':
			return vscode.l10n.t('Allowed: a list of providers’ names.');
		case 'quantizations':
			return vscode.l10n.t('Allowed: a list of strings.');
		case 'allow_fallbacks':
		case 'require_parameters':
		case 'zdr':
			return allowedWords(true, false);
		case 'data_collection':
			return allowedWords('allow', 'deny');
		case 'preferred_min_throughput':
		case 'preferred_max_latency':
			return vscode.l10n.t('Allowed: a number, or a JSON object.');
	}
}

function allowedWords(...words: readonly (string | boolean)[]): string {
	return vscode.l10n.t('Allowed: {0}.', words.map(word => JSON.stringify(word)).join(', '));
}
