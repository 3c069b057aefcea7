// Takes the composer's context, which is read again, for a message or for the prompt of a task.
import * as vscode from 'vscode';
import type { Clock } from '../../base/async.ts';
import { type Explanation, helpfulButton, showMessage } from '../../platform/notify.ts';
import type { Chat } from '../conversation/chat.ts';
import type { Attachment } from '../model/attachment.ts';
import type { TurnContext } from '../model/conversation.ts';
import { noEncryptedTaskText } from '../protocol/labels.ts';
import { noImagesText } from '../settings/messages.ts';
import { askFindings, findingKey } from './askFindings.ts';
import { type Added, type ChatContext, encryptedImageText } from './chatContext.ts';
import { type ContextChip, type ContextChips, mayRead } from './contextChips.ts';
import { fitContext, lengthProblem } from './fitContext.ts';
import { readSource } from './readSource.ts';

/** The time for which a message waits for context being added, in milliseconds: some file systems never answer. */
const ADDING_MS = 10_000;

/** The context of a message. It stays in the composer until the message has it. */
export interface TakenContext {
	context: TurnContext;
	/** Must be called when the message was sent or refused. */
	settle(isSent: boolean): Promise<void>;
}

/**
 * Reads the composer's context again for a message of about `question` tokens. `onAsk` is called before the user is
 * asked something. Resolves to the reason instead if the message cannot be sent with it.
 */
export async function takeContext(
	context: ChatContext,
	chat: Chat,
	question: number,
	onAsk: () => void,
): Promise<TakenContext | Explanation> {
	const { chips, images, instructions, model } = context;
	// Context chosen from here on is for the next message, which may go elsewhere.
	const own = new Set(chips.chips.map(({ id }) => id));
	const adding = [...context.adding];
	await model.known();
	const problem =
		(await awaitAdded(context, adding, own, onAsk)) ??
		(await imageProblem(context, chat)) ??
		(await readChips(chips, onAsk)) ??
		(await fitContext(chips, { ...context.measure(), question }, onAsk));
	if (problem) {
		return problem;
	}
	const files = await instructions.take(chat.conversation, onAsk);
	if ('message' in files) {
		return files;
	}
	const sent = chips.chips.filter(({ id }) => own.has(id));
	const attachments = sent.map(({ attachment }) => attachment);
	const conversation = chat.conversation.id;
	const copied = await images.copyTo(conversation, attachments);
	const settle = async (isSent: boolean) => {
		if (isSent) {
			removeChips(chips, sent);
		} else {
			// The conversation may never be created.
			await images.remove(conversation, copied.files);
		}
	};
	if (copied.problem) {
		await settle(false);
		return copied.problem;
	}
	return { context: { attachments, instructions: files }, settle };
}

/** The context of a prompt of a task. */
export interface TaskContext {
	/** The attachments that a prompt can have. */
	texts: readonly Attachment[];
	/** Must be called when the prompt was taken. */
	given(): void;
}

/**
 * Reads the composer's context again for a prompt. It stays in the composer unless the prompt is taken. Resolves to the
 * reason instead if there can be no prompt with it.
 */
export async function takeForTask(
	context: ChatContext,
	{ conversation }: Chat,
	onAsk: () => void,
): Promise<TaskContext | Explanation> {
	if (conversation.encryption) {
		return { message: noEncryptedTaskText() };
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
	const { texts, given: warn } = taskContextOf(given.map(({ attachment }) => attachment));
	return {
		texts,
		given() {
			// An image may have been pasted, and then exists nowhere else.
			removeChips(
				chips,
				given.filter(({ attachment }) => attachment.kind !== 'image'),
			);
			warn();
		},
	};
}

/** Returns the context of a prompt that has these attachments. The user is told of images, which it cannot have. */
export function taskContextOf(attachments: readonly Attachment[]): TaskContext {
	const texts = attachments.filter(({ kind }) => kind !== 'image');
	return {
		texts,
		given() {
			if (texts.length < attachments.length) {
				void showMessage(
					'warning',
					vscode.l10n.t('Tasks accept only text, so the images aren’t part of the prompt. They stay in the chat.'),
				);
			}
		},
	};
}

function removeChips(chips: ContextChips, gone: readonly ContextChip[]): void {
	for (const { id } of gone) {
		chips.remove(id);
	}
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
