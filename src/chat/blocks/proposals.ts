import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import { executeCommand } from '../../platform/commands.ts';
import { closeComparisons, comparisonRightSide } from '../../platform/diffTabs.ts';
import { commands, PROPOSAL_SCHEME } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import { type Placement, placeByContext, replaceLines } from './placement.ts';
import { type Agreed, changeText, confirmChange } from './workspaceFiles.ts';

interface Proposal {
	target: vscode.Uri;
	code: string;
	/** The real path of the file when the user agreed to the comparison. */
	agreed: Agreed;
	/** The text of the file when the proposal was made; undefined if there was no file. */
	before: string | undefined;
	/** The proposed text of the file. */
	text: string;
}

/** The other side of a comparison if the file does not exist. */
const NO_FILE = 'none';

/**
 * Proposals for files, with code of a reply. They are shown beside the files and written only when the user says so.
 */
export class Proposals extends DisposableOwner {
	private readonly proposals = new Map<string, Proposal>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());

	private readonly say: (sentence: string) => void;

	/** `say` says in the chat why nothing is proposed. */
	constructor(say: (sentence: string) => void) {
		super();
		this.say = say;
		this.disposables.add(
			vscode.workspace.registerTextDocumentContentProvider(PROPOSAL_SCHEME, {
				onDidChange: this.changed.event,
				provideTextDocumentContent: uri => this.proposals.get(uri.query)?.text ?? '',
			}),
		);
		this.disposables.add(
			vscode.workspace.onDidCloseTextDocument(({ uri }) => {
				if (uri.scheme === PROPOSAL_SCHEME) {
					this.proposals.delete(uri.query);
				}
			}),
		);
	}

	/** Compares `target` with the proposed text. Asks the user for the place if the code does not determine it. */
	async open(target: vscode.Uri, code: string, agreed: Agreed): Promise<void> {
		const before = await read(target);
		const placement = await place(target, before, code);
		if (!placement) {
			return;
		}
		if (placement.text === before) {
			this.say(vscode.l10n.t('{0} already has this code.', nameOf(target)));
			return;
		}
		const id = randomUUID();
		this.proposals.set(id, { target, code, agreed, before, text: placement.text });
		const proposed = target.with({ scheme: PROPOSAL_SCHEME, authority: '', query: id, fragment: '' });
		const present = before === undefined ? proposed.with({ query: NO_FILE }) : target;
		await vscode.commands.executeCommand(
			'vscode.diff',
			present,
			proposed,
			vscode.l10n.t('{0} (proposed change)', nameOf(target)),
			{ preview: false, selection: new vscode.Range(placement.startLine, 0, placement.startLine, 0) },
		);
	}

	/** Writes the shown proposal in one undo step. A file that has changed in the meantime is compared again first. */
	async apply(argument: unknown): Promise<void> {
		const uri = comparisonRightSide(PROPOSAL_SCHEME, argument);
		const proposal = uri && this.proposals.get(uri.query);
		if (!uri || !proposal) {
			await (uri && close(uri));
			void showMessage(
				'information',
				vscode.l10n.t('This proposal is no longer available. Apply the code from the chat again.'),
			);
			return;
		}
		const { target, before } = proposal;
		// A folder of the path may have become a link since then.
		const agreed = await confirmChange(target, vscode.l10n.t('Apply'), proposal.agreed);
		if (!agreed) {
			return;
		}
		const now = await read(target);
		if (now !== before) {
			await this.compareAgain(uri, { ...proposal, agreed }, now);
			return;
		}
		const isMade =
			before === undefined ? await create(target, proposal.text) : await change(target, before, proposal.text);
		if (!isMade) {
			void showMessage('error', vscode.l10n.t('Couldn’t change {0}. Check whether it’s read-only.', nameOf(target)));
			return;
		}
		await close(uri);
		await vscode.window.showTextDocument(target, { preview: false });
	}

	private async compareAgain(uri: vscode.Uri, proposal: Proposal, now: string | undefined): Promise<void> {
		const name = nameOf(proposal.target);
		const placement = await place(proposal.target, now, proposal.code);
		if (!placement) {
			return;
		}
		if ((now === undefined) !== (proposal.before === undefined)) {
			await close(uri);
			await this.open(proposal.target, proposal.code, proposal.agreed);
		} else {
			this.proposals.set(uri.query, { ...proposal, before: now, text: placement.text });
			this.changed.fire(uri);
		}
		const apply = vscode.l10n.t('Apply');
		const message = vscode.l10n.t(
			'{0} has changed in the meantime. Review the new comparison before you apply it.',
			name,
		);
		if ((await showMessage('warning', message, apply)) === apply) {
			await executeCommand(commands.acceptChange, uri);
		}
	}
}

/** Resolves to the text of the file as the editor has it, with unsaved changes, or to undefined if there is no file. */
async function read(uri: vscode.Uri): Promise<string | undefined> {
	const exists =
		uri.scheme === 'untitled' ||
		(await vscode.workspace.fs.stat(uri).then(
			() => true,
			() => false,
		));
	return exists ? (await vscode.workspace.openTextDocument(uri)).getText() : undefined;
}

async function place(target: vscode.Uri, before: string | undefined, code: string): Promise<Placement | undefined> {
	if (before === undefined || before.trim() === '') {
		return { text: code, startLine: 0 };
	}
	return placeByContext(before, code) ?? askForPlace(target, before, code);
}

async function askForPlace(target: vscode.Uri, before: string, code: string): Promise<Placement | undefined> {
	const own = code.replace(/\r?\n$/, '').split(/\r?\n/);
	const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === target.toString());
	const selection = editor?.selection;
	const count = before.split(/\r?\n/).length;
	const last = before.endsWith('\n') ? count - 1 : count;
	type Row = vscode.QuickPickItem & { range: [start: number, end: number] };
	const rows: Row[] = [
		...(selection
			? [
					selection.isEmpty
						? {
								label: vscode.l10n.t('At the Cursor'),
								description: vscode.l10n.t('before line {0}', selection.start.line + 1),
								range: [selection.start.line, selection.start.line] satisfies [number, number],
							}
						: {
								label: vscode.l10n.t('Replace the Selection'),
								description: vscode.l10n.t('lines {0} to {1}', selection.start.line + 1, lastLine(selection) + 1),
								range: [selection.start.line, lastLine(selection) + 1] satisfies [number, number],
							},
				]
			: []),
		{ label: vscode.l10n.t('At the End of the File'), range: [last, last] },
		{ label: vscode.l10n.t('Replace the Whole File'), range: [0, last] },
	];
	const row = await vscode.window.showQuickPick(rows, {
		title: vscode.l10n.t('Apply Code'),
		placeHolder: vscode.l10n.t('Select where to apply the code in {0}', nameOf(target)),
	});
	return row && replaceLines(before, row.range[0], row.range[1], own);
}

/** Returns the last selected line. A selection that ends at the start of a line includes nothing of that line. */
function lastLine({ start, end }: vscode.Selection): number {
	return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}

function create(target: vscode.Uri, text: string): Thenable<boolean> {
	const edit = new vscode.WorkspaceEdit();
	edit.createFile(target, { contents: Buffer.from(text) });
	return vscode.workspace.applyEdit(edit);
}

async function change(target: vscode.Uri, before: string, after: string): Promise<boolean> {
	const editor = await vscode.window.showTextDocument(target, { preview: false });
	const { start, end, text } = smallestChange(before, after);
	const { document } = editor;
	const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
	return changeText(editor, edit => edit.replace(range, text));
}

/** Returns a change without its unchanged beginning and end. */
function smallestChange(before: string, after: string): { start: number; end: number; text: string } {
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) {
		start++;
	}
	let same = 0;
	const limit = Math.min(before.length, after.length) - start;
	while (same < limit && before[before.length - 1 - same] === after[after.length - 1 - same]) {
		same++;
	}
	return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

function close(uri: vscode.Uri): Promise<void> {
	return closeComparisons(right => right.toString() === uri.toString());
}

function nameOf(uri: vscode.Uri): string {
	return vscode.workspace.asRelativePath(uri);
}
