import { css, html, type TemplateResult } from 'lit';
import { type CodiconName, codicon } from '../codicon.ts';

/** A word with more characters than this is shortened before others are. */
const LONG_WORD = 8;

export interface ComposerChoice {
	icon: CodiconName;
	/** The current choice. */
	word: string;
	/** What the button does; read out before the word. */
	label: string;
	/** A longer text that is shown on hover. */
	hint?: string;
	press(): void;
}

/** A choice in the composer's bottom row: a word, or only its icon where there is no room. */
export function composerChoice({ icon, word, label, hint = word, press }: ComposerChoice): TemplateResult {
	const isLong = word.length > LONG_WORD;
	return html`<button type="button" class="choice ${isLong ? 'long' : ''}" title=${`${label}: ${hint}`} aria-label=${`${label}: ${hint}`} @click=${press}>
		${codicon(icon)}<span class="word">${word}</span>${codicon('chevron-down')}
	</button>`;
}

export const composerChoiceStyles = css`
	.row {
		container-type: inline-size;
	}

	.choice {
		display: flex;
		flex: 0 1 auto;
		gap: 2px;
		align-items: center;
		min-width: 24px;
		height: 24px;
		padding: 0 4px;
		border: 1px solid transparent;
		border-radius: 4px;
		background: transparent;
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
	}

	.choice.long {
		flex-shrink: 1000;
	}

	.choice:hover {
		background: var(--vscode-toolbar-hoverBackground);
		color: var(--vscode-foreground);
	}

	.choice .word {
		min-width: 0;
		overflow: hidden;
		text-overflow: ellipsis;
		white-space: nowrap;
	}

	.choice .codicon {
		flex: none;
	}

	.choice .codicon:first-child {
		display: none;
	}

	.choice .codicon:last-child {
		font-size: 12px;
	}

	@container (max-width: 260px) {
		.choice {
			flex: none;
			justify-content: center;
			width: 24px;
			padding: 0;
			color: var(--vscode-icon-foreground, var(--vscode-foreground));
		}

		.choice .word,
		.choice .codicon:last-child {
			display: none;
		}

		.choice .codicon:first-child {
			display: inline-block;
		}
	}
`;
