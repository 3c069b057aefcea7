import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { registerCommand, setContextKey } from './commands.ts';
import { commands } from './ids.ts';

/** The id of the walkthrough in package.json. */
const WALKTHROUGH = 'getStarted';

/**
 * Registers the command that opens the walkthrough. The editor opens the walkthroughs of a newly installed extension by
 * itself, unless their condition becomes true only later.
 */
export function registerGetStarted(extensionId: string): Disposable {
	setContextKey('errand.isActive', true);
	return registerCommand(commands.getStarted, () =>
		vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${WALKTHROUGH}`),
	);
}
