import { css } from 'lit';
import { hoverCard } from './shared.styles.ts';

export const contextMeterStyles = css`
	:host {
		display: block;
		width: 24px;
		height: 24px;
	}

	svg {
		width: 16px;
		height: 16px;
		fill: none;
		stroke: currentColor;
		stroke-width: 2px;
		transform: rotate(-90deg);
	}

	.track {
		stroke: color-mix(in srgb, currentColor 35%, transparent);
	}

	.track.unknown {
		stroke: currentColor;
		stroke-dasharray: 1.5 3.21;
	}

	.codicon {
		color: var(--vscode-editorWarning-foreground, currentColor);
	}

	/* As wide as the composer's box at most, and above the row that the meter is in. */
	.panel {
		position: fixed;
		inset: auto 12px var(--errand-meter-bottom, 48px) auto;
		max-width: min(320px, calc(100vw - 24px));
		${hoverCard}
	}

	p {
		margin: 0;
		overflow-wrap: anywhere;
	}

	.sum {
		font-weight: 600;
	}

	dl {
		display: grid;
		grid-template-columns: minmax(0, 1fr) auto;
		gap: 2px 16px;
		margin: 4px 0;
	}

	dt {
		color: var(--vscode-descriptionForeground);
	}

	dd {
		margin: 0;
		font-variant-numeric: tabular-nums;
		text-align: end;
	}

	.so-far {
		margin: 8px 0 0;
		padding-top: 8px;
		border-top: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
	}

	@media (forced-colors: active) {
		.track {
			stroke: GrayText;
		}
	}
`;
