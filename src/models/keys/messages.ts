import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { explainFailure } from '../../base/explainFailure.ts';
import { quote } from '../../platform/notify.ts';
import type { KeyState } from '../api.ts';
import type { KeyCheck } from '../model/keyCheck.ts';
import type { KeyUseKind } from '../model/keyFormat.ts';
import type { KeyUse } from './keyUse.ts';

export function kindLabel(kind: KeyUseKind): string {
	return {
		inference: vscode.l10n.t('Inference key'),
		cloud: vscode.l10n.t('Cloud token'),
		agent: vscode.l10n.t('Agent key'),
		server: vscode.l10n.t('Key'),
	}[kind];
}

export function kindPurpose(kind: KeyUseKind): string {
	return {
		inference: vscode.l10n.t('for chat'),
		cloud: vscode.l10n.t('for tasks and their logs'),
		agent: vscode.l10n.t('for the agent task API'),
		server: vscode.l10n.t('for its models'),
	}[kind];
}

export function keyTitle({ kind, service }: KeyUse): string {
	return vscode.l10n.t('{0} of {1}', kindLabel(kind), service);
}

export function dateText(milliseconds: number): string {
	return new Date(milliseconds).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Returns the result of a check in a few words. */
export function answerWord({ answer }: KeyCheck): string {
	return {
		accepted: vscode.l10n.t('accepted'),
		refused: vscode.l10n.t('refused'),
		'plan-required': vscode.l10n.t('plan missing'),
		forbidden: vscode.l10n.t('not allowed'),
		'not-checkable': vscode.l10n.t('can’t be checked'),
		'no-answer': vscode.l10n.t('no response'),
	}[answer];
}

/** Returns the result of a check as a sentence with the next step, and the service's own message. */
export function answerSentence(check: KeyCheck, { kind, service }: KeyUse): string {
	const label = kindLabel(kind);
	switch (check.answer) {
		case 'accepted':
			return vscode.l10n.t('{0} accepts the key ({1}).', service, label);
		case 'refused':
		case 'plan-required':
		case 'forbidden': {
			const code = check.answer === 'refused' ? 'unauthorised' : check.answer;
			const { cause, step } = explainFailure(new ClientError(code, '', { serviceMessage: check.said }), {
				name: service,
			});
			return `${cause} ${step}`;
		}
		case 'not-checkable':
			return kind === 'inference' || kind === 'server'
				? vscode.l10n.t(
						'The key ({0}) can’t be checked on {1} without a paid request. The first message will show whether it works.',
						label,
						service,
					)
				: vscode.l10n.t(
						'The response of {0} doesn’t show whether the key is valid ({1}). Check the connection’s address.',
						service,
						label,
					) + quote(check.said);
		case 'no-answer':
			return (
				vscode.l10n.t(
					'{0} didn’t respond, so the key ({1}) wasn’t checked. Check it later with “Errand: Manage Keys”.',
					service,
					label,
				) + quote(check.said)
			);
	}
}

/** The prefix of keys for the inference hosts and the agent API (contract: Authentication in documents 1 and 3). */
const INFERENCE_KEY_PREFIX = 'sk-';

/**
 * Returns the problem with the form of a key, or undefined. The prefix of a cloud token is checked only if the
 * connection defines it.
 */
export function keyProblem(
	{ kind, cloudTokenPrefix }: Pick<KeyUse, 'kind' | 'cloudTokenPrefix'>,
	key: string,
): string | undefined {
	if (key === '') {
		return vscode.l10n.t('Paste the key.');
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		return vscode.l10n.t('A key has no spaces or special characters. Paste it alone.');
	}
	const prefix = { inference: INFERENCE_KEY_PREFIX, agent: INFERENCE_KEY_PREFIX, cloud: cloudTokenPrefix, server: '' }[
		kind
	];
	if (prefix === undefined || (key.startsWith(prefix) && (kind === 'cloud' || key.length > prefix.length))) {
		return undefined;
	}
	return kind === 'cloud'
		? vscode.l10n.t('The cloud tokens of this service start with “{0}”.', prefix)
		: vscode.l10n.t('This kind of key starts with “sk-”.');
}

export function keyStateText(state: KeyState): string {
	return {
		set: vscode.l10n.t('key set'),
		missing: vscode.l10n.t('no key yet'),
		unconfirmed: vscode.l10n.t('confirm the key: the addresses have changed'),
		'not-needed': vscode.l10n.t('no key needed'),
	}[state];
}
