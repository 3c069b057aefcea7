import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChipView, ContextView } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';
import type { HostRequests } from '../hostRequests.ts';
import type { Post } from '../page.ts';
import './chatChips.ts';

export interface ContextRowOwner {
	readonly context: ContextView;
	readonly language: string;
	readonly post: Post;
	readonly requests: HostRequests;
	focusText(): void;
}

/** The context of the message, and a warning if not all of it can be sent. */
export function contextRow(owner: ContextRowOwner): TemplateResult {
	const { context, language, post, requests } = owner;
	const { chips, warning } = context;
	const chipAt = (index: number) => (chips[index] as ChipView).id;
	// The row is rendered even while it is empty, because it returns the focus when its last chip is removed.
	return html`<div class="context" ?hidden=${chips.length === 0}>
		<chat-chips
			.chips=${chips}
			.label=${l10n.t('Context')}
			.language=${language}
			.openChip=${(index: number) => post({ kind: 'chip-open', chip: chipAt(index) })}
			.removeChip=${(index: number) => post({ kind: 'chip-remove', chip: chipAt(index) })}
			.loadPreview=${(file: string) => requests.ask('preview-request', { file })}
			.leave=${() => owner.focusText()}
		></chat-chips>
		${
			warning === undefined
				? nothing
				: html`<div class="warning" role="status">
						${codicon('warning')}
						<span>
							${warning}
							<button type="button" class="link" @click=${() => post({ kind: 'context-shorten' })}>
								${l10n.t('Shorten…')}
							</button>
						</span>
					</div>`
		}
	</div>`;
}
