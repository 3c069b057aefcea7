import * as l10n from '@vscode/l10n';
import { css, html, nothing, type TemplateResult } from 'lit';
import { retentionText, routingLabel } from '../../protocol/labels.ts';
import type { ReplyView } from '../../protocol/protocol.ts';
import type { CostView, FieldView, TokenView, TotalView } from '../../protocol/settingsProtocol.ts';
import { formatCost, formatDuration } from '../format.ts';
import { showControls } from '../markdown.ts';
import { quietButton } from './shared.styles.ts';

export function costText(cost: CostView, language: string): string {
	const text = formatCost(cost.usd, language);
	return cost.atLeast ? l10n.t('at least {0}', text) : text;
}

/**
 * The request of a reply, its provider, and its usage. Rows without a known value are left out. `total` is that of the
 * conversation, for its last reply.
 */
export function replyDetails(reply: ReplyView, total: TotalView | undefined, language: string): TemplateResult {
	const { details = {} } = reply;
	const [asked, ...alternates] = details.asked ?? [];
	const routingFields = details.routingFields ?? [];
	return html`<dl class="details">
		${row(l10n.t('Provider'), reply.provider ?? l10n.t('Not reported by the service'))}
		${reply.model === undefined ? nothing : row(l10n.t('Model'), reply.model, details.digest)}
		${asked === undefined || (asked === reply.model && alternates.length === 0) ? nothing : row(l10n.t('Requested'), [asked, ...alternates].join(', '))}
		${row(l10n.t('Tokens'), tokensText(reply, language))}
		${row(l10n.t('Time'), timeText(reply, language))}
		${row(l10n.t('Cost'), reply.cost ? costText(reply.cost, language) : reply.usage ? l10n.t('No prices are listed for this provider.') : '')}
		${details.agentCost ? row(l10n.t('Cost of the session, as reported by the agent'), `${new Intl.NumberFormat(language, { maximumSignificantDigits: 4 }).format(details.agentCost.amount)} ${showControls(details.agentCost.currency)}`) : nothing}
		${details.routing ? row(l10n.t('Routing policy'), routingLabel(details.routing), fields(routingFields)) : nothing}
		${details.retention ? row(l10n.t('Zero data retention'), retentionText(details.retention)) : nothing}
		${details.parameters ? row(l10n.t('Parameters'), fields(details.parameters)) : nothing}
		${details.instructions ? row(l10n.t('Instructions'), details.instructions.join(', ')) : nothing}
		${details.leftOut ? row(l10n.t('Left out'), l10n.t('The model doesn’t accept {0}.', details.leftOut.join(', '))) : nothing}
		${details.tokens ? tokenRow(details.tokens, language) : nothing}
		${
			details.unknown
				? foldRow(
						l10n.t('Not recognized'),
						l10n.t('Other messages from the agent'),
						details.unknown.map(([kind, text]) => showControls(`${kind}: ${text}`)),
					)
				: nothing
		}
		${details.serviceId ? row(l10n.t('Reply ID'), details.serviceId) : nothing}
		${details.created === undefined ? nothing : row(l10n.t('Created'), new Date(details.created * 1_000).toLocaleString(language))}
		${details.fingerprint ? row(l10n.t('System fingerprint'), details.fingerprint) : nothing}
		${details.nativeReason ? row(l10n.t('Finish reason'), details.nativeReason) : nothing}
		${total && total.replies > 1 ? row(l10n.t('Conversation'), totalText(total, language)) : nothing}
	</dl>`;
}

/** `aside` is a second line in a monospaced font. */
function row(name: string, value: string, aside = ''): TemplateResult | typeof nothing {
	if (value === '') {
		return nothing;
	}
	return html`<dt>${name}</dt>
		<dd>${value}${aside === '' ? nothing : html`<code>${aside}</code>`}</dd>`;
}

/** The tokens have a fold of their own, because a reply may have hundreds of them. */
function tokenRow(tokens: readonly TokenView[], language: string): TemplateResult {
	const number = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
	const told = (token: string, probability: number) => `${JSON.stringify(token)} ${number.format(probability)}`;
	const lines = tokens.map(({ token, probability, top }) =>
		[told(token, probability), top.map(other => told(...other)).join(', ')].filter(part => part !== '').join(' ← '),
	);
	const count = new Intl.NumberFormat(language).format(tokens.length);
	return foldRow(l10n.t('Token probabilities'), l10n.t('The first {0} tokens', count), lines);
}

function foldRow(name: string, summary: string, lines: readonly string[]): TemplateResult {
	return html`<dt>${name}</dt>
		<dd>
			<details>
				<summary>${summary}</summary>
				<code>${lines.join('\n')}</code>
			</details>
		</dd>`;
}

const fields = (values: readonly FieldView[]): string => values.map(([name, value]) => `${name}: ${value}`).join('\n');

export function promptText({ prompt, cached }: NonNullable<ReplyView['usage']>, number: Intl.NumberFormat): string {
	if (prompt === undefined) {
		return '';
	}
	return cached
		? l10n.t('{0} in ({1} cached)', number.format(prompt), number.format(cached))
		: l10n.t('{0} in', number.format(prompt));
}

function tokensText({ usage = {} }: ReplyView, language: string): string {
	const number = new Intl.NumberFormat(language);
	const { completion, reasoning } = usage;
	return [
		promptText(usage, number),
		completion === undefined
			? ''
			: reasoning
				? l10n.t('{0} out ({1} reasoning)', number.format(completion), number.format(reasoning))
				: l10n.t('{0} out', number.format(completion)),
	]
		.filter(part => part !== '')
		.join(' · ');
}

function timeText({ duration, details }: ReplyView, language: string): string {
	const spoken = (milliseconds: number) => formatDuration(milliseconds, language);
	return [
		details?.firstWord === undefined ? '' : l10n.t('first token after {0}', spoken(details.firstWord)),
		duration === undefined ? '' : l10n.t('{0} in total', spoken(duration)),
	]
		.filter(part => part !== '')
		.join(' · ');
}

function totalText(total: TotalView, language: string): string {
	const number = new Intl.NumberFormat(language);
	const { replies, prompt, completion, isPartial, cost } = total;
	const counts = [replies, prompt, completion].map(count => number.format(count));
	const counted = isPartial
		? l10n.t('{0} replies · at least {1} in · {2} out', ...counts)
		: l10n.t('{0} replies · {1} in · {2} out', ...counts);
	return cost ? `${counted} · ${costText(cost, language)}` : counted;
}

export const replyDetailsStyles = css`
	.facts {
		${quietButton}
		height: auto;
		min-height: 24px;
		margin-inline-start: -5px;
		text-align: start;
	}

	.facts:hover {
		background: var(--vscode-toolbar-hoverBackground);
	}

	.facts .codicon {
		flex: none;
		font-size: 12px;
	}

	.details {
		display: grid;
		grid-template-columns: fit-content(45%) minmax(0, 1fr);
		gap: 4px 12px;
		margin: 4px 0 8px;
		padding-inline-start: 12px;
		border-inline-start: 2px solid var(--vscode-widget-border, currentColor);
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
		line-height: 1.4;
	}

	.details dt,
	.details dd {
		margin: 0;
		overflow-wrap: anywhere;
	}

	.details dd {
		color: var(--vscode-foreground);
		font-variant-numeric: tabular-nums;
	}

	.details code {
		display: block;
		color: var(--vscode-descriptionForeground);
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: 0.95em;
		white-space: pre-wrap;
	}

	@container turn (max-width: 260px) {
		.details {
			grid-template-columns: minmax(0, 1fr);
			gap: 0;
		}

		.details dt {
			font-weight: 600;
		}

		.details dd {
			margin-bottom: 4px;
		}
	}
`;
