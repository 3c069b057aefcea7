// Determines the folders in which an agent may work, and whether it may do so without a sandbox.
import * as vscode from 'vscode';
import { probeSandbox } from '../../agents/sandbox/probe.ts';
import { UserFacingError } from '../../base/errors.ts';
import { sandboxProblem } from '../../contract/agents.ts';
import { askModal } from '../../platform/notify.ts';
import { checkTrust } from '../../platform/trust.ts';
import type { AgentPermissions } from './agentRunsOptions.ts';

/** Returns the folders of this window, which an agent works in. Throws a UserFacingError if there are none. */
export function workspaceFolders(): string[] {
	const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
	checkTrust();
	if (folders.length === 0) {
		throw new UserFacingError(
			vscode.workspace.workspaceFolders?.length
				? vscode.l10n.t('Agents can’t work in this window’s folders, because they aren’t on this machine.')
				: vscode.l10n.t('An agent needs an open folder. Open one, then try again.'),
		);
	}
	return folders.map(({ uri }) => uri.fsPath);
}

/**
 * Resolves to whether an agent runs in a sandbox. If there is none, asks the user once for each folder. Throws a
 * UserFacingError if the agent may not run without one.
 */
export async function isSandboxed(
	folders: readonly string[],
	label: string,
	{ memory, isSandboxRequired }: Pick<AgentPermissions, 'memory' | 'isSandboxRequired'>,
): Promise<boolean> {
	const sandbox = await probeSandbox();
	if (sandbox.works) {
		return true;
	}
	const problem = sandboxProblem(sandbox);
	const isRequired = await isSandboxRequired();
	const isAllowed = () => folders.every(folder => memory.isUnsandboxed(folder, problem));
	if (!isRequired && !isAllowed()) {
		const run = vscode.l10n.t('Run without a Sandbox');
		const chosen = await askModal(
			vscode.l10n.t('No sandbox is available on this machine. Run {0} without one?', label),
			vscode.l10n.t(
				'It runs as you, in a copy of {0}. It still asks before it changes a file or runs a command if it’s built to, but nothing stops it from doing anything that you can do. See “Errand: Set Up Agents…” for how to get a sandbox.',
				folders.join(', '),
			),
			run,
		);
		if (chosen === run) {
			for (const folder of folders) {
				memory.allowUnsandboxed(folder, problem);
			}
		}
	}
	if (isRequired || !isAllowed()) {
		throw new UserFacingError(
			vscode.l10n.t(
				'{0} wasn’t started because no sandbox is available. See “Errand: Set Up Agents…” for how to get one.',
				label,
			),
		);
	}
	return false;
}
