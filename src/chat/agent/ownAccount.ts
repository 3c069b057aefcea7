// Agents with an account of their own: when none may run, and how one logs in.
import * as vscode from 'vscode';
import { probeSandbox } from '../../agents/sandbox/probe.ts';
import type { AgentLogin } from '../../agents/session/agentSession.ts';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import { askModal } from '../../platform/notify.ts';
import { choose, shownText } from '../../platform/pick.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';

const MAXIMUM_ADDRESS = 500;

/**
 * Throws a UserFacingError if an agent must not work on a turn with its own account: the conversation demands what only
 * Errand's requests can promise, or no sandbox keeps the agent to the hosts of its account.
 */
export async function checkAccountUse({ provider }: AgentTurn, label: string): Promise<void> {
	if (provider?.zdr === true) {
		throw new UserFacingError(
			vscode.l10n.t(
				'{0} was not started: this conversation wants zero data retention, and nobody knows what an account of the agent’s own retains. Choose another agent, or turn it off for this conversation.',
				label,
			),
		);
	}
	if (!(await probeSandbox()).works) {
		throw new UserFacingError(
			vscode.l10n.t(
				'{0} was not started: it runs only in a sandbox, which keeps it to the hosts of its account. “Errand: Set Up Agents…” says how to get one.',
				label,
			),
		);
	}
}

/** Lets the user log an agent in to its account, in the browser where that is needed. */
export function accountLogin(label: string): AgentLogin {
	return {
		choose: methods =>
			choose(
				vscode.l10n.t('{0}: Log In', label),
				methods.map(({ id, name }) => ({ label: shownText(name), value: id })),
				{ placeHolder: vscode.l10n.t('The login is kept for this agent alone, until you withdraw its account') },
			),
		async openAddress(address) {
			const open = vscode.l10n.t('Open in Browser');
			const { host } = new URL(address);
			const chosen = await askModal(
				vscode.l10n.t('{0} wants to open {1} so that you log in.', label, host),
				oneLine(address, MAXIMUM_ADDRESS),
				open,
			);
			return chosen === open && (await vscode.env.openExternal(vscode.Uri.parse(address, true)));
		},
	};
}
