import type { Memento } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import {
	type CommentPlace,
	isThreadList,
	MAXIMUM_COMMENT_LENGTH,
	MAXIMUM_COMMENTS,
	type ReviewComment,
	type ReviewThread,
} from '../model/reviewComment.ts';
import { COMMENT_ENTRIES } from '../model/storageKeys.ts';

/** Why a comment is not stored. */
export type CommentRefusal = 'empty' | 'too-long' | 'too-many' | 'gone';

/**
 * The comments of a workspace, with its tasks, in the state that its windows share. Each change reads the stored
 * comments before it writes, so that no window loses those of another.
 */
export class CommentStore implements Disposable {
	private readonly entries: StateEntries<ReviewThread[]>;
	private readonly changed = new Emitter<string>();
	/** Fires with the id of the task. */
	readonly onDidChange = this.changed.event;
	/** The comments that were read last, because rows of tasks ask for them often. */
	private known: Map<string, ReviewThread[]> | undefined;

	constructor(state: Memento) {
		this.entries = new StateEntries(state, COMMENT_ENTRIES, isThreadList);
	}

	/** Returns every thread of the workspace. */
	all(): ReviewThread[] {
		return [...this.read().values()].flat();
	}

	threads(taskId: string): readonly ReviewThread[] {
		return this.read().get(taskId) ?? [];
	}

	hasUnsent(taskId: string): boolean {
		return this.threads(taskId).some(({ comments }) => comments.some(({ isSent }) => !isSent));
	}

	/** Reads again what another window may have written. */
	reload(): void {
		const before = this.known ?? new Map<string, ReviewThread[]>();
		this.known = undefined;
		const now = this.read();
		for (const taskId of new Set([...before.keys(), ...now.keys()])) {
			if (JSON.stringify(before.get(taskId)) !== JSON.stringify(now.get(taskId))) {
				this.changed.fire(taskId);
			}
		}
	}

	/** Begins a thread with a comment. Rejects when it cannot be stored. */
	async begin(place: CommentPlace, text: string): Promise<ReviewThread | CommentRefusal> {
		const thread: ReviewThread = { id: crypto.randomUUID(), place, comments: [newComment(text)] };
		return (await this.change(place.taskId, text, threads => threads.push(thread))) ?? thread;
	}

	/** Adds a comment to a thread. Resolves with a refusal, or undefined once it is stored. */
	reply({ id, place }: ReviewThread, text: string): Promise<CommentRefusal | undefined> {
		return this.change(place.taskId, text, threads =>
			threads.find(thread => thread.id === id)?.comments.push(newComment(text)),
		);
	}

	/** Changes the text of a comment, which then counts as unsent. Resolves with a refusal, or undefined. */
	edit({ id, place }: ReviewThread, commentId: string, text: string): Promise<CommentRefusal | undefined> {
		return this.change(place.taskId, text, threads => {
			const { comments = [] } = threads.find(thread => thread.id === id) ?? {};
			const comment = comments.find(candidate => candidate.id === commentId);
			return comment && Object.assign(comment, { text, isSent: comment.isSent && comment.text === text });
		});
	}

	/** Removes a comment, and its thread if it was the last one. */
	async remove({ id, place }: ReviewThread, commentId: string): Promise<void> {
		await this.write(
			place.taskId,
			this.stored(place.taskId).flatMap(thread => {
				const comments = thread.comments.filter(comment => thread.id !== id || comment.id !== commentId);
				return comments.length === 0 ? [] : [{ ...thread, comments }];
			}),
		);
	}

	/** Marks comments as sent to an agent, except those that were removed meanwhile. */
	async markSent(taskId: string, commentIds: ReadonlySet<string>): Promise<void> {
		await this.write(
			taskId,
			this.stored(taskId).map(thread => ({
				...thread,
				comments: thread.comments.map(comment => (commentIds.has(comment.id) ? { ...comment, isSent: true } : comment)),
			})),
		);
	}

	/** Removes the comments of a task that is gone. */
	async forget(taskId: string): Promise<void> {
		await this.write(taskId, []);
	}

	/** `make` changes the stored threads, or returns undefined if the comment that it needs is gone. */
	private async change(
		taskId: string,
		text: string,
		make: (threads: ReviewThread[]) => unknown,
	): Promise<CommentRefusal | undefined> {
		if (text.trim() === '') {
			return 'empty';
		}
		if (text.length > MAXIMUM_COMMENT_LENGTH) {
			return 'too-long';
		}
		const threads = structuredClone(this.stored(taskId));
		if (make(threads) === undefined) {
			return 'gone';
		}
		if (threads.reduce((sum, { comments }) => sum + comments.length, 0) > MAXIMUM_COMMENTS) {
			return 'too-many';
		}
		await this.write(taskId, threads);
		return undefined;
	}

	private stored(taskId: string): ReviewThread[] {
		return this.entries.get(taskId) ?? [];
	}

	private async write(taskId: string, threads: ReviewThread[]): Promise<void> {
		const known = this.read();
		await (threads.length === 0 ? this.entries.delete(taskId) : this.entries.set(taskId, threads));
		if (threads.length === 0) {
			known.delete(taskId);
		} else {
			known.set(taskId, threads);
		}
		this.changed.fire(taskId);
	}

	private read(): Map<string, ReviewThread[]> {
		this.known ??= new Map(this.entries.values().map(threads => [threads[0]?.place.taskId ?? '', threads]));
		return this.known;
	}

	dispose(): void {
		this.changed.dispose();
	}
}

function newComment(text: string): ReviewComment {
	return { id: crypto.randomUUID(), text, writtenAt: Date.now(), isSent: false };
}
