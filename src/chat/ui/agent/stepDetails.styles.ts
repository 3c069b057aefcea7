import { css } from 'lit';

export const stepDetailsStyles = css`
	:host {
		display: flex;
		flex-direction: column;
		gap: 4px;
		margin: 2px 0 8px 7px;
		padding-inline-start: 12px;
		border-inline-start: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
		color: var(--vscode-descriptionForeground);
	}

	:host([hidden]) {
		display: none;
	}

	pre {
		margin: 0;
	}

	/* 20 lines: a long output scrolls inside and moves nothing else far away. */
	.output,
	.places {
		max-height: calc(20lh + 10px);
		overflow-y: auto;
		overscroll-behavior-y: auto;
	}

	.places {
		margin: 0;
		padding: 0;
		list-style: none;
	}

	.row {
		display: flex;
		gap: 8px;
		align-items: center;
		min-height: 24px;
		white-space: nowrap;
	}

	.place {
		min-height: 24px;
		border-radius: 2px;
		text-align: start;
		unicode-bidi: isolate;
	}

	.new {
		flex: none;
		font-size: 0.9em;
	}

	.note {
		margin: 0;
		font-size: 0.9em;
		line-height: 1.5;
		overflow-wrap: anywhere;
	}
`;
