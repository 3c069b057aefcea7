import * as vscode from 'vscode';
import { oneLine, shortName } from '../../base/plainText.ts';
import type { AgentStatus, SandboxStatus } from '../../contract/agents.ts';
import { agentProblemText } from '../../platform/agentProblemMessages.ts';
import { timeLimitText } from '../../platform/amounts.ts';
import type {
	CommitChoice,
	LaunchFacts,
	LaunchPlan,
	PreflightFinding,
	ServiceCheck,
	Submodule,
} from '../model/findings.ts';
import type { NeedsFinding } from '../model/taskNeeds.ts';
import { SHORT_COMMIT } from './openRepositories.ts';

/** The number of changed files that are named in a row; the rest is counted. */
const SHOWN_FILES = 4;
/** The number of commands and of hosts that are named in a row; the rest is counted. */
const SHOWN_NEEDS = 6;
const MAXIMUM_REASON = 200;

/** The text of a row: an icon, the finding, the items concerned, and the action that will be taken (empty if none). */
export interface FindingText {
	icon: string;
	label: string;
	description?: string;
	detail: string;
}

/** For a finding that prevents the task. */
const blocked = (label: string, detail: string): FindingText => ({ icon: 'error', label, detail });
const warned = (label: string, detail: string): FindingText => ({ icon: 'warning', label, detail });
const told = (label: string, detail: string): FindingText => ({ icon: 'info', label, detail });

/** The names that the texts need. */
export interface PreflightNames {
	connection: string;
	repository: string;
	/** The name of the local branch. */
	branch: string;
	/** The agent that is used instead of one that is not offered. */
	agent: string;
}

export function findingText(finding: PreflightFinding, names: PreflightNames): FindingText {
	const { connection, repository } = names;
	const branch = shortName(names.branch);
	switch (finding.kind) {
		case 'no-remote':
			return blocked(
				vscode.l10n.t('“{0}” has no remote', repository),
				vscode.l10n.t(
					'{0} cannot reach this machine. Publish the repository, or use the local connection.',
					connection,
				),
			);
		case 'unusable-remote':
			return blocked(
				vscode.l10n.t('The address of remote “{0}” cannot be cloned from elsewhere', shortName(finding.remote)),
				vscode.l10n.t('Give it an https or ssh address, or use the local connection.'),
			);
		case 'only-on-remote':
			return blocked(
				vscode.l10n.t('Branch “{0}” is only on {1}', branch, shortName(finding.remote)),
				vscode.l10n.t('Check it out here, or choose another branch.'),
			);
		case 'unsafe-name':
			return blocked(
				vscode.l10n.t('The name of branch “{0}” or of its remote begins with a hyphen', branch),
				vscode.l10n.t('Programs take it for an option. Rename it, or choose another branch.'),
			);
		case 'not-on-remote':
			return warned(
				vscode.l10n.t('Branch “{0}” isn’t on {1} yet', branch, shortName(finding.remote)),
				commitsText(finding.chosen, finding.remote),
			);
		case 'unpushed':
			return warned(unpushedText(finding), commitsText(finding.chosen, finding.remote));
		case 'behind':
			return told(
				finding.behind === 1
					? vscode.l10n.t('{0} has 1 commit that is not here', shortName(finding.remote))
					: vscode.l10n.t('{0} has {1} commits that are not here', shortName(finding.remote), finding.behind),
				vscode.l10n.t('The task starts from what {0} has.', shortName(finding.remote)),
			);
		case 'changes':
			return {
				...warned(
					changesText(finding.files.length),
					finding.chosen === 'leave'
						? vscode.l10n.t('They stay out of the task.')
						: vscode.l10n.t('They go along on a scratch branch, which is removed when the task has ended.'),
				),
				description: filesText(finding.files),
			};
		case 'conflicts':
			return {
				...warned(
					vscode.l10n.t('A merge with conflicts is under way'),
					vscode.l10n.t('Uncommitted changes stay out of the task. Finish the merge if it needs them.'),
				),
				description: filesText(finding.files),
			};
		case 'nested':
			return {
				...told(
					finding.folders.length === 1
						? vscode.l10n.t('A repository inside this one has changes of its own')
						: vscode.l10n.t('{0} repositories inside this one have changes of their own', finding.folders.length),
					vscode.l10n.t('They stay out of the task.'),
				),
				description: filesText(finding.folders),
			};
		case 'unknown-agent':
			return warned(
				vscode.l10n.t('{0} has no agent “{1}”, {2} is used', connection, shortName(finding.agent), names.agent),
				vscode.l10n.t('The setting “errand.tasks.agent” names it.'),
			);
		case 'worktree':
			return told(
				vscode.l10n.t('“{0}” is a worktree', repository),
				vscode.l10n.t('The task works on its branch; other worktrees stay as they are.'),
			);
		case 'submodule':
			return told(
				vscode.l10n.t('“{0}” is a submodule', repository),
				vscode.l10n.t('The task works on the submodule alone, not on the repository around it.'),
			);
		case 'missing-files':
			return blocked(
				vscode.l10n.t('“{0}” is a partial clone without all files of branch “{1}”', repository, branch),
				finding.objects === 1
					? vscode.l10n.t(
							'A task needs all of them, and 1 object is missing. Get it from {0}, or choose another branch.',
							shortName(finding.remote),
						)
					: vscode.l10n.t(
							'A task needs all of them, and {0} objects are missing. Get them from {1}, or choose another branch.',
							finding.objects,
							shortName(finding.remote),
						),
			);
		case 'partial-clone':
			return told(
				vscode.l10n.t('“{0}” is a partial clone', repository),
				vscode.l10n.t('The task has the files of the branch, and none of its history.'),
			);
		case 'shallow-clone':
			return told(
				vscode.l10n.t('“{0}” is a shallow clone', repository),
				vscode.l10n.t('The task has the files of the branch, and no more history than is here.'),
			);
		case 'sparse-checkout':
			return told(
				vscode.l10n.t('“{0}” has a sparse checkout', repository),
				vscode.l10n.t('The task works on all files of the branch, also on those that are not checked out here.'),
			);
		case 'submodules':
			return submodulesText(finding.submodules);
		case 'credentials':
			return told(
				vscode.l10n.t('The remote’s address holds a name or a password'),
				vscode.l10n.t('They are not sent to {0}.', connection),
			);
		case 'empty-git-user':
			return warned(
				vscode.l10n.t('The last task ran without a source-hosting account'),
				vscode.l10n.t('Link one in the dashboard of {0}, or the result may not reach the repository.', connection),
			);
		case 'service':
			return serviceText(finding.look, names);
		default:
			return needsText(finding, connection);
	}
}

function submodulesText(submodules: readonly Submodule[]): FindingText {
	const empty = submodules.filter(({ isCheckedOut }) => !isCheckedOut).map(({ name }) => name);
	const seen =
		empty.length === 0
			? vscode.l10n.t('The agent can read their files.')
			: vscode.l10n.t('The agent finds those empty that are not checked out: {0}.', filesText(empty));
	return {
		...told(
			submodules.length === 1
				? vscode.l10n.t('The branch has a submodule')
				: vscode.l10n.t('The branch has {0} submodules', submodules.length),
			`${seen} ${vscode.l10n.t('What it changes in a submodule is left out.')}`,
		),
		description: filesText(submodules.map(({ name }) => name)),
	};
}

function serviceText(look: ServiceCheck, { connection, repository }: PreflightNames): FindingText {
	switch (look.kind) {
		case 'asking':
		case 'not-asked':
			return {
				icon: 'sync~spin',
				label: vscode.l10n.t('Asking {0} whether it knows “{1}”…', connection, repository),
				detail: '',
			};
		case 'known':
			return { icon: 'check', label: vscode.l10n.t('{0} knows “{1}”', connection, repository), detail: '' };
		case 'unlisted':
			return warned(
				vscode.l10n.t('{0} does not list “{1}”', connection, repository),
				vscode.l10n.t('It may have no access to it. Grant it access, or start the task all the same.'),
			);
		case 'no-link':
			return warned(
				vscode.l10n.t('{0} isn’t linked to your source hosting', connection),
				vscode.l10n.t('Link it in the service’s dashboard; until then private repositories cannot be cloned.'),
			);
		case 'failed':
			return told(vscode.l10n.t('Whether {0} knows “{1}” could not be asked', connection, repository), look.reason);
	}
}

/** Describes the needs of a task of the local service. `connection` is the connection's label. */
function needsText(finding: NeedsFinding, connection: string): FindingText {
	switch (finding.kind) {
		case 'unusable-agents':
			return unusableText(finding.agents);
		case 'sandbox-required':
			return blocked(
				vscode.l10n.t('There is no sandbox, and without one no agent runs, as you chose'),
				`${sandboxText(finding.sandbox)} ${vscode.l10n.t('The setting “errand.local.sandbox” decides.')}`,
			);
		case 'unsandboxed':
			return warned(
				vscode.l10n.t('Runs without a sandbox: it can read and change everything that you can'),
				finding.isAllowed
					? vscode.l10n.t('Allowed for this repository, from the start of this task.')
					: `${sandboxText(finding.sandbox)} ${vscode.l10n.t('Allow it for this repository, or set up the sandbox.')}`,
			);
		case 'installation':
			return dependenciesText(finding);
		case 'no-dependencies':
			return told(
				vscode.l10n.t('No dependencies were found that could be installed'),
				vscode.l10n.t(
					'The branch has neither a lockfile that {0} knows nor a package.json with dependencies.',
					connection,
				),
			);
		case 'shown-dependencies':
			return told(
				vscode.l10n.t('What you have installed is shown to the task: {0}', listed(finding.folders)),
				vscode.l10n.t('It can use these folders and change nothing in them.'),
			);
		case 'unmet-dependencies':
			return told(
				vscode.l10n.t('What you have installed lacks {0}', listed(finding.packages)),
				vscode.l10n.t(
					'So the task does not see it. Install what package.json names, or let the task install its dependencies.',
				),
			);
		case 'unpriced':
			return told(
				vscode.l10n.t(
					'“errand.tasks.maxCost” does not limit this task, as there is no price for {0}',
					listed(finding.models),
				),
				vscode.l10n.t('Add prices to “errand.local.upstreams”.'),
			);
		case 'needs-unknown':
			return told(vscode.l10n.t('What the task needs could not be asked'), finding.reason);
	}
}

function unusableText(agents: readonly AgentStatus[]): FindingText {
	const name = ({ label, id }: AgentStatus) => shortName(label || id);
	const reason = ({ problem }: AgentStatus) => (problem === undefined ? '' : agentProblemText(problem));
	const help = vscode.l10n.t('Set it up, or choose another agent.');
	const [first] = agents;
	return first && agents.length === 1
		? blocked(vscode.l10n.t('“{0}” cannot run', name(first)), `${reason(first)} ${help}`.trim())
		: blocked(
				vscode.l10n.t('{0} of the agents cannot run', agents.length),
				agents.map(agent => `${name(agent)}: ${reason(agent)}`).join(' '),
			);
}

/** Returns why there is no sandbox. */
export function sandboxText({ problem, detail = '' }: SandboxStatus): string {
	switch (problem) {
		case 'not-installed':
			return vscode.l10n.t('Bubblewrap is not installed.');
		case 'platform':
			return vscode.l10n.t('Errand has no sandbox for this system yet.');
		default: {
			const said = oneLine(detail, MAXIMUM_REASON);
			const reason = vscode.l10n.t('This system does not permit the sandbox.');
			return said === '' ? reason : `${reason} ${vscode.l10n.t('It said: “{0}”', said)}`;
		}
	}
}

function dependenciesText({
	commands,
	hosts,
	withLogin,
	allowed,
}: NeedsFinding & { kind: 'installation' }): FindingText {
	const label = vscode.l10n.t('Dependencies are installed first: {0}', listed(commands.map(({ command }) => command)));
	const reached = [
		hosts.length === 0
			? vscode.l10n.t('No host is known yet.')
			: vscode.l10n.t('These hosts are reached: {0}.', listed(hosts)),
		vscode.l10n.t('Others are refused, and asked for next time if the installation fails.'),
		...(withLogin.length === 0
			? []
			: [vscode.l10n.t('Your login to {0} is not used, as agents do not get it.', listed(withLogin))]),
	].join(' ');
	const description = listed(commands.map(({ lockfile }) => lockfile));
	switch (allowed) {
		case undefined:
			return {
				...warned(label, `${reached} ${vscode.l10n.t('Allow it for this repository, or go without.')}`),
				description,
			};
		case 'with-scripts':
			return { ...told(label, `${reached} ${vscode.l10n.t('Install scripts run.')}`), description };
		case 'without-scripts':
			return { ...told(label, `${reached} ${vscode.l10n.t('Install scripts do not run.')}`), description };
	}
}

function listed(names: readonly string[]): string {
	const shown = names.slice(0, SHOWN_NEEDS).map(shortName).join(', ');
	return names.length > SHOWN_NEEDS ? vscode.l10n.t('{0} and {1} more', shown, names.length - SHOWN_NEEDS) : shown;
}

/** The label of the button for a choice. */
export function choiceText(choice: CommitChoice, kind: PreflightFinding['kind']): string {
	if (kind === 'changes') {
		return choice === 'leave' ? vscode.l10n.t('Go Without Them') : vscode.l10n.t('Take Them Along on a Scratch Branch');
	}
	switch (choice) {
		case 'push':
			return vscode.l10n.t('Push');
		case 'leave':
			return vscode.l10n.t('Go Without Them');
		case 'scratch':
			return vscode.l10n.t('Use a Scratch Branch');
	}
}

function commitsText(choice: CommitChoice, remoteName: string): string {
	const remote = shortName(remoteName);
	switch (choice) {
		case 'push':
			return vscode.l10n.t('Will be pushed to {0} before the task starts.', remote);
		case 'leave':
			return vscode.l10n.t('The task starts from what {0} has.', remote);
		case 'scratch':
			return vscode.l10n.t('Goes along on a scratch branch of {0}, which is removed when the task has ended.', remote);
	}
}

function unpushedText({ ahead, behind, remote }: PreflightFinding & { kind: 'unpushed' }): string {
	const name = shortName(remote);
	if (ahead === undefined || behind === undefined) {
		return vscode.l10n.t('The branch is at another commit on {0} than here', name);
	}
	if (behind > 0) {
		return vscode.l10n.t('The branch has diverged: {0} commits only here, {1} only on {2}', ahead, behind, name);
	}
	return ahead === 1
		? vscode.l10n.t('1 commit is not on {0} yet', name)
		: vscode.l10n.t('{0} commits are not on {1} yet', ahead, name);
}

function changesText(count: number): string {
	return count === 1 ? vscode.l10n.t('1 file is not committed') : vscode.l10n.t('{0} files are not committed', count);
}

function filesText(files: readonly string[]): string {
	const shown = files.slice(0, SHOWN_FILES).map(shortName).join(', ');
	return files.length > SHOWN_FILES ? vscode.l10n.t('{0} and {1} more', shown, files.length - SHOWN_FILES) : shown;
}

/** Describes what “Start Task” will send: the branch, the actions before it, and the options. */
export function sentText(
	plan: LaunchPlan,
	{ ahead, changed }: LaunchFacts,
	parts: { branch: string; agents: string[]; installs: boolean; isUnsandboxed: boolean; maxDuration: number },
): string {
	const branch = shortName(plan.branch ?? parts.branch);
	const base = plan.scratch?.parent ?? plan.commit;
	return [
		base === undefined ? branch : `${branch} @ ${base.slice(0, SHORT_COMMIT)}`,
		...(plan.push ? [pushText(plan.push.isNew ? undefined : ahead)] : []),
		...(plan.scratch
			? [plan.scratch.withChanges ? scratchText(changed.length) : vscode.l10n.t('on a scratch branch')]
			: []),
		...parts.agents,
		...(parts.isUnsandboxed ? [vscode.l10n.t('without a sandbox')] : []),
		...(parts.installs ? [vscode.l10n.t('with dependencies')] : []),
		...(parts.maxDuration > 0 ? [timeLimitText(parts.maxDuration)] : []),
	].join(', ');
}

function pushText(ahead: number | undefined): string {
	if (ahead === undefined) {
		return vscode.l10n.t('the branch (will be pushed)');
	}
	return ahead === 1
		? vscode.l10n.t('1 unpushed commit (will be pushed)')
		: vscode.l10n.t('{0} unpushed commits (will be pushed)', ahead);
}

function scratchText(count: number): string {
	return count === 1
		? vscode.l10n.t('1 uncommitted file (on a scratch branch)')
		: vscode.l10n.t('{0} uncommitted files (on a scratch branch)', count);
}

export function destinationText(facts: LaunchFacts, connection: string): string {
	const { target } = facts;
	if (!target.ok) {
		return '';
	}
	const place = shortName(target.repoUrl);
	switch (target.kind) {
		case 'remote':
			return vscode.l10n.t('{0} clones {1}', connection, place);
		case 'origin-directory':
			return vscode.l10n.t('The result is a new branch in origin: {0}', place);
		case 'working-repository':
			return vscode.l10n.t('The result is a new branch in this repository: {0}', place);
	}
}
