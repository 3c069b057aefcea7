import { createHash } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { oneLine } from '../../base/plainText.ts';
import { STEP_SCHEME } from '../../platform/ids.ts';
import type { StepDiff } from '../model/agentWork.ts';

/** The number of sides of changes that are stored for the editors that show them. */
const MAXIMUM_KEPT = 40;

const MAXIMUM_TITLE = 80;

/** Shows the changes of steps in the editor's diff, as the agent reported them, read-only. */
export class StepDocuments implements vscode.TextDocumentContentProvider, Disposable {
	private readonly texts = new Map<string, string>();
	private readonly registration = vscode.workspace.registerTextDocumentContentProvider(STEP_SCHEME, this);

	provideTextDocumentContent(uri: vscode.Uri): string {
		return (
			this.texts.get(uri.query) ??
			vscode.l10n.t('This change is no longer available here. Open it from the conversation.')
		);
	}

	async open(diff: StepDiff, title: string): Promise<void> {
		const left = this.addressOf(diff.path, diff.before);
		const right = this.addressOf(diff.path, diff.after);
		await vscode.commands.executeCommand('vscode.diff', left, right, diffTitle(diff, title));
	}

	dispose(): void {
		this.registration.dispose();
	}

	/** Returns the address of one side of a change. */
	addressOf(named: string, text = ''): vscode.Uri {
		const query = createHash('sha256').update(text).digest('hex');
		this.texts.delete(query);
		this.texts.set(query, text);
		for (const oldest of [...this.texts.keys()].slice(0, -MAXIMUM_KEPT)) {
			this.texts.delete(oldest);
		}
		return sideUri(STEP_SCHEME, named, query);
	}
}

/** Returns the address of the side that `query` identifies, with the path that the agent gave. */
export function sideUri(scheme: string, named: string, query: string): vscode.Uri {
	return vscode.Uri.from({ scheme, path: `/${oneLine(named).replace(/^\/+/, '')}`, query });
}

/** Returns the title of a change's comparison: the name of its file, and the agent's title of the step. */
export function diffTitle(diff: StepDiff, title: string): string {
	const name = oneLine(path.posix.basename(diff.path), MAXIMUM_TITLE);
	return `${name} (${oneLine(title, MAXIMUM_TITLE)})`;
}
