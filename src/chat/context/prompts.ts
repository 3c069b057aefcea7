import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/plainText.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import { choose, input, shownText } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { findTurn } from '../model/conversation.ts';
import { COMPOSER_MODES, escapeMessage, OWN_PROMPTS, type OwnPrompt, slashName } from '../model/mode.ts';
import { fillPrompt, type Prompt } from '../model/prompt.ts';
import { type FoundPrompt, findPrompts, type PromptFolder } from '../modes/promptFiles.ts';
import { modeLabel } from '../protocol/labels.ts';
import type { PageAccess, PageHandlers, PromptView } from '../protocol/protocol.ts';
import { mayGo } from './askFindings.ts';
import type { ChatContext } from './chatContext.ts';
import { hasSelectedText, selectionSource } from './contextChoices.ts';
import { fileSource, unreadSource } from './pastedContext.ts';

const NEW_PROMPT = `---
description: What it is for
argument-hint: what is typed after its name
---
What the model is to do. $ARGUMENTS stands for what is typed after the name.
`;

export interface PromptsOptions {
	/** The folder of the user's own prompts, in the extension's storage. */
	folder: string;
	context: ChatContext;
	/** Returns the commands of the agent that the next message goes to, if it goes to one. */
	agentCommands(): Promise<PromptView[]>;
	page: Pick<PageAccess, 'focusComposer'>;
	logger: Logger;
}

/** The prompts that a message can begin with: Errand's own, those of the open folders, and the user's. */
export class Prompts {
	private readonly options: PromptsOptions;
	/** The findings of likely secrets that the user has agreed to send. */
	private readonly confirmed = new Set<string>();

	/** The handlers of the page's messages about prompts. */
	readonly handlers: PageHandlers<'prompts-request' | 'prompts-edit'> = {
		'prompts-request': async () => {
			const found = (await this.find()).map(one => this.viewOf(one));
			const others = await this.options.agentCommands();
			return [...found, ...others.filter(({ name }) => found.every(one => one.name !== name))];
		},
		'prompts-edit': () => this.edit(),
	};

	constructor(options: PromptsOptions) {
		this.options = options;
	}

	/**
	 * Resolves to the message to send: if it begins with a prompt's name, with the prompt's text, otherwise unchanged. If
	 * that cannot be sent, resolves to a sentence that says why. One of Errand's own prompts includes the selection if
	 * there is no other context; `onAsk` is called before the user may be asked about that, or about likely secrets in a
	 * file.
	 */
	async fill(
		{ conversation }: Chat,
		turnId: string,
		message: string,
		onAsk: () => void,
	): Promise<{ text: string } | { refusal: string }> {
		const named = slashName(message);
		if (!named || findTurn(conversation, turnId) || COMPOSER_MODES.some(name => name === named.name)) {
			return { text: message };
		}
		const { name, typed } = named;
		const own = OWN_PROMPTS.find(known => known === name);
		if (own) {
			const refusal = typed === '' ? await this.takeSelection(onAsk) : undefined;
			return refusal === undefined ? filled(ownPromptTexts[own], typed, undefined) : { refusal };
		}
		const found = (await this.find()).find(candidate => candidate.name === name);
		if (!found) {
			return { text: message };
		}
		const { prompt, file } = found;
		if (typeof prompt === 'string') {
			return { refusal: problemTexts[prompt] };
		}
		const result = filled(prompt.text, typed, prompt.mode, missing =>
			vscode.l10n.t('Not sent: /{0} needs more input. After its name, type: {1}.', name, missing),
		);
		const source = { label: path.basename(file), place: file, text: prompt.text };
		// The user has just decided, so no message is needed.
		return 'refusal' in result || (await mayGo(source, this.confirmed, onAsk)) ? result : { refusal: '' };
	}

	/** Resolves to the reason why a prompt has nothing to work on, or to undefined. */
	private async takeSelection(onAsk: () => void): Promise<string | undefined> {
		const { context } = this.options;
		if (context.chips.chips.length > 0 || context.adding.size > 0) {
			return undefined;
		}
		const editor = vscode.window.activeTextEditor;
		if (!editor || !hasSelectedText(editor)) {
			return vscode.l10n.t(
				'Not sent: nothing is selected. Select some lines in an editor, add context with @, or describe what you mean.',
			);
		}
		onAsk();
		const isAdded = await context.addFrom(async () => [selectionSource(editor)]);
		return isAdded ? undefined : vscode.l10n.t('Not sent: the selection wasn’t added.');
	}

	private find(): Promise<FoundPrompt[]> {
		return findPrompts([...workspaceFolders(), this.own], this.options.logger);
	}

	private get own(): PromptFolder {
		const { folder } = this.options;
		return { label: 'user', root: folder, directory: folder, extension: '.md', isNested: false };
	}

	private viewOf({ name, file, folder, prompt }: FoundPrompt): PromptView {
		const where = folder.root === this.options.folder ? vscode.l10n.t('My prompts') : placeText(file);
		if (typeof prompt === 'string') {
			return { name, where, refusal: problemTexts[prompt] };
		}
		const { description, hint, mode, references } = prompt;
		const notes = notesOf(prompt).join(' ');
		const files =
			references.length === 0
				? undefined
				: {
						item: this.options.context.offers.remember(() => referencedSources(references, file, folder)),
						count: references.length,
					};
		return { name, where, ...defined({ description, hint, mode, notes: notes || undefined, files }) };
	}

	/** Lets the user open one of their prompts, or write a new one. */
	private async edit(): Promise<void> {
		const { folder, page, logger } = this.options;
		await thenComposer(async () => {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			const found = await findPrompts([this.own], logger);
			const title = vscode.l10n.t('My Prompts');
			const row = { label: `$(add) ${vscode.l10n.t('New Prompt…')}`, value: '' };
			const file = await choose(
				title,
				[...found.map(({ name, file: value }) => ({ label: `/${shownText(name)}`, value })), row],
				{ placeHolder: folder },
			);
			const chosen = file === '' ? await this.create(title) : file;
			if (chosen === undefined) {
				return undefined;
			}
			await vscode.window.showTextDocument(vscode.Uri.file(chosen));
			return 'elsewhere';
		}, page);
	}

	private async create(title: string): Promise<string | undefined> {
		const name = await input(title, vscode.l10n.t('The name to type after the slash'), '', text =>
			/^[\p{L}\p{N}_-]{1,60}$/u.test(text) ? undefined : vscode.l10n.t('Use letters, digits, “-” and “_” only.'),
		);
		if (name === undefined) {
			return undefined;
		}
		const file = path.join(this.options.folder, `${name}.prompt.md`);
		await writeFile(file, NEW_PROMPT, { flag: 'wx', mode: 0o600 }).catch(error => {
			// An existing prompt with that name is opened as it is.
			if (systemErrorCode(error) !== 'EEXIST') {
				throw error;
			}
		});
		return file;
	}
}

function filled(
	text: string,
	typed: string,
	mode: Prompt['mode'],
	missingText: (names: string) => string = () => '',
): { text: string } | { refusal: string } {
	const result = fillPrompt(text, typed);
	return 'missing' in result
		? { refusal: missingText(result.missing.join(', ')) }
		: { text: mode === undefined ? escapeMessage(result.text) : `/${mode} ${result.text}` };
}

/** Returns the prompt folders of the open folders; none in an untrusted workspace. */
function workspaceFolders(): PromptFolder[] {
	const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
	return folders
		.filter(({ uri }) => uri.scheme === 'file')
		.flatMap(({ uri, name }): PromptFolder[] => {
			const root = uri.fsPath;
			const prefix = folders.length === 1 ? '' : `${oneLine(name).replace(/[\s/:]+/g, '-')}:`;
			const place = (...parts: string[]) => path.join(root, ...parts);
			return [
				{
					label: `${prefix}github`,
					root,
					directory: place('.github', 'prompts'),
					extension: '.prompt.md',
					isNested: false,
				},
				{ label: `${prefix}claude`, root, directory: place('.claude', 'commands'), extension: '.md', isNested: true },
			];
		});
}

/** Resolves to the files that a prompt names, by their paths relative to the prompt's own folder or an open one. */
async function referencedSources(
	references: readonly string[],
	file: string,
	{ root }: PromptFolder,
): Promise<ContextSource[]> {
	const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
	const bases = [...new Set([path.dirname(file), root, ...open])];
	return Promise.all(
		references.map(async reference => {
			const places = bases.map(base => vscode.Uri.file(path.resolve(base, reference)));
			const inside = places.filter(place => vscode.workspace.getWorkspaceFolder(place) !== undefined);
			for (const place of inside) {
				const source = await fileSource(place);
				if (source) {
					return source;
				}
			}
			// Adding it shows an error that names the file.
			return unreadSource(inside[0] ?? vscode.Uri.file(path.join(root, path.basename(reference))));
		}),
	);
}

function notesOf({ mode, unused, hasCommand, references }: Prompt): string[] {
	return [
		...(mode === undefined ? [] : [vscode.l10n.t('The message is for mode “{0}”.', modeLabel(mode))]),
		...(hasCommand ? [vscode.l10n.t('It contains a command, which is sent as text and doesn’t run.')] : []),
		...(unused.length > 0 ? [vscode.l10n.t('Ignored: {0}.', unused.join(', '))] : []),
		...(references.length > 0 ? [vscode.l10n.t('It mentions files, which aren’t read unless you add them.')] : []),
	];
}

const problemTexts: Record<Exclude<FoundPrompt['prompt'], Prompt>, string> = {
	'too-large': vscode.l10n.t('This prompt file is larger than 64 KB, so it isn’t read. Shorten it.'),
	elsewhere: vscode.l10n.t(
		'This prompt file is a link that doesn’t lead to a prompt file in its folder, so it isn’t read.',
	),
	unreadable: vscode.l10n.t('Couldn’t read this prompt file. See the log for details.'),
};

function placeText(file: string): string {
	return path.dirname(vscode.workspace.asRelativePath(file)).replaceAll('\\', '/');
}

const ownPromptTexts: Record<OwnPrompt, string> = {
	explain: vscode.l10n.t(
		'Explain this code: first what it is for, then how it works step by step, then what is easy to get wrong. Do not repeat it.',
	),
	fix: vscode.l10n.t(
		'Find what is wrong with this code and fix it. Say in a sentence what each problem is and what causes it, then give the corrected code. If nothing is wrong, say so.',
	),
	tests: vscode.l10n.t(
		'Write tests for this code with the tools and in the style of the project’s other tests. Cover what it is for, its edge cases and how it fails.',
	),
};
