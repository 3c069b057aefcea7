import { currentReply, findTurn } from '../model/conversation.ts';
import type { Chat } from './chat.ts';

/** A message that was sent while an agent works, and waits for its end. There is at most one. */
export class WaitingMessage {
	private waiting: { turn: string; chat: Chat; isWanted: boolean; decide(isSent: boolean): void } | undefined;

	/** The id of the turn that the message will be. */
	get turn(): string | undefined {
		return this.waiting?.turn;
	}

	/**
	 * Resolves, as soon as no reply runs, to whether a message is to be sent: if the last reply ended well, or the user
	 * wants it sent. A message that is sent again replaces the previous one, which is not sent.
	 */
	async wait(turn: string, chat: Chat): Promise<boolean> {
		this.withdraw();
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const waiting = { turn, chat, isWanted: false, decide: resolve };
		this.waiting = waiting;
		void chat.idle().then(() => {
			const { conversation } = chat;
			const last = conversation.head === undefined ? undefined : findTurn(conversation, conversation.head);
			resolve(waiting.isWanted || (last !== undefined && currentReply(last).state === 'done'));
		});
		const isSent = await promise;
		if (this.waiting === waiting) {
			this.waiting = undefined;
		}
		return isSent;
	}

	/** Stops the reply that the message waits for, so that it is sent now. */
	hurry(turn: string): void {
		if (this.waiting?.turn === turn) {
			this.waiting.isWanted = true;
			this.waiting.chat.stop();
		}
	}

	/** Withdraws the message of the turn or, without a turn, whichever message is waiting. */
	withdraw(turn = this.turn): void {
		if (this.waiting && this.waiting.turn === turn) {
			this.waiting.decide(false);
		}
	}
}
