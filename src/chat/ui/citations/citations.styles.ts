import { css } from 'lit';
import { hoverCard } from '../components/shared.styles.ts';

/** The styles of the marks in a reply's text and of the card beside a mark. */
export const citationStyles = css`
	.citation {
		display: inline;
		margin-inline-start: 2px;
		padding: 0 4px;
		border: 1px solid var(--vscode-contrastBorder, transparent);
		border-radius: 4px;
		background: var(--vscode-badge-background);
		color: var(--vscode-badge-foreground);
		font-family: var(--vscode-font-family);
		font-size: 10px;
		font-weight: normal;
		text-decoration: none;
		vertical-align: 1px;
		user-select: none;
		cursor: pointer;
	}

	.citation:hover {
		outline: 1px solid var(--vscode-focusBorder);
	}

	::highlight(cited) {
		background-color: var(--vscode-editor-findMatchHighlightBackground);
		text-decoration: underline solid var(--vscode-contrastActiveBorder, transparent);
	}

	p.citations {
		margin: -4px 0 8px;
	}

	.citation-card {
		position: fixed;
		inset: auto;
		max-width: min(320px, calc(100vw - 8px));
		${hoverCard}
		overflow-wrap: anywhere;
	}

	.citation-card .title {
		font-weight: 600;
	}

	.citation-card .host {
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}

	.citation-card .excerpt {
		margin-top: 4px;
	}

	@media (forced-colors: active) {
		.citation {
			border-color: ButtonText;
		}

		::highlight(cited) {
			text-decoration: underline;
		}
	}
`;

/** The styles of the list under the reply. */
export const sourceListStyles = css`
	.sources {
		margin: 8px 0 0;
		color: inherit;
		line-height: 1.4;
	}

	.sources summary {
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
		font-weight: 600;
	}

	.sources ol {
		margin: 4px 0 0;
		padding: 0;
		list-style: none;
	}

	.sources li {
		display: flex;
		gap: 8px;
		margin: 4px 0;
	}

	.sources .number {
		flex: none;
		min-width: 16px;
		color: var(--vscode-descriptionForeground);
		text-align: end;
		font-variant-numeric: tabular-nums;
	}

	.sources .source {
		display: flex;
		flex-wrap: wrap;
		column-gap: 8px;
		min-width: 0;
		overflow-wrap: anywhere;
	}

	.sources a {
		color: var(--vscode-textLink-foreground);
		text-decoration: none;
	}

	.sources a:hover {
		color: var(--vscode-textLink-activeForeground, var(--vscode-textLink-foreground));
		text-decoration: underline;
	}

	.sources .cut {
		margin: 4px 0 0;
		color: var(--vscode-descriptionForeground);
	}

	.sources .host {
		color: var(--vscode-descriptionForeground);
	}
`;
