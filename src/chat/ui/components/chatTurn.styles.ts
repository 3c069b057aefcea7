import { css } from 'lit';

export const chatTurnStyles = css`
	:host {
		display: block;
	}

	/* Turns out of view cost no layout; their last size is remembered, so that scrolling does not jump. */
	:host([settled]) {
		content-visibility: auto;
		contain-intrinsic-block-size: auto 240px;
	}

	article {
		container: turn / inline-size;
		/* The log keeps 10 pixels for its scroll bar. */
		padding: 12px 2px 4px 12px;
	}

	h2,
	h3 {
		display: flex;
		flex-wrap: wrap;
		align-items: baseline;
		column-gap: 8px;
		margin: 0 0 4px;
		font-size: 0.9em;
		font-weight: 600;
		line-height: 1.4;
		overflow-wrap: anywhere;
	}

	h3 {
		margin-top: 16px;
	}

	.aside {
		margin-inline-start: auto;
		font-weight: normal;
		color: var(--vscode-descriptionForeground);
	}

	.mode {
		font-weight: normal;
		color: var(--vscode-descriptionForeground);
	}

	.age {
		opacity: 0;
	}

	article:hover .age,
	article:focus-within .age {
		opacity: 1;
	}

	.outcome {
		display: flex;
		gap: 8px;
		margin-top: 8px;
		line-height: 1.5;
		overflow-wrap: anywhere;
	}

	.outcome .codicon {
		flex: none;
		margin-top: 2px;
	}

	.outcome.failed .codicon {
		color: var(--vscode-errorForeground);
	}

	.outcome.cut .codicon {
		color: var(--vscode-editorWarning-foreground, var(--vscode-foreground));
	}

	.outcome p {
		margin: 0;
		min-width: 0;
	}

	.buttons {
		display: flex;
		flex-wrap: wrap;
		gap: 8px;
		margin-top: 8px;
	}

	.footer {
		display: flex;
		flex-wrap: wrap;
		align-items: center;
		justify-content: space-between;
		gap: 0 8px;
		min-height: 24px;
		margin-top: 4px;
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}

	.actions {
		display: flex;
		margin-inline-start: auto;
		opacity: 0;
	}

	.footer .actions {
		opacity: var(--errand-actions, 0);
	}

	article:hover .actions,
	article:focus-within .actions {
		opacity: 1;
	}

	.progress {
		position: relative;
		height: 1px;
		margin-inline: 12px;
		overflow: hidden;
	}

	.progress.active::before {
		content: '';
		position: absolute;
		inset: 0 auto 0 0;
		width: var(--errand-progress-width);
		background: var(--vscode-progressBar-background);
		animation: 2s linear infinite;
		animation-name: var(--errand-progress-animation);
	}

	.streaming {
		display: var(--errand-progress-word);
	}

	@keyframes slide {
		from {
			transform: translateX(-100%);
		}

		to {
			transform: translateX(400%);
		}
	}

	@media (forced-colors: active) {
		.age,
		.actions {
			opacity: 1;
		}

		.progress.active::before {
			background: Highlight;
		}
	}
`;
