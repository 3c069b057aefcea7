import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { TurnView } from '../../protocol/protocol.ts';
import { iconButton } from '../codicon.ts';
import { isSendKey } from '../message.ts';
import './chatChips.ts';
import type { Page } from '../pageElement.ts';

/** The actions on a message: editing and sending it again, and showing its versions. */
export interface QuestionActions {
	edit(turn: TurnView): void;
	/** Called with the text on each change. */
	editInput(text: string): void;
	cancelEdit(): void;
	sendEdit(): void;
	openAttachment(turn: TurnView, index: number): void;
	showVersion(turn: TurnView, direction: 'previous' | 'next'): void;
}

/** The user's message with its actions or, with `editing`, the field for changing it. */
export function renderQuestion(
	turn: TurnView,
	actions: QuestionActions,
	editing: string | undefined,
	page: Page,
): TemplateResult {
	return html`
		${editing === undefined ? html`<div class="question" dir="auto">${turn.question}</div>` : renderEditor(actions, editing)}
		${
			turn.attachments?.length
				? html`<chat-chips
						class="attachments"
						.chips=${turn.attachments}
						.label=${l10n.t('Context of this message')}
						.page=${page}
						.openChip=${(index: number) => actions.openAttachment(turn, index)}
						.loadPreview=${(file: string) => page.requests.ask('preview-request', { file, turn: turn.id })}
					></chat-chips>`
				: nothing
		}
		<div class="question-row">
			${turn.version ? renderVersions(turn, turn.version, actions) : nothing}
			${
				editing === undefined
					? html`<span class="actions">${iconButton('edit', l10n.t('Edit and Send Again'), () => actions.edit(turn))}</span>`
					: nothing
			}
		</div>
	`;
}

function renderVersions(
	turn: TurnView,
	{ index, count, previous, next }: NonNullable<TurnView['version']>,
	actions: QuestionActions,
): TemplateResult {
	const step = (direction: 'previous' | 'next', target: string | undefined) =>
		iconButton(
			direction === 'previous' ? 'chevron-left' : 'chevron-right',
			direction === 'previous' ? l10n.t('Previous Version') : l10n.t('Next Version'),
			() => actions.showVersion(turn, direction),
			{ name: direction, disabled: target === undefined },
		);
	return html`<span class="versions" role="group" aria-label=${l10n.t('Version {0} of {1} of this message', index, count)}>
		${step('previous', previous)}<span>${l10n.t('{0} of {1}', index, count)}</span>${step('next', next)}
	</span>`;
}

function renderEditor(actions: QuestionActions, text: string): TemplateResult {
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === 'Escape' && !event.isComposing) {
			event.preventDefault();
			actions.cancelEdit();
		} else if (isSendKey(event)) {
			event.preventDefault();
			actions.sendEdit();
		}
	};
	const onInput = (event: InputEvent) => actions.editInput((event.currentTarget as HTMLTextAreaElement).value);
	return html`<div class="editor">
		<textarea
			class="scrolls"
			dir="auto"
			rows="1"
			aria-label=${l10n.t('Edit message')}
			.defaultValue=${text}
			@input=${onInput}
			@keydown=${onKeyDown}
		></textarea>
		<div class="buttons">
			<button type="button" class="button" @click=${() => actions.sendEdit()}>${l10n.t('Send')}</button>
			<button type="button" class="button secondary" @click=${() => actions.cancelEdit()}>${l10n.t('Cancel')}</button>
		</div>
	</div>`;
}
