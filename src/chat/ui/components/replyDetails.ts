import { css, html, nothing, type TemplateResult } from 'lit';
import type { CostView, FieldView, PolicyNameView, PolicyStrings, TotalView } from '../../protocol/policyProtocol.ts';
import type { PageStrings, ReplyView } from '../../protocol/protocol.ts';
import { fill, formatCost, formatDuration } from '../format.ts';

export interface ReplyDetails {
	reply: ReplyView;
	/** Of the conversation, at its last reply. */
	total: TotalView | undefined;
	strings: PageStrings;
	language: string;
}

export function policyName({ preset, isPrivate, isLimited }: PolicyNameView, strings: PolicyStrings): string {
	const name = isLimited ? fill(strings.limited, strings.presets[preset]) : strings.presets[preset];
	return isPrivate ? fill(strings.privately, name) : name;
}

export function costText(cost: CostView, language: string, strings: PolicyStrings): string {
	const text = formatCost(cost.usd, language);
	return cost.atLeast ? fill(strings.atLeast, text) : text;
}

/** What a reply was asked with, who served it, and what that took. Rows of which nothing is known are left out. */
export function replyDetails({ reply, total, strings, language }: ReplyDetails): TemplateResult {
	const words = strings.policy;
	const { details = {} } = reply;
	const [asked, ...alternates] = details.asked ?? [];
	const preferences = details.preferences ?? [];
	return html`<dl class="details">
		${row(words.provider, reply.provider ?? words.providerUnknown)}
		${reply.model === undefined ? nothing : row(words.model, reply.model, details.digest)}
		${asked === undefined || (asked === reply.model && alternates.length === 0) ? nothing : row(words.asked, [asked, ...alternates].join(', '))}
		${row(words.tokens, tokensText(reply, strings, language))}
		${row(words.time, timeText(reply, strings, language))}
		${row(words.cost, reply.cost ? costText(reply.cost, language, words) : reply.usage ? words.costUnknown : '')}
		${details.policy ? row(words.policy, policyName(details.policy, words), fields(preferences)) : nothing}
		${details.retention ? row(words.retention, words.retentions[details.retention]) : nothing}
		${details.parameters ? row(words.parameters, fields(details.parameters)) : nothing}
		${details.serviceId ? row(words.serviceId, details.serviceId) : nothing}
		${total && total.replies > 1 ? row(words.conversation, totalText(total, strings, language)) : nothing}
	</dl>`;
}

/** `aside` is dimmed no further: a second line in a font of fixed width. */
function row(name: string, value: string, aside = ''): TemplateResult | typeof nothing {
	if (value === '') {
		return nothing;
	}
	return html`<dt>${name}</dt>
		<dd>${value}${aside === '' ? nothing : html`<code>${aside}</code>`}</dd>`;
}

const fields = (values: readonly FieldView[]): string => values.map(([name, value]) => `${name}: ${value}`).join('\n');

function tokensText({ usage = {} }: ReplyView, strings: PageStrings, language: string): string {
	const number = new Intl.NumberFormat(language);
	const { prompt, cached, completion, reasoning } = usage;
	return [
		prompt === undefined
			? ''
			: cached
				? fill(strings.tokensCached, number.format(prompt), number.format(cached))
				: fill(strings.tokensIn, number.format(prompt)),
		completion === undefined
			? ''
			: reasoning
				? fill(strings.policy.reasoningOut, number.format(completion), number.format(reasoning))
				: fill(strings.tokensOut, number.format(completion)),
	]
		.filter(part => part !== '')
		.join(' · ');
}

function timeText({ duration, details }: ReplyView, strings: PageStrings, language: string): string {
	const spoken = (milliseconds: number) => formatDuration(milliseconds, language, strings);
	return [
		details?.firstWord === undefined ? '' : fill(strings.policy.firstWord, spoken(details.firstWord)),
		duration === undefined ? '' : fill(strings.policy.whole, spoken(duration)),
	]
		.filter(part => part !== '')
		.join(' · ');
}

function totalText(total: TotalView, strings: PageStrings, language: string): string {
	const number = new Intl.NumberFormat(language);
	const { replies, prompt, completion, isPartial, cost } = total;
	const words = strings.policy;
	const counted = fill(
		isPartial ? words.totalPartial : words.total,
		number.format(replies),
		number.format(prompt),
		number.format(completion),
	);
	return cost ? `${counted} · ${costText(cost, language, words)}` : counted;
}

export const replyDetailsStyles = css`
	.facts {
		display: flex;
		align-items: center;
		gap: 4px;
		min-height: 24px;
		margin-inline-start: -5px;
		padding: 0 4px;
		border: 1px solid transparent;
		border-radius: 4px;
		background: transparent;
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
		grid-template-columns: minmax(0, max-content) minmax(0, 1fr);
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
