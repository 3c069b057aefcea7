import { css } from 'lit';

export const chatChangesStyles = css`
	:host {
		display: block;
		margin-top: 8px;
	}

	.summary {
		display: flex;
		flex-wrap: wrap;
		gap: 0 12px;
		align-items: center;
	}

	.summary > .line {
		flex: 0 1 auto;
		width: auto;
		min-width: 0;
		max-width: 100%;
		color: var(--vscode-foreground);
	}

	.links {
		display: flex;
		flex-wrap: wrap;
		gap: 0 12px;
	}

	.link {
		min-height: 24px;
		border-radius: 2px;
	}

	ul {
		margin: 0;
		padding: 0;
		list-style: none;
	}

	li {
		display: flex;
		gap: 4px;
		align-items: center;
	}

	.file {
		flex: 1;
		min-width: 0;
		width: auto;
	}

	.file .title {
		color: var(--vscode-foreground);
	}

	.folder {
		flex: 0 1000 auto;
		margin-inline-start: 4px;
		font-size: 0.9em;
		unicode-bidi: isolate;
	}

	/* A share of the text's own colour keeps the contrast in every theme. */
	.status {
		flex: none;
		width: 16px;
		font-weight: 600;
		text-align: center;
	}

	.status.A {
		color: color-mix(in srgb, var(--vscode-gitDecoration-addedResourceForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.status.M,
	.status.T {
		color: color-mix(in srgb, var(--vscode-gitDecoration-modifiedResourceForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.status.D {
		color: color-mix(in srgb, var(--vscode-gitDecoration-deletedResourceForeground, currentColor) 75%, var(--vscode-foreground));
	}

	.status.R {
		color: color-mix(in srgb, var(--vscode-gitDecoration-renamedResourceForeground, currentColor) 75%, var(--vscode-foreground));
	}

	li .icon-button {
		flex: none;
		opacity: 0;
	}

	li:hover .icon-button,
	li:focus-within .icon-button {
		opacity: 1;
	}

	.further {
		min-height: 24px;
		padding-inline-start: 20px;
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
		overflow-wrap: anywhere;
	}

	/* On a line of their own they stand below the words. */
	@container (max-width: 460px) {
		.links {
			padding-inline-start: 20px;
		}
	}

	@media (forced-colors: active) {
		li .icon-button {
			opacity: 1;
		}
	}
`;
