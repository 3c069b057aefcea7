import * as l10n from '@vscode/l10n';
import { css, html, nothing, type TemplateResult } from 'lit';
import type { NextTaskChoice, NextTaskView } from '../../../tasks/api.ts';
import { type CodiconName, codicon } from '../codicon.ts';
import { quietButton } from '../components/shared.styles.ts';
import type { Post } from '../page.ts';

type ShownChoice = NextTaskView['choices'][0]['choice'];

const ICONS = {
	prompt: 'edit',
	repository: 'repo',
	branch: 'git-branch',
	agent: 'robot',
	model: 'chip',
	cost: 'credit-card',
	sandbox: 'shield',
} as const satisfies Record<ShownChoice, CodiconName>;

function choiceLabel(choice: ShownChoice): string {
	const labels: Record<ShownChoice, string> = {
		prompt: l10n.t('Move the Prompt Back from Its Editor'),
		repository: l10n.t('Select Repository'),
		branch: l10n.t('Select Branch'),
		agent: l10n.t('Select Agents'),
		model: l10n.t('Select Models'),
		cost: l10n.t('Set Cost Limit'),
		sandbox: l10n.t('Set Sandbox'),
	};
	return labels[choice];
}

/** The choices for the next task, each changed with one press, or the problem that prevents any task. */
export function taskLine(task: NextTaskView | undefined, post: Post): TemplateResult {
	const choose = (choice: NextTaskChoice) => post({ kind: 'task-choose', choice });
	const { choices = [], problem } = task ?? {};
	return html`<div class="task" role="group" aria-label=${l10n.t('The next task')}>
		${task ? nothing : html`<span class="reading">${l10n.t('Checking the repository…')}</span>`}
		${choices.map(({ choice, name, hint }) => {
			const words = [`${choiceLabel(choice)}: ${name}`, hint].filter(Boolean).join('. ');
			return html`<button type="button" class="task-choice" title=${words} @click=${() => choose(choice)}>
				${codicon(ICONS[choice])}<span class="word ellipsis" aria-hidden="true">${name}</span>
			</button>`;
		})}
		${
			problem
				? html`<div class="warning" role="status">
						${codicon('warning')}
						<span>${problem.message} <button type="button" class="link" @click=${() => choose('problem')}>${problem.action}</button></span>
					</div>`
				: nothing
		}
	</div>`;
}

export const taskLineStyles = css`
	.task {
		display: flex;
		flex-wrap: wrap;
		gap: 0 4px;
		padding-top: 4px;
		font-size: 0.9em;
	}

	.task .warning {
		flex-basis: 100%;
	}

	.task .reading {
		padding: 4px;
		color: var(--vscode-descriptionForeground);
	}

	/* A name that does not fit begins a line of its own before anything of it is left out. */
	.task-choice {
		${quietButton}
		min-width: 0;
		max-width: 100%;
		font-size: inherit;
		white-space: nowrap;
	}

	.task-choice:hover {
		background: var(--vscode-toolbar-hoverBackground);
		color: var(--vscode-foreground);
	}

	.task-choice .codicon {
		flex: none;
		font-size: 14px;
	}
`;
