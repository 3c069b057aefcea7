import * as l10n from '@vscode/l10n';
import { APPROVAL_SETTINGS, type ApprovalSetting } from '../../model/agentWork.ts';
import { approvalsLabel } from '../../protocol/labels.ts';
import type { Menu } from '../components/composerMenu.ts';
import type { Post } from '../page.ts';

/** The menu of the things that agents ask about, which is a setting for all windows. */
export function approvalsMenu(current: ApprovalSetting, post: Post): Menu {
	return {
		label: l10n.t('What Agents Ask About'),
		rows: APPROVAL_SETTINGS.map(id => ({
			id,
			icon: 'shield',
			name: approvalsLabel(id),
			detail: approvalsDetail(id),
			isCurrent: id === current,
		})),
		take: id => post({ kind: 'approvals-choose', approvals: id as ApprovalSetting }),
	};
}

function approvalsDetail(setting: ApprovalSetting): string {
	switch (setting) {
		case 'ask':
			return l10n.t('Before each file change and each command.');
		case 'ask-for-commands':
			return l10n.t('Before each command, and before changes to files that decide what runs.');
		case 'plan':
			return l10n.t('Changes nothing, and ends with a plan that you can edit and start.');
		case 'allow-in-sandbox':
			return l10n.t(
				'Only before changes to files that decide what runs. Other changes stay in a copy until you take them.',
			);
	}
}
