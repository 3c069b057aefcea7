import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FormField, FormOption, FormValue } from '../../../agents/session/events.ts';
import type { StepView } from '../../protocol/workProtocol.ts';
import { codicon } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { showControls } from '../markdown.ts';
import { reactive } from '../pageElement.ts';
import { chatApprovalStyles } from './chatApproval.styles.ts';
import { chatFormStyles } from './chatForm.styles.ts';
import { QuestionBox } from './questionBox.ts';
import { questionOf, stepIcon } from './stepWords.ts';

const INPUT_TYPES = {
	text: 'text',
	email: 'email',
	uri: 'url',
	date: 'date',
	number: 'number',
	integer: 'number',
} as const;

/** A form of an agent, with all of its fields. The host validates the answers before the agent gets them. */
export class ChatForm extends QuestionBox {
	static override styles = [sharedStyles, chatApprovalStyles, chatFormStyles];
	static override properties = reactive('step', 'turn', 'decline', 'problem');

	declare step: StepView;
	/** The id of the reply's turn. */
	declare turn: string;
	declare decline: () => void;
	/** A sentence that says why the answers were not sent. */
	declare problem: string | undefined;

	override render(): TemplateResult {
		const { step } = this;
		const { form = [], title } = step;
		return html`<form
			class="box"
			tabindex="0"
			aria-labelledby="question"
			aria-describedby="subject"
			autocomplete="off"
			@submit=${(event: SubmitEvent) => {
				event.preventDefault();
				void this.send(event.currentTarget as HTMLFormElement);
			}}
		>
			<h4 id="question">${codicon(stepIcon(step))}${questionOf(step)}</h4>
			<p id="subject" class="title words">${showControls(title)}</p>
			${form.map((field, index) => renderField(field, `field-${index}`))}
			${this.problem === undefined ? nothing : html`<p role="alert" class="problem">${codicon('error')}<span>${this.problem}</span></p>`}
			<p class="note">${l10n.t('Your answers are sent to the agent and its model. Never enter a key or a password.')}</p>
			<div class="buttons">
				<button class="button" ?disabled=${this.isGuarded}>${l10n.t('Send Answers')}</button>
				<button type="button" name="no" class="button secondary" @click=${this.decline}>${l10n.t('Decline')}</button>
			</div>
		</form>`;
	}

	private async send(form: HTMLFormElement): Promise<void> {
		const { step, turn } = this;
		const values = Object.fromEntries(
			(step.form ?? []).flatMap((field, index) => {
				const value = valueIn(form, field, `field-${index}`);
				return value === undefined ? [] : [[field.name, value]];
			}),
		);
		try {
			this.problem = await this.page.requests.ask('step-fill', {
				turn,
				question: step.approval?.question ?? '',
				values,
			});
		} catch (error) {
			this.problem = (error as Error).message;
		}
	}
}

/**
 * Fields are named by their index, because the names that the agent gives them could be the names of anything. A note in
 * a label would be read with the name and as the description.
 */
function renderField(field: FormField, name: string): TemplateResult {
	const { kind, title, description, isRequired, options = [], minimum, maximum, value } = field;
	const label = html`<span class="label" id="${name}-label">${showControls(title)}${isRequired && kind !== 'boolean' ? html`<span aria-hidden="true"> *</span>` : nothing}</span>`;
	const note =
		description === undefined
			? nothing
			: html`<span class="note words" id="${name}-note">${showControls(description)}</span>`;
	const noted = description === undefined ? nothing : `${name}-note`;
	if (kind === 'boolean') {
		return html`<label class="option"><input type="checkbox" name=${name} .checked=${value === true} aria-labelledby="${name}-label" aria-describedby=${noted} />${label}${note}</label>`;
	}
	if (options.length > 0) {
		const chosen = [value].flat();
		const isOne = kind === 'choice';
		const row = (option: FormOption) => html`<label class="option">
			<input
				type=${isOne ? 'radio' : 'checkbox'}
				name=${name}
				value=${option.value}
				?required=${isOne && isRequired}
				.checked=${chosen.includes(option.value)}
			/><span class="label">${showControls(option.title)}</span>${
				option.description === undefined
					? nothing
					: html`<span class="note words">${showControls(option.description)}</span>`
			}</label>`;
		return html`<fieldset aria-describedby=${noted}>
			<legend>${label}</legend>
			${note} ${options.map(row)}
		</fieldset>`;
	}
	const isNumber = kind === 'number' || kind === 'integer';
	const bound = (isMeant: boolean, size: number | undefined) => (isMeant && size !== undefined ? size : nothing);
	return html`<label class="field"
		>${label}${note}<input
			type=${INPUT_TYPES[kind as keyof typeof INPUT_TYPES]}
			name=${name}
			dir="auto"
			?required=${isRequired}
			min=${bound(isNumber, minimum)}
			max=${bound(isNumber, maximum)}
			minlength=${bound(!isNumber, minimum)}
			maxlength=${bound(!isNumber, maximum)}
			step=${kind === 'number' ? 'any' : nothing}
			.defaultValue=${value === undefined ? '' : String(value)}
			aria-labelledby="${name}-label"
			aria-describedby=${noted}
	/></label>`;
}

/** Returns undefined if the field was left empty. */
function valueIn(form: HTMLFormElement, { kind }: FormField, name: string): FormValue | undefined {
	const values = new FormData(form).getAll(name).map(String);
	switch (kind) {
		case 'boolean':
			return values.length > 0;
		case 'choices':
			return values;
		case 'number':
		case 'integer':
			return values[0] ? Number(values[0]) : undefined;
		default:
			return values[0] || undefined;
	}
}

customElements.define('chat-form', ChatForm);
