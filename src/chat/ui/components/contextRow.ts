import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChipView } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';
import type { Composer } from './composer.ts';
import './chatChips.ts';

/** The context of the message, and a warning if not all of it can be sent. */
export function contextRow(owner: Composer): TemplateResult {
	const { page } = owner;
	const { post, requests } = page;
	const { chips, warning } = owner.context;
	const chipAt = (index: number) => (chips[index] as ChipView).id;
	// The row is rendered even while it is empty, because it returns the focus when its last chip is removed.
	return html`<div class="context" ?hidden=${chips.length === 0}>
		<chat-chips
			.chips=${chips}
			.label=${l10n.t('Context')}
			.page=${page}
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
