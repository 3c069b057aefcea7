// Sends what is in the composer, with its context: a message to a conversation, or a prompt to a task.
import * as vscode from 'vscode';
import type { Clock } from '../../base/async.ts';
import { estimateTokens } from '../../base/tokens.ts';
import { type Explanation, helpfulButton, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import type { SendRefusal } from '../conversation/chatOptions.ts';
import { type Attachment, taskContext } from '../model/attachment.ts';
import { findTurn } from '../model/conversation.ts';
import { noEncryptedTaskText } from '../protocol/labels.ts';
import { noImagesText } from '../settings/messages.ts';
import { askFindings, findingKey } from './askFindings.ts';
import { type Added, type ChatContext, encryptedImageText } from './chatContext.ts';
import { type ContextChips, mayRead } from './contextChips.ts';
import { fitContext, lengthProblem } from './fitContext.ts';
import { readSource } from './readSource.ts';

/** The time for which a message waits for context being added, in milliseconds: some file systems never answer. */
const ADDING_MS = 10_000;

/**
 * Sends `question` to `chat` as the turn `turnId`, with the composer's context, which is read again. The chips are
 * removed once the message has them. `onAsk` is called before the user is asked something. Resolves to the reason why
 * the message was not accepted, or to undefined.
 */
export async function sendMessage(
	context: ChatContext,
	chat: Chat,
	turnId: string,
	question: string,
	onAsk: () => void,
): Promise<SendRefusal | undefined> {
	// A message that is sent again was accepted with its context; the current chips are for the next one.
	if (findTurn(chat.conversation, turnId)) {
		return chat.send(turnId, question);
	}
	const { chips, images, instructions, model } = context;
	// Context chosen from here on is for the next message, which may go elsewhere.
	const own = new Set(chips.chips.map(({ id }) => id));
	const adding = [...context.adding];
	await model.known();
	const problem =
		(await awaitAdded(context, adding, own, onAsk)) ??
		(await imageProblem(context, chat)) ??
		(await readChips(chips, onAsk)) ??
		(await fitContext(chips, { ...context.measure(), question: estimateTokens(question) }, onAsk));
	if (problem) {
		return { reason: 'context', explanation: problem };
	}
	const files = await instructions.take(chat.conversation, onAsk);
	if ('message' in files) {
		return { reason: 'context', explanation: files };
	}
	const sent = chips.chips.filter(({ id }) => own.has(id));
	const attachments = sent.map(({ attachment }) => attachment);
	const conversation = chat.conversation.id;
	const copied = await images.copyTo(conversation, attachments);
	const refusal: SendRefusal | undefined = copied.problem
		? { reason: 'context', explanation: copied.problem }
		: await chat.send(turnId, question, { attachments, instructions: files });
	if (refusal) {
		// The conversation may never be created.
		await images.remove(conversation, copied.files);
	} else {
		for (const { id } of sent) {
			chips.remove(id);
		}
	}
	return refusal;
}

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

/**
 * Waits for the context that was chosen before the message was sent, and adds the ids of its chips to `own`. Resolves
 * to the reason why the message cannot be sent, or to undefined.
 */
async function awaitAdded(
	context: { adding: Set<Promise<Added>>; clock: Clock },
	adding: readonly Promise<Added>[],
	own: Set<string>,
	onAsk: () => void,
): Promise<Explanation | undefined> {
	if (adding.length === 0) {
		return undefined;
	}
	// Adding context may ask the user something.
	onAsk();
	const waited = Promise.withResolvers<undefined>();
	const cancel = context.clock.after(ADDING_MS, () => waited.resolve(undefined));
	const added = await Promise.race([Promise.all(adding), waited.promise]);
	cancel();
	if (added === undefined) {
		for (const late of adding) {
			context.adding.delete(late);
		}
		return {
			message: vscode.l10n.t(
				'Not sent: some of the context is still being read. Send it again to go without the rest.',
			),
		};
	}
	for (const id of added.flatMap(({ ids }) => ids)) {
		own.add(id);
	}
	if (added.every(({ isMissing }) => !isMissing)) {
		return undefined;
	}
	// The refusal replaces the hint that was just shown, so it repeats it.
	const said = added.flatMap(one => one.said);
	const refusal = vscode.l10n.t('Not sent: some of the context couldn’t be added. Send it again to go without it.');
	return { message: [...said, refusal].join(' ') };
}

/** Resolves to the reason why the images among the chips cannot be sent to the conversation, or to undefined. */
async function imageProblem({ chips, model }: ChatContext, chat: Chat): Promise<Explanation | undefined> {
	if (chips.chips.every(({ attachment }) => attachment.image === undefined)) {
		return undefined;
	}
	if (chat.conversation.encryption) {
		return { message: encryptedImageText() };
	}
	if (chat.mode !== 'chat' || model.measure().takesImages !== false) {
		return undefined;
	}
	// The connection may have been described before the model's server reported that, or before it had the model.
	await model.askAgain();
	const { takesImages, model: name } = model.measure();
	return takesImages === false ? { message: noImagesText(name), action: helpfulButton('chooseModel') } : undefined;
}

/**
 * Reads each chip again. A selection that is no longer in its file stays as it was. Resolves to the reason why the
 * message cannot be sent, if another chip cannot be read or the user withholds one because of a new finding in it;
 * otherwise to undefined.
 */
export async function readChips(chips: ContextChips, onAsk: () => void): Promise<Explanation | undefined> {
	if (chips.chips.length === 0) {
		return undefined;
	}
	if (!mayRead()) {
		return { message: vscode.l10n.t('Not sent: the context can’t be read until this workspace is trusted.') };
	}
	for (const { id, source, confirmed } of chips.chips) {
		const read = await readSource(source).catch((error: unknown) => ({ error }));
		const isError = 'error' in read;
		if (source.kind === 'selection' && chips.mark(id, isError ? undefined : read.attachment.text)) {
			continue;
		}
		if (isError) {
			return { message: chips.problemOf(read.error) };
		}
		const findings = read.findings.filter(finding => !confirmed.includes(findingKey(finding)));
		if (findings.length > 0) {
			const { label } = read.attachment;
			onAsk();
			if (!(await askFindings(label, findings, 'send'))) {
				return { message: vscode.l10n.t('Not sent. Remove {0} from the context to send the rest.', label) };
			}
		}
		chips.update(id, read.attachment, findings);
	}
	return undefined;
}
