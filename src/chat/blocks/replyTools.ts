import * as vscode from 'vscode';
import { dataUrl } from '../../base/dataUrl.ts';
import { defined } from '../../base/defined.ts';
import type { Disposable } from '../../base/disposable.ts';
import { showMessage } from '../../platform/notify.ts';
import { type ImageRefusal, loadRemoteImage, MAXIMUM_IMAGE_BYTES } from '../images/remoteImage.ts';
import type { CodeAction, LoadedImage } from '../protocol/protocol.ts';
import { Proposals } from './proposals.ts';
import { changeText, confirmChange, findFiles, newFileUri, openFile, resolveFile } from './workspaceFiles.ts';

/** The actions on the code, files and images of a reply. All their content is treated as hostile input. */
export class ReplyTools implements Disposable {
	private readonly proposals: Proposals;
	private readonly imageOrigins: () => Promise<readonly string[]>;
	private readonly say: (sentence: string) => void;

	/**
	 * `imageOrigins` returns the origins of the connection: only images from there may be on this machine or its network.
	 * `say` says in the chat why something was not done.
	 */
	constructor(imageOrigins: () => Promise<readonly string[]>, say: (sentence: string) => void) {
		this.proposals = new Proposals(say);
		this.imageOrigins = imageOrigins;
		this.say = say;
	}

	async useCode(action: CodeAction, block: CodeBlock, contextFiles: readonly vscode.Uri[]): Promise<void> {
		switch (action) {
			case 'insert':
				return insertBlock(block);
			case 'new-file':
				return openAsNewFile(block);
			case 'apply':
				return proposeBlock(block, contextFiles, this.proposals);
		}
	}

	findFiles(names: readonly string[]): Promise<string[]> {
		return findFiles(names);
	}

	openFile(name: string): Promise<void> {
		return openFile(name, this.say);
	}

	/** Resolves to the image as a `data:` URL, or to a sentence that says why it is not shown. */
	async loadImage(address: string): Promise<LoadedImage> {
		const image = await loadRemoteImage(address, { trustedOrigins: await this.imageOrigins().catch(() => []) });
		return image.kind === 'loaded'
			? { dataUrl: dataUrl(image.type, image.bytes) }
			: { problem: refusalText(image.reason) };
	}

	applyProposal(argument: unknown): Promise<void> {
		return this.proposals.apply(argument);
	}

	dispose(): void {
		this.proposals.dispose();
	}
}

function refusalText(reason: ImageRefusal): string {
	const texts: Record<ImageRefusal, string> = {
		address: vscode.l10n.t('The image has no web address.'),
		private: vscode.l10n.t('The image is on this machine or its network, and replies can’t load anything from there.'),
		redirected: vscode.l10n.t('The image’s address redirects to another server, which isn’t followed.'),
		unreachable: vscode.l10n.t('Couldn’t load the image.'),
		'too-large': vscode.l10n.t('The image is larger than {0} MB.', MAXIMUM_IMAGE_BYTES / 1_000_000),
		type: vscode.l10n.t('The address doesn’t have a PNG, JPEG, GIF or WebP image.'),
	};
	return texts[reason];
}

/** A code block of a reply: its text and the info of its fence. */
interface CodeBlock {
	code: string;
	language?: string;
	file?: string;
}

/** Inserts a block into the last active editor, at all its cursors, in one undo step. */
async function insertBlock(block: CodeBlock): Promise<void> {
	const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
	const code = block.code.replace(/\r?\n$/, '');
	const isTaken =
		editor !== undefined &&
		(await changeText(editor, change => {
			for (const selection of editor.selections) {
				change.replace(selection, code);
			}
		}));
	if (isTaken) {
		await vscode.window.showTextDocument(editor.document, editor.viewColumn ? { viewColumn: editor.viewColumn } : {});
		return;
	}
	const newFile = vscode.l10n.t('New File');
	const message = editor
		? vscode.l10n.t('The editor is read-only. Open a file that you can edit, or create a new one.')
		: vscode.l10n.t('No editor is open to insert into. Open a file, or create a new one.');
	if ((await showMessage('information', message, newFile)) === newFile) {
		await openAsNewFile(block);
	}
}

async function openAsNewFile({ code, language }: CodeBlock): Promise<void> {
	const known = language === undefined ? undefined : await editorLanguage(language);
	const document = await vscode.workspace.openTextDocument({
		content: code,
		...defined({ language: known || undefined }),
	});
	await vscode.window.showTextDocument(document);
}

/** Shows a comparison of a file with the block in it, once the file is determined. */
async function proposeBlock(
	block: CodeBlock,
	contextFiles: readonly vscode.Uri[],
	proposals: Proposals,
): Promise<void> {
	if (!vscode.workspace.isTrusted) {
		const manage = vscode.l10n.t('Manage Workspace Trust');
		const message = vscode.l10n.t('Code can only be applied to files in a trusted workspace.');
		if ((await showMessage('information', message, manage)) === manage) {
			await vscode.commands.executeCommand('workbench.trust.manage');
		}
		return;
	}
	const uri = await targetOf(block, contextFiles);
	const agreed = uri && (await confirmChange(uri, vscode.l10n.t('Compare')));
	if (agreed) {
		await proposals.open(uri, block.code, agreed);
	}
}

/**
 * Resolves to the file that the fence names, or else to the one that the conversation or the editor is about. If there
 * are several, asks the user.
 */
async function targetOf({ file }: CodeBlock, contextFiles: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
	const named = file === undefined ? undefined : await resolveFile(file);
	if (named) {
		return named.uri;
	}
	const active = vscode.window.activeTextEditor?.document.uri;
	const likely = new Map([...contextFiles, ...(active ? [active] : [])].map(uri => [uri.toString(), uri]));
	const known = [...likely.values()].filter(
		uri => vscode.workspace.getWorkspaceFolder(uri) || uri.scheme === 'untitled',
	);
	const created = file === undefined ? undefined : newFileUri(file);
	const [only] = known;
	if (only && known.length === 1 && !created) {
		return only;
	}
	return pickTarget(known, created);
}

async function pickTarget(
	known: readonly vscode.Uri[],
	created: vscode.Uri | undefined,
): Promise<vscode.Uri | undefined> {
	type Row = vscode.QuickPickItem & { uri?: vscode.Uri };
	const rows: Row[] = [
		...(created
			? [
					{
						label: vscode.workspace.asRelativePath(created),
						description: vscode.l10n.t('new file'),
						iconPath: new vscode.ThemeIcon('new-file'),
						uri: created,
					},
				]
			: []),
		...known.map(uri => ({
			label: vscode.workspace.asRelativePath(uri),
			iconPath: new vscode.ThemeIcon('file'),
			uri,
		})),
		{ label: vscode.l10n.t('Another File…'), iconPath: new vscode.ThemeIcon('folder-opened') },
	];
	const row = await vscode.window.showQuickPick(rows, {
		title: vscode.l10n.t('Apply Code'),
		placeHolder: vscode.l10n.t('Select the file for this code. You can review the changes before anything is written.'),
	});
	if (!row || row.uri) {
		return row?.uri;
	}
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const [chosen] =
		(await vscode.window.showOpenDialog({
			...defined({ defaultUri: folder }),
			openLabel: vscode.l10n.t('Compare'),
		})) ?? [];
	return chosen;
}

/** Names of languages in replies for which the editor has another name. */
const EDITOR_NAMES: Record<string, string> = {
	bash: 'shellscript',
	'c#': 'csharp',
	'c++': 'cpp',
	cs: 'csharp',
	docker: 'dockerfile',
	golang: 'go',
	htm: 'html',
	js: 'javascript',
	jsx: 'javascriptreact',
	kt: 'kotlin',
	md: 'markdown',
	mjs: 'javascript',
	ps1: 'powershell',
	py: 'python',
	rb: 'ruby',
	rs: 'rust',
	sh: 'shellscript',
	shell: 'shellscript',
	ts: 'typescript',
	tsx: 'typescriptreact',
	yml: 'yaml',
	zsh: 'shellscript',
};

/** Resolves to the editor's id of a language, or to undefined if it has none. */
async function editorLanguage(name: string): Promise<string | undefined> {
	const lower = name.toLowerCase();
	const wanted = Object.hasOwn(EDITOR_NAMES, lower) ? (EDITOR_NAMES[lower] as string) : lower;
	return (await vscode.languages.getLanguages()).find(language => language === wanted);
}
