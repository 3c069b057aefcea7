import * as vscode from 'vscode';
import { DisposableOwner } from '../base/disposable.ts';
import { DECISION_SCHEME } from '../platform/ids.ts';
import { named } from './messages.ts';
import { DECISION_FILE } from './model/decisionFile.ts';

/** The exact requests of evaluations, as read-only documents. They are gone when they are closed. */
export class RequestDocuments extends DisposableOwner {
	private readonly texts = new Map<string, string>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());

	constructor() {
		super();
		this.disposables.add(
			vscode.workspace.registerTextDocumentContentProvider(DECISION_SCHEME, {
				onDidChange: this.changed.event,
				provideTextDocumentContent: uri =>
					this.texts.get(uri.toString()) ??
					vscode.l10n.t('This is no longer known. Evaluate the decision again to see what it sends.'),
			}),
		);
		this.disposables.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
	}

	/** Shows the bodies of requests. */
	async show(title: string, bodies: readonly object[]): Promise<void> {
		const uri = vscode.Uri.from({
			scheme: DECISION_SCHEME,
			// It has the ending of a JSON file and not of a decision file, because it is not one.
			path: `/${vscode.l10n.t('Request: {0}', named(title).replace(DECISION_FILE, '')).replaceAll(/[\\/]/g, '∕')}.json`,
		});
		const [first] = bodies;
		this.texts.set(uri.toString(), JSON.stringify(bodies.length === 1 ? first : bodies, undefined, 2));
		this.changed.fire(uri);
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, preview: true });
	}
}
