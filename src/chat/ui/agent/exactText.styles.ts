import { css } from 'lit';

/** A text that stands exactly as it is: a command, its output, or what a tool is called with. */
export const exactTextStyles = css`
	pre {
		padding: 4px 8px;
		border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
		border-radius: 4px;
		background: var(--vscode-textCodeBlock-background);
		color: var(--vscode-editor-foreground);
		font-family: var(--vscode-editor-font-family, monospace);
		font-size: var(--vscode-editor-font-size, 12px);
		line-height: 1.4;
		tab-size: 4;
		white-space: pre-wrap;
		overflow-wrap: anywhere;
	}
`;
