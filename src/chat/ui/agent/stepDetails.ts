import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { StepView } from '../../protocol/workProtocol.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { showControls } from '../markdown.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { reveal } from '../unfolding.ts';
import { exactText, exactTextStyles, terminalText } from './exactText.ts';
import { lineStyles, renderResults } from './line.ts';
import { stepDetailsStyles } from './stepDetails.styles.ts';
import { countFacts, factsOf } from './stepWords.ts';

/** The details of an unfolded step: its exact command and output, its locations and its changes. */
class ChatStepDetails extends PageElement {
	static override styles = [sharedStyles, lineStyles, exactTextStyles, stepDetailsStyles];
	static override properties = reactive('step', 'turn', 'isOpen', 'output', 'problem');

	declare step: StepView;
	/** The id of the reply's turn. */
	declare turn: string;
	declare isOpen: boolean;
	declare output: string | undefined;
	/** A sentence that says why the output cannot be shown. */
	declare problem: string | undefined;

	private asking = false;
	/** The step whose output was last requested. */
	private asked: StepView | undefined;

	override willUpdate(changed: PropertyValues<this>): void {
		if (this.isOpen && (changed.has('step') || changed.has('isOpen'))) {
			void this.ask();
		}
	}

	override render(): TemplateResult {
		const { step } = this;
		return html`
			${step.command === undefined ? nothing : html`<pre class="command">${exactText(step.command)}</pre>`}
			${this.renderApproval()} ${this.renderDiffs()} ${this.renderPlaces()} ${this.renderOutput()}
		`;
	}

	/** Renders the approval in full, because the line may have no room for it. */
	private renderApproval(): TemplateResult | typeof nothing {
		const words = factsOf(this.step, this.page.language).find(({ short }) => short !== undefined)?.words;
		return words === undefined ? nothing : html`<p class="note">${words}</p>`;
	}

	private renderDiffs(): TemplateResult | typeof nothing {
		const { diffs = [], id } = this.step;
		const number = new Intl.NumberFormat(this.page.language);
		return diffs.length === 0
			? nothing
			: html`<ul class="places scrolls">
					${diffs.map(({ path, isNew, added = 0, removed = 0 }, index) => {
						const open = () => this.page.post({ kind: 'step-diff-open', turn: this.turn, step: id, index });
						return html`<li class="row">
							${placeButton(path, open)}${isNew ? html`<span class="new">${l10n.t('new')}</span>` : nothing}
							${renderResults(countFacts(added, removed, number))}
						</li>`;
					})}
				</ul>`;
	}

	private renderPlaces(): TemplateResult | typeof nothing {
		const { locations = [], diffs = [], id } = this.step;
		const changed = new Set(diffs.map(({ path }) => path));
		const places = locations
			.map(({ path, line }, index) => ({ path, line, index }))
			.filter(({ path }) => !changed.has(path));
		return places.length === 0
			? nothing
			: html`<ul class="places scrolls">
					${places.map(({ path, line, index }) => {
						const open = () => this.page.post({ kind: 'step-place-open', turn: this.turn, step: id, index });
						return html`<li class="row">${placeButton(line === undefined ? path : `${path}:${line}`, open)}</li>`;
					})}
				</ul>`;
	}

	private renderOutput(): TemplateResult | typeof nothing {
		const { output, problem, step } = this;
		if (problem !== undefined) {
			return html`<p class="note" role="status">${problem}</p>`;
		}
		if (output === undefined) {
			return step.hasOutput ? html`<p class="note">${l10n.t('Loading…')}</p>` : nothing;
		}
		return html`<pre class="output scrolls" role="group" tabindex="0" aria-label=${l10n.t('Output')}>${exactText(output)}</pre>`;
	}

	/** Requests the output again if the step has changed since, but never twice at a time. */
	private async ask(): Promise<void> {
		const { step } = this;
		if (this.asking || this.asked === step || !step.hasOutput) {
			return;
		}
		this.asking = true;
		this.asked = step;
		const isFirst = this.output === undefined;
		try {
			const output = await this.page.requests.ask('step-request', { turn: this.turn, step: step.id });
			this.problem = output === undefined ? l10n.t('The output is no longer available.') : undefined;
			this.output = output === undefined ? undefined : terminalText(output);
		} catch (error) {
			this.problem = (error as Error).message;
			// The host did not answer about the output itself, so the next unfolding requests it again.
			this.asked = undefined;
		} finally {
			this.asking = false;
		}
		await this.updateComplete;
		if (isFirst && this.isOpen) {
			reveal(this);
		}
		if (this.asked !== undefined && this.isOpen) {
			void this.ask();
		}
	}

	override updated(changed: PropertyValues<this>): void {
		const box = changed.has('output') ? this.renderRoot.querySelector('.output') : null;
		if (box) {
			// A command's result is at the end of its output.
			box.scrollTop = box.scrollHeight;
		}
	}
}

function placeButton(name: string, open: () => void): TemplateResult {
	const shown = showControls(name);
	return html`<button type="button" class="link place ellipsis" title=${shown} @click=${open}>${shown}</button>`;
}

customElements.define('chat-step-details', ChatStepDetails);
