import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { estimateTokens } from '../base/tokens.ts';
import { thenComposer } from '../platform/editorUse.ts';
import { type CommandId, commands, internalCommands } from '../platform/ids.ts';
import { type Explanation, explainError, followAction } from '../platform/notify.ts';
import type { Tasks } from '../tasks/api.ts';
import type { ChatContext } from './context/chatContext.ts';
import { openPlace } from './context/openPlace.ts';
import type { Prompts } from './context/prompts.ts';
import { takeContext, takeForTask, taskContextOf } from './context/takeContext.ts';
import type { Chat } from './conversation/chat.ts';
import type { SendRefusal } from './conversation/chatOptions.ts';
import type { OpenConversations } from './conversation/openConversations.ts';
import type { WaitingMessage } from './conversation/waitingMessage.ts';
import { explainMissingKey, explainRefusal } from './messages/messages.ts';
import { taskPrompt } from './model/attachment.ts';
import { currentReply, findTurn, type TurnStart } from './model/conversation.ts';
import { agentMessage, slashName, taskGoal } from './model/mode.ts';
import type { PageAccess, PageHandlers, ToPage } from './protocol/protocol.ts';

/** The conversations that messages belong to. */
export interface TurnConversations {
	open(): Promise<OpenConversations>;
	/** Calls `run` with the open chat that has the turn, if any. */
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
}

/** The context and the prompt of a message, the queue in which it may wait, and the task that it may become. */
export interface MessageParts {
	prompts: Pick<Prompts, 'fill'>;
	context: ChatContext;
	waiting: WaitingMessage;
	/** Loads what starts tasks. */
	launcher: Tasks['launcher'];
}

/** The active connection, and what the user may have to do before it answers. */
export interface TurnConnection {
	/** Returns the connection's display name. */
	label(): string;
	/** Asks for the connection's key if it is missing, after `onAsk`. Resolves to false if there is still none. */
	ensureKey(onAsk: () => void): Promise<boolean>;
	/** Lets the user add a model server. Resolves to whether its model now answers in that conversation. */
	addServer(chat: Chat): Promise<boolean>;
}

export interface TurnDependencies {
	conversations: TurnConversations;
	message: MessageParts;
	connection: TurnConnection;
	page: PageAccess;
	logger: Logger;
}

export type TurnHandlers = PageHandlers<
	| 'message-send'
	| 'message-hurry'
	| 'message-withdraw'
	| 'reply-stop'
	| 'reply-retry'
	| 'reply-continue'
	| 'version-show'
	| 'explanation-follow'
	| 'refusal-follow'
	| 'attachment-open'
	| 'server-add'
>;

/** Commands that ask in a list, after which the composer gets the keyboard focus again. */
const GIVE_BACK: ReadonlySet<CommandId> = new Set([
	commands.manageKeys,
	internalCommands.changeServerKey,
	internalCommands.selectModel,
	internalCommands.selectPolicy,
	commands.switchConnection,
]);

/** Returns the handlers of the page's messages about messages and replies. */
export function turnHandlers({ conversations, message, connection, page, logger }: TurnDependencies): TurnHandlers {
	const { withTurn } = conversations;
	const post = (sent: ToPage) => page.post(sent);

	/** The command of the last refusal's button. The page knows only its label. */
	let offered: { turn: string; action: NonNullable<Explanation['action']> } | undefined;

	/** The last message that became a task. It is sent again if its outcome did not reach the page in time. */
	let handedOver: { turn: string; outcome: Promise<Explanation | undefined> } | undefined;

	const refuse = (turn: string, { message, action }: Explanation): void => {
		offered = action && { turn, action };
		post({ kind: 'message-refuse', turn, reason: message, ...defined({ action: action?.label }) });
	};

	/** Runs a message or a retry and shows a failure at the composer, which waits for the outcome. */
	const atComposer = async (turn: string, run: () => Promise<void>): Promise<void> => {
		try {
			await run();
		} catch (error) {
			logger.log('error', 'A message or a retry failed', { reason: describeError(error) });
			refuse(turn, explainError(error, connection.label()));
		}
	};

	const follow = async (action: NonNullable<Explanation['action']>): Promise<void> => {
		await (GIVE_BACK.has(action.command) ? thenComposer(() => followAction(action), page) : followAction(action));
	};

	const hold = (turn: string) => post({ kind: 'message-hold', turn });

	/** Sends once there is a key. Resolves to the reason why the message was refused, or to undefined. */
	const ask = async (turn: string, send: () => Promise<SendRefusal | undefined>): Promise<Explanation | undefined> => {
		// The active connection may change in the meantime.
		const label = connection.label();
		if (!(await connection.ensureKey(() => hold(turn)))) {
			return explainMissingKey(label);
		}
		const refusal = await send();
		return refusal && explainRefusal(refusal, label);
	};

	const handOver = async (chat: Chat, turn: string, goal: string): Promise<Explanation | undefined> => {
		if (handedOver?.turn !== turn) {
			const start = () => startTask(message, chat, goal, () => hold(turn));
			handedOver = { turn, outcome: thenComposer(start, page) };
		}
		const mine = handedOver;
		let isStarted = false;
		try {
			const problem = await mine.outcome;
			isStarted = problem === undefined;
			return problem;
		} finally {
			// The user may try again with the same message.
			if (!isStarted && handedOver === mine) {
				handedOver = undefined;
			}
		}
	};

	const askAgain = (turn: string, send: (chat: Chat) => Promise<SendRefusal | undefined>): Promise<void> =>
		atComposer(turn, () =>
			withTurn(turn, async chat => {
				const refused = await ask(turn, () => send(chat));
				if (refused) {
					refuse(turn, refused);
				}
			}),
		);

	return {
		'message-send': ({ conversation, turn, text: written, edits, waits, task }) =>
			atComposer(turn, async () => {
				const open = await conversations.open();
				const chat = open.findOrShown(conversation);
				const onAsk = () => hold(turn);
				// The text of an edited message already includes its prompt.
				const isPrompt = edits === undefined && slashName(written) !== undefined;
				const filled = isPrompt ? await message.prompts.fill(chat, turn, written, onAsk) : { text: written };
				if ('refusal' in filled) {
					refuse(turn, { message: filled.refusal });
					return;
				}
				const text = waits ? agentMessage(filled.text) : filled.text;
				if (waits && chat.isBusy) {
					post({ kind: 'message-hold', turn, waits: true });
					if (!(await message.waiting.wait(turn, chat))) {
						refuse(turn, {
							message: vscode.l10n.t('Not sent: the agent didn’t finish. Send the message again to continue.'),
						});
						return;
					}
				}
				const goal = taskGoal(text, task ? 'task' : 'chat');
				let refused: Explanation | undefined;
				if (goal === undefined) {
					refused = await ask(turn, () =>
						edits ? chat.edit(edits, turn, text) : sendMessage(message.context, chat, turn, text, onAsk),
					);
				} else if (edits !== undefined) {
					refused = {
						message: vscode.l10n.t(
							'An earlier message can’t become a task. Send /task with the text as a new message instead.',
						),
					};
				} else {
					refused = await handOver(chat, turn, goal);
				}
				if (refused) {
					refuse(turn, refused);
				} else {
					post({ kind: 'message-accept', turn });
				}
			}),
		'message-hurry': ({ turn }) => message.waiting.hurry(turn),
		'message-withdraw': ({ turn }) => message.waiting.withdraw(turn),
		'reply-stop': ({ turn }) => withTurn(turn, chat => chat.stop()),
		'reply-retry': ({ turn }) => askAgain(turn, chat => chat.retry(turn)),
		'reply-continue': ({ turn }) => askAgain(turn, chat => chat.continue(turn)),
		'version-show': ({ turn }) =>
			atComposer(turn, () =>
				withTurn(turn, async chat => {
					const refusal = await chat.showVersion(turn);
					if (refusal) {
						refuse(turn, explainRefusal(refusal, connection.label()));
					}
				}),
			),
		'explanation-follow': ({ turn }) =>
			withTurn(turn, async chat => {
				const found = findTurn(chat.conversation, turn);
				const action = found && currentReply(found).explanation?.action;
				if (action) {
					await follow(action);
				}
			}),
		'refusal-follow': async ({ turn }) => {
			if (offered?.turn === turn) {
				await follow(offered.action);
			}
		},
		'server-add': async ({ turn }) => {
			const open = await conversations.open();
			const chat = (turn === undefined ? undefined : open.findByTurn(turn)) ?? open.shown;
			if (!(await connection.addServer(chat))) {
				return;
			}
			if (turn !== undefined) {
				await askAgain(turn, asked => asked.retry(turn));
			} else if (open.shown === chat) {
				post({ kind: 'draft-send' });
			}
		},
		'attachment-open': ({ turn, index }) =>
			withTurn(turn, async chat => {
				const attachment = findTurn(chat.conversation, turn)?.attachments?.[index];
				if (attachment) {
					await openPlace(attachment, page.say);
				}
			}),
	};
}

/**
 * Sends a message with the composer's context, whose chips are removed once the message has them. `onAsk` is called
 * before the user is asked something. Resolves to the reason why the message was not accepted, or to undefined.
 */
export async function sendMessage(
	context: ChatContext,
	chat: Chat,
	turn: string,
	text: string,
	onAsk: () => void,
): Promise<SendRefusal | undefined> {
	// A message that is sent again was accepted with its context; the current chips are for the next one.
	if (findTurn(chat.conversation, turn)) {
		return chat.send(turn, text);
	}
	const taken = await takeContext(context, chat, estimateTokens(text), onAsk);
	if ('message' in taken) {
		return { reason: 'context', explanation: taken };
	}
	const refusal = await chat.send(turn, text, taken.context);
	await taken.settle(refusal === undefined);
	return refusal;
}

/**
 * Starts a task with the composer's context, which stays there unless the prompt is taken. An empty goal stands for the
 * last message of the conversation with its context. Resolves to the reason why no task was started, or to undefined;
 * the reason is empty if the user decided so.
 */
export async function startTask(
	{ context, launcher }: Pick<MessageParts, 'context' | 'launcher'>,
	chat: Chat,
	goal: string,
	onAsk: () => void,
): Promise<Explanation | undefined> {
	const { head, encryption } = chat.conversation;
	const isOfLast = goal.trim() === '' && !encryption;
	const last = isOfLast && head !== undefined ? findTurn(chat.conversation, head) : undefined;
	if (isOfLast && !last) {
		return { message: vscode.l10n.t('Describe what the task should do after /task.') };
	}
	const taken = last ? taskContextOf(last.attachments ?? []) : await takeForTask(context, chat, onAsk);
	if ('message' in taken) {
		return taken;
	}
	onAsk();
	const prompt = taskPrompt(last?.question ?? goal, taken.texts);
	if (!(await (await launcher()).startPrompt(prompt))) {
		return { message: '' };
	}
	taken.given();
	return undefined;
}

/**
 * Returns what sends a message to an agent that goes on from a step, with the instruction files of the repository. A
 * message that is refused is put into the composer, and the page says why.
 */
export function goOnFrom(
	{ instructions }: Pick<ChatContext, 'instructions'>,
	{ label, ensureKey }: Pick<TurnConnection, 'label' | 'ensureKey'>,
	page: TurnDependencies['page'],
): (chat: Chat, text: string, from: TurnStart) => Promise<void> {
	const send = async (chat: Chat, text: string, from: TurnStart): Promise<string | undefined> => {
		if (!(await ensureKey(() => {}))) {
			return explainMissingKey(label()).message;
		}
		const files = await instructions.take(chat.conversation, () => {});
		if ('message' in files) {
			return files.message;
		}
		const refusal = await chat.continueFrom(randomUUID(), text, { instructions: files, from });
		return refusal && explainRefusal(refusal, label()).message;
	};
	return async (chat, text, from) => {
		const problem = await send(chat, text, from);
		if (problem !== undefined) {
			page.fill(text);
			page.say(problem);
		}
	};
}
