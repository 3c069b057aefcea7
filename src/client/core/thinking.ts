/** The marks around the thinking with which some models begin a content. */
const OPENING = /^<(think|thinking|thought)>/i;
const OPENINGS = ['<think>', '<thinking>', '<thought>'];

/** The limit for the characters that are held back, including blanks before a mark. */
const MAXIMUM_HELD = 100;

export interface SplitContent {
	reasoning: string;
	text: string;
}

/**
 * Separates the thinking at the start of a content, in `<think>…</think>`, from what the model says after it. Marks may
 * be split anywhere. Thinking without an end mark extends to the end of the reply.
 */
export class ThinkingSplitter {
	/** True once only the model's answer can follow, so that the content need not be split. */
	isOver = false;
	/** The mark that ends the thinking; undefined outside of it. */
	private closing: string | undefined;
	private hasThought = false;
	/** True if only blanks have come since the mark. */
	private isAtStart = false;
	/** The beginning of a possible mark, or the blanks before it. */
	private held = '';

	/** Returns the parts that are certain by now and have not been returned yet. */
	split(content: string): SplitContent {
		const parts = { reasoning: '', text: '' };
		let rest = this.held + content;
		this.held = '';
		while (rest !== '' && !this.isOver) {
			rest = this.closing === undefined ? this.outside(rest, parts) : this.inside(rest, this.closing, parts);
		}
		parts.text += rest;
		return parts;
	}

	/** Returns the text that was held back, at the end of the reply. */
	end(): SplitContent {
		const { held, closing } = this;
		this.held = '';
		return closing === undefined ? { reasoning: '', text: held } : { reasoning: held, text: '' };
	}

	/** Returns the rest that is still to be split. */
	private outside(content: string, parts: SplitContent): string {
		const said = content.trimStart();
		const mark = OPENING.exec(said);
		if (mark) {
			this.closing = `</${mark[1]?.toLowerCase()}>`;
			this.hasThought = true;
			this.isAtStart = true;
			return said.slice(mark[0].length);
		}
		if (said === '' && this.hasThought) {
			return '';
		}
		if (content.length <= MAXIMUM_HELD && OPENINGS.some(opening => opening.startsWith(said.toLowerCase()))) {
			this.held = content;
			return '';
		}
		this.isOver = true;
		parts.text += this.hasThought ? said : content;
		return '';
	}

	private inside(received: string, closing: string, parts: SplitContent): string {
		const content = this.isAtStart ? received.trimStart() : received;
		this.isAtStart &&= content === '';
		const lower = content.toLowerCase();
		const end = lower.indexOf(closing);
		if (end !== -1) {
			parts.reasoning += content.slice(0, end);
			this.closing = undefined;
			return content.slice(end + closing.length);
		}
		const last = lower.lastIndexOf('<');
		const isCut = last !== -1 && closing.startsWith(lower.slice(last));
		parts.reasoning += isCut ? content.slice(0, last) : content;
		this.held = isCut ? content.slice(last) : '';
		return '';
	}
}
