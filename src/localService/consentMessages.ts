// The texts about consents for repositories in the list of agents.
import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import type { SandboxProblem, StoredConsent } from '../contract/agents.ts';

const MAXIMUM_NAME = 60;
const MAXIMUM_TEXT = 300;

/** The name of the repository's folder. */
export function consentLabel({ folder }: StoredConsent): string {
	return oneLine(folder.split(/[\\/]/).findLast(Boolean) ?? folder, MAXIMUM_NAME);
}

export function consentText({ kind }: StoredConsent): string {
	return {
		search: vscode.l10n.t('may search the web'),
		unsandboxed: vscode.l10n.t('may run agents without a sandbox'),
		dependencies: vscode.l10n.t('may install dependencies'),
	}[kind];
}

export function consentDetail(consent: StoredConsent): string {
	return [oneLine(consent.folder, MAXIMUM_TEXT), ...conditions(consent)].join(' · ');
}

function conditions(consent: StoredConsent): string[] {
	if (consent.kind === 'search') {
		return [];
	}
	if (consent.kind === 'unsandboxed') {
		return [unsandboxedReason(consent.problem)];
	}
	const { hosts, allowsScripts } = consent;
	return [
		hosts.length === 0
			? vscode.l10n.t('from no host')
			: vscode.l10n.t('from {0}', oneLine(hosts.join(', '), MAXIMUM_TEXT)),
		allowsScripts ? vscode.l10n.t('with install scripts') : vscode.l10n.t('without install scripts'),
	];
}

function unsandboxedReason(problem: SandboxProblem): string {
	return {
		'not-installed': vscode.l10n.t('while bubblewrap isn’t installed'),
		'not-permitted': vscode.l10n.t('while this system doesn’t allow the sandbox'),
		platform: vscode.l10n.t('while this system isn’t supported by the sandbox'),
	}[problem];
}
