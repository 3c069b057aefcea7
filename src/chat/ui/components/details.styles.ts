import { css, unsafeCSS } from 'lit';
import { codiconText } from '../codicon.ts';

/** Styles for content that is folded because few want to read it, such as the reasoning of a model. */
export const detailsStyles = css`
	details {
		margin-bottom: 8px;
		color: var(--vscode-descriptionForeground);
	}

	summary {
		display: flex;
		align-items: center;
		gap: 4px;
		width: fit-content;
		list-style: none;
		cursor: pointer;
	}

	/* The sign of the footer, in place of the browser's own. */
	summary::before {
		font: normal normal normal 12px/1 codicon;
		content: ${unsafeCSS(`'${codiconText('chevron-right')}' / ''`)};
	}

	details[open] > summary::before {
		content: ${unsafeCSS(`'${codiconText('chevron-down')}' / ''`)};
	}

	.reasoning {
		margin-top: 4px;
		padding-inline-start: 12px;
		border-inline-start: 2px solid var(--vscode-widget-border, currentColor);
		line-height: 1.5;
		white-space: pre-wrap;
		overflow-wrap: anywhere;
		unicode-bidi: plaintext;
	}
`;
