import { css } from 'lit';

export const chatApprovalStyles = css`
	:host {
		display: block;
	}

	.box {
		display: flex;
		flex-direction: column;
		gap: 8px;
		padding: 8px 12px 12px;
		border: 1px solid var(--vscode-contrastBorder, var(--vscode-focusBorder));
		border-radius: 4px;
		background: var(--vscode-editorWidget-background);
		color: var(--vscode-foreground);
		line-height: 1.5;
	}

	.box:focus-visible {
		outline-offset: 0;
	}

	h4,
	p,
	pre,
	ul {
		margin: 0;
	}

	h4 {
		display: flex;
		gap: 4px;
		align-items: center;
		font-size: 1em;
		font-weight: 600;
		line-height: 1.4;
	}

	#subject {
		display: flex;
		flex-direction: column;
		gap: 8px;
		min-width: 0;
	}

	.title {
		overflow-wrap: anywhere;
	}

	.lines,
	.input {
		max-height: calc(20lh + 10px);
		overflow-y: auto;
	}

	.lines {
		padding: 4px 0;
	}

	/* A line that wraps goes on behind its sign. */
	.diff-line {
		display: block;
		padding-inline: calc(8px + 2ch) 8px;
		text-indent: -2ch;
	}

	.diff-line.added {
		background: var(--vscode-diffEditor-insertedLineBackground);
	}

	.diff-line.removed {
		background: var(--vscode-diffEditor-removedLineBackground);
	}

	.change {
		display: flex;
		flex-direction: column;
		gap: 4px;
		min-width: 0;
	}

	.change-bar {
		display: flex;
		gap: 8px;
		align-items: baseline;
		min-width: 0;
		white-space: nowrap;
	}

	.path {
		unicode-bidi: isolate;
	}

	.new,
	.note,
	#place {
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}

	.note,
	.places,
	#place {
		overflow-wrap: anywhere;
	}

	.places {
		padding-inline-start: 20px;
	}

	.link {
		flex: none;
		margin-inline-start: auto;
		border-radius: 2px;
	}

	.buttons {
		display: flex;
		flex-wrap: wrap;
		gap: 8px;
	}

	.button:disabled {
		opacity: 0.6;
		cursor: default;
	}
`;
