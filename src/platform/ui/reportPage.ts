/// <reference path="css.d.ts" />
import * as l10n from '@vscode/l10n';
import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { ReportPageData, ToReportPage } from '../pageMessages.ts';

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; setState(state: unknown): void };

/** The beginning of every report: its title, and a sentence that sums it up. */
interface Report {
	title: string;
	sentence: string;
	tone: string;
}

/** A page that is read like a report. Everything of foreign origin is shown as text, never as markup. */
export abstract class ReportPage<View extends Report, FromPage> extends LitElement {
	static override properties: PropertyDeclarations = { view: { attribute: false } };

	declare view: View | undefined;
	declare post: (message: FromPage) => void;

	/** Renders the buttons beside the title. */
	protected abstract actions(view: View): unknown;

	/** Renders what follows the sentence. */
	protected abstract body(view: View): unknown;

	/** The page has its own style sheet, so it needs no shadow root. */
	protected override createRenderRoot(): HTMLElement {
		return this;
	}

	protected override render(): TemplateResult | typeof nothing {
		const { view } = this;
		return view
			? html`<main>
					<header>
						<h1>${view.title}</h1>
						<div class="actions">${this.actions(view)}</div>
					</header>
					<p class="sentence ${view.tone}" role="status">${view.sentence}</p>
					${this.body(view)}
				</main>`
			: nothing;
	}

	/** `spoken` begins with the label, and adds the subject if only the button's position shows it. */
	protected button(label: string, message: FromPage, spoken?: string): TemplateResult {
		return html`<button type="button" aria-label=${spoken ?? nothing} @click=${() => this.post(message)}>${label}</button>`;
	}
}

export function columnHeads(...labels: readonly string[]): TemplateResult {
	return html`<thead>
		<tr>
			${labels.map(label => html`<th scope="col">${label}</th>`)}
		</tr>
	</thead>`;
}

/** Makes an element the whole page, with `name` as its tag, and announces the page to the host. */
export function openReport<View extends Report, FromPage>(
	name: string,
	Page: new () => ReportPage<View, FromPage>,
): void {
	const host = acquireVsCodeApi();
	const { bundle = {} } = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as ReportPageData;
	l10n.config({ contents: bundle });
	customElements.define(name, Page);
	const page = new Page();
	page.post = message => host.postMessage(message);
	document.body.append(page);
	// Only the editor can post messages here, because the page has no frames and no other origin embeds it.
	window.addEventListener('message', ({ data }: MessageEvent<ToReportPage<View>>) => {
		page.view = data.view;
		if (data.state !== undefined) {
			host.setState(data.state);
		}
	});
	page.updateComplete.then(() => host.postMessage({ kind: 'page-ready' }));
}
