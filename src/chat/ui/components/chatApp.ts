import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { PageStrings, ToPage } from '../../protocol.ts';
import { Announcer } from '../announcer.ts';
import { codicon } from '../codicon.ts';
import { FollowEnd } from '../followEnd.ts';
import { fill } from '../format.ts';
import type { PageHost, Post, ReadingPosition, SavedState } from '../page.ts';
import { applyMessage, emptyPageState, type PageState } from '../pageState.ts';
import { readingPosition, scrollToPosition } from '../readingPosition.ts';
import { chatAppStyles } from './chatApp.styles.ts';
import type { ChatComposer, Draft } from './chatComposer.ts';
import { sharedStyles } from './shared.styles.ts';
import './chatComposer.ts';
import type { ChatTurn } from './chatTurn.ts';
import './chatTurn.ts';

/** Announcements that stay in the live region: enough for a slow reader, few enough to cost nothing. */
const KEPT_ANNOUNCEMENTS = 8;

/** The whole page: the conversation, what there is to say about it, the composer. */
export class ChatApp extends LitElement {
	static override styles = [sharedStyles, chatAppStyles];
	static override properties = {
		strings: { attribute: false },
		language: { attribute: false },
		host: { attribute: false },
		state: { state: true },
		following: { state: true },
		dismissed: { state: true },
	};

	declare strings: PageStrings;
	declare language: string;
	declare host: PageHost;
	declare state: PageState;
	declare following: boolean;
	declare dismissed: string | undefined;

	/** Changes that came since the last frame. */
	private nextState: PageState = emptyPageState;
	private frame: number | undefined;
	private snapshotWanted = false;
	private saved: SavedState = { draft: '' };
	/** Set until the first turns are there. */
	private resumeReading: ReadingPosition | undefined;
	private initialDraft: Draft = { text: '' };
	private followEnd: FollowEnd | undefined;
	private announcer: Announcer | undefined;
	private readonly post: Post = message => this.host.postMessage(message);
	private readonly onDraft = (draft: Draft) => {
		const { sentAs: _, ...others } = this.saved;
		this.save({ ...others, draft: draft.text, ...(draft.sentAs === undefined ? {} : { sentAs: draft.sentAs }) });
	};

	constructor() {
		super();
		this.state = emptyPageState;
		this.following = true;
	}

	receive(message: ToPage): void {
		switch (message.kind) {
			case 'message-accept':
				this.composer.accepted(message.turn);
				this.followEnd?.toEnd();
				return;
			case 'message-hold':
				this.composer.held(message.turn);
				return;
			case 'message-refuse':
				this.composer.refused(message.turn, message.reason);
				return;
			case 'composer-focus':
				this.composer.focusText();
				return;
			default: {
				const next = applyMessage(this.nextState, message);
				if (next === 'missed') {
					this.requestSnapshot();
					return;
				}
				this.snapshotWanted = false;
				this.nextState = next;
				this.announcer?.update(next.turns.at(-1), message.kind === 'turns-change');
				this.frame ??= requestAnimationFrame(() => {
					this.frame = undefined;
					this.state = this.nextState;
				});
			}
		}
	}

	override willUpdate(): void {
		if (!this.hasUpdated) {
			this.saved = this.host.getState() ?? { draft: '' };
			const { draft, sentAs, reading } = this.saved;
			this.initialDraft = { text: draft, ...(sentAs === undefined ? {} : { sentAs }) };
			this.resumeReading = reading;
		}
	}

	override firstUpdated(): void {
		const turns = this.renderRoot.querySelector('.turns') as HTMLElement;
		this.followEnd = new FollowEnd(this.log, turns, following => {
			this.following = following;
		});
		this.announcer = new Announcer(this.strings, words => this.announce(words));
	}

	override updated(changed: PropertyValues): void {
		if (changed.has('state')) {
			void this.resume();
			// The message was taken before the page was hidden or reloaded; only the answer was lost.
			const { sentAs } = this.saved;
			if (sentAs !== undefined && this.state.turns.some(turn => turn.id === sentAs)) {
				this.composer.accepted(sentAs);
			}
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		this.followEnd?.dispose();
		this.announcer?.dispose();
	}

	override render(): TemplateResult {
		const { state, strings } = this;
		return html`
			<div class="scroll-area">
				<div class="log scrolls ${this.following ? 'following' : ''}" role="log" aria-live="off" aria-label=${strings.conversation} tabindex="0" @scrollend=${this.onScrollEnd}>
					<div class="turns">
						${repeat(
							state.turns,
							turn => turn.id,
							turn => html`<chat-turn
								.turn=${turn}
								.strings=${strings}
								.language=${this.language}
								.post=${this.post}
							></chat-turn>`,
						)}
						${state.sequence !== undefined && state.turns.length === 0 ? this.renderEmpty() : nothing}
					</div>
				</div>
				${this.following ? nothing : this.renderToEnd()}
			</div>
			<div class="announcements screen-reader" aria-live="polite"></div>
			${this.renderNotice()}
			<chat-composer
				.strings=${strings}
				.language=${this.language}
				.connection=${state.connection}
				.replying=${state.turns.at(-1)?.reply.state === 'streaming'}
				.initialDraft=${this.initialDraft}
				.onDraft=${this.onDraft}
				.post=${this.post}
			></chat-composer>
		`;
	}

	private renderEmpty(): TemplateResult {
		const { connection } = this.state;
		if (connection?.problem) {
			return html`<div class="empty">
				<p>${connection.problem.message}</p>
				<button type="button" class="button" @click=${this.followConnection}>${connection.problem.action}</button>
			</div>`;
		}
		return html`<div class="empty">
			<p>${this.strings.emptyState}</p>
			${
				connection?.model
					? html`<p class="quiet">${fill(this.strings.usingModel, connection.model, connection.label)}</p>`
					: nothing
			}
		</div>`;
	}

	private renderNotice(): TemplateResult | typeof nothing {
		const { notice, connection, turns } = this.state;
		if (connection?.problem && turns.length > 0) {
			return html`<div class="notice" role="status">
				${codicon('warning')}
				<p>${connection.problem.message}</p>
				<button type="button" class="button secondary" @click=${this.followConnection}>
					${connection.problem.action}
				</button>
			</div>`;
		}
		if (notice === undefined || notice === this.dismissed) {
			return nothing;
		}
		const dismiss = () => {
			this.dismissed = notice;
		};
		return html`<div class="notice" role="status">
			${codicon('warning')}
			<p>${notice}</p>
			<button
				type="button"
				class="icon-button"
				title=${this.strings.dismiss}
				aria-label=${this.strings.dismiss}
				@click=${dismiss}
			>
				${codicon('close')}
			</button>
		</div>`;
	}

	private renderToEnd(): TemplateResult {
		const label = this.strings.jumpToEnd;
		return html`<button
			type="button"
			class="icon-button to-end"
			title=${label}
			aria-label=${label}
			@click=${() => this.followEnd?.toEnd()}
		>
			${codicon('arrow-down')}
		</button>`;
	}

	private onScrollEnd(): void {
		const { reading: _, ...others } = this.saved;
		const position = this.following
			? undefined
			: readingPosition(this.log, this.renderRoot.querySelectorAll<ChatTurn>('chat-turn'));
		this.save(position ? { ...others, reading: position } : others);
	}

	/** Once, with the first turns: back to where the reader was before the page was hidden or reloaded. */
	private async resume(): Promise<void> {
		const reading = this.resumeReading;
		if (!reading || this.state.turns.length === 0) {
			return;
		}
		this.resumeReading = undefined;
		const turn = [...this.renderRoot.querySelectorAll<ChatTurn>('chat-turn')].find(
			element => element.turn.id === reading.turn,
		);
		if (turn) {
			this.followEnd?.leave();
			await turn.updateComplete;
			scrollToPosition(this.log, turn, reading.offset);
		}
	}

	private readonly followConnection = () => this.post({ kind: 'connection-follow' });

	private get log(): HTMLElement {
		return this.renderRoot.querySelector('.log') as HTMLElement;
	}

	private get composer(): ChatComposer {
		return this.renderRoot.querySelector('chat-composer') as ChatComposer;
	}

	/** Asked once for each gap: until the snapshot comes, every further change would be missed too. */
	private requestSnapshot(): void {
		if (!this.snapshotWanted) {
			this.snapshotWanted = true;
			this.post({ kind: 'snapshot-request' });
		}
	}

	private announce(words: string): void {
		const region = this.renderRoot.querySelector('.announcements');
		const line = document.createElement('div');
		line.textContent = words;
		region?.append(line);
		while (region && region.childElementCount > KEPT_ANNOUNCEMENTS) {
			region.firstElementChild?.remove();
		}
	}

	private save(state: SavedState): void {
		this.saved = state;
		this.host.setState(state);
	}
}

customElements.define('chat-app', ChatApp);
