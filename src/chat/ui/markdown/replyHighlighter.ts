import type { CodeHighlighter } from './codeHighlighter.ts';
import type { CodeSpans } from './highlight.ts';
import { languageNamed } from './languageNames.ts';

/**
 * The length of a slice, in UTF-16 code units. Slices are highlighted separately, because slow grammars are quadratic.
 */
const SLICE_LENGTH = 12_000;

/** Longer code stays plain, in UTF-16 code units. */
const MAXIMUM_LENGTH = 120_000;

/** The number of spans that are inserted per frame, because each is laid out then, and its line again. */
const SPANS_AT_A_TIME = 200;

/** The deadline for highlighting in a page that is never idle, in milliseconds. */
const IDLE_TIMEOUT_MS = 1_000;

/** Highlights the finished code of a reply while the page is idle, block by block. */
export class ReplyHighlighter {
	private readonly highlighter: CodeHighlighter;
	private readonly waiting: HTMLElement[] = [];
	private running = false;
	/** Set when the reply is gone or has code that is too slow to highlight; the rest of it then stays plain too. */
	private ended = false;

	constructor(highlighter: CodeHighlighter) {
		this.highlighter = highlighter;
	}

	/** `code` must contain text only. Highlighting keeps the text. */
	add(code: HTMLElement): void {
		this.waiting.push(code);
		if (!this.running) {
			this.running = true;
			void this.run();
		}
	}

	dispose(): void {
		this.ended = true;
	}

	private async run(): Promise<void> {
		for (let code = this.waiting.shift(); code; code = this.waiting.shift()) {
			await idle();
			await this.highlight(code);
		}
		this.running = false;
	}

	private async highlight(code: HTMLElement): Promise<void> {
		const text = code.textContent ?? '';
		const language = languageNamed(languageOf(code));
		const isWanted = () => !this.ended && code.isConnected && code.textContent === text;
		if (language === undefined || text.length > MAXIMUM_LENGTH || !isWanted()) {
			return;
		}
		const found = await this.highlighter.highlight({ language, slices: slices(text) }, isWanted);
		if (typeof found !== 'string') {
			await show(code, found, isWanted);
		}
		this.ended ||= found === 'late';
	}
}

export function languageOf(code: Element): string {
	return /(?:^|\s)language-(\S+)/.exec(code.className)?.[1] ?? '';
}

/** Returns the file that the fence names, which markdown.ts puts into the class, or an empty string. */
export function fileOf(code: Element): string {
	return decodeURIComponent(/(?:^|\s)file-(\S+)/.exec(code.className)?.[1] ?? '');
}

/** Cuts the text at likely beginnings: after an empty line and before a line that is not indented. */
function slices(text: string): string[] {
	const found: string[] = [];
	let begin = 0;
	while (text.length - begin > SLICE_LENGTH) {
		const part = text.slice(begin, begin + SLICE_LENGTH);
		const [last] = [...part.matchAll(/\n\n(?=\S)/g)].slice(-1);
		const end = last ? last.index + 2 : part.lastIndexOf('\n') + 1;
		found.push(part.slice(0, end || SLICE_LENGTH));
		begin += end || SLICE_LENGTH;
	}
	found.push(text.slice(begin));
	return found;
}

/** Replaces the text of a block by its highlighted code, a few spans per frame. */
async function show(code: HTMLElement, slices: readonly CodeSpans[], isWanted: () => boolean): Promise<void> {
	const text = new PlainCode(code);
	for (const [index, { length, nodes }] of slices.flatMap(slice => [...stepsOf(slice)]).entries()) {
		if (index > 0) {
			await nextFrame();
		}
		await idle();
		if (!isWanted()) {
			return;
		}
		text.replace(length, nodes);
	}
}

/** The rest of a code block that is still plain. The block consists of parts with whole lines. */
class PlainCode {
	/** The last text node of the current part, or undefined at the end of the code. */
	private rest: Text | undefined;

	constructor(code: HTMLElement) {
		// The code may have arrived in several text nodes.
		code.normalize();
		this.rest = textOf(code.firstElementChild);
	}

	/**
	 * Replaces the next `length` characters by nodes, unless some of them are selected, because that would clear the
	 * selection.
	 */
	replace(length: number, nodes: () => Node[]): void {
		const taken = this.take(length);
		const [first, ...others] = taken;
		const last = taken.at(-1);
		const part = first?.parentElement;
		const isLineCut = last?.parentElement !== part && !last?.data.endsWith('\n');
		// A line that begins within the nodes may end after them.
		const lineEnd = isLineCut && this.rest?.parentElement === last?.parentElement ? this.rest : undefined;
		if (!first || !part || [...taken, lineEnd].some(isSelected)) {
			return;
		}
		first.replaceWith(...nodes());
		if (lineEnd) {
			const end = lineEnd.data.indexOf('\n') + 1;
			if (end > 0 && end < lineEnd.length) {
				lineEnd.splitText(end);
			}
			part.append(lineEnd);
		}
		for (const text of others) {
			const { parentElement } = text;
			text.remove();
			if (!parentElement?.hasChildNodes()) {
				parentElement?.remove();
			}
		}
	}

	private take(length: number): Text[] {
		const taken: Text[] = [];
		for (let left = length; left > 0 && this.rest; ) {
			const text = this.rest;
			this.rest = left < text.length ? text.splitText(left) : textOf(text.parentElement?.nextElementSibling);
			taken.push(text);
			left -= text.length;
		}
		return taken;
	}
}

function textOf(part: Element | null | undefined): Text | undefined {
	return (part?.firstChild as Text | null | undefined) ?? undefined;
}

/** A step of highlighting: nodes that replace this much text and are created when they are needed. */
interface Step {
	length: number;
	nodes(): Node[];
}

function* stepsOf({ classes, parts }: CodeSpans): Generator<Step> {
	let [begin, length, spans, depth] = [0, 0, 0, 0];
	for (const [index, part] of parts.entries()) {
		length += typeof part === 'string' ? part.length : 0;
		spans += typeof part === 'number' && part >= 0 ? 1 : 0;
		depth += typeof part === 'string' ? 0 : part < 0 ? -1 : 1;
		if ((depth === 0 && spans >= SPANS_AT_A_TIME) || index === parts.length - 1) {
			const own = parts.slice(begin, index + 1);
			yield { length, nodes: () => nodesOf(own, classes) };
			[begin, length, spans] = [index + 1, 0, 0];
		}
	}
}

function nodesOf(parts: CodeSpans['parts'], classes: readonly string[]): Node[] {
	const root = document.createElement('span');
	let parent: Element = root;
	for (const part of parts) {
		if (typeof part === 'string') {
			parent.append(part);
		} else if (part < 0) {
			parent = parent.parentElement ?? root;
		} else {
			const span = document.createElement('span');
			span.className = classes[part] ?? '';
			parent.append(span);
			parent = span;
		}
	}
	return [...root.childNodes];
}

function isSelected(text: Text | undefined): boolean {
	if (!text) {
		return false;
	}
	const root = text.getRootNode() as ShadowRoot & { getSelection?(): Selection | null };
	const selection = root.getSelection?.() ?? document.getSelection();
	return selection?.type === 'Range' && selection.containsNode(text, true);
}

function nextFrame(): Promise<unknown> {
	return new Promise(resolve => requestAnimationFrame(resolve));
}

function idle(): Promise<void> {
	return new Promise(resolve => {
		if ('requestIdleCallback' in globalThis) {
			requestIdleCallback(() => resolve(), { timeout: IDLE_TIMEOUT_MS });
		} else {
			setTimeout(resolve, 16);
		}
	});
}
