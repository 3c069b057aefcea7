import { css, html, type LitElement, nothing, type TemplateResult } from 'lit';
import { codicon, codiconText } from '../codicon.ts';
import { quietButton } from '../components/shared.styles.ts';
import { toggle } from '../unfolding.ts';
import type { StepFact } from './stepWords.ts';

/** Renders the results at the end of a line. */
export function renderResults(facts: readonly StepFact[]): TemplateResult | typeof nothing {
	return facts.length === 0 ? nothing : html`<span class="results">${facts.map(renderFact)}</span>`;
}

function renderFact({ kind, icon, words, short, spoken }: StepFact): TemplateResult {
	return html`<span class="result ${kind}" title=${words}>
		${icon === undefined ? nothing : codicon(icon)}
		${
			spoken === undefined
				? html`<span class="words ellipsis">${words}</span>${short === undefined ? nothing : html`<span class="short">${short}</span>`}`
				: html`<span class="words ellipsis" aria-hidden="true">${words}</span><span class="screen-reader">${spoken}</span>`
		}
	</span>`;
}

/** A line that unfolds the element `controls` of its component. */
export function foldingLine(
	host: LitElement & { open: boolean | undefined },
	controls: string,
	content: TemplateResult,
	results: TemplateResult | typeof nothing = nothing,
): TemplateResult {
	const { open } = host;
	return html`<button
		type="button"
		class="line"
		aria-expanded=${open === true}
		aria-controls=${open === undefined ? nothing : controls}
		@click=${() => toggle(host)}
	>
		${content}<span class="codicon fold-sign" aria-hidden="true">${codiconText(open ? 'chevron-down' : 'chevron-right')}</span>${results}
	</button>`;
}

/** A line of an agent's reply: an icon, the action and, at the end of the line, its result. */
export const lineStyles = css`
	.line {
		${quietButton}
		width: calc(100% + 5px);
		margin-inline-start: -5px;
		line-height: 18px;
		text-align: start;
		white-space: nowrap;
	}

	button.line:hover {
		background: var(--vscode-toolbar-hoverBackground);
		color: var(--vscode-foreground);
		outline: 1px dashed var(--vscode-contrastActiveBorder, transparent);
		outline-offset: -1px;
	}

	button.line:focus-visible {
		outline: 1px solid var(--vscode-focusBorder);
	}

	.line > .codicon {
		flex: none;
	}

	/* A text of somebody else must not turn the direction of what stands beside it. */
	.title,
	.beside {
		unicode-bidi: isolate;
	}

	.title {
		flex: 0 1 auto;
	}

	.line.sentence {
		align-items: flex-start;
		height: auto;
		min-height: 24px;
		padding-block: 2px;
		white-space: normal;
	}

	/* An agent of somebody else may tell very long ones. */
	.sentence > .title {
		display: -webkit-box;
		-webkit-box-orient: vertical;
		-webkit-line-clamp: 4;
	}

	/* The next step of what has failed stands at the end of its sentence, which has many lines where there is little room. */
	@container (max-width: 460px) {
		.sentence.reason > .title {
			-webkit-line-clamp: 16;
		}
	}

	.beside {
		flex: 0 1000 auto;
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: var(--vscode-editor-font-size, 12px);
	}

	/* The sign of what can be unfolded has its place, so that nothing moves when it appears. */
	.line > .fold-sign {
		font-size: 12px;
		opacity: 0;
	}

	.line:hover > .fold-sign,
	.line:focus-visible > .fold-sign,
	.line[aria-expanded='true'] > .fold-sign {
		opacity: 1;
	}

	.results {
		display: flex;
		flex: 0 0 auto;
		gap: 8px;
		align-items: center;
		max-width: 70%;
		margin-inline-start: auto;
		padding-inline-start: 4px;
		font-size: 0.9em;
		font-variant-numeric: tabular-nums;
	}

	.result {
		display: flex;
		gap: 4px;
		align-items: center;
		min-width: 0;
	}

	.result .codicon {
		flex: none;
		font-size: 14px;
	}

	.result .short {
		display: none;
	}

	@container (max-width: 460px) {
		.result .short {
			display: inline;
		}

		.result .words:has(+ .short) {
			display: none;
		}
	}

	/* Only what went wrong is shown; unfolding tells the rest. A result stands below a step that it would leave no words. */
	@container (max-width: 240px) {
		.line {
			flex-wrap: wrap;
			row-gap: 0;
			height: auto;
			min-height: 24px;
		}

		.title {
			flex: 1000 1 0;
			min-width: 4.5em;
		}

		.beside {
			flex: 1 1 0;
		}

		.results {
			max-width: 100%;
			line-height: 16px;
		}

		.result.allowed {
			display: none;
		}
	}

	/* A share of the text's own colour keeps the contrast in every theme. */
	.added {
		color: color-mix(in srgb, var(--vscode-chat-linesAddedForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.removed {
		color: color-mix(in srgb, var(--vscode-chat-linesRemovedForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.failed {
		color: var(--vscode-foreground);
	}

	.failed .codicon {
		color: var(--vscode-errorForeground);
	}

	.stopped {
		color: var(--vscode-foreground);
	}

	@media (forced-colors: active) {
		.line > .fold-sign {
			opacity: 1;
		}
	}
`;
