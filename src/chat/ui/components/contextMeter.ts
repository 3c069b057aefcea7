import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { estimateTokens } from '../../../base/tokens.ts';
import type { TotalView, UseView } from '../../protocol/settingsProtocol.ts';
import { codicon } from '../codicon.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { contextMeterStyles } from './contextMeter.styles.ts';
import { costText } from './replyDetails.ts';
import { sharedStyles } from './shared.styles.ts';

/** The distance of the panel from the row that the meter is in, in pixels. */
const GAP = 4;

/** A share below this is shown with a decimal place. */
const SMALL_SHARE = 0.01;

/**
 * A ring that shows how much of the model's context the next message uses. It is a button that opens a panel with the
 * parts, and with the conversation's use so far. Its space is reserved while nothing is known.
 */
class ContextMeter extends PageElement {
	static override styles = [sharedStyles, contextMeterStyles];
	static override properties = reactive('use', 'draft');

	declare use: UseView | undefined;
	/** The text of the message so far. */
	declare draft: string;

	private draftTokens = 0;

	override willUpdate(changed: PropertyValues<this>): void {
		if (changed.has('draft')) {
			this.draftTokens = estimateTokens(this.draft);
		}
	}

	override render(): TemplateResult | typeof nothing {
		const { use } = this;
		if (!use) {
			return nothing;
		}
		const { agent, limit, instructions, history, attached } = use;
		const known = instructions + history + attached + this.draftTokens + (agent?.used ?? 0);
		// The unknown part of an agent's context may be the largest, so a share would be too low.
		const share = limit === undefined || (agent && agent.used === undefined) ? undefined : known / limit;
		const label = this.label(use, known, share);
		return html`
			<button type="button" class="icon-button" popovertarget="panel" title=${label}>
				${ring(share)}
			</button>
			<div id="panel" class="panel scrolls" popover role="group" aria-label=${l10n.t('Context of the next message')} @beforetoggle=${this.place}>
				<p class="sum">${this.sum(known, limit, share)}</p>
				<dl>
					${
						agent
							? this.row(
									l10n.t('In the agent’s context'),
									agent.used === undefined ? l10n.t('not known') : this.number(agent.used),
								)
							: [
									this.row(l10n.t('Instructions'), this.about(instructions)),
									this.row(l10n.t('Earlier messages'), this.about(history)),
								]
					}
					${this.row(l10n.t('Attached'), this.about(attached))} ${this.row(l10n.t('Draft'), this.about(this.draftTokens))}
				</dl>
				<p>${this.limits(use)}</p>
				${use.total.replies > 0 ? this.renderTotal(use.total) : nothing}
			</div>
		`;
	}

	private label({ agent }: UseView, known: number, share: number | undefined): string {
		if (share !== undefined) {
			return share > 1
				? l10n.t('Context: about {0} of what fits', this.percent(share))
				: l10n.t('Context: about {0} used', this.percent(share));
		}
		const tokens = this.number(known);
		return agent
			? l10n.t('Context: about {0} tokens, plus an unknown amount that the agent has', tokens)
			: l10n.t('Context: about {0} tokens. The limit isn’t known.', tokens);
	}

	private sum(known: number, limit: number | undefined, share: number | undefined): string {
		return limit === undefined || share === undefined
			? l10n.t('About {0} tokens', this.number(known))
			: l10n.t('About {0} of {1} tokens ({2})', this.number(known), this.number(limit), this.percent(share));
	}

	/** Says how much fits, and how that is known. */
	private limits({ agent, model, limit, reply }: UseView): string {
		if (agent) {
			return agent.used === undefined
				? l10n.t('The agent hasn’t reported how full its context is.')
				: l10n.t('The agent reports how full its context is, and makes room by itself.');
		}
		if (limit === undefined || reply === undefined) {
			return model === '' ? l10n.t('The model’s limit isn’t known.') : l10n.t('The limit of {0} isn’t known.', model);
		}
		const [whole, kept] = [limit + reply, reply].map(tokens => this.number(tokens));
		return l10n.t('{0} accepts {1} tokens, {2} of which are reserved for the reply.', model, whole ?? '', kept ?? '');
	}

	private renderTotal({ prompt, completion, isPartial, cost }: TotalView): TemplateResult {
		const counts = [this.number(prompt), this.number(completion)];
		const isCounted = prompt + completion > 0;
		return html`<dl class="so-far">
			${this.row(
				l10n.t('Tokens so far'),
				isCounted
					? isPartial
						? l10n.t('at least {0} in · {1} out', ...counts)
						: l10n.t('{0} in · {1} out', ...counts)
					: l10n.t('not known'),
			)}
			${this.row(l10n.t('Cost so far'), cost ? costText(cost, this.page.language) : l10n.t('not known'))}
		</dl>`;
	}

	private row(name: string, value: string): TemplateResult {
		return html`<dt>${name}</dt>
			<dd>${value}</dd>`;
	}

	private about(tokens: number): string {
		return tokens === 0 ? this.number(0) : l10n.t('about {0}', this.number(tokens));
	}

	private number(value: number): string {
		return new Intl.NumberFormat(this.page.language).format(value);
	}

	private percent(share: number): string {
		const maximumFractionDigits = share < SMALL_SHARE ? 1 : 0;
		return new Intl.NumberFormat(this.page.language, { style: 'percent', maximumFractionDigits }).format(share);
	}

	/** The panel is in the top layer, so it must be told where the row is. */
	private place({ newState, currentTarget }: ToggleEvent): void {
		if (newState === 'open') {
			const bottom = document.documentElement.clientHeight - this.getBoundingClientRect().top + GAP;
			(currentTarget as HTMLElement).style.setProperty('--errand-meter-bottom', `${bottom}px`);
		}
	}
}

/** Draws the ring, which a share of 1 fills. Without a share, the line is broken; above 1, a warning replaces it. */
function ring(share: number | undefined): TemplateResult {
	if (share !== undefined && share > 1) {
		return codicon('warning');
	}
	return html`<svg viewBox="0 0 16 16" aria-hidden="true">
		<circle class="track ${share === undefined ? 'unknown' : ''}" cx="8" cy="8" r="6"></circle>
		<circle class="used" cx="8" cy="8" r="6" pathLength="100" stroke-dasharray="${100 * (share ?? 0)} 100"></circle>
	</svg>`;
}

customElements.define('context-meter', ContextMeter);
