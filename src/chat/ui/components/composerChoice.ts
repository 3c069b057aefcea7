import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { type CodiconName, codicon } from '../codicon.ts';
import { quietButton } from './shared.styles.ts';

/** A word with more characters than this gives way before others do. */
const LONG_WORD = 8;

export interface ComposerChoice {
	icon: CodiconName;
	/** The current choice. If it is empty, only the icon is shown. */
	word: string;
	/** True if the word is a name, of which a part says more than an icon. */
	isName?: boolean;
	/** True if the word gives way before a name is cut so short that it can no longer be told from others. */
	yields?: boolean;
	/** The button's purpose; shown on hover and read out before the word. */
	label: string;
	/** A longer text that is shown on hover. */
	hint?: string;
	/** True while the button's list is shown; absent if the button opens no list in the page. */
	isOpen?: boolean;
	press(button: HTMLElement): void;
}

/**
 * A choice in the composer's bottom row: a word, or only its icon where there is no room. A word can be long in some
 * languages; it is shown whole or not at all.
 */
export function composerChoice({
	icon,
	word,
	isName,
	yields,
	label,
	hint = word,
	isOpen,
	press,
}: ComposerChoice): TemplateResult {
	const kind = word === '' ? 'plain' : word.length <= LONG_WORD ? '' : isName ? 'long name' : 'long';
	return html`<button
		type="button"
		class="choice ${kind} ${yields ? 'yields' : ''}"
		title=${`${label}: ${hint}`}
		aria-haspopup=${isOpen === undefined ? nothing : 'listbox'}
		aria-expanded=${isOpen ?? nothing}
		@click=${(event: MouseEvent) => press(event.currentTarget as HTMLElement)}
	>
		${codicon(icon)}<span class="word ellipsis" aria-hidden="true">${word}</span>${codicon('chevron-down')}
	</button>`;
}

/** Shows the icon alone. */
const iconAlone = (choice: CSSResult) => css`
	${choice} {
		flex: none;
		justify-content: center;
		width: 24px;
		padding: 0;
		color: var(--vscode-icon-foreground, var(--vscode-foreground));
	}

	${choice} .word,
	${choice} .codicon:last-child {
		display: none;
	}

	${choice} .codicon:first-child {
		display: inline-block;
	}
`;

/** Shows the icon alone in a container of at most that many pixels. */
const iconAloneWithin = (container: CSSResult, width: CSSResult, choice: CSSResult) => css`
	@container ${container} (max-width: ${width}) {
		${iconAlone(choice)}
	}
`;

export const composerChoiceStyles = css`
	.choice {
		${quietButton}
		flex: none;
		gap: 2px;
		min-width: 24px;
		font-size: 0.9em;
		white-space: nowrap;
	}

	.choice.name {
		flex: 0 1 auto;
	}

	.choice:hover {
		background: var(--vscode-toolbar-hoverBackground);
		color: var(--vscode-foreground);
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

	${iconAlone(css`.choice.plain`)}
	${iconAloneWithin(css`composer`, css`248px`, css`.first .choice`)}
	${iconAloneWithin(css`composer`, css`528px`, css`.first .choice.long:not(.name)`)}
	${iconAloneWithin(css`second`, css`130px`, css`.choice`)}
	${iconAloneWithin(css`second`, css`205px`, css`.choice.yields`)}
	${iconAloneWithin(css`second`, css`270px`, css`.choice.long:not(.name)`)}

	/* Here the words say enough, and the arrows would take the room of two characters. */
	@container composer (max-width: 308px) {
		.choice .codicon:last-child {
			display: none;
		}
	}
`;
