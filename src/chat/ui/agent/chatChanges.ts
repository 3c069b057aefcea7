import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { isInCopy, type WorkFile } from '../../model/agentWork.ts';
import type { ChangesView } from '../../protocol/workProtocol.ts';
import { codicon, iconButton } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { watchFocus } from '../focusLost.ts';
import { showControls } from '../markdown.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { chatChangesStyles } from './chatChanges.styles.ts';
import { foldingLine, lineStyles, renderResults } from './line.ts';
import { countFacts, type StepFact } from './stepWords.ts';

/** The files that a turn has changed: a line that unfolds to a list, with the actions on them. */
class ChatChanges extends PageElement {
	static override styles = [sharedStyles, lineStyles, chatChangesStyles];
	static override properties = reactive('changes', 'turn', 'open');

	declare changes: ChangesView;
	/** The id of the reply's turn. */
	declare turn: string;
	declare open: boolean | undefined;

	constructor() {
		super();
		watchFocus(this);
	}

	override render(): TemplateResult {
		const { changes, turn } = this;
		const { files, count, left, canUndo } = changes;
		const words = countWords(count, this.page.language);
		const isWhole = left === 0;
		const title = isWhole
			? l10n.t('{0} in your files', words)
			: !canUndo
				? l10n.t('{0} in the copy', words)
				: l10n.t('{0}, {1} still in the copy', words, new Intl.NumberFormat(this.page.language).format(left));
		return html`<div class="summary">
				${foldingLine(this, 'files', html`${codicon('diff-multiple')}<span class="title ellipsis">${title}</span>`)}
				<span class="links">
					${this.renderLink(l10n.t('Compare'), () => this.page.post({ kind: 'work-compare', turn }))}
					${isWhole ? nothing : this.renderLink(l10n.t('Take Changes'), () => this.page.post({ kind: 'work-take', turn }))}
					${canUndo ? this.renderLink(l10n.t('Undo Turn'), () => this.page.post({ kind: 'work-undo', turn })) : nothing}
				</span>
			</div>
			<ul id="files" ?hidden=${!this.open} aria-label=${l10n.t('Changed files')}>
				${this.open ? files.map(file => this.renderFile(file)) : nothing}
				${this.open && count > files.length ? this.renderFurther(count - files.length) : nothing}
			</ul>`;
	}

	private renderLink(label: string, press: () => void): TemplateResult {
		return html`<button type="button" class="link" @click=${press}>${label}</button>`;
	}

	private renderFurther(count: number): TemplateResult {
		const number = new Intl.NumberFormat(this.page.language).format(count);
		const words =
			count === 1
				? l10n.t('1 more file isn’t listed. Select Compare to see it.')
				: l10n.t('{0} more files aren’t listed. Select Compare to see them.', number);
		return html`<li class="further">${words}</li>`;
	}

	private renderFile(file: WorkFile): TemplateResult {
		const { path, status, isUndone, added = 0, removed = 0 } = file;
		// If all files are in the same place, the summary says so.
		const place = isUndone ? l10n.t('Undone') : this.changes.canUndo && isInCopy(file) ? copyWords(file) : undefined;
		const [, folder = '', name = path] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
		const facts: StepFact[] = countFacts(added, removed, new Intl.NumberFormat(this.page.language));
		if (place !== undefined) {
			facts.push({ kind: 'quiet', words: place });
		}
		const shown = showControls(path);
		return html`<li>
			<button
				type="button"
				class="line file"
				title=${l10n.t('Compare {0}', shown)}
				@click=${() => this.page.post({ kind: 'work-compare', turn: this.turn, file: path })}
			>
				<span class="screen-reader">${l10n.t('{0}: {1}', statusWord(status), shown)}</span>
				<span class="status ${status}" aria-hidden="true">${status}</span>
				<span class="title ellipsis" aria-hidden="true">${showControls(name)}</span>
				<span class="folder ellipsis" aria-hidden="true">${showControls(folder)}</span>
				${renderResults(facts)}
			</button>
			${this.renderFileAction(file, shown)}
		</li>`;
	}

	private renderFileAction(of: WorkFile, shown: string): TemplateResult {
		const { turn, page } = this;
		const file = of.path;
		return isInCopy(of)
			? iconButton('check', l10n.t('Take {0}', shown), () => page.post({ kind: 'work-take', turn, file }))
			: iconButton('discard', l10n.t('Undo {0}', shown), () => page.post({ kind: 'work-undo', turn, file }));
	}
}

const copyWords = ({ isTaken }: WorkFile) => (isTaken ? l10n.t('More in the copy') : l10n.t('In the copy'));

function countWords(count: number, language: string): string {
	const number = new Intl.NumberFormat(language).format(count);
	return count === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', number);
}

function statusWord(status: WorkFile['status']): string {
	const words: Record<WorkFile['status'], string> = {
		A: l10n.t('Added'),
		M: l10n.t('Modified'),
		D: l10n.t('Deleted'),
		R: l10n.t('Renamed'),
		T: l10n.t('Type changed'),
	};
	return words[status];
}

customElements.define('chat-changes', ChatChanges);
