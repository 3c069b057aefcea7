import { html, nothing, type TemplateResult } from 'lit';
import type { PageStrings, TurnView } from '../../protocol/protocol.ts';
import { fill } from '../format.ts';
import { isSendKey } from '../message.ts';
import './chatChips.ts';
import type { HostRequests } from '../hostRequests.ts';
import { iconButton } from './iconButton.ts';

/** What can be done with a message: changed and sent again, and its versions looked at. */
export interface QuestionActions {
	edit(turn: TurnView): void;
	/** The text as it is while it is being changed. */
	editInput(text: string): void;
	cancelEdit(): void;
	sendEdit(): void;
	openAttachment(turn: TurnView, index: number): void;
	showVersion(turn: TurnView, direction: 'previous' | 'next'): void;
}

/** The user's message with its actions, or, with `editing`, the field in which it is changed. */
export function renderQuestion(
	turn: TurnView,
	strings: PageStrings,
	language: string,
	actions: QuestionActions,
	editing: string | undefined,
	requests: HostRequests,
): TemplateResult {
	return html`
		${
			editing === undefined
				? html`<div class="question">${turn.question}</div>`
				: renderEditor(strings, actions, editing)
		}
		${
			turn.attachments?.length
				? html`<chat-chips
						class="attachments"
						.chips=${turn.attachments}
						.label=${strings.attached}
						.strings=${strings}
						.language=${language}
						.openChip=${(index: number) => actions.openAttachment(turn, index)}
						.loadPreview=${(file: string) => requests.ask('preview-request', { file, turn: turn.id })}
					></chat-chips>`
				: nothing
		}
		<div class="question-row">
			${turn.version ? renderVersions(turn, turn.version, strings, actions) : nothing}
			${
				editing === undefined
					? html`<span class="actions">${iconButton('edit', strings.edit, () => actions.edit(turn))}</span>`
					: nothing
			}
		</div>
	`;
}

function renderVersions(
	turn: TurnView,
	{ index, count, previous, next }: NonNullable<TurnView['version']>,
	strings: PageStrings,
	actions: QuestionActions,
): TemplateResult {
	const step = (direction: 'previous' | 'next', target: string | undefined) =>
		iconButton(
			direction === 'previous' ? 'chevron-left' : 'chevron-right',
			direction === 'previous' ? strings.previousVersion : strings.nextVersion,
			() => actions.showVersion(turn, direction),
			{ name: direction, disabled: target === undefined },
		);
	return html`<span class="versions" role="group" aria-label=${fill(strings.versionLabel, index, count)}>
		${step('previous', previous)}<span>${fill(strings.versionOf, index, count)}</span>${step('next', next)}
	</span>`;
}

function renderEditor(strings: PageStrings, actions: QuestionActions, text: string): TemplateResult {
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
			rows="1"
			aria-label=${strings.editMessage}
			.defaultValue=${text}
			@input=${onInput}
			@keydown=${onKeyDown}
		></textarea>
		<div class="buttons">
			<button type="button" class="button" @click=${() => actions.sendEdit()}>${strings.send}</button>
			<button type="button" class="button secondary" @click=${() => actions.cancelEdit()}>${strings.cancel}</button>
		</div>
	</div>`;
}
