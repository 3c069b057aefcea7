import * as vscode from 'vscode';
import { SerialQueue } from '../base/async.ts';
import { showExactly } from '../base/invisible.ts';
import { cut } from '../base/plainText.ts';
import { ASKED_SCHEME } from '../platform/ids.ts';
import { askModal } from '../platform/notify.ts';
import type { Question } from './server/access.ts';

/**
 * The size of a text that fits into a dialog on every platform without being cut or pushing its buttons off the screen.
 */
const MAXIMUM_CHARACTERS = 1_200;
const MAXIMUM_LINES = 20;

/** The editor cuts the end of a very long line, and text far to the right is easily overlooked. */
const LONGEST_LINE = 100;

/** The length of the part that is shown of a text that does not fit. */
const BEGINNING = 200;

/**
 * Asks the user about another agent's requests, one question at a time. A yes is never possible without seeing the
 * whole text: a text that does not fit into a dialog is opened as a document, beside which the user answers.
 */
export class AgentQuestions implements vscode.TextDocumentContentProvider {
	private readonly shown = new Map<string, string>();
	private readonly turns = new SerialQueue();
	private isAsking = false;
	private isSilenced = false;

	/** The reason why nobody can be asked now; undefined if asking is possible. */
	get hindrance(): string | undefined {
		if (this.isSilenced) {
			return vscode.l10n.t('The user doesn’t want to be asked by agents anymore in this window. Nothing was sent.');
		}
		return this.isAsking
			? vscode.l10n.t(
					'Another question is waiting for the user’s answer. Nothing was sent. Try again when it’s answered.',
				)
			: undefined;
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		return this.shown.get(uri.path) ?? '';
	}

	/**
	 * Resolves with true if the user has said yes. Once the signal has aborted, a yes no longer counts. If two calls
	 * were admitted before either had a question, one waits for the other's answer.
	 */
	ask(question: Question, signal: AbortSignal): Promise<boolean> {
		return this.turns.run(async () => {
			if (this.isSilenced || signal.aborted) {
				return false;
			}
			this.isAsking = true;
			try {
				return (await this.answer(question, signal)) && !signal.aborted;
			} finally {
				this.isAsking = false;
			}
		});
	}

	private async answer(question: Question, signal: AbortSignal): Promise<boolean> {
		const text = textOf(question);
		const fits = text.length <= MAXIMUM_CHARACTERS && text.split('\n').length <= MAXIMUM_LINES;
		// It comes first, because Enter presses the first button of an unexpected dialog.
		const no = vscode.l10n.t('Refuse');
		const never = vscode.l10n.t('Refuse, and Don’t Ask Again');
		const show = vscode.l10n.t('Show Full Request');
		const detail = fits ? text : `${textOf(question, BEGINNING)}\n\n${vscode.l10n.t('There’s more than fits here.')}`;
		const chosen = await askModal(question.title, detail, no, fits ? question.yes : show, never);
		this.isSilenced = chosen === never;
		return chosen === show ? this.askBeside(question, text, signal) : fits && chosen === question.yes;
	}

	/** Shows the whole text as a document, and asks in a list that leaves room for reading. */
	private async askBeside({ title, yes }: Question, text: string, signal: AbortSignal): Promise<boolean> {
		const uri = vscode.Uri.from({
			scheme: ASKED_SCHEME,
			path: `/${crypto.randomUUID()}/${vscode.l10n.t('Request')}.txt`,
		});
		this.shown.set(uri.path, wrapped(text));
		const cancellation = new vscode.CancellationTokenSource();
		const cancel = () => cancellation.cancel();
		signal.addEventListener('abort', cancel, { once: true });
		try {
			await vscode.window.showTextDocument(uri, { preview: false });
			const no = { label: `$(close) ${vscode.l10n.t('Refuse')}`, isYes: false };
			const items = [no, { label: `$(check) ${yes}`, isYes: true }];
			const options = { title, placeHolder: vscode.l10n.t('Read the document, then answer.'), ignoreFocusOut: true };
			const picked = await vscode.window.showQuickPick(items, options, cancellation.token);
			return picked?.isYes === true;
		} finally {
			signal.removeEventListener('abort', cancel);
			cancellation.dispose();
			this.shown.delete(uri.path);
		}
	}
}

/** Returns all parts, each cut to a length, with a name for each invisible character. */
function textOf({ parts }: Question, maximum = Number.POSITIVE_INFINITY): string {
	return parts.map(({ name, text }) => partText(name, showExactly(cut(text, maximum)), text.length)).join('\n');
}

/** Breaks long lines, with a mark at each continuation. */
function wrapped(text: string): string {
	const pieces = new RegExp(`.{1,${LONGEST_LINE}}`, 'gu');
	return text
		.split('\n')
		.map(line => (line.length > LONGEST_LINE ? (line.match(pieces) ?? []).join('\n↪ ') : line))
		.join('\n');
}

/** The lines of a long text begin with a mark, so that none of them can be taken for a part of the question. */
function partText(name: string, text: string, length: number): string {
	return text.includes('\n') || length > BEGINNING
		? `\n${vscode.l10n.t('{0} ({1} characters):', name, length)}\n${text.replace(/^/gm, '│ ')}`
		: `${name}: ${text}`;
}
