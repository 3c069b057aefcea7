import { css } from 'lit';

/** Styles that every component of the page uses: icons, buttons, focus, hidden characters and text for screen readers. */
export const sharedStyles = css`
	*,
	*::before,
	*::after {
		box-sizing: border-box;
	}

	/* The editor's own scroll bars, which the page's style sheet cannot bring into a component. */
	.scrolls {
		scrollbar-color: auto;
	}

	.scrolls::-webkit-scrollbar {
		width: 10px;
		height: 10px;
	}

	.scrolls::-webkit-scrollbar-thumb {
		background: var(--vscode-scrollbarSlider-background);
	}

	.scrolls::-webkit-scrollbar-thumb:hover {
		background: var(--vscode-scrollbarSlider-hoverBackground);
	}

	.scrolls::-webkit-scrollbar-thumb:active {
		background: var(--vscode-scrollbarSlider-activeBackground);
	}

	.ellipsis {
		min-width: 0;
		overflow: hidden;
		text-overflow: ellipsis;
	}

	.codicon {
		font: normal normal normal 16px/1 codicon;
		display: inline-block;
		text-align: center;
		-webkit-font-smoothing: antialiased;
		user-select: none;
	}

	.screen-reader {
		position: absolute;
		width: 1px;
		height: 1px;
		margin: -1px;
		overflow: hidden;
		clip-path: inset(50%);
		white-space: nowrap;
	}

	/* The name of a character that would hide something, or turn the direction of a text. */
	.control {
		padding: 0 2px;
		border: 1px solid var(--vscode-editorWarning-foreground, currentColor);
		border-radius: 4px;
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: 0.85em;
		unicode-bidi: isolate;
	}

	button {
		font: inherit;
		color: inherit;
		margin: 0;
		cursor: pointer;
	}

	button:focus-visible,
	a:focus-visible,
	summary:focus-visible,
	[tabindex]:focus-visible {
		outline: 1px solid var(--vscode-focusBorder);
		outline-offset: -1px;
	}

	.icon-button {
		display: inline-flex;
		align-items: center;
		justify-content: center;
		width: 24px;
		height: 24px;
		padding: 0;
		border: 1px solid transparent;
		border-radius: 4px;
		background: transparent;
		color: var(--vscode-icon-foreground, var(--vscode-foreground));
	}

	.icon-button:hover {
		background: var(--vscode-toolbar-hoverBackground);
		outline: 1px dashed var(--vscode-contrastActiveBorder, transparent);
		outline-offset: -1px;
	}

	/* The pointer may rest on what has the focus. */
	.icon-button:focus-visible {
		outline: 1px solid var(--vscode-focusBorder);
	}

	.icon-button:active {
		background: var(--vscode-toolbar-activeBackground);
	}

	.button {
		min-height: 24px;
		max-width: 100%;
		padding: 2px 8px;
		border: 1px solid var(--vscode-button-border, transparent);
		border-radius: 4px;
		background: var(--vscode-button-background);
		color: var(--vscode-button-foreground);
		line-height: 18px;
		overflow-wrap: anywhere;
	}

	.button:hover {
		background: var(--vscode-button-hoverBackground);
	}

	.button.secondary {
		background: var(--vscode-button-secondaryBackground);
		color: var(--vscode-button-secondaryForeground);
	}

	.button.secondary:hover {
		background: var(--vscode-button-secondaryHoverBackground);
	}

	.button:focus-visible {
		outline-offset: 2px;
	}

	/* A button that looks like a link, because it leads somewhere or stands beside words. */
	.link {
		padding: 0;
		border: 0;
		background: transparent;
		color: var(--vscode-textLink-foreground);
	}

	.link:hover:enabled {
		text-decoration: underline;
	}

	.warning {
		display: flex;
		gap: 4px;
		align-items: flex-start;
	}

	.warning > .codicon {
		flex: none;
		margin-top: 1px;
		color: var(--vscode-editorWarning-foreground, var(--vscode-foreground));
	}
`;

/** The declarations of a button that shows a frame only under the pointer. */
export const quietButton = css`
	display: flex;
	gap: 4px;
	align-items: center;
	height: 24px;
	padding: 0 4px;
	border: 1px solid transparent;
	border-radius: 4px;
	background: transparent;
	color: var(--vscode-descriptionForeground);
`;

/** The declarations of a card that lies over the page, as the editor's own hovers do. */
export const hoverCard = css`
	width: max-content;
	max-height: 60vh;
	margin: 0;
	padding: 8px;
	overflow-y: auto;
	border: 1px solid var(--vscode-editorHoverWidget-border, var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)));
	border-radius: 4px;
	background: var(--vscode-editorHoverWidget-background, var(--vscode-editorWidget-background));
	color: var(--vscode-editorHoverWidget-foreground, var(--vscode-foreground));
	box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent);
	line-height: 1.4;
`;
