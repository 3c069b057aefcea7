import { executeCommand } from '../platform/commands.ts';
import type { Chat } from './chat.ts';
import type { SendRefusal } from './chatOptions.ts';
import type { ChatContext } from './context/chatContext.ts';
import { openPlace } from './context/openPlace.ts';
import type { OpenConversations } from './conversations/openConversations.ts';
import { currentReply, findTurn } from './model/conversation.ts';
import type { FromPage, ToPage } from './protocol.ts';
import { missingKeyText, refusalText } from './strings.ts';

export interface TurnDependencies {
	conversations(): Promise<OpenConversations>;
	/** Runs with the chat that has the turn, where one has. */
	withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
	/** What goes with the next message. */
	context: ChatContext;
	/** Asks for the key of the connection where it is missing, after `onAsk`; false: there is still none. */
	ensureKey(onAsk: () => void): Promise<boolean>;
	/** How the user knows the connection. */
	connectionLabel(): string;
	post(message: ToPage): void;
}

type TurnMessage = Extract<
	FromPage,
	{ kind: 'message-send' | `reply-${string}` | 'version-show' | 'explanation-follow' | 'attachment-open' }
>;
export type TurnHandlers = { [K in TurnMessage['kind']]: (message: Extract<TurnMessage, { kind: K }>) => unknown };

/** Does what the page asks about messages and their replies. */
export function turnHandlers(dependencies: TurnDependencies): TurnHandlers {
	const { conversations, withTurn, context, ensureKey, connectionLabel, post } = dependencies;

	/** Asks the service, once there is a key for it. Resolves with why that was refused, in words, or undefined. */
	const ask = async (turn: string, send: () => Promise<SendRefusal | undefined>): Promise<string | undefined> => {
		// Of the connection that the question began with.
		const label = connectionLabel();
		if (!(await ensureKey(() => post({ kind: 'message-hold', turn })))) {
			return missingKeyText(label);
		}
		const refusal = await send();
		return refusal && refusalText(refusal, label);
	};

	const askAgain = (turn: string, send: (chat: Chat) => Promise<SendRefusal | undefined>): Promise<void> =>
		withTurn(turn, async chat => {
			const reason = await ask(turn, () => send(chat));
			if (reason !== undefined) {
				post({ kind: 'message-refuse', turn, reason });
			}
		});

	return {
		'message-send': async ({ conversation, turn, text, edits }) => {
			const open = await conversations();
			const chat = (conversation === undefined ? undefined : open.find(conversation)) ?? open.shown;
			const reason = await ask(turn, () => (edits ? chat.edit(edits, turn, text) : context.send(chat, turn, text)));
			post(reason === undefined ? { kind: 'message-accept', turn } : { kind: 'message-refuse', turn, reason });
		},
		'reply-stop': ({ turn }) => withTurn(turn, chat => chat.stop()),
		'reply-retry': ({ turn }) => askAgain(turn, chat => chat.retry(turn)),
		'reply-continue': ({ turn }) => askAgain(turn, chat => chat.continue(turn)),
		'version-show': ({ turn }) =>
			withTurn(turn, async chat => {
				const refusal = await chat.showVersion(turn);
				if (refusal) {
					post({ kind: 'message-refuse', turn, reason: refusalText(refusal, connectionLabel()) });
				}
			}),
		'explanation-follow': ({ turn }) =>
			withTurn(turn, async chat => {
				const found = findTurn(chat.conversation, turn);
				const action = found && currentReply(found).explanation?.action;
				if (action) {
					await executeCommand(action.command);
				}
			}),
		'attachment-open': ({ turn, index }) =>
			withTurn(turn, async chat => {
				const attachment = findTurn(chat.conversation, turn)?.attachments?.[index];
				if (attachment) {
					await openPlace(attachment);
				}
			}),
	};
}
