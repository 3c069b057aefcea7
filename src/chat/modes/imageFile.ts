import path from 'node:path';
import * as vscode from 'vscode';
import type { ImageType } from '../../base/imageHeader.ts';
import { oneLine } from '../../base/plainText.ts';
import { showMessage } from '../../platform/notify.ts';
import { defaultFolder, fileNameOf } from '../../platform/saveTarget.ts';
import { extensionOf, imageReference } from '../model/images.ts';

/** An image with its prompt. */
export interface ShownImage {
	bytes: Uint8Array;
	type: ImageType;
	prompt: string;
}

/** Asks for a location and writes the image there. Rejects when it cannot be written. */
export async function saveImage(image: ShownImage): Promise<void> {
	const file = await writeImage(image, defaultFolder(), vscode.l10n.t('Save Image'));
	if (file) {
		const open = vscode.l10n.t('Open');
		const message = vscode.l10n.t('The image was saved to {0}.', vscode.workspace.asRelativePath(file));
		void showMessage('information', message, open).then(chosen => {
			if (chosen === open) {
				void vscode.commands.executeCommand('vscode.open', file);
			}
		});
	}
}

/**
 * Writes the image to a location that the user chooses, and a Markdown reference to it at the cursor. Rejects when the
 * image cannot be written. `say` gets a sentence if something must be done first.
 */
export async function insertImage(image: ShownImage, say: (sentence: string) => void): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	// A log, or another document that is not a file, cannot be edited.
	if (!editor || !takesText(editor.document)) {
		say(vscode.l10n.t('Open the file to insert the image into first.'));
		return;
	}
	const { document } = editor;
	const isOnDisk = !document.isUntitled;
	const folder = isOnDisk ? vscode.Uri.joinPath(document.uri, '..') : defaultFolder();
	const file = await writeImage(image, folder, vscode.l10n.t('Save Image and Insert'));
	if (!file) {
		return;
	}
	const sameRoot = file.scheme === folder.scheme && file.authority === folder.authority;
	const place = sameRoot ? path.posix.relative(folder.path, file.path) : file.toString(true);
	const text = imageReference(oneLine(image.prompt, 200), place);
	// The dialog may have replaced the active editor, so the document is shown again.
	const target = await vscode.window.showTextDocument(document, editor.viewColumn);
	const done = await target.edit(edit => edit.replace(target.selection, text));
	if (!done) {
		const saved = vscode.workspace.asRelativePath(file);
		const message = vscode.l10n.t(
			'The image was saved to {0}, but the reference couldn’t be inserted. Check whether the file is read-only.',
			saved,
		);
		void showMessage('error', message);
	}
}

function takesText({ isUntitled, uri }: vscode.TextDocument): boolean {
	return isUntitled || vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true;
}

async function writeImage(
	{ bytes, type, prompt }: ShownImage,
	folder: vscode.Uri,
	title: string,
): Promise<vscode.Uri | undefined> {
	const extension = extensionOf(type);
	const file = await vscode.window.showSaveDialog({
		title,
		defaultUri: vscode.Uri.joinPath(folder, `${fileNameOf(prompt, 'image')}.${extension}`),
		filters: { [vscode.l10n.t('Images')]: [extension] },
	});
	if (file) {
		await vscode.workspace.fs.writeFile(file, bytes);
	}
	return file;
}
