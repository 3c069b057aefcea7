import type { ChatTurn } from './components/chatTurn.ts';
import type { ReadingPosition } from './page.ts';

/** Events with which the reader may move elsewhere. */
const MOVES = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/** A reply counts as completely laid out when its height has not changed for this many frames. */
const QUIET_FRAMES = 20;

/** The parts of the page that the reader's position depends on. */
export interface ReadingOwner {
	/** The element that scrolls. */
	readonly log: HTMLElement;
	/** The elements of the turns, in order. */
	readonly turnElements: Iterable<ChatTurn>;
	/** Stops following the end. */
	leaveEnd(): void;
}

/** The reader's position in the conversation, which other turns, a reload or another version must not move. */
export class Reading {
	private readonly owner: ReadingOwner;
	/** The position to return to, until its turn has been loaded. */
	wanted: ReadingPosition | undefined;
	/** The position when earlier turns were inserted. */
	private held: ReadingPosition | undefined;

	constructor(owner: ReadingOwner) {
		this.owner = owner;
	}

	/** The first turn in view, and how far it is scrolled out of view. */
	get position(): ReadingPosition | undefined {
		const { top } = this.owner.log.getBoundingClientRect();
		for (const element of this.owner.turnElements) {
			const box = element.getBoundingClientRect();
			if (box.bottom > top) {
				return { turn: element.turn.id, offset: Math.round(top - box.top) };
			}
		}
		return undefined;
	}

	find(id: string): ChatTurn | undefined {
		return [...this.owner.turnElements].find(({ turn }) => turn.id === id);
	}

	/** Must be called before earlier turns are inserted. */
	hold(): void {
		this.held = this.position;
	}

	/** Must be called when the turns have been drawn. What the reader saw before stays in its place. */
	async release(): Promise<void> {
		const { held } = this;
		this.held = undefined;
		const turn = held && this.find(held.turn);
		if (turn) {
			await this.scrollTo(turn, held.offset);
		}
	}

	/**
	 * Returns to the wanted position, and resolves to its turn. Resolves to undefined if there is none, or if it is not
	 * among the turns: the position then stays wanted while there are `earlier` ones.
	 */
	async resume(earlier: number): Promise<ChatTurn | undefined> {
		const { wanted } = this;
		const turn = wanted && this.find(wanted.turn);
		if (turn || earlier === 0) {
			this.wanted = undefined;
		}
		if (turn) {
			this.owner.leaveEnd();
			await this.scrollTo(turn, wanted.offset);
		}
		return turn;
	}

	private async scrollTo(turn: ChatTurn, offset: number): Promise<void> {
		await turn.updateComplete;
		scrollToPosition(this.owner.log, turn, offset);
	}
}

/**
 * Scrolls to a position and keeps it while the content above gets its size, because a turn has its true size only once
 * it comes into view, and a long reply is laid out in steps. Stops when the reader moves.
 */
function scrollToPosition(scroller: HTMLElement, turn: HTMLElement, offset: number): void {
	const moved = new AbortController();
	for (const move of MOVES) {
		scroller.addEventListener(move, () => moved.abort(), { signal: moved.signal, passive: true });
	}
	let height = -1;
	let quiet = 0;
	const scroll = () => {
		if (moved.signal.aborted) {
			return;
		}
		const difference = turn.getBoundingClientRect().top - scroller.getBoundingClientRect().top + offset;
		if (Math.abs(difference) >= 1) {
			scroller.scrollTop += difference;
		}
		quiet = turn.offsetHeight === height ? quiet + 1 : 0;
		height = turn.offsetHeight;
		if (quiet < QUIET_FRAMES) {
			requestAnimationFrame(scroll);
		} else {
			moved.abort();
		}
	};
	scroll();
}
