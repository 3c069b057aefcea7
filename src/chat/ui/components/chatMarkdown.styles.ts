import { css } from 'lit';

export const chatMarkdownStyles = css`
	:host {
		display: block;
		line-height: 1.5;
		overflow-wrap: anywhere;
	}

	.section {
		display: flow-root;
	}

	/* The numbers of a long list reach out of their section. */
	.section.settled {
		content-visibility: auto;
		overflow-clip-margin: 12px;
	}

	/* No margin below a block is larger than the one above the next, so between sections the latter is the distance. */
	.section:first-child > :first-child,
	.section:first-child > :first-child > :first-child,
	.section:first-child > :first-child > :first-child > :first-child {
		margin-top: 0;
	}

	.section > :last-child,
	.section > :last-child > :last-child,
	.section > :last-child > :last-child > :last-child,
	.content > :last-child {
		margin-bottom: 0;
	}

	p,
	ul,
	ol,
	blockquote,
	.code,
	.table,
	hr {
		margin: 8px 0;
	}

	h4,
	h5,
	h6 {
		margin: 16px 0 4px;
		font-size: 1em;
		font-weight: 600;
		line-height: 1.4;
	}

	h4 {
		font-size: 1.2em;
	}

	h5 {
		font-size: 1.1em;
	}

	ul,
	ol {
		padding-inline-start: 20px;
	}

	/* The block has the direction of its first words; each text in it has its own. */
	li,
	li p,
	blockquote p,
	th,
	td {
		unicode-bidi: plaintext;
	}

	li > ul,
	li > ol,
	li > p {
		margin: 4px 0;
	}

	li + li {
		margin-top: 4px;
	}

	a[href] {
		color: var(--vscode-textLink-foreground);
		text-decoration: none;
	}

	p a[href],
	li a[href],
	td a[href] {
		/* Inside running text a link is told apart by more than its colour. */
		text-decoration: underline;
		text-underline-offset: 2px;
	}

	[data-file] {
		cursor: pointer;
		color: var(--vscode-textLink-foreground);
	}

	a[data-file],
	[data-file]:hover {
		text-decoration: underline;
		text-underline-offset: 2px;
	}

	/* Whether it is there, and why not: said behind the image's words, and no part of them. */
	a.image[data-state]::after {
		content: ' (' attr(data-state) ')';
	}

	a.image[aria-busy='true'] {
		cursor: progress;
		color: var(--vscode-descriptionForeground);
	}

	a.image img {
		display: block;
		max-width: 100%;
		max-height: 480px;
		border-radius: 4px;
	}

	a[href]:hover {
		color: var(--vscode-textLink-activeForeground);
		text-decoration: underline;
	}

	blockquote {
		margin-inline: 0;
		padding-inline-start: 12px;
		border-inline-start: 2px solid var(--vscode-textBlockQuote-border, var(--vscode-widget-border, currentColor));
		color: var(--vscode-descriptionForeground);
	}

	hr {
		height: 0;
		border: 0;
		border-top: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
	}

	code {
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: 0.95em;
		padding: 1px 4px;
		border-radius: 4px;
		color: var(--vscode-textPreformat-foreground);
		background: var(--vscode-textPreformat-background);
	}

	.code {
		border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
		border-radius: 4px;
		background: var(--vscode-textCodeBlock-background);
		overflow: hidden;
	}

	.code-bar {
		display: flex;
		align-items: center;
		min-height: 24px;
		padding-inline: 8px 0;
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}

	.code-label {
		flex: 1 1 0;
		margin-inline-end: 8px;
		white-space: nowrap;
	}

	.code-bar .icon-button {
		flex: none;
		opacity: var(--errand-actions, 0);
	}

	.code:hover .icon-button,
	.code:focus-within .icon-button,
	.code .icon-button.copied {
		opacity: 1;
	}

	pre {
		margin: 0;
		padding: 0 8px 8px;
		overflow-x: auto;
		line-height: 1.4;
	}

	pre code {
		display: block;
		width: max-content;
		min-width: 100%;
		padding: 0;
		background: none;
		color: var(--vscode-editor-foreground, var(--vscode-foreground));
		font-size: var(--vscode-editor-font-size, 12px);
		white-space: pre;
		tab-size: 4;
	}

	.lines {
		display: block;
	}

	/* Parts of long code are laid out only near the viewport. Each has 50 lines (CODE_PART_LINES), so the height is known before. */
	.lines:nth-child(n + 9) {
		content-visibility: auto;
		contain-intrinsic-height: auto 50lh;
	}

	/* The editor has no variables for syntax. A share of the text's own colour keeps the contrast in every theme. */
	.hljs-comment,
	.hljs-quote,
	.hljs-meta {
		color: var(--vscode-descriptionForeground);
	}

	.hljs-keyword,
	.hljs-selector-tag,
	.hljs-name,
	.hljs-section,
	.hljs-doctag {
		color: color-mix(in srgb, var(--vscode-debugTokenExpression-name, currentColor) 75%, var(--vscode-foreground));
	}

	.hljs-string,
	.hljs-regexp,
	.hljs-symbol,
	.hljs-deletion {
		color: color-mix(in srgb, var(--vscode-debugTokenExpression-string, currentColor) 75%, var(--vscode-foreground));
	}

	.hljs-number,
	.hljs-addition,
	.hljs-bullet {
		color: color-mix(in srgb, var(--vscode-debugTokenExpression-number, currentColor) 75%, var(--vscode-foreground));
	}

	.hljs-literal,
	.hljs-built_in,
	.hljs-type,
	.hljs-attr,
	.hljs-attribute,
	.hljs-selector-class,
	.hljs-selector-id,
	.hljs-title.class_ {
		color: color-mix(in srgb, var(--vscode-debugTokenExpression-boolean, currentColor) 75%, var(--vscode-foreground));
	}

	.hljs-title.function_ {
		color: color-mix(in srgb, var(--vscode-symbolIcon-functionForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.hljs-emphasis {
		font-style: italic;
	}

	.hljs-strong {
		font-weight: 600;
	}

	.plain {
		white-space: pre-wrap;
	}

	.note {
		color: var(--vscode-descriptionForeground);
	}

	.table {
		overflow-x: auto;
	}

	table {
		width: max-content;
		border-collapse: collapse;
		overflow-wrap: normal;
	}

	th,
	td {
		padding: 4px 8px;
		border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
		text-align: start;
		max-width: 30em;
		vertical-align: top;
	}

	th {
		font-weight: 600;
	}

	.align-center {
		text-align: center;
	}

	.align-right {
		text-align: end;
	}

	@media (forced-colors: active) {
		.code-bar .icon-button {
			opacity: 1;
		}
	}
`;
