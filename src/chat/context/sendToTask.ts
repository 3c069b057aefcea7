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
	/** Takes the prompt. Resolves to whether it did; if not, the user was told why. */
	give(prompt: string): Promise<boolean>;
	/** Called before the user is asked something. */
	onAsk(): void;
}

/** Nothing was handed over, by the user's decision. */
const DECIDED: Explanation = { message: '' };

/**
 * Hands a goal to a task, with the composer's context. An empty goal stands for the last message of the conversation
 * with its context. Resolves to the reason why nothing was handed over, or to undefined.
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
		return { message: vscode.l10n.t('Describe what the task should do after /task.') };
	}
	return (await give(last.question, last.attachments ?? [], handOver)) ? undefined : DECIDED;
}

/**
 * Hands over the composer's text as a prompt, with the composer's context, which is read again. Both stay in the
 * composer unless the prompt is taken. Resolves to the reason why it was not, or to undefined.
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
		// An image may have been pasted, and then exists nowhere else.
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
			vscode.l10n.t('Tasks accept only text, so the images aren’t part of the prompt. They stay in the chat.'),
		);
	}
	return isTaken;
}
