import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { DisposableOwner } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { estimateTokens } from '../../base/tokens.ts';
import { formatNumber } from '../../platform/amounts.ts';
import type { Explanation } from '../../platform/notify.ts';
import { onDidChangeSetting, readSetting } from '../../platform/settings.ts';
import type { Attachment } from '../model/attachment.ts';
import type { Conversation } from '../model/conversation.ts';
import { MAXIMUM_INSTRUCTIONS, withInstructionFiles } from '../model/instructions.ts';
import type { ChipView } from '../protocol/protocol.ts';
import { mayGo } from './askFindings.ts';
import { openPlace } from './openPlace.ts';
import { type ReadInstructions, readInstructions } from './readInstructions.ts';

const SETTING = 'errand.chat.useInstructionFiles';

const NONE: ReadInstructions = { files: [], problems: [] };

/** The instruction files that are sent with the next message, and the chip that represents them. */
export class ContextInstructions extends DisposableOwner {
	/** The id of the chip in the page, whichever files it represents. */
	readonly id = randomUUID();
	private readonly about: () => readonly vscode.Uri[];
	private readonly changed = this.disposables.add(new Emitter<void>());
	/** Fires when different files would be sent. */
	readonly onDidChange = this.changed.event;
	private found = NONE;
	/** The number of the last reading; the results of earlier ones are ignored. */
	private reading = 0;
	/** The findings that the user has agreed to, by file. */
	private readonly confirmed = new Set<string>();

	/** `about` returns the files that the next message is about; the address of a folder ends with a slash. */
	constructor(about: () => readonly vscode.Uri[]) {
		super();
		this.about = about;
		const watcher = this.disposables.add(
			vscode.workspace.createFileSystemWatcher('**/{AGENTS.md,CLAUDE.md,copilot-instructions.md}'),
		);
		const refresh = () => void this.refresh();
		for (const event of [
			watcher.onDidCreate,
			watcher.onDidChange,
			watcher.onDidDelete,
			vscode.window.onDidChangeActiveTextEditor,
			vscode.workspace.onDidChangeWorkspaceFolders,
			vscode.workspace.onDidGrantWorkspaceTrust,
		]) {
			this.disposables.add(event(refresh));
		}
		this.disposables.add(onDidChangeSetting([SETTING], refresh));
		refresh();
	}

	/** Reads the files again. */
	async refresh(): Promise<void> {
		const reading = ++this.reading;
		const found = await this.read();
		if (
			reading === this.reading &&
			!this.disposables.isDisposed &&
			JSON.stringify(found) !== JSON.stringify(this.found)
		) {
			this.found = found;
			this.changed.fire();
		}
	}

	/** Returns whether there are instructions that the user has removed from the conversation. */
	isLeftOut(conversation: Conversation | undefined): boolean {
		return this.found.files.length > 0 && conversation?.settings?.instructionFiles === false;
	}

	/** Estimates the number of tokens that they add to a message. */
	tokens(conversation: Conversation | undefined): number {
		const { files } = this.foundFor(conversation);
		return files.length === 0 ? 0 : estimateTokens(withInstructionFiles(files, ''));
	}

	/** Returns the chip; undefined if no instructions are sent with a message of the conversation. */
	chip(conversation: Conversation | undefined): ChipView | undefined {
		const { files, problems } = this.foundFor(conversation);
		const last = files.at(-1);
		if (!last && problems.length === 0) {
			return undefined;
		}
		const omitted = files.reduce((sum, file) => sum + (file.omitted ?? 0), 0);
		const notes = [
			last &&
				(files.length === 1
					? vscode.l10n.t('It’s sent with every message, before the conversation.')
					: vscode.l10n.t('They’re sent with every message, before the conversation. The last file takes precedence.')),
			omitted > 0 &&
				vscode.l10n.t(
					'At most {0} characters of these files are sent; {1} are left out.',
					formatNumber(MAXIMUM_INSTRUCTIONS),
					formatNumber(omitted),
				),
			last && conversation?.encryption && vscode.l10n.t('They’re encrypted, like the message.'),
			...problems,
		];
		return {
			id: this.id,
			kind: 'instructions',
			label: last ? labelOf(last, files.length) : vscode.l10n.t('Instructions: none could be read'),
			length: files.reduce((sum, { text }) => sum + text.length, 0),
			tokens: this.tokens(conversation),
			notes: notes.filter(note => typeof note === 'string'),
			...defined({ path: last ? files.map(({ label }) => label).join('\n') : undefined }),
		};
	}

	/** Shows the file, or lets the user choose one of several. `say` gets the reason if it cannot be shown. */
	async open(say: (sentence: string) => void): Promise<void> {
		const { files } = this.found;
		const items = files.toReversed().map(file => ({ label: file.label, file }));
		const chosen =
			items.length < 2
				? items[0]
				: await vscode.window.showQuickPick(items, {
						title: vscode.l10n.t('Instructions'),
						placeHolder: vscode.l10n.t('Select a file to open'),
					});
		if (chosen) {
			await openPlace(chosen.file, say);
		}
	}

	/**
	 * Resolves to the files to send with a message of a conversation or, if the user withholds one, to the reason why the
	 * message is not sent. `onAsk` is called before the user is asked.
	 */
	async take(conversation: Conversation, onAsk: () => void): Promise<readonly Attachment[] | Explanation> {
		const { files } = this.foundFor(conversation, await this.read());
		for (const { label, uri = label, text } of files) {
			if (!(await mayGo({ label, place: uri, text }, this.confirmed, onAsk))) {
				return {
					message: vscode.l10n.t(
						'Not sent. Remove {0} from the context to send the rest.',
						vscode.l10n.t('Instructions'),
					),
				};
			}
		}
		return files;
	}

	private async read(): Promise<ReadInstructions> {
		return readSetting(SETTING) ? readInstructions(this.about()) : NONE;
	}

	/** An image model gets only the prompt. */
	private foundFor(conversation: Conversation | undefined, found = this.found): ReadInstructions {
		return conversation?.settings?.instructionFiles === false || conversation?.mode === 'image' ? NONE : found;
	}
}

function labelOf({ label }: Attachment, count: number): string {
	const name = label.slice(label.lastIndexOf('/') + 1);
	switch (count) {
		case 1:
			return vscode.l10n.t('Instructions: {0}', name);
		case 2:
			return vscode.l10n.t('{0} and 1 more', name);
		default:
			return vscode.l10n.t('{0} and {1} more', name, count - 1);
	}
}
