import * as vscode from 'vscode';
import { askModal } from '../../platform/notify.ts';
import { findSecrets } from '../model/secrets.ts';
import type { SourceWarning } from './readSource.ts';

/** Identifies a finding when it is found again. Its line is ignored, because lines move. */
export function findingKey({ kind }: SourceWarning): string {
	return kind;
}

/**
 * Asks the user about likely secrets in a file that is sent with a message, once for each kind: `confirmed` records the
 * user's consent. `place` identifies the file, and `onAsk` is called before the user is asked. Resolves to true if the
 * file may be sent.
 */
export async function mayGo(
	{ label, place, text }: { label: string; place: string; text: string },
	confirmed: Set<string>,
	onAsk: () => void,
): Promise<boolean> {
	const keyOf = (finding: SourceWarning) => `${findingKey(finding)} ${place}`;
	const findings = findSecrets(text).filter(finding => !confirmed.has(keyOf(finding)));
	if (findings.length === 0) {
		return true;
	}
	onAsk();
	const isAgreed = await askFindings(label, findings, 'send');
	if (isAgreed) {
		for (const finding of findings) {
			confirmed.add(keyOf(finding));
		}
	}
	return isAgreed;
}

/** Names the findings and asks the user. Resolves to true if the user agrees. */
export async function askFindings(
	label: string,
	findings: readonly SourceWarning[],
	occasion: 'add' | 'send',
): Promise<boolean> {
	const yes = occasion === 'add' ? vscode.l10n.t('Add to Chat') : vscode.l10n.t('Send');
	const question =
		occasion === 'add'
			? vscode.l10n.t('Add “{0}” to the chat?', label)
			: vscode.l10n.t('Send “{0}” with the message?', label);
	const detail = [
		...findings.map(findingText),
		vscode.l10n.t('Everything added to the chat is sent to the connection’s service with the message.'),
	].join('\n');
	return (await askModal(question, detail, yes)) === yes;
}

/** Describes a finding in a sentence. */
export function findingText(finding: SourceWarning): string {
	switch (finding.kind) {
		case 'name':
			return vscode.l10n.t('Files with this name usually contain secrets.');
		case 'ignored':
			return vscode.l10n.t('Git ignores it.');
		case 'elsewhere':
			return vscode.l10n.t('It’s reached by a link that leads out of the workspace.');
		case 'excluded':
			return vscode.l10n.t('The setting “files.exclude” excludes it.');
		case 'private-key':
			return vscode.l10n.t('Line {0} is the start of a private key.', finding.line ?? 1);
		case 'access-key':
			return vscode.l10n.t('Line {0} looks like an access key.', finding.line ?? 1);
		case 'password':
			return vscode.l10n.t('Line {0} looks like a password or token.', finding.line ?? 1);
		case 'address':
			return vscode.l10n.t('Line {0} contains an address with a password.', finding.line ?? 1);
	}
}
