import * as vscode from 'vscode';
import { type Explanation, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import { type Attachment, taskContext } from '../model/attachment.ts';
import type { ChatTasks } from '../model/chatTasks.ts';
import { findTurn } from '../model/conversation.ts';
import { noEncryptedTaskText } from '../protocol/labels.ts';
import type { ChatContext } from './chatContext.ts';
import { lengthProblem } from './fitContext.ts';
import { awaitAdded, readChips } from './sendMessage.ts';

export interface HandOver {
	proposeTask: ChatTasks['propose'];
	/** Called before the user is asked something. */
	onAsk(): void;
}

/**
 * Hands a goal to a task, with the context that waits in the composer, which is read anew. An empty goal means the last
 * message of the conversation with the context that it had. Resolves with why nothing was handed over, or with undefined
 * once the prompt is open, where the user sees all of it before it is sent.
 */
export async function sendToTask(
	context: ChatContext,
	chat: Chat,
	goal: string,
	{ proposeTask, onAsk }: HandOver,
): Promise<Explanation | undefined> {
	const { conversation } = chat;
	if (conversation.encryption) {
		return { message: noEncryptedTaskText() };
	}
	if (goal.trim() === '') {
		const last = conversation.head === undefined ? undefined : findTurn(conversation, conversation.head);
		if (!last) {
			return { message: vscode.l10n.t('After /task, write what the task should do.') };
		}
		await propose(last.question, last.attachments ?? [], proposeTask);
		return undefined;
	}
	const { chips } = context;
	const own = new Set(chips.chips.map(({ id }) => id));
	const problem =
		(await awaitAdded(context, [...context.adding], own, onAsk)) ??
		(await readChips(chips, onAsk)) ??
		lengthProblem(chips);
	if (problem) {
		return problem;
	}
	const given = chips.chips.filter(({ id }) => own.has(id));
	await propose(
		goal,
		given.map(({ attachment }) => attachment),
		proposeTask,
	);
	for (const { id, attachment } of given) {
		// An image may have been pasted, so that it is nowhere else.
		if (attachment.kind !== 'image') {
			chips.remove(id);
		}
	}
	return undefined;
}

async function propose(
	goal: string,
	attachments: readonly Attachment[],
	proposeTask: ChatTasks['propose'],
): Promise<void> {
	const texts = attachments.filter(({ kind }) => kind !== 'image');
	await proposeTask(goal, taskContext(texts));
	if (texts.length < attachments.length) {
		void showMessage(
			'warning',
			vscode.l10n.t('A task takes text alone, so the images are not in its prompt. They stay in the chat.'),
		);
	}
}
