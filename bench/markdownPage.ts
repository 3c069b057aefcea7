// Runs in the page of markdown.bench.ts: shows a growing text with our renderer and with others.
import createMarkdownIt from 'markdown-it';
import type { ToPage } from '../src/chat/protocol/protocol.ts';
import { ChatMarkdown } from '../src/chat/ui/components/chatMarkdown.ts';
import { HostRequests } from '../src/chat/ui/hostRequests.ts';
import { CodeHighlighter } from '../src/chat/ui/markdown/codeHighlighter.ts';
import { ReplyHighlighter } from '../src/chat/ui/markdown/replyHighlighter.ts';
import { createMarkdown } from '../src/chat/ui/markdown.ts';
import { sanitise } from '../src/chat/ui/sanitise.ts';
import type { FeedRun } from './markdownFeed.ts';

export type ContenderName = 'floor' | 'ours' | 'markdown-it' | 'marked' | 'streaming-markdown';

export interface Run {
	contender: ContenderName;
	/** The text that is shown before the measurement begins. */
	before: string;
	/** The pieces that are added, one for each `interval` in milliseconds. */
	pieces: string[];
	interval: number;
}

export interface Seen {
	/** The longest task in milliseconds. */
	longestTask: number;
	frames: number;
	/**
	 * The largest number of nodes that one frame added, removed or changed. Only frames in time count, because late ones
	 * have more to show.
	 */
	mostNodes: number;
}

export interface ColourRun {
	contender: 'textContent' | 'ours' | 'highlight.js';
	blocks: string[];
}

interface Marked {
	lexer(text: string): { raw: string }[];
	parser(tokens: unknown[]): string;
}

interface StreamingMarkdown {
	default_renderer(root: HTMLElement): unknown;
	parser(renderer: unknown): unknown;
	parser_write(parser: unknown, text: string): void;
}

interface HighlightJs {
	highlight(code: string, options: { language: string }): { value: string };
}

declare const peers: { marked: Marked; streamingMarkdown: StreamingMarkdown; highlightJs: HighlightJs };

declare global {
	interface Window {
		prepare(run: Run): Promise<void>;
		measure(run: Run): Promise<Seen>;
		/** Resolves with the longest task, in milliseconds. */
		colour(run: ColourRun): Promise<number>;
		/** Resolves with the time that each message took to arrive, in milliseconds. */
		receive(worker: string, run: FeedRun): Promise<number[]>;
	}
}

type Append = (text: string) => void;

const contenders: Record<ContenderName, (root: HTMLElement) => Append> = {
	floor(root) {
		root.style.whiteSpace = 'pre-wrap';
		const node = root.appendChild(document.createTextNode(''));
		return text => node.appendData(text);
	},
	ours(root) {
		const element = new ChatMarkdown();
		const post = () => {};
		element.page = { language: 'en', post, requests: new HostRequests(post), highlighter: new CodeHighlighter() };
		element.growing = true;
		element.text = '';
		root.append(element);
		return text => {
			element.text += text;
		};
	},
	'markdown-it'(root) {
		const markdown = createMarkdownIt({ linkify: true });
		let whole = '';
		return text => {
			whole += text;
			root.innerHTML = markdown.render(whole);
		};
	},
	marked(root) {
		const shown: { raw: string; box: HTMLElement }[] = [];
		let whole = '';
		return text => {
			whole += text;
			peers.marked.lexer(whole).forEach((token, index) => {
				const last = shown[index];
				if (last?.raw === token.raw) {
					return;
				}
				const box = last?.box ?? root.appendChild(document.createElement('div'));
				box.innerHTML = peers.marked.parser([token]);
				shown[index] = { raw: token.raw, box };
			});
		};
	},
	'streaming-markdown'(root) {
		const parser = peers.streamingMarkdown.parser(peers.streamingMarkdown.default_renderer(root));
		return text => peers.streamingMarkdown.parser_write(parser, text);
	},
};

const FRAME_MS = 1000 / 60;

let append: Append = () => {};
let scroller: HTMLElement;

function nextFrame(): Promise<number> {
	return new Promise(resolve => requestAnimationFrame(resolve));
}

function watchTasks(): () => number {
	let longest = 0;
	new PerformanceObserver(list => {
		longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
	}).observe({ type: 'longtask' });
	return () => longest;
}

window.prepare = async ({ contender, before }) => {
	scroller = document.body.appendChild(document.createElement('div'));
	scroller.className = 'scroller';
	const root = scroller.appendChild(document.createElement('div'));
	append = contenders[contender](root);
	append(before);
	// Our renderer shows long texts in several tasks, and colours code when the page is idle.
	for (let height = -1, quiet = 0; quiet < 30; ) {
		await nextFrame();
		quiet = root.offsetHeight === height ? quiet + 1 : 0;
		height = root.offsetHeight;
	}
	scroller.scrollTop = scroller.scrollHeight;
	await nextFrame();
};

window.measure = async ({ contender, pieces, interval }) => {
	const longestTask = watchTasks();
	let nodes = 0;
	let mostNodes = 0;
	const observer = new MutationObserver(records => {
		for (const { addedNodes, removedNodes, type } of records) {
			// A finished block is coloured when the page is idle, so colours do not count for a frame that streams.
			const colours = [...addedNodes].some(node => node instanceof Element && /^hljs-/.test(node.className));
			nodes += type === 'characterData' ? 1 : colours ? 0 : addedNodes.length + removedNodes.length;
		}
	});
	const root = scroller.firstElementChild as HTMLElement;
	const target = contender === 'ours' ? root.firstElementChild?.shadowRoot : root;
	observer.observe(target as Node, { subtree: true, childList: true, characterData: true });
	let frames = 0;
	let shown = 0;
	let isInTime = true;
	const inTime = interval === 0 ? 1 : Math.ceil(FRAME_MS / interval);
	const count = () => {
		mostNodes = isInTime ? Math.max(mostNodes, nodes) : mostNodes;
		nodes = 0;
	};
	const begin = performance.now();
	while (shown < pieces.length) {
		await nextFrame();
		frames++;
		count();
		const due =
			interval === 0 ? shown + 1 : Math.min(pieces.length, Math.floor((performance.now() - begin) / interval));
		isInTime = due - shown <= inTime;
		if (due > shown) {
			append(pieces.slice(shown, due).join(''));
			shown = due;
		}
		await Promise.resolve();
		scroller.scrollTop = scroller.scrollHeight;
	}
	await nextFrame();
	count();
	return { longestTask: longestTask(), frames, mostNodes };
};

window.colour = async ({ contender, blocks }) => {
	const longestTask = watchTasks();
	const highlighter = new ReplyHighlighter(new CodeHighlighter());
	const markdown = createMarkdown();
	for (const block of blocks) {
		if (contender === 'ours') {
			document.body.append(sanitise(markdown.render(`~~~typescript\n${block}\n~~~\n`)));
		} else {
			const code = document.body.appendChild(document.createElement('pre')).appendChild(document.createElement('code'));
			if (contender === 'highlight.js') {
				code.innerHTML = peers.highlightJs.highlight(block, { language: 'typescript' }).value;
			} else {
				code.textContent = block;
			}
		}
		document.body.getBoundingClientRect();
		if (contender === 'ours') {
			highlighter.add([...document.querySelectorAll('code')].at(-1) as HTMLElement);
		}
		await new Promise(resolve => setTimeout(resolve));
	}
	while (
		contender === 'ours' &&
		[...document.querySelectorAll('code')].some(code => !code.querySelector('.lines span'))
	) {
		await new Promise(resolve => setTimeout(resolve, 50));
	}
	document.body.getBoundingClientRect();
	return longestTask();
};

window.receive = async (worker, run) => {
	await window.prepare({ contender: 'ours', before: run.before, pieces: [], interval: 0 });
	const element = document.querySelector('chat-markdown') as ChatMarkdown;
	const delays: number[] = [];
	const feed = new Worker(URL.createObjectURL(new Blob([worker], { type: 'text/javascript' })));
	await new Promise<void>(resolve => {
		type Data = { sentAt: number; message?: ToPage; text?: string; whole?: string; ended?: true };
		feed.onmessage = ({ data }: MessageEvent<Data>) => {
			delays.push(performance.timeOrigin + performance.now() - data.sentAt);
			if (data.ended) {
				resolve();
			} else if (data.message?.kind === 'turns-change') {
				element.text += data.message.changes.map(change => (change.kind === 'text-append' ? change.text : '')).join('');
			} else if (data.text !== undefined) {
				element.text += data.text;
			} else if (data.whole !== undefined) {
				element.text = data.whole;
			}
			scroller.scrollTop = scroller.scrollHeight;
		};
		feed.postMessage(run);
	});
	return delays;
};
