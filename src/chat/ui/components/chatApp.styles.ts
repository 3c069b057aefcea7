import { css } from 'lit';

export const chatAppStyles = css`
	:host {
		display: flex;
		flex-direction: column;
		height: 100%;
		min-width: 0;
	}

	.scroll-area {
		position: relative;
		flex: 1;
		min-height: 0;
	}

	.log {
		height: 100%;
		overflow-x: hidden;
		overflow-y: auto;
		scrollbar-gutter: stable;
	}

	/* At the end it is the end that stands still, not what is in view. */
	.log.following {
		overflow-anchor: none;
	}

	.turns {
		padding-bottom: 8px;
	}

	/* Further actions are visible without hovering at the last reply alone. */
	chat-turn:last-of-type {
		--errand-actions: 1;
	}

	chat-turn + chat-turn {
		border-top: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
	}

	.earlier {
		display: block;
		margin: 8px auto;
		padding: 2px 8px;
		border-radius: 4px;
		font-size: 0.9em;
	}

	.empty {
		display: flex;
		flex-direction: column;
		align-items: flex-start;
		gap: 8px;
		padding: 12px 2px 12px 12px;
		line-height: 1.5;
		overflow-wrap: anywhere;
	}

	.empty p {
		margin: 0;
	}

	.begin-encrypted {
		display: flex;
		gap: 4px;
		align-items: center;
		padding: 2px 0;
		border-radius: 4px;
		text-align: start;
	}

	.begin-encrypted:disabled {
		color: var(--vscode-disabledForeground, var(--vscode-descriptionForeground));
	}

	.quiet {
		color: var(--vscode-descriptionForeground);
	}

	.to-end {
		position: absolute;
		inset-block-end: 8px;
		inset-inline-end: 16px;
		border-color: var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
		background: var(--vscode-editorWidget-background, var(--vscode-sideBar-background));
	}

	.to-end.asked {
		gap: 4px;
		width: auto;
		padding-inline: 8px;
		color: var(--vscode-foreground);
	}

	.to-end:hover {
		background:
			linear-gradient(var(--vscode-toolbar-hoverBackground), var(--vscode-toolbar-hoverBackground)),
			var(--vscode-editorWidget-background, var(--vscode-sideBar-background));
	}

	.drop {
		position: fixed;
		inset: 0;
		z-index: 2;
		display: flex;
		align-items: center;
		justify-content: center;
		padding: 12px;
		border: 1px dashed var(--vscode-contrastActiveBorder, var(--vscode-focusBorder));
		background: var(--vscode-editor-dropIntoPromptBackground, var(--vscode-editorWidget-background));
		color: var(--vscode-editor-dropIntoPromptForeground, var(--vscode-foreground));
		text-align: center;
		pointer-events: none;
	}

	.notice {
		flex-wrap: wrap;
		gap: 8px;
		padding: 4px 12px;
		line-height: 1.4;
		overflow-wrap: anywhere;
	}

	/* A button with words goes below where they would squeeze the sentence; one that is an icon stays beside it. */
	.notice p {
		flex: 1 1 min(160px, 100% - 54px);
		min-width: 0;
		margin: 0;
	}

	.notice .icon-button {
		flex: none;
		margin-top: -3px;
	}

	.notice .button {
		flex: none;
		margin-inline-start: auto;
	}
`;
