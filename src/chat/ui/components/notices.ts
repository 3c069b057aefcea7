import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ConnectionView, EncryptionView } from '../../protocol/protocol.ts';
import { codicon, iconButton } from '../codicon.ts';
import type { Post } from '../page.ts';

type ConnectionProblem = NonNullable<ConnectionView['problem']>;

/** Renders the content of a conversation without turns. */
export function emptyConversation(
	connection: ConnectionView | undefined,
	encryption: EncryptionView | undefined,
	post: Post,
): TemplateResult {
	if (encryption) {
		return html`<div class="empty"><p>${encryption.emptyText}</p></div>`;
	}
	if (connection?.problem) {
		const { message, action } = connection.problem;
		return html`<div class="empty">${reasonWithButton(message, action, () => post({ kind: 'connection-follow' }))}</div>`;
	}
	return html`<div class="empty">
		<p>${l10n.t('Ask about your code, or about anything else.')}</p>
		${
			connection?.isDemo
				? reasonWithButton(
						l10n.t('No model is set up yet. Until then, a built-in demo replies to show how things look.'),
						l10n.t('Add Service…'),
						() => post({ kind: 'server-add' }),
					)
				: nothing
		}
		${
			connection?.model
				? html`<p class="quiet">${l10n.t('Type @ to add files, symbols, problems or changes, or hold Shift and drop files here.')}</p>
					${connection.isDemo ? nothing : html`<p class="quiet">${l10n.t('{0} on {1}', connection.model, connection.label)}</p>`}
					${encryptedChoice(connection, () => post({ kind: 'encryption-begin' }))}`
				: nothing
		}
	</div>`;
}

function reasonWithButton(reason: string, label: string, press: () => void): TemplateResult {
	return html`<p id="empty-reason">${reason}</p>
		<button type="button" class="button" aria-describedby="empty-reason" @click=${press}>${label}</button>`;
}

/** The button is disabled, with the reason, if the connection has no encrypted channel. */
function encryptedChoice({ noEncryption }: ConnectionView, begin: () => void): TemplateResult {
	return html`<button type="button" class="link begin-encrypted" ?disabled=${noEncryption !== undefined} @click=${begin}>
			${codicon('lock')}${l10n.t('New Encrypted Conversation')}
		</button>
		${noEncryption === undefined ? nothing : html`<p class="quiet reason">${noEncryption}</p>`}`;
}

/** Loads the turns before the first one in the page; `count` is their number. */
export function earlierButton(count: number, language: string, load: () => void): TemplateResult {
	const label = l10n.t('Show {0} Earlier Messages', new Intl.NumberFormat(language).format(count));
	return html`<button type="button" class="link earlier" @click=${load}>${label}</button>`;
}

/** A button that scrolls to the end of the conversation. With `isAsked`, an agent's question is waiting there. */
export function toEndButton(isAsked: boolean, press: () => void): TemplateResult {
	const label = l10n.t('Scroll to End');
	return html`<button
		type="button"
		class="icon-button to-end ${isAsked ? 'asked' : ''}"
		title=${label}
		@click=${press}
	>
		${isAsked ? html`<span>${l10n.t('Waiting for your answer')}</span>` : nothing}${codicon('arrow-down')}
	</button>`;
}

/** Says why the conversation cannot continue. */
export function problemNotice({ message, action }: ConnectionProblem, followConnection: () => void): TemplateResult {
	return notice(
		message,
		html`<button type="button" class="button secondary" @click=${followConnection}>${action}</button>`,
	);
}

/** A notice about the conversation's file, until the reader dismisses it. */
export function fileNotice(message: string, dismiss: () => void): TemplateResult {
	return notice(message, iconButton('close', l10n.t('Dismiss'), dismiss));
}

function notice(message: string, button: TemplateResult): TemplateResult {
	return html`<div class="notice warning" role="status">
		${codicon('warning')}
		<p>${message}</p>
		${button}
	</div>`;
}
