import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import { sandboxProblem } from '../../contract/agents.ts';
import { toCommand, toSetting } from '../../platform/actionList.ts';
import { commands } from '../../platform/ids.ts';
import { openDashboard, openDashboardText } from '../common/dashboard.ts';
import type { PreflightFinding } from '../model/findings.ts';
import type { NeedsFinding } from '../model/taskNeeds.ts';
import type { LaunchCheck } from './launchCheck.ts';
import type { FindingFix } from './preflightList.ts';
import { choiceText } from './preflightMessages.ts';

/** The effects that fixes have on the launch. */
export interface FixActions {
	check: Pick<LaunchCheck, 'choose' | 'gather' | 'askAgain' | 'needs'>;
	/** The folder from which the repository can be published; undefined if it is not open in this window. */
	folder: vscode.Uri | undefined;
	dashboardUrl: string | undefined;
	chooseBranch(): unknown;
	chooseAgents(): unknown;
	/** Gets the files that a partial clone lacks, and reads its state again. */
	getMissingFiles(remote: string): Promise<void>;
}

const fix = (icon: string, title: string, run: () => unknown): FindingFix => ({ icon, title, run });

// Each of these ends the launch: the list before a task would cover what it opens, and a launch that was confirmed for
// one connection is never sent to another.
const switchConnection = () => fix('plug', vscode.l10n.t('Switch Connection'), toCommand(commands.switchConnection));
const setUpAgents = () => fix('robot', vscode.l10n.t('Set Up Agents…'), toCommand(commands.setUpAgents));
const openSettings = (id: Parameters<typeof toSetting>[0]) =>
	fix('settings-gear', vscode.l10n.t('Open Settings'), toSetting(id));

/** Returns the alternatives for a finding. */
export function findingFixes(finding: PreflightFinding, actions: FixActions): FindingFix[] {
	const { folder, dashboardUrl } = actions;
	const otherBranch = fix('git-branch', vscode.l10n.t('Select Another Branch'), () => actions.chooseBranch());
	const dashboardFixes =
		dashboardUrl === undefined ? [] : [fix('link-external', openDashboardText(), () => openDashboard(dashboardUrl))];
	switch (finding.kind) {
		case 'no-remote': {
			const publish = async () => {
				await vscode.commands.executeCommand('git.publish', folder);
				await actions.check.gather();
			};
			return [fix('cloud-upload', vscode.l10n.t('Publish Branch'), publish), switchConnection()];
		}
		case 'unusable-remote':
			return [switchConnection()];
		case 'only-on-remote':
		case 'unsafe-name':
			return [otherBranch];
		case 'missing-files': {
			const { remote } = finding;
			const title = vscode.l10n.t('Get Them from {0}', shortName(remote));
			return [fix('cloud-download', title, () => actions.getMissingFiles(remote)), otherBranch];
		}
		case 'not-on-remote':
		case 'unpushed':
			return finding.choices
				.filter(choice => choice !== finding.chosen)
				.map(commits => fix('arrow-swap', choiceText(commits, finding.kind), () => actions.check.choose({ commits })));
		case 'changes':
			return finding.choices
				.filter(choice => choice !== finding.chosen)
				.map(changes => fix('arrow-swap', choiceText(changes, finding.kind), () => actions.check.choose({ changes })));
		case 'unknown-agent':
			return [openSettings('errand.tasks.agent')];
		case 'empty-git-user':
			return dashboardFixes;
		case 'service':
			return finding.look.kind === 'known' || finding.look.kind === 'asking'
				? []
				: [askAgain(actions), ...dashboardFixes];
		case 'unusable-agents': {
			const select = () => actions.chooseAgents();
			return [fix('arrow-swap', vscode.l10n.t('Select Another Agent'), select), setUpAgents()];
		}
		case 'sandbox-required':
			return [setUpAgents(), openSettings('errand.local.sandbox')];
		case 'unsandboxed':
			return finding.isAllowed
				? [forbid(() => actions.check.needs.answer({ unsandboxed: undefined }))]
				: [allow(() => actions.check.needs.answer({ unsandboxed: sandboxProblem(finding.sandbox) })), setUpAgents()];
		case 'installation':
			return dependenciesFixes(finding, actions);
		case 'search':
			// A consent that the service has is revoked where all of them are listed.
			return finding.isKept
				? [setUpAgents()]
				: [(finding.isAllowed ? forbid : allow)(() => actions.check.needs.answer({ search: !finding.isAllowed }))];
		case 'needs-unknown':
			return [askAgain(actions)];
		default:
			return [];
	}
}

const askAgain = (actions: FixActions) => fix('refresh', vscode.l10n.t('Ask Again'), () => actions.check.askAgain());
const allow = (run: () => void) => fix('check', vscode.l10n.t('Allow for This Repository'), run);
const forbid = (run: () => void) => fix('circle-slash', vscode.l10n.t('Don’t Allow'), run);

function dependenciesFixes(
	{ hosts, allowed }: NeedsFinding & { kind: 'installation' },
	actions: FixActions,
): FindingFix[] {
	const answer = (allowsScripts: boolean) => () =>
		actions.check.needs.answer({ dependencies: { hosts, allowsScripts } });
	const without = fix('check', vscode.l10n.t('Allow Without Install Scripts'), answer(false));
	const withScripts = fix('run-all', vscode.l10n.t('Allow with Install Scripts'), answer(true));
	const skip = () => actions.check.choose({ installDependencies: false });
	return [
		...(allowed === 'without-scripts' ? [] : [without]),
		...(allowed === 'with-scripts' ? [] : [withScripts]),
		fix('circle-slash', vscode.l10n.t('Don’t Install'), skip),
	];
}
