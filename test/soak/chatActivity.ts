import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'playwright-core';
import { runCommand, until } from '../support/editorWindow.ts';
import {
	conversationFiles,
	isStreaming,
	lastTurnText,
	openChat,
	runInChat,
	sendTyped,
	turns,
	typeMessage,
} from '../support/errandWindow.ts';
import { valueWithin } from '../support/waitFor.ts';
import type { Activity, Finding, Tally } from './activity.ts';
import { AGENT_FILE, replyTo, type SoakModel } from './model.ts';
import type { Site } from './site.ts';

/** A reply takes two seconds, or eleven where the model is slow; an agent's turn needs a sandbox besides. */
const REPLY_LIMIT_MS = 60_000;
/** The last state of a reply is written within a second. */
const SAVED_AFTER_MS = 2_000;
const BACK_LIMIT_MS = 10_000;
const MESSAGES_OF_A_CONVERSATION = 6;

interface Message {
	number: string;
	text: string;
	/** True if it was seen as a turn of the conversation. */
	isShown: boolean;
	/** True if it came back into the composer. */
	isBack: boolean;
	/** True if there were no faults when it was sent. */
	isCalm: boolean;
}

interface StoredTurn {
	question: string;
	replies: { state: string; text: string; explanation?: { message: string }; problem?: string }[];
	isBranch: boolean;
}

/** Sends messages, and reads the conversations on the disk as they then are. */
export class ChatActivity implements Activity {
	readonly name: string;
	private readonly site: Site;
	private readonly model: SoakModel;
	private readonly tally: Tally;
	private readonly kinds: readonly ('plain' | 'encrypted' | 'agent')[];
	private readonly messages: Message[] = [];

	/** `kinds` are those of the conversations, one after another. */
	constructor(site: Site, model: SoakModel, tally: Tally, kinds: ChatActivity['kinds']) {
		this.name = `chat (${site.name})`;
		this.site = site;
		this.model = model;
		this.tally = tally;
		this.kinds = kinds;
	}

	async step(): Promise<void> {
		const { site } = this;
		const conversation = Math.floor(this.messages.length / MESSAGES_OF_A_CONVERSATION);
		const kind = this.kinds[conversation % this.kinds.length] ?? 'plain';
		const frame = await site.chat();
		await this.lookForLast(frame);
		await until(
			'the last reply ends',
			async () => {
				await site.allow(frame);
				return (await frame.locator('chat-composer button.send[title="Stop"]').count()) === 0;
			},
			REPLY_LIMIT_MS,
		);
		if (this.messages.length % MESSAGES_OF_A_CONVERSATION === 0) {
			await this.beginConversation(frame, kind);
		}
		const number = `${site.name}-${String(this.messages.length + 1).padStart(5, '0')}`;
		const text = `${kind === 'agent' ? '/agent ' : ''}Message ${number}`;
		const message: Message = { number, text, isShown: false, isBack: false, isCalm: this.model.isCalm };
		await typeMessage(frame, text);
		// From here on it is in the composer, in the conversation, or lost.
		this.messages.push(message);
		this.tally.count(`messages, ${kind} (${site.name})`);
		await sendTyped(frame);
		await until(
			`${number} is a turn`,
			async () => {
				await site.answerKey(10);
				return (await this.isShown(frame, number)) || (await this.isRefused(frame, message));
			},
			20_000,
		);
		if (message.isBack) {
			return;
		}
		message.isShown = true;
		await until(
			`the reply to ${number} ends`,
			async () => {
				await site.allow(frame);
				// A turn of an agent does not look busy while it asks.
				return !(await isStreaming(frame)) && (kind !== 'agent' || this.replyOf(text)?.state !== 'streaming');
			},
			REPLY_LIMIT_MS,
		);
		if (kind === 'agent') {
			// A task would ask what is to be done with it.
			rmSync(site.window.sample.file(AGENT_FILE), { force: true });
		}
	}

	async check(): Promise<Finding[]> {
		const { site, model } = this;
		const findings: Finding[] = [];
		const frame = await openChat(site.page);
		await this.lookForLast(frame);
		await delay(SAVED_AFTER_MS);
		const stored = this.stored();
		for (const { number, text, isShown, isBack, isCalm } of this.messages) {
			const found = stored.filter(turn => isAsked(turn, text));
			const add = (promise: Finding['promise'], what: string) =>
				findings.push({ promise, what: `${text} (${site.name}): ${what}; see ${site.evidence}` });
			if (found.length === 0) {
				if (isShown || model.received.has(number)) {
					add('kept', `${isShown ? 'it was shown' : 'the model has got it'}, but it is in no conversation on the disk`);
				} else if (!isBack) {
					add('kept', 'it is neither in a conversation nor back in the composer');
				}
				continue;
			}
			if (found.filter(({ isBranch }) => !isBranch).length > 1) {
				add('kept', 'it stands twice');
			}
			const reply = found.at(-1)?.replies.at(-1);
			switch (reply?.state) {
				case 'done':
					if (reply.text !== replyTo(number) && reply.explanation === undefined && reply.problem === undefined) {
						add('kept', `its reply counts as whole, and is “${reply.text.slice(0, 200)}”`);
					}
					break;
				case 'failed':
					if (!reply.explanation?.message) {
						add('kept', 'its reply has failed without a reason');
					}
					break;
				case 'streaming':
					// An earlier one counts as cut off when it is opened again.
					if (number === this.messages.at(-1)?.number) {
						add('alive', 'its reply is still said to come');
					}
			}
			if (isCalm && reply?.state !== 'done') {
				add('kept', `nothing disturbed it, and its reply is ${reply?.state}: ${reply?.explanation?.message}`);
			}
		}
		if (await isStreaming(frame)) {
			findings.push({ promise: 'alive', what: `the chat of ${site.name} still shows a reply as coming` });
		}
		return findings;
	}

	async outcomes(): Promise<Record<string, number>> {
		const outcomes: Record<string, number> = {};
		const stored = this.stored();
		for (const { text, isBack } of this.messages) {
			const outcome = this.replyOf(text, stored)?.state ?? (isBack ? 'back in the composer' : 'gone');
			outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
		}
		return outcomes;
	}

	/** Sees where the last message is whose way a fault has cut short: in the conversation, or back in the composer. */
	private async lookForLast(frame: Frame): Promise<void> {
		const last = this.messages.at(-1);
		if (last === undefined || last.isShown || last.isBack) {
			return;
		}
		await valueWithin(BACK_LIMIT_MS, 500, async () => {
			last.isShown = await this.isShown(frame, last.number);
			last.isBack = (await frame.locator('chat-composer textarea').inputValue()).includes(last.number);
			return last.isShown || last.isBack;
		});
	}

	private async isShown(frame: Frame, number: string): Promise<boolean> {
		return (await turns(frame).count()) > 0 && (await lastTurnText(frame)).includes(number);
	}

	/** Sees whether the composer says why it has a message again. */
	private async isRefused(frame: Frame, message: Message): Promise<boolean> {
		const words = (await frame.locator('chat-composer .hint').innerText()).trim();
		const composer = frame.locator('chat-composer textarea:not([readonly])');
		message.isBack =
			words !== '' && (await composer.count()) > 0 && (await composer.inputValue()).includes(message.number);
		if (message.isBack) {
			this.tally.count(`the composer said: ${words}`);
		}
		return message.isBack;
	}

	private async beginConversation(frame: Frame, kind: 'plain' | 'encrypted' | 'agent'): Promise<void> {
		const { page, name } = this.site;
		await frame.locator('chat-composer textarea').fill('');
		if (kind === 'encrypted') {
			const choices = name === 'local' ? ['Shared address', 'Save the Conversation'] : ['Save the Conversation'];
			await runInChat(page, frame, 'Errand: New Encrypted Conversation…', ...choices);
		} else {
			await runCommand(page, 'Errand: New Conversation');
		}
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0, 15_000);
	}

	private replyOf(text: string, stored = this.stored()): StoredTurn['replies'][number] | undefined {
		return stored.findLast(turn => isAsked(turn, text))?.replies.at(-1);
	}

	private stored(): StoredTurn[] {
		return conversationFiles(this.site.window.server).flatMap(file => {
			const [header = '{}', ...lines] = readFileSync(file, 'utf8').split('\n').filter(Boolean);
			const isBranch = JSON.parse(header).branchedFrom !== undefined;
			return lines.map(line => ({ ...(JSON.parse(line) as StoredTurn), isBranch }));
		});
	}
}

/** A conversation keeps the mode of a message apart from its text. */
const isAsked = ({ question }: StoredTurn, text: string) => question === text || `/agent ${question}` === text;
