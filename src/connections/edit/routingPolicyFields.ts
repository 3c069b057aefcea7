// The fields of a routing policy (contract: inference.md, Provider object), as an alias may have one.
import * as vscode from 'vscode';
import { choiceField, type Field, flagField, numberField, textsField } from './form.ts';

export function routingPolicyFields(): Field[] {
	const notSet = { label: vscode.l10n.t('Not set'), value: undefined };
	return [
		choiceField<string | undefined>('sort', vscode.l10n.t('Sorted by'), [
			{ label: vscode.l10n.t('Price'), value: 'price' },
			{ label: vscode.l10n.t('Throughput'), value: 'throughput' },
			{ label: vscode.l10n.t('Latency'), value: 'latency' },
			notSet,
		]),
		slugsField('order', vscode.l10n.t('Tried first, in this order')),
		slugsField('only', vscode.l10n.t('The only ones that may serve')),
		slugsField('ignore', vscode.l10n.t('Those that may not serve')),
		flagField('allow_fallbacks', vscode.l10n.t('Others may serve when the first cannot')),
		flagField('require_parameters', vscode.l10n.t('Every parameter of the request must be supported')),
		choiceField<string | undefined>('data_collection', vscode.l10n.t('Providers that may store data'), [
			{ label: vscode.l10n.t('May serve'), value: 'allow' },
			{ label: vscode.l10n.t('May not serve'), value: 'deny' },
			notSet,
		]),
		textsField(
			'quantizations',
			vscode.l10n.t('Quantizations that may serve'),
			vscode.l10n.t('Such as fp8, with commas between'),
		),
		numberField(
			'preferred_min_throughput',
			vscode.l10n.t('Preferred throughput at least'),
			vscode.l10n.t('In tokens per second'),
			false,
		),
		numberField(
			'preferred_max_latency',
			vscode.l10n.t('Preferred latency at most'),
			vscode.l10n.t('In seconds'),
			false,
		),
		flagField('zdr', vscode.l10n.t('Zero data retention')),
	];
}

function slugsField(key: string, label: string): Field {
	return textsField(key, label, vscode.l10n.t('Slugs of providers, with commas between'));
}
