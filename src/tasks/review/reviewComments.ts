import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { CHANGE_SCHEME, COMMENT_CONTROLLER } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import {
	anchorIn,
	type CommentPlace,
	MAXIMUM_COMMENT_LENGTH,
	MAXIMUM_COMMENTS,
	quoteOf,
	type ReviewComment,
	type ReviewThread,
} from '../model/reviewComment.ts';
import { changeUri, readChangeUri } from '../results/changeUri.ts';
import type { CommentRefusal, CommentStore } from './commentStore.ts';

/** The time for which opening documents are gathered, in milliseconds: a review opens many at once. */
const GATHER_MS = 50;

/** A comment as the editor draws it. Its body is a plain text, which the editor does not interpret. */
interface ShownComment extends vscode.Comment {
	body: string;
	readonly commentId: string;
	readonly threadId: string;
}

interface Shown {
	thread: vscode.CommentThread;
	/** The data from which the thread was drawn, so that an unchanged one is not drawn again. */
	drawn: string;
}

/**
 * The user's comments on documents of changes, in the editor's own comment threads. If a commented file has another
 * version now, the comment is shown in that version, at the present place of its lines.
 */
export class ReviewComments implements Disposable {
	private readonly store: CommentStore;
	private readonly explain: (error: unknown) => void;
	private readonly disposables = new DisposableStore();
	private controller: vscode.CommentController | undefined;
	private timer: ReturnType<typeof setTimeout> | undefined;
	/** By the id of the stored thread and the URI of the document. */
	private readonly shown = new Map<string, Shown>();
	private readonly idOf = new WeakMap<vscode.CommentThread, string>();

	constructor(store: CommentStore, explain: (error: unknown) => void) {
		this.store = store;
		this.explain = explain;
		const isChange = ({ uri }: vscode.TextDocument) => uri.scheme === CHANGE_SCHEME;
		const drawFor = (document: vscode.TextDocument) => {
			if (isChange(document)) {
				this.timer ??= setTimeout(() => this.draw(), GATHER_MS);
			}
		};
		this.disposables.add(store.onDidChange(() => this.draw()));
		this.disposables.add(vscode.workspace.onDidOpenTextDocument(drawFor));
		this.disposables.add(vscode.workspace.onDidCloseTextDocument(drawFor));
		this.disposables.add(
			vscode.window.onDidChangeWindowState(({ focused }) => {
				if (focused && this.controller) {
					store.reload();
				}
			}),
		);
		if (store.all().length > 0 || vscode.workspace.textDocuments.some(isChange)) {
			this.draw();
		}
	}

	/** Stores a new comment, or the new text of an edited one. The arguments are those of the editor's menus. */
	async save(argument: unknown): Promise<void> {
		try {
			if (isComment(argument)) {
				await this.saveEdit(argument);
			} else if (isReply(argument)) {
				await this.saveReply(argument);
			}
		} catch (error) {
			this.explain(error);
		}
	}

	cancel(argument: unknown): void {
		if (isComment(argument)) {
			this.redraw(argument.threadId);
		}
	}

	edit(argument: unknown): void {
		if (isComment(argument)) {
			for (const thread of this.threadsOf(argument.threadId)) {
				setMode(thread, vscode.CommentMode.Editing, argument.commentId);
			}
		}
	}

	async remove(argument: unknown): Promise<void> {
		const thread = isComment(argument) ? this.stored(argument.threadId) : undefined;
		if (thread && isComment(argument)) {
			await this.store.remove(thread, argument.commentId).catch(error => this.explain(error));
		}
	}

	private async saveReply({ thread, text }: vscode.CommentReply): Promise<void> {
		const id = this.idOf.get(thread);
		const known = id === undefined ? undefined : this.stored(id);
		if (known) {
			this.sayRefusal(await this.store.reply(known, text), text);
			return;
		}
		const place = await placeOf(thread);
		if (!place) {
			return;
		}
		// The thread that the editor has made for the text is replaced by one for the stored comment.
		const begun = await this.store.begin(place, text);
		if (typeof begun === 'string') {
			this.sayRefusal(begun, text);
			return;
		}
		thread.dispose();
	}

	private async saveEdit(comment: ShownComment): Promise<void> {
		const thread = this.stored(comment.threadId);
		const refusal = thread ? await this.store.edit(thread, comment.commentId, comment.body) : 'gone';
		if (refusal === undefined) {
			this.redraw(comment.threadId);
		} else {
			this.sayRefusal(refusal, comment.body);
		}
	}

	/** The editor empties the box when it passes a text on, so the user can copy the text. */
	private sayRefusal(refusal: CommentRefusal | undefined, text: string): void {
		if (refusal === undefined || refusal === 'empty') {
			return;
		}
		const copy = vscode.l10n.t('Copy Text');
		void showMessage('warning', refusalText(refusal), copy).then(chosen =>
			chosen === copy ? vscode.env.clipboard.writeText(text) : undefined,
		);
	}

	private stored(id: string): ReviewThread | undefined {
		return this.store.all().find(thread => thread.id === id);
	}

	private threadsOf(id: string): vscode.CommentThread[] {
		return [...this.shown.values()].map(({ thread }) => thread).filter(thread => this.idOf.get(thread) === id);
	}

	/** Draws a thread again as it is stored, and ends the editing of its comments. */
	private redraw(id: string): void {
		for (const shown of this.shown.values()) {
			if (this.idOf.get(shown.thread) === id) {
				setMode(shown.thread, vscode.CommentMode.Preview);
				shown.drawn = '';
			}
		}
		this.draw();
	}

	private draw(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const controller = this.started();
		const open = Map.groupBy(vscode.workspace.textDocuments, ({ uri }) => {
			const parts = readChangeUri(uri);
			return parts && keyOf(parts);
		});
		const wanted = new Set<string>();
		for (const thread of this.store.all()) {
			const documents = open.get(keyOf(thread.place)) ?? [];
			const uris = documents.length === 0 ? [changeUri(partsOf(thread.place))] : documents.map(({ uri }) => uri);
			for (const [at, uri] of uris.entries()) {
				const key = `${thread.id}\n${uri}`;
				wanted.add(key);
				this.drawThread(controller, key, uri, thread, documents[at]);
			}
		}
		for (const [key, { thread }] of this.shown) {
			if (!wanted.has(key)) {
				thread.dispose();
				this.shown.delete(key);
			}
		}
	}

	private drawThread(
		controller: vscode.CommentController,
		key: string,
		uri: vscode.Uri,
		stored: ReviewThread,
		document: vscode.TextDocument | undefined,
	): void {
		const { place, comments } = stored;
		const isOther = readChangeUri(uri)?.object !== place.object;
		const anchor = document && isOther ? anchorIn(linesOf(document), place) : place;
		const isDone = comments.every(({ isSent }) => isSent);
		const drawn = JSON.stringify([comments, anchor.firstLine, anchor.lastLine, isOther]);
		let shown = this.shown.get(key);
		if (shown?.drawn === drawn) {
			return;
		}
		const range = new vscode.Range(anchor.firstLine, 0, anchor.lastLine, 0);
		if (!shown) {
			// With its comments from the beginning, the thread is listed, and its box for a reply is folded.
			const all = comments.map(comment => shownComment(stored, comment));
			const thread = controller.createCommentThread(uri, range, all);
			thread.collapsibleState = isDone
				? vscode.CommentThreadCollapsibleState.Collapsed
				: vscode.CommentThreadCollapsibleState.Expanded;
			this.idOf.set(thread, stored.id);
			shown = { thread, drawn };
			this.shown.set(key, shown);
		}
		const { thread } = shown;
		const editing = new Map(
			thread.comments
				.filter(({ mode }) => mode === vscode.CommentMode.Editing)
				.map(comment => [(comment as ShownComment).commentId, comment]),
		);
		thread.range = range;
		thread.comments = comments.map(comment => editing.get(comment.id) ?? shownComment(stored, comment));
		const state = isDone ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
		if (state !== thread.state) {
			if (isDone) {
				thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
			}
			thread.state = state;
		}
		const label = isOther ? vscode.l10n.t('On an earlier version') : vscode.l10n.t('Comment for the agent');
		if (thread.label !== label) {
			thread.label = label;
		}
		shown.drawn = drawn;
	}

	/**
	 * Returns the controller, which is only made when there is something to comment on, because it adds a view to the
	 * window.
	 */
	private started(): vscode.CommentController {
		if (!this.controller) {
			const controller = this.disposables.add(
				vscode.comments.createCommentController(COMMENT_CONTROLLER, vscode.l10n.t('Comments for Agents')),
			);
			controller.options = {
				prompt: vscode.l10n.t('Add a comment for the agent'),
				placeHolder: vscode.l10n.t(
					'What the agent should do here. “Send Comments to Task…” sends all comments of the task.',
				),
			};
			controller.commentingRangeProvider = {
				provideCommentingRanges: document =>
					readChangeUri(document.uri)?.object === undefined ? [] : [new vscode.Range(0, 0, document.lineCount - 1, 0)],
			};
			this.controller = controller;
		}
		return this.controller;
	}

	dispose(): void {
		clearTimeout(this.timer);
		for (const { thread } of this.shown.values()) {
			thread.dispose();
		}
		this.shown.clear();
		this.disposables.dispose();
	}
}

const keyOf = ({ resultKey, side, path }: Pick<CommentPlace, 'resultKey' | 'side' | 'path'>) =>
	JSON.stringify([resultKey, side, path]);

const partsOf = ({ resultKey, taskId, side, directory, path, object }: CommentPlace) => ({
	resultKey,
	taskId,
	side,
	directory,
	path,
	object,
});

const linesOf = (document: vscode.TextDocument) => document.getText().split(/\r?\n/);

/** Sets the mode in which one comment of a thread, or all of them, are drawn. */
function setMode(thread: vscode.CommentThread, mode: vscode.CommentMode, commentId?: string): void {
	for (const comment of thread.comments) {
		if (commentId === undefined || (comment as ShownComment).commentId === commentId) {
			comment.mode = mode;
		}
	}
	// Only a new list notifies the editor.
	thread.comments = [...thread.comments];
}

function shownComment(thread: ReviewThread, { id, text, writtenAt, isSent }: ReviewComment): ShownComment {
	return {
		body: text,
		mode: vscode.CommentMode.Preview,
		author: { name: vscode.l10n.t('You') },
		timestamp: new Date(writtenAt),
		contextValue: isSent ? 'sent' : 'unsent',
		label: isSent ? vscode.l10n.t('Sent') : vscode.l10n.t('Not sent'),
		commentId: id,
		threadId: thread.id,
	};
}

/** Returns the place of a thread that the editor has made, with its lines. */
async function placeOf({ uri, range }: vscode.CommentThread): Promise<CommentPlace | undefined> {
	const parts = readChangeUri(uri);
	if (parts?.object === undefined || range === undefined) {
		return undefined;
	}
	const { resultKey, taskId, side, directory, path, object } = parts;
	const lines = linesOf(await vscode.workspace.openTextDocument(uri));
	const [firstLine, lastLine] = [range.start.line, range.end.line];
	const quote = quoteOf(lines.slice(firstLine, lastLine + 1));
	return { resultKey, taskId, side, directory, path, object, firstLine, lastLine, quote };
}

function isComment(argument: unknown): argument is ShownComment {
	const comment = argument as Partial<ShownComment> | undefined;
	return (
		typeof comment?.commentId === 'string' && typeof comment.threadId === 'string' && typeof comment.body === 'string'
	);
}

function isReply(argument: unknown): argument is vscode.CommentReply {
	const reply = argument as Partial<vscode.CommentReply> | undefined;
	return typeof reply?.text === 'string' && reply.thread?.uri instanceof vscode.Uri;
}

function refusalText(refusal: Exclude<CommentRefusal, 'empty'>): string {
	switch (refusal) {
		case 'too-long':
			return vscode.l10n.t(
				'The comment wasn’t saved because it’s longer than {0} characters. Copy its text and shorten it.',
				formatNumber(MAXIMUM_COMMENT_LENGTH),
			);
		case 'too-many':
			return vscode.l10n.t(
				'The comment wasn’t saved because the task already has {0} comments. Send or delete some, then add it again.',
				MAXIMUM_COMMENTS,
			);
		case 'gone':
			return vscode.l10n.t(
				'The comment wasn’t saved because it was deleted in another window. Copy its text and add it as a new one.',
			);
	}
}
