import * as l10n from '@vscode/l10n';
import { css, html, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageProblem } from '../../model/images.ts';
import type { ReplyImageView } from '../../protocol/protocol.ts';
import { copyText } from '../announcer.ts';
import { codicon, iconButton } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import type { Post } from '../page.ts';
import { PageElement, reactive } from '../pageElement.ts';

/** The distance from the visible area within which an image is requested. */
const NEAR = '600px';

/** A taller image is scaled down, so that all of it is visible at once. In pixels. */
const MAXIMUM_HEIGHT = 512;

/** Why an image is not shown, as a sentence, and what may bring it. */
interface Problem {
	words: string;
	loadAgain: (() => void) | false;
}

/** The image of a reply. Its space is reserved before it has loaded. */
class ChatImage extends PageElement {
	static override styles = [
		sharedStyles,
		css`
			:host {
				display: block;
				line-height: 1.5;
			}

			.frame {
				display: block;
				max-width: 100%;
				border-radius: 4px;
				background: var(--vscode-textCodeBlock-background, var(--vscode-editorWidget-background));
				overflow: hidden;
			}

			.making {
				display: flex;
				align-items: center;
				justify-content: center;
				width: min(100%, 256px);
				aspect-ratio: 1;
				padding: 8px;
				border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
				color: var(--vscode-descriptionForeground);
				text-align: center;
			}

			img {
				display: block;
				width: 100%;
				height: auto;
			}

			.problem {
				display: flex;
				gap: 8px;
				overflow-wrap: anywhere;
			}

			.problem .codicon {
				flex: none;
				margin-top: 2px;
				color: var(--vscode-editorWarning-foreground, var(--vscode-foreground));
			}

			.problem p {
				margin: 0;
				min-width: 0;
			}

			.button {
				margin-top: 8px;
			}
		`,
	];
	static override properties = reactive('image', 'turn', 'prompt', 'address', 'problem');

	/** Undefined while the image is being generated. */
	declare image: ReplyImageView | undefined;
	declare turn: string;
	/** The prompt, which is the image's alternative text. */
	declare prompt: string;
	/** A `data:` URL from the host. */
	declare address: string | undefined;
	/** Set if the reply has an image, but it cannot be shown. */
	declare problem: Problem | undefined;

	private observer: IntersectionObserver | undefined;

	private async request(file: string): Promise<void> {
		this.problem = undefined;
		let address: string | undefined;
		let problem: Problem = { words: l10n.t('The image’s file was deleted.'), loadAgain: this.reload };
		try {
			address = await this.page.requests.ask('reply-image-request', { turn: this.turn, file });
		} catch (error) {
			problem = { words: (error as Error).message, loadAgain: () => void this.request(file) };
		}
		if (this.file === file) {
			this.address = address;
			this.problem = address === undefined ? problem : undefined;
		}
	}

	override willUpdate(changed: PropertyValues<this>): void {
		const before = changed.get('image');
		if (changed.has('image') && (before && 'file' in before ? before.file : undefined) !== this.file) {
			this.address = undefined;
			this.problem = undefined;
			this.observer?.disconnect();
			if (this.file !== undefined) {
				this.requestWhenNear(this.file);
			}
		}
	}

	override updated(): void {
		const { image } = this;
		if (image && 'file' in image) {
			// Set as properties, because the page's content security policy forbids style attributes.
			const { width, height } = image;
			const element = this.renderRoot.querySelector('img');
			const shownWidth = Math.round(Math.min(width, (MAXIMUM_HEIGHT * width) / height));
			element?.style.setProperty('max-width', `min(100%, ${Math.max(1, shownWidth)}px)`);
			element?.style.setProperty('aspect-ratio', `${width} / ${height}`);
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		this.observer?.disconnect();
	}

	override render(): TemplateResult {
		const { image, address, problem } = this;
		if (!image) {
			return html`<div class="frame making"><span>${l10n.t('The image is being generated.')}</span></div>`;
		}
		if ('problem' in image) {
			return renderProblem({ words: problemText(image.problem), loadAgain: image.canReload && this.reload });
		}
		if (problem) {
			return renderProblem(problem);
		}
		const { width, height } = image;
		// Without an address, the image has not loaded yet but already has its size.
		return html`<img
			class="frame"
			width=${width}
			height=${height}
			src=${address ?? EMPTY}
			alt=${this.prompt}
			@error=${() => {
				this.problem = { words: problemText('type'), loadAgain: false };
			}}
		/>`;
	}

	private readonly reload = (): void => this.page.post({ kind: 'reply-image-reload', turn: this.turn });

	private get file(): string | undefined {
		return this.image && 'file' in this.image ? this.image.file : undefined;
	}

	/** Requests the image only when it comes near the visible area, because a long conversation may have many. */
	private requestWhenNear(file: string): void {
		this.observer = new IntersectionObserver(
			entries => {
				if (entries.some(({ isIntersecting }) => isIntersecting)) {
					this.observer?.disconnect();
					void this.request(file);
				}
			},
			{ rootMargin: NEAR },
		);
		this.observer.observe(this);
	}
}

/** A GIF of one transparent pixel. */
const EMPTY = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

function renderProblem({ words, loadAgain }: Problem): TemplateResult {
	return html`<div class="problem">${codicon('warning')}<p>${words}</p></div>
		${loadAgain ? html`<button type="button" class="button secondary" @click=${loadAgain}>${l10n.t('Load Again')}</button>` : ''}`;
}

function problemText(problem: ImageProblem | 'not-loaded'): string {
	const texts: Record<typeof problem, string> = {
		address: l10n.t('The image wasn’t loaded: its address can’t be used.'),
		private: l10n.t('The image wasn’t loaded: its address is on this machine or its network.'),
		redirected: l10n.t('The image wasn’t loaded: its server redirected to another address.'),
		unreachable: l10n.t('The image wasn’t loaded: its server refused or didn’t respond.'),
		'too-large': l10n.t('The image wasn’t loaded: it’s larger than 10 MB.'),
		type: l10n.t('The image wasn’t loaded: it isn’t a PNG, JPEG, GIF or WebP image of a size that can be shown.'),
		'not-kept': l10n.t(
			'The image wasn’t saved: it couldn’t be written to the disk. Free up space, then load it again.',
		),
		'not-loaded': l10n.t('The image wasn’t loaded.'),
	};
	return texts[problem];
}

/** The actions on an image, except requesting it again. */
export function imageActions(
	image: ReplyImageView | undefined,
	turn: { id: string; question: string },
	post: Post,
): TemplateResult[] {
	if (!image) {
		return [];
	}
	const say = (kind: `reply-image-${'save' | 'insert' | 'open'}`) => () => post({ kind, turn: turn.id });
	return [
		...('file' in image
			? [
					iconButton('save', l10n.t('Save Image…'), say('reply-image-save')),
					iconButton('markdown', l10n.t('Insert as Markdown…'), say('reply-image-insert')),
				]
			: []),
		iconButton('copy', l10n.t('Copy Prompt'), (event: Event) => copyText(post, turn.question, event.currentTarget)),
		iconButton('link-external', l10n.t('Open in Browser'), say('reply-image-open')),
	];
}

customElements.define('chat-image', ChatImage);
