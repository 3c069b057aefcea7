// What a screen reader is made to say.
import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { waitingStep } from '../model/agentWork.ts';
import type { ChipView, ContextView, ToPage, TurnView } from '../protocol/protocol.ts';
import { isBusy, spokenQuestion, waitingText } from './agent/stepWords.ts';
import type { Post } from './page.ts';
import type { PageState } from './pageState.ts';

/** The least time between two announcements of a growing reply. */
const ANNOUNCE_INTERVAL_MS = 2_000;

/** The longest part of a line that is spoken, in UTF-16 code units. The live region must lay out all of it. */
const MAXIMUM_SPOKEN_LENGTH = 10_000;

/** The position up to which a reply has been spoken. */
export interface SpokenPosition {
	readonly offset: number;
	/** The fence of the code block at the position; empty outside a code block. */
	readonly fence: string;
}

const START: SpokenPosition = { offset: 0, fence: '' };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const SENTENCE_END = /[.!?…。！？](?=\s)/g;

/**
 * Returns the part of `text` after `from` that can be spoken: whole sentences and lines without markup. A code block is
 * only named. With `ended`, the whole rest is returned.
 */
export function nextWords(
	text: string,
	from: SpokenPosition,
	ended: boolean,
): { words: string; position: SpokenPosition } {
	const words: string[] = [];
	let { offset, fence } = from;
	for (;;) {
		const lineEnd = text.indexOf('\n', offset);
		const whole = lineEnd >= 0 || ended;
		const line = text.slice(offset, lineEnd < 0 ? undefined : lineEnd);
		if (!whole) {
			// A line that may be a fence or is inside one is not spoken in parts.
			const end = fence !== '' || /^\s*[`~]/.test(line) ? undefined : lastSentenceEnd(line);
			if (end !== undefined) {
				words.push(plainText(line.slice(0, end)));
				offset += end;
			}
			break;
		}
		const [, marker = '', info = ''] = FENCE.exec(line) ?? [];
		if (fence !== '') {
			// A shorter fence, or one with a language, is part of the code.
			fence = marker.startsWith(fence) && info === '' ? '' : fence;
		} else if (marker !== '') {
			words.push(info === '' ? l10n.t('Code') : l10n.t('Code, {0}', info));
			fence = marker;
		} else {
			words.push(plainText(line));
		}
		offset = lineEnd < 0 ? text.length : lineEnd + 1;
		if (lineEnd < 0) {
			break;
		}
	}
	return { words: words.filter(part => part !== '').join(' '), position: { offset, fence } };
}

function lastSentenceEnd(line: string): number | undefined {
	const last = [...line.matchAll(SENTENCE_END)].at(-1);
	return last && last.index + last[0].length;
}

/** Each expression reads a character a fixed number of times, because a hostile line may have a million characters. */
function plainText(line: string): string {
	return line
		.slice(0, MAXIMUM_SPOKEN_LENGTH)
		.trim()
		.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
		.replace(/^(?:[\s:|-]+$|(?:#{1,6}|>|[-*+])(?=\s))/, '')
		.replace(/[*_`|]+/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Announces a streaming reply sentence by sentence, its questions, and how it ended. */
export class Announcer {
	private readonly speak: (words: string, isUrgent?: boolean) => void;
	/** The id of the last announced question. */
	private asked: string | undefined;
	private turn: TurnView | undefined;
	private position = START;
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** Urgent words interrupt the current announcement. */
	constructor(speak: (words: string, isUrgent?: boolean) => void) {
		this.speak = speak;
	}

	/**
	 * Must be called with the last turn after each message of the host. A reply that has already ended when it is first
	 * seen is spoken only if it is `live`, that is, if it began and ended between two messages.
	 */
	update(turn: TurnView | undefined, live: boolean): void {
		const before = this.turn;
		if (turn === before) {
			return;
		}
		this.ask(turn?.reply);
		const streaming = turn?.reply.state === 'streaming';
		if (!turn || turn.id !== before?.id || before.reply.state !== 'streaming') {
			this.begin(turn);
			if (turn && live && streaming) {
				this.speak(l10n.t('Waiting for the reply.'));
			} else if (turn && live) {
				this.end(turn);
			}
			return;
		}
		this.turn = turn;
		if (turn.reply.waiting && !before.reply.waiting && !isBusy(turn.reply.work)) {
			this.speak(waitingText(turn.reply));
		}
		if (!streaming) {
			this.end(turn);
		} else {
			this.timer ??= setTimeout(() => this.speakSoFar(), ANNOUNCE_INTERVAL_MS);
		}
	}

	private ask({ work }: Partial<TurnView['reply']> = {}): void {
		const step = waitingStep(work);
		// An agent may ask about the same step again.
		const asked = step?.approval?.question ?? step?.id;
		if (work && step && asked !== this.asked) {
			this.speak(spokenQuestion(step, work), true);
		}
		this.asked = asked;
	}

	private begin(turn: TurnView | undefined): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.turn = turn;
		// A reply that is already streaming when it is first seen is spoken from there on.
		const text = turn?.reply.state === 'streaming' && !turn.reply.earlier ? turn.reply.text : '';
		this.position = nextWords(text, START, false).position;
	}

	private speakSoFar(): void {
		this.timer = undefined;
		if (this.turn && !this.turn.reply.earlier) {
			this.speakFrom(this.turn, false);
		}
	}

	private end(turn: TurnView): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		if (!turn.reply.earlier) {
			this.speakFrom(turn, true);
		}
		const { state, explanation } = turn.reply;
		this.speak(explanation?.message ?? (state === 'stopped' ? l10n.t('Reply stopped.') : l10n.t('Reply complete.')));
	}

	private speakFrom(turn: TurnView, ended: boolean): void {
		const { words, position } = nextWords(turn.reply.text, this.position, ended);
		this.position = position;
		if (words !== '') {
			this.speak(words);
		}
	}
}

/** Returns the announcements for a screen reader after a message of the host that is not about a reply. */
export function newsOf(kind: ToPage['kind'], before: PageState, after: PageState): string[] {
	const { encryption } = after;
	switch (kind) {
		case 'context-set':
			return contextNews(before.context, after.context);
		case 'encryption-set':
			return encryption && encryption.label !== before.encryption?.label ? [encryption.label] : [];
		default:
			return [];
	}
}

function contextNews(before: ContextView, after: ContextView): string[] {
	const missing = (from: readonly ChipView[], others: readonly ChipView[]) =>
		from.filter(({ id }) => others.every(other => other.id !== id));
	return [
		...missing(after.chips, before.chips).map(({ label }) => l10n.t('{0} was added to the context.', label)),
		...missing(before.chips, after.chips).map(({ label }) => l10n.t('{0} was removed from the context.', label)),
	];
}

/** The time that a screen reader has for an announcement. What stays longer is read again by who reads the page. */
const ANNOUNCED_MS = 10_000;

/** The live regions. An announcement in the second one interrupts. */
export function announcementRegions(): TemplateResult {
	return html`<div class="announcements screen-reader" aria-live="polite"></div>
		<div class="urgent screen-reader" aria-live="assertive"></div>`;
}

/** Makes a screen reader say the words. */
export function announce(root: ParentNode, words: string, isUrgent = false): void {
	const line = document.createElement('div');
	line.textContent = words;
	root.querySelector(isUrgent ? '.urgent' : '.announcements')?.append(line);
	setTimeout(() => line.remove(), ANNOUNCED_MS);
}

/** Dispatched by an element whose text was copied. */
export const COPIED = 'text-copied';

/** Has a text copied, and the page say so. */
export function copyText(post: Post, text: string, from: EventTarget | null): void {
	post({ kind: 'text-copy', text });
	from?.dispatchEvent(new Event(COPIED, { bubbles: true, composed: true }));
}
