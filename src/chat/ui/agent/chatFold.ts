import { css, html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { StepView } from '../../protocol/workProtocol.ts';
import { codicon } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { foldingLine, lineStyles } from './line.ts';
import { foldWords } from './stepWords.ts';

/** Shows many finished steps as one line, which unfolds into their own lines. */
export class ChatFold extends PageElement {
	static override styles = [
		sharedStyles,
		lineStyles,
		css`
			:host {
				display: block;
			}

			.steps {
				margin-inline-start: 7px;
				padding-inline-start: 12px;
				border-inline-start: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, currentColor));
			}
		`,
	];
	static override properties = reactive('steps', 'renderStep', 'open');

	declare steps: readonly StepView[];
	declare renderStep: (step: StepView) => TemplateResult;
	/** Undefined until it is unfolded for the first time. */
	declare open: boolean | undefined;

	override render(): TemplateResult {
		const { steps, open } = this;
		const words = foldWords(steps, this.page.language);
		const title = html`${codicon('checklist')}<span class="title ellipsis" title=${words}>${words}</span>`;
		return html`${foldingLine(this, 'steps', title)}
			<div id="steps" class="steps" ?hidden=${!open}>
				${open === undefined ? nothing : repeat(steps, ({ id }) => id, this.renderStep)}
			</div>`;
	}
}

customElements.define('chat-fold', ChatFold);
