import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { DecisiveReason } from '../../../base/decisiveFiles.ts';
import type { ApprovalAnswer } from '../../model/approvals.ts';
import type { DiffLine } from '../../model/lineDiff.ts';
import type { ApprovalView, FolderView, StepView } from '../../protocol/workProtocol.ts';
import { codicon } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { showControls } from '../markdown.ts';
import { reactive } from '../pageElement.ts';
import { chatApprovalStyles } from './chatApproval.styles.ts';
import { exactText, exactTextStyles } from './exactText.ts';
import { QuestionBox } from './questionBox.ts';
import { questionOf, stepIcon, titleOf } from './stepWords.ts';

const SIGNS = { same: ' ', added: '+', removed: '−', gap: '⋯', broken: '\\', unbroken: '\\' } as const;

/** Where an agent's steps run. */
export interface Surroundings {
	readonly folders: readonly FolderView[];
	readonly isSandboxed: boolean;
}

/** Asks whether a step may run, and shows everything that it would do. */
export class ChatApproval extends QuestionBox {
	static override styles = [sharedStyles, exactTextStyles, chatApprovalStyles];
	static override properties = reactive('step', 'surroundings', 'turn', 'answer');

	declare step: StepView;
	declare surroundings: Surroundings;
	/** The id of the reply's turn. */
	declare turn: string;
	declare answer: (answer: ApprovalAnswer) => void;

	/** The folders that the step writes to or, where it works in copies, those that the copies are of. */
	private get folders(): readonly FolderView[] {
		const { isWritten, changes = [] } = this.step.approval ?? {};
		const isNamed = ({ at }: FolderView) => at === undefined || changes.some(({ path }) => path.startsWith(`${at}/`));
		return isWritten ? this.surroundings.folders.filter(isNamed) : this.surroundings.folders;
	}

	override render(): TemplateResult {
		const { step } = this;
		const { approval } = step;
		const { isSandboxed } = this.surroundings;
		const isInSandbox = isSandboxed && step.isMcpOutside === undefined;
		const place = this.folders.map(({ name }) => showControls(name)).join(', ');
		return html`<div class="box" role="group" tabindex="0" aria-labelledby="question" aria-describedby="subject place decides">
			<h4 id="question">${codicon(stepIcon(step))}${questionOf(step)}</h4>
			<div id="subject">
				${isSaidBelow(step) ? nothing : html`<p class="title"><bdi>${titleOf(step)}</bdi></p>`}
				${step.command === undefined ? nothing : html`<pre class="command">${exactText(step.command)}</pre>`}
				${approval?.changes?.map((change, index) => this.renderChange(change, index)) ?? nothing}
				${this.renderInput(approval)} ${this.renderPlaces()}
			</div>
			<p id="place" class="warning">
				${isInSandbox || step.mcpHost !== undefined ? nothing : codicon('warning')}<span>${whereWords(step, isInSandbox, place)}</span>
			</p>
			${approval?.decides ? html`<p id="decides" class="warning">${codicon('warning')}<span>${decidesWords(approval.decides)}</span></p>` : nothing}
			<div class="buttons" @keydown=${ignoreHeldKeys}>
				${this.renderButton('once', l10n.t('Allow Once'))}
				${approval?.isOnlyOnce ? nothing : this.renderButton('conversation', ...conversationWords(step))}
				${this.renderButton('no', l10n.t('No'))}
			</div>
			${approval?.rule === undefined || approval.isOnlyOnce ? nothing : html`<p class="note rule">${ruleWords(step)}</p>`}
		</div>`;
	}

	private renderButton(answer: ApprovalAnswer, label: string, hint?: string): TemplateResult {
		const isYes = answer !== 'no';
		const press = (event: MouseEvent) => {
			// The second click of a double click was not meant for this question.
			if (!isYes || event.detail < 2) {
				this.answer(answer);
			}
		};
		return html`<button
			type="button"
			name=${answer}
			class="button ${answer === 'once' ? '' : 'secondary'}"
			title=${hint ?? nothing}
			?disabled=${isYes && this.isGuarded}
			@click=${press}
		>
			${label}
		</button>`;
	}

	private renderChange(
		{ path, isNew, lines, isCut }: NonNullable<ApprovalView['changes']>[number],
		index: number,
	): TemplateResult {
		const shown = showControls(path);
		const open = () => this.page.post({ kind: 'step-diff-open', turn: this.turn, step: this.step.id, index });
		return html`<div class="change">
			<div class="change-bar">
				<span class="path ellipsis" title=${shown}>${shown}</span>${
					isNew ? html`<span class="new">${l10n.t('new')}</span>` : nothing
				}
				<button type="button" class="link" aria-label=${l10n.t('Open Diff of {0}', shown)} @click=${open}>
					${l10n.t('Open Diff')}
				</button>
			</div>
			${
				lines.length === 0
					? nothing
					: html`<pre class="lines scrolls" role="group" tabindex="0" aria-label=${l10n.t('Change to {0}', shown)}>${lines.map(
							({ kind, text }) =>
								html`<span class="diff-line ${kind}">${SIGNS[kind]} ${exactText(text)}${breakWords(kind)}\n</span>`,
						)}</pre>`
			}
			${isCut ? html`<p class="note">${cutWords(lines.length > 0)}</p>` : nothing}
		</div>`;
	}

	private renderInput({ input }: Partial<ApprovalView> = {}): TemplateResult | typeof nothing {
		if (input === undefined) {
			return nothing;
		}
		return html`<pre class="input scrolls" role="group" tabindex="0" aria-label=${l10n.t('Tool arguments')}>${exactText(laidOut(input))}</pre>`;
	}

	/** Renders the locations of a step about which nothing else is known, or a sentence if there are none either. */
	private renderPlaces(): TemplateResult | typeof nothing {
		const { command, locations = [], approval } = this.step;
		if (command !== undefined || approval?.changes || approval?.input !== undefined) {
			return nothing;
		}
		if (locations.length === 0) {
			return html`<p class="note">${l10n.t('The agent doesn’t say exactly what it would do.')}</p>`;
		}
		return html`<ul class="places">
			${locations.map(({ path, line }) => {
				const shown = showControls(line === undefined ? path : `${path}:${line}`);
				return html`<li title=${shown}><bdi>${shown}</bdi></li>`;
			})}
		</ul>`;
	}
}

/** Returns whether the title only repeats the command or a path shown below it, with at most two more words. */
function isSaidBelow({ title, command = '', approval }: StepView): boolean {
	const named = approval?.changes?.find(({ path }) => title.includes(path))?.path;
	const others = named === undefined ? undefined : title.replace(named, '').trim().split(/\s+/);
	return title.trim() === command.trim() || (others !== undefined && others.length <= 2);
}

/** Returns what is said of where a step takes place. */
function whereWords(step: StepView, isSandboxed: boolean, place: string): string {
	const { mcpTool, kind, approval } = step;
	if (mcpTool !== undefined) {
		return serverWords(step, isSandboxed);
	}
	if (kind === 'fetch') {
		return isSandboxed
			? l10n.t('The agent runs in a sandbox without network access, so only Errand can get this for it.')
			: l10n.t('The agent runs without a sandbox.');
	}
	if (approval?.isWritten) {
		return isSandboxed
			? l10n.t('Exactly this change is made to your files in {0}.', place)
			: l10n.t('Exactly this change is made to your files in {0}. The agent runs without a sandbox.', place);
	}
	return isSandboxed
		? l10n.t('Runs in a copy of {0}, in a sandbox without network access.', place)
		: l10n.t('Runs in a copy of {0}, without a sandbox.', place);
}

function serverWords({ mcpHost }: StepView, isSandboxed: boolean): string {
	if (mcpHost !== undefined) {
		return l10n.t('This is sent to the MCP server at {0}.', mcpHost);
	}
	return isSandboxed
		? l10n.t('The MCP server runs in a sandbox of its own.')
		: l10n.t('The MCP server runs without a sandbox.');
}

function breakWords(kind: DiffLine['kind']): string {
	switch (kind) {
		case 'broken':
			return l10n.t('The last line now ends with a line break');
		case 'unbroken':
			return l10n.t('The last line no longer ends with a line break');
		default:
			return '';
	}
}

/** Returns the fields of a JSON object, one per line. A string that would look like several lines is quoted. */
function laidOut(input: string): string {
	const value: unknown = JSON.parse(input);
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? Object.entries(value)
				.map(
					([name, field]) =>
						`${name}: ${typeof field === 'string' && !/[\r\n]/.test(field) ? field : JSON.stringify(field)}`,
				)
				.join('\n')
		: JSON.stringify(value, undefined, 2);
}

/** Returns the label of the answer that holds for the conversation, and a hint that says what it allows. */
function conversationWords(step: StepView): [label: string, hint: string] {
	const { rule, decides, isWritten }: Partial<ApprovalView> = step.approval ?? {};
	if (rule !== undefined) {
		return [l10n.t('Allow {0} Here', showControls(rule)), ruleWords(step)];
	}
	const label = l10n.t('Allow in This Conversation');
	if (step.kind === 'fetch') {
		return [label, l10n.t('Allows all web searches in this conversation.')];
	}
	if (decides !== undefined) {
		return [
			l10n.t('Allow This File Here'),
			l10n.t('Allows further changes to exactly this file in this conversation.'),
		];
	}
	return isWritten
		? [label, l10n.t('Allows all file changes in this conversation. They’re made to your files without asking.')]
		: [label, l10n.t('Allows the same in this conversation without asking again.')];
}

function ruleWords({ command, kind }: StepView): string {
	if (kind === 'fetch') {
		return l10n.t('Here: all pages of this host in this conversation.');
	}
	if (command === undefined) {
		return l10n.t('Applies to this tool in this conversation, with any arguments.');
	}
	return l10n.t(
		'Applies in this conversation, also with other names of files and tests, but not with other options or output to a file.',
	);
}

function decidesWords(reason: DecisiveReason): string {
	const words: Record<DecisiveReason, string> = {
		git: l10n.t('This file controls Git.'),
		hidden: l10n.t('This file may control editors, shells and other programs.'),
		build: l10n.t('This file controls what package managers, builds or CI run.'),
		executable: l10n.t('This file is a program.'),
		instructions: l10n.t('This file gives instructions to agents.'),
	};
	return words[reason];
}

function cutWords(hasLines: boolean): string {
	return hasLines
		? l10n.t('Only the beginning is shown. Open the diff to see all of it.')
		: l10n.t('The change is too large to show here. Open the diff to see it.');
}

/** Ignores a key that was already down when its button got the focus. */
function ignoreHeldKeys(event: KeyboardEvent): void {
	if (event.repeat && (event.key === 'Enter' || event.key === ' ')) {
		event.preventDefault();
	}
}

customElements.define('chat-approval', ChatApproval);
