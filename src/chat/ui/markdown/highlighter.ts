/** So much is highlighted in one task, in UTF-16 code units: about 20 ms the first time. */
const SLICE_LENGTH = 12_000;

/** Longer code stays plain. */
const MAXIMUM_LENGTH = 120_000;

/** When the page is never idle. Milliseconds. */
const IDLE_TIMEOUT_MS = 1_000;

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

/** Colours finished code while the page is idle, block by block. */
export class Highlighter {
	private readonly waiting: HTMLElement[] = [];
	private running = false;
	private disposed = false;

	/** `code` has text only. Colouring it keeps the text. */
	add(code: HTMLElement): void {
		this.waiting.push(code);
		if (!this.running) {
			this.running = true;
			void this.run();
		}
	}

	dispose(): void {
		this.disposed = true;
	}

	private async run(): Promise<void> {
		await idle();
		const { findLanguage, highlight } = await import('./highlight.ts');
		for (let code = this.waiting.shift(); code && !this.disposed; code = this.waiting.shift()) {
			const language = findLanguage(languageOf(code));
			const text = code.textContent ?? '';
			if (code.isConnected && text.length <= MAXIMUM_LENGTH && language !== undefined) {
				await idle();
				// The first use of a language compiles it.
				highlight('', language);
				const fragment = document.createDocumentFragment();
				for (const slice of slices(text)) {
					await idle();
					fragment.append(...nodesOf(highlight(slice, language)));
				}
				await idle();
				if (code.isConnected && code.textContent === text && !holdsSelection(code)) {
					code.replaceChildren(fragment);
				}
			}
		}
		this.running = false;
	}
}

export function languageOf(code: Element): string {
	return /(?:^|\s)language-(\S+)/.exec(code.className)?.[1] ?? '';
}

/** What markdown.ts put into the class: the file that the fence names, or nothing. */
export function fileOf(code: Element): string {
	return decodeURIComponent(/(?:^|\s)file-(\S+)/.exec(code.className)?.[1] ?? '');
}

/** Cut where something new most likely begins: after an empty line, before one that is not indented. */
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

/** The nodes of highlight.js's HTML. Nothing but spans and texts can come of it, whatever it is. */
function nodesOf(html: string): Node[] {
	const root = document.createElement('span');
	let parent: Element = root;
	for (const [, name, close, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
		if (name !== undefined) {
			const span = document.createElement('span');
			span.className = name;
			parent.append(span);
			parent = span;
		} else if (close !== undefined) {
			parent = parent.parentElement ?? root;
		} else {
			parent.append((text ?? '').replace(/&(?:amp|lt|gt|quot|#x27);/g, entity => ENTITIES[entity] ?? entity));
		}
	}
	return [...root.childNodes];
}

/** Colours are not worth a selection that is lost. */
function holdsSelection(code: Element): boolean {
	const root = code.getRootNode() as ShadowRoot & { getSelection?(): Selection | null };
	const selection = root.getSelection?.() ?? document.getSelection();
	return selection?.type === 'Range' && selection.containsNode(code, true);
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
