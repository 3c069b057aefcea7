import { html, nothing, type TemplateResult } from 'lit';
import type { Citations, ShownSource } from '../../model/citations.ts';
import { sourceWords } from '../../protocol/labels.ts';
import type { Post } from '../page.ts';
import type { Page } from '../pageElement.ts';

/** A longer list is collapsed. */
const SHOWN_SOURCES = 6;

/** The list of sources under a reply. */
export function renderSources(citations: Citations | undefined, page: Page): TemplateResult | typeof nothing {
	const { sources = [], isCut } = citations ?? {};
	if (sources.length === 0) {
		return nothing;
	}
	const words = sourceWords(page.language);
	return html`<details class="sources" ?open=${sources.length <= SHOWN_SOURCES}>
		<summary>${words.sources} (${sources.length})</summary>
		<ol>
			${sources.map(source => renderSource(source, page.post))}
		</ol>
		${isCut ? html`<p class="cut">${words.sourcesCut}</p>` : nothing}
	</details>`;
}

function renderSource({ number, title, url, host }: ShownSource, post: Post): TemplateResult {
	const open = (event: Event) => {
		// The editor's own listener would open the link as well.
		event.preventDefault();
		event.stopPropagation();
		post({ kind: 'link-open', url: url ?? '' });
	};
	return html`<li>
		<span class="number">${number}</span>
		<span class="source">
			${url === undefined ? html`<span>${title}</span>` : html`<a href=${url} title=${url} @click=${open}>${title}</a>`}
			${host === undefined || host === title ? nothing : html`<span class="host">${host}</span>`}
		</span>
	</li>`;
}
