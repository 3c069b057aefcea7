import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';

export function untrustedText(): string {
	return vscode.l10n.t(
		'This requires a trusted workspace. Trust it (“Workspaces: Manage Workspace Trust”), then try again.',
	);
}

/** Throws a UserFacingError in an untrusted workspace. */
export function checkTrust(): void {
	if (!vscode.workspace.isTrusted) {
		throw new UserFacingError(untrustedText());
	}
}
