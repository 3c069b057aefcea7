import { css } from 'lit';

/** A button that looks like a link, because it leads somewhere or stands beside words. */
export const linkStyles = css`
	.link {
		padding: 0;
		border: 0;
		background: transparent;
		color: var(--vscode-textLink-foreground);
	}

	.link:hover {
		text-decoration: underline;
	}
`;
