import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { oneLine } from '../../base/plainText.ts';
import { DIAGNOSIS_SCHEME } from '../../platform/ids.ts';

const STATUS_MS = 5_000;
const MAXIMUM_NAME = 60;

/** Reports of diagnoses as documents that can be read and copied, and not changed. */
export class DiagnosisDocuments implements Disposable {
	private readonly disposables = new DisposableStore();
	private readonly texts = new Map<string, string>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());

	constructor() {
		this.disposables.add(
			vscode.workspace.registerTextDocumentContentProvider(DIAGNOSIS_SCHEME, {
				onDidChange: this.changed.event,
				provideTextDocumentContent: uri => this.texts.get(uri.toString()) ?? '',
			}),
		);
		this.disposables.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
	}

	async show(name: string, text: string): Promise<void> {
		const title = vscode.l10n.t('Diagnosis of {0}', oneLine(name, MAXIMUM_NAME)).replaceAll(/[\\/]/g, '∕');
		const uri = vscode.Uri.from({ scheme: DIAGNOSIS_SCHEME, path: `/${title}.md` });
		this.texts.set(uri.toString(), text);
		this.changed.fire(uri);
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
	}

	dispose(): void {
		this.texts.clear();
		this.disposables.dispose();
	}
}

/** Copies the report in front. */
export async function copyDiagnosis(): Promise<void> {
	const document = vscode.window.activeTextEditor?.document;
	if (document?.uri.scheme === DIAGNOSIS_SCHEME) {
		await vscode.env.clipboard.writeText(document.getText());
		vscode.window.setStatusBarMessage(vscode.l10n.t('The report was copied.'), STATUS_MS);
	}
}
