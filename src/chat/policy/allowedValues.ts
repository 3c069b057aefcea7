// The allowed values of a request's field, as a sentence.
import * as vscode from 'vscode';
import type { ChatParameter } from '../../contract/chatRequest.ts';
import { type ParameterRange, rangeOf } from '../model/parameterRange.ts';
import type { PolicyField } from './messages.ts';

/** `contextLength` is that of the model; `max_tokens` must be below it. */
export function allowedParameter(name: ChatParameter, contextLength?: number): string {
	const range = rangeOf(name);
	const number = new Intl.NumberFormat(vscode.env.language);
	if (name === 'max_tokens' && contextLength !== undefined) {
		return vscode.l10n.t(
			'Allowed: a whole number from {0} to {1}.',
			number.format(range.minimum ?? 1),
			number.format(contextLength - 1),
		);
	}
	switch (range.kind) {
		case 'text':
			return vscode.l10n.t('Allowed: a text.');
		case 'texts':
			return vscode.l10n.t('Allowed: a text, or a JSON list of texts.');
		case 'object':
			return name === 'response_format'
				? vscode.l10n.t('Allowed: a JSON object with a type.')
				: vscode.l10n.t('Allowed: a JSON object of numbers.');
		case 'number':
		case 'integer':
			return numberText(range, number);
	}
}

function numberText({ kind, minimum, maximum, isAbove }: ParameterRange, number: Intl.NumberFormat): string {
	if (minimum === undefined) {
		return vscode.l10n.t('Allowed: a whole number.');
	}
	const [low, high] = [number.format(minimum), maximum === undefined ? '' : number.format(maximum)];
	if (isAbove) {
		return vscode.l10n.t('Allowed: a number above {0}, at most {1}.', low, high);
	}
	return kind === 'integer'
		? vscode.l10n.t('Allowed: a whole number, at least {0}.', low)
		: vscode.l10n.t('Allowed: a number from {0} to {1}.', low, high);
}

export function allowedPreference(field: PolicyField): string {
	switch (field) {
		case 'sort':
			return vscode.l10n.t('Allowed: {0}, or a JSON object.', '"price", "throughput", "latency"');
		case 'order':
		case 'only':
		case 'ignore':
			return vscode.l10n.t('Allowed: a list of providers’ names.');
		case 'quantizations':
			return vscode.l10n.t('Allowed: a list of texts.');
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

export function allowedWords(...words: readonly (string | boolean)[]): string {
	return vscode.l10n.t('Allowed: {0}.', words.map(word => JSON.stringify(word)).join(', '));
}
