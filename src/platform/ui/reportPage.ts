/// <reference path="css.d.ts" />
import * as l10n from '@vscode/l10n';
import { LitElement } from 'lit';
import type { ReportPageData, ToReportPage } from '../pageMessages.ts';

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; setState(state: unknown): void };

/** A page that is read like a report. Everything of foreign origin is shown as text, never as markup. */
export abstract class ReportPage<View, FromPage> extends LitElement {
	static override properties = {
		view: { attribute: false },
	};

	declare view: View | undefined;
	declare post: (message: FromPage) => void;

	/** The page has its own style sheet, so it needs no shadow root. */
	protected override createRenderRoot(): HTMLElement {
		return this;
	}
}

/** Makes an element the whole page, with `name` as its tag, and announces the page to the host. */
export function openReport<View, FromPage>(name: string, Page: new () => ReportPage<View, FromPage>): void {
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
