import * as vscode from 'vscode';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import { PRESETS } from '../model/presets.ts';
import type { PolicyStrings, RetentionKey } from '../protocol/policyProtocol.ts';
import { presetLabel, retentionText } from './messages.ts';

const RETENTIONS: readonly RetentionKey[] = [
	'yes/request',
	'yes/alias',
	'yes/account',
	'yes/code-oriented-model',
	'no/account',
	'as-account-is-set/account',
];

export function policyStrings(): PolicyStrings {
	const presets = ([...PRESETS, 'custom'] as const).map(preset => [preset, presetLabel(preset)]);
	const retentions = RETENTIONS.map(key => {
		const [inForce, because] = key.split('/');
		return [key, retentionText({ inForce, because } as ZeroDataRetention)];
	});
	return {
		asked: vscode.l10n.t('Asked for'),
		atLeast: vscode.l10n.t('at least {0}'),
		conversation: vscode.l10n.t('Conversation'),
		cost: vscode.l10n.t('Cost'),
		costUnknown: vscode.l10n.t('No prices are listed for this provider.'),
		details: vscode.l10n.t('Details of the reply: {0}'),
		firstWord: vscode.l10n.t('first word after {0}'),
		limited: vscode.l10n.t('{0}, limited'),
		model: vscode.l10n.t('Model'),
		parameters: vscode.l10n.t('Parameters'),
		policy: vscode.l10n.t('Policy'),
		presets: { ...Object.fromEntries(presets), unreadable: vscode.l10n.t('Not readable') },
		privately: vscode.l10n.t('{0}, private'),
		provider: vscode.l10n.t('Provider'),
		providerUnknown: vscode.l10n.t('The service did not name it.'),
		reasoningOut: vscode.l10n.t('{0} out ({1} reasoning)'),
		retention: vscode.l10n.t('Zero data retention'),
		retentionOn: vscode.l10n.t('Zero data retention is demanded.'),
		retentions: Object.fromEntries(retentions),
		selectModel: vscode.l10n.t('Select Model'),
		selectPolicy: vscode.l10n.t('Select Routing Policy'),
		serviceId: vscode.l10n.t('Reply ID'),
		time: vscode.l10n.t('Time'),
		tokens: vscode.l10n.t('Tokens'),
		total: vscode.l10n.t('{0} replies · {1} in · {2} out'),
		totalPartial: vscode.l10n.t('{0} replies · at least {1} in · {2} out'),
		whole: vscode.l10n.t('{0} in all'),
	};
}
