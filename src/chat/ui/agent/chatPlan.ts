import * as l10n from '@vscode/l10n';
import { css, html, nothing, type TemplateResult } from 'lit';
import type { PlanEntry } from '../../../agents/session/events.ts';
import { type CodiconName, codicon } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { showControls } from '../markdown.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { foldingLine, lineStyles } from './line.ts';

/** A plan with more entries does not fit into one line, which then shows only the current entry. */
const MAXIMUM_IN_LINE = 8;

const ICONS: Record<PlanEntry['status'], CodiconName> = {
	completed: 'pass',
	in_progress: 'record',
	pending: 'circle-large',
};

/** The plan of an agent: one line, which unfolds to a list. */
class ChatPlan extends PageElement {
	static override styles = [
		sharedStyles,
		lineStyles,
		css`
			:host {
				display: block;
			}

			.entries {
				display: flex;
				gap: 12px;
				min-width: 0;
				overflow: hidden;
			}

			/* Where there is little room, the words of the current entry stay longest. */
			.entry {
				display: flex;
				flex: 0 1000 auto;
				gap: 4px;
				align-items: center;
				min-width: 16px;
			}

			.entry.in_progress {
				flex-shrink: 1;
				color: var(--vscode-foreground);
				font-weight: 600;
			}

			.entry .codicon {
				flex: none;
			}

			.count {
				display: none;
			}

			@container (max-width: 460px) {
				.entries {
					gap: 4px;
				}

				.entry:not(.in_progress) .words {
					display: none;
				}

				.entry.in_progress {
					margin-inline-end: 4px;
				}

				.count {
					display: inline;
					margin-inline-start: 4px;
				}
			}

			.words {
				unicode-bidi: isolate;
			}

			ol {
				margin: 2px 0 8px 7px;
				padding-inline-start: 12px;
				border-inline-start: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
				list-style: none;
			}

			li {
				display: flex;
				gap: 4px;
				align-items: flex-start;
				padding: 2px 0;
				color: var(--vscode-descriptionForeground);
				line-height: 18px;
				overflow-wrap: anywhere;
			}

			li .codicon {
				flex: none;
				margin-top: 1px;
			}

			li.in_progress {
				color: var(--vscode-foreground);
				font-weight: 600;
			}
		`,
	];
	static override properties = reactive('entries', 'open');

	declare entries: readonly PlanEntry[];
	declare open: boolean | undefined;

	override render(): TemplateResult {
		const line = html`${codicon('checklist')}<span class="screen-reader">${planLabel(this.entries, this.page.language)}</span>
			<span class="entries" aria-hidden="true">${this.renderLine()}</span>`;
		return html`${foldingLine(this, 'list', line)}
			<ol id="list" ?hidden=${!this.open} aria-label=${l10n.t('Plan')}>
				${this.open ? this.entries.map(renderRow) : nothing}
			</ol>`;
	}

	private renderLine(): unknown {
		const { entries } = this;
		const current = entries.find(({ status }) => status === 'in_progress');
		const done = doneWords(entries, this.page.language);
		if (entries.length > MAXIMUM_IN_LINE) {
			return html`<span>${done}</span>${current ? renderEntry(current) : nothing}`;
		}
		return html`${entries.map(renderEntry)}${current ? nothing : html`<span class="count ellipsis">${done}</span>`}`;
	}
}

function renderEntry({ content, status }: PlanEntry): TemplateResult {
	const words = showControls(content);
	return html`<span class="entry ${status}" title=${words}>${codicon(ICONS[status])}<span class="words ellipsis">${words}</span></span>`;
}

function renderRow({ content, status }: PlanEntry): TemplateResult {
	return html`<li class=${status}>
		${codicon(ICONS[status])}<span class="screen-reader">${statusWord(status)}</span><bdi>${showControls(content)}</bdi>
	</li>`;
}

function doneWords(entries: readonly PlanEntry[], language: string): string {
	const number = new Intl.NumberFormat(language);
	const done = entries.filter(({ status }) => status === 'completed').length;
	return l10n.t('{0} of {1} done', number.format(done), number.format(entries.length));
}

function planLabel(entries: readonly PlanEntry[], language: string): string {
	const current = entries.find(({ status }) => status === 'in_progress');
	const done = doneWords(entries, language);
	return current === undefined
		? l10n.t('Plan: {0}', done)
		: l10n.t('Plan: {0}, now: {1}', done, showControls(current.content));
}

function statusWord(status: PlanEntry['status']): string {
	const words: Record<PlanEntry['status'], string> = {
		completed: l10n.t('Done'),
		in_progress: l10n.t('Now'),
		pending: l10n.t('To do'),
	};
	return words[status];
}

customElements.define('chat-plan', ChatPlan);
