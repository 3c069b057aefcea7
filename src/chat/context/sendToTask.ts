import * as vscode from 'vscode';
import { type Explanation, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import { type Attachment, taskContext } from '../model/attachment.ts';
import { findTurn } from '../model/conversation.ts';
import { noEncryptedTaskText } from '../protocol/labels.ts';
import type { ChatContext } from './chatContext.ts';
import { lengthProblem } from './fitContext.ts';
import { awaitAdded, readChips } from './sendMessage.ts';

export interface HandOver {
	/** Takes the prompt. Resolves with whether it has; the user knows why where it has not. */
	give(prompt: string): Promise<boolean>;
	/** Called before the user is asked something. */
	onAsk(): void;
}

/** Nothing was handed over, as the user has decided. */
const DECIDED: Explanation = { message: '' };

/**
 * Hands a goal to a task, with the context that waits in the composer. An empty goal means the last message of the
 * conversation with the context that it had. Resolves with why nothing was handed over, or with undefined.
 */
export async function sendToTask(
	context: ChatContext,
	chat: Chat,
	goal: string,
	handOver: HandOver,
): Promise<Explanation | undefined> {
	const { conversation } = chat;
	if (goal.trim() !== '' || conversation.encryption) {
		return givePrompt(context, chat, goal, handOver);
	}
	const last = conversation.head === undefined ? undefined : findTurn(conversation, conversation.head);
	if (!last) {
		return { message: vscode.l10n.t('After /task, write what the task should do.') };
	}
	return (await give(last.question, last.attachments ?? [], handOver)) ? undefined : DECIDED;
}

/**
 * Gives what is written in the composer away as a prompt, with the context that waits there, which is read anew. Both stay
 * in the composer unless the prompt is taken. Resolves with why it was not, or with undefined.
 */
export async function givePrompt(
	context: ChatContext,
	{ conversation }: Chat,
	text: string,
	handOver: HandOver,
): Promise<Explanation | undefined> {
	if (conversation.encryption) {
		return { message: noEncryptedTaskText() };
	}
	const { chips } = context;
	const { onAsk } = handOver;
	const own = new Set(chips.chips.map(({ id }) => id));
	const problem =
		(await awaitAdded(context, [...context.adding], own, onAsk)) ??
		(await readChips(chips, onAsk)) ??
		lengthProblem(chips);
	if (problem) {
		return problem;
	}
	const given = chips.chips.filter(({ id }) => own.has(id));
	const attachments = given.map(({ attachment }) => attachment);
	if (!(await give(text, attachments, handOver))) {
		return DECIDED;
	}
	for (const { id, attachment } of given) {
		// An image may have been pasted, so that it is nowhere else.
		if (attachment.kind !== 'image') {
			chips.remove(id);
		}
	}
	return undefined;
}

async function give(goal: string, attachments: readonly Attachment[], { give, onAsk }: HandOver): Promise<boolean> {
	const texts = attachments.filter(({ kind }) => kind !== 'image');
	onAsk();
	const isTaken = await give([goal, taskContext(texts)].filter(Boolean).join('\n\n'));
	if (isTaken && texts.length < attachments.length) {
		void showMessage(
			'warning',
			vscode.l10n.t('A task takes text alone, so the images are not in its prompt. They stay in the chat.'),
		);
	}
	return isTaken;
}
