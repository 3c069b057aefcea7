import { css } from 'lit';

export const chatComposerStyles = css`
	:host {
		display: block;
		padding: 4px 12px 12px;
	}

	.hint {
		min-height: 0;
		color: var(--vscode-descriptionForeground);
		line-height: 1.4;
		overflow-wrap: anywhere;
	}

	.hint:not(:empty) {
		padding: 4px 0;
	}

	.hint .link + .link {
		margin-inline-start: 8px;
	}

	.context {
		padding: 4px 0;
	}

	.warning {
		padding-top: 4px;
		line-height: 1.4;
	}

	.box {
		container: composer / inline-size;
		position: relative;
		display: flex;
		flex-direction: column;
		border: 1px solid var(--vscode-input-border, var(--vscode-widget-border, transparent));
		border-radius: 4px;
		background: var(--vscode-input-background);
		color: var(--vscode-input-foreground);
	}

	.box:focus-within {
		border-color: var(--vscode-focusBorder);
	}

	textarea {
		display: block;
		width: 100%;
		field-sizing: content;
		max-height: 33vh;
		padding: 8px 8px 4px;
		border: 0;
		outline: none;
		resize: none;
		background: transparent;
		color: inherit;
		font: inherit;
		line-height: 1.4;
		overflow-y: auto;
	}

	textarea::placeholder {
		color: var(--vscode-input-placeholderForeground);
		opacity: 1;
		/* The words of another mode take no further line. */
		overflow: hidden;
		text-overflow: ellipsis;
		white-space: nowrap;
	}

	/* The group with the model goes below the other one where it would have no room for the beginning of the model's name. */
	.row {
		display: flex;
		flex-wrap: wrap;
		gap: 4px;
		padding: 0 4px 4px;
	}

	.first,
	.second {
		display: flex;
		align-items: center;
		gap: 4px;
		min-width: 0;
	}

	.second {
		container: second / inline-size;
		flex: 1 1 160px;
	}

	/* Without a model there is room beside the other group. */
	.second.alone {
		container-type: normal;
		flex: none;
		margin-inline-start: auto;
	}

	@container composer (max-width: 248px) {
		.second:not(.alone) {
			flex-basis: 108px;
		}
	}

	.row .icon-button,
	context-meter {
		flex: none;
	}

	context-meter {
		margin-inline-start: auto;
	}

	@media (forced-colors: active) {
		.box:focus-within {
			border-color: Highlight;
		}
	}
`;
