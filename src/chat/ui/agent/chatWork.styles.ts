import { css } from 'lit';

export const chatWorkStyles = css`
	:host {
		display: block;
	}

	.block {
		display: flow-root;
	}

	/* Of a long reply that grows, what is out of view costs neither layout nor paint. */
	.block.settled {
		content-visibility: auto;
	}

	.apart {
		margin-top: 8px;
	}

	details {
		margin: 0;
	}

	summary {
		min-height: 24px;
	}

	summary::before {
		width: 16px;
		text-align: center;
	}

	.reasoning {
		max-height: 20lh;
		margin-block: 2px 8px;
		overflow-y: auto;
	}

	chat-step[waiting] {
		margin-block: 8px;
	}

	.note {
		margin: 0 0 8px;
	}

	.further {
		margin: 8px 0 0;
	}

	.plan {
		margin: 8px 0;
	}

	.further,
	.note {
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}
`;
