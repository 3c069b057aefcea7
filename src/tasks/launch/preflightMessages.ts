import * as vscode from 'vscode';
import { oneLine, shortName } from '../../base/plainText.ts';
import type { AgentStatus, SandboxStatus } from '../../contract/agents.ts';
import { agentProblemText } from '../../platform/agentProblemMessages.ts';
import type { CommitChoice, LaunchFacts, PreflightFinding, ServiceCheck, Submodule } from '../model/findings.ts';
import type { NeedsFinding } from '../model/taskNeeds.ts';

/** The number of changed files that are named in a row; the rest is counted. */
const SHOWN_FILES = 4;
/** The number of commands and of hosts that are named in a row; the rest is counted. */
const SHOWN_NEEDS = 6;
const MAXIMUM_REASON = 200;

/** The text of a row: an icon, the finding, the items concerned and the action that will be taken (empty if none). */
export interface FindingText {
	icon: string;
	label: string;
	description: string;
	detail: string;
}

const withIcon =
	(icon: string) =>
	(label: string, detail = '', description = ''): FindingText => ({ icon, label, description, detail });
/** For a finding that prevents the task. */
const blocked = withIcon('error');
const warned = withIcon('warning');
const told = withIcon('info');

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
				vscode.l10n.t('{0} can’t reach this machine. Publish the repository, or use the local connection.', connection),
			);
		case 'unusable-remote':
			return blocked(
				vscode.l10n.t('The address of remote “{0}” can’t be cloned from elsewhere', shortName(finding.remote)),
				vscode.l10n.t('Use an https or ssh address, or use the local connection.'),
			);
		case 'only-on-remote':
			return blocked(
				vscode.l10n.t('Branch “{0}” is only on {1}', branch, shortName(finding.remote)),
				vscode.l10n.t('Check it out here, or select another branch.'),
			);
		case 'unsafe-name':
			return blocked(
				vscode.l10n.t('The name of branch “{0}” or of its remote starts with a hyphen', branch),
				vscode.l10n.t('Programs treat it as an option. Rename it, or select another branch.'),
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
					? vscode.l10n.t('{0} has 1 commit that isn’t here', shortName(finding.remote))
					: vscode.l10n.t('{0} has {1} commits that aren’t here', shortName(finding.remote), finding.behind),
				vscode.l10n.t('The task starts from the commits on {0}.', shortName(finding.remote)),
			);
		case 'changes':
			return warned(
				changesText(finding.files.length),
				finding.chosen === 'leave'
					? vscode.l10n.t('They’re not part of the task.')
					: vscode.l10n.t('They’re included on a scratch branch, which is removed when the task ends.'),
				filesText(finding.files),
			);
		case 'conflicts':
			return warned(
				vscode.l10n.t('A merge with conflicts is in progress'),
				vscode.l10n.t('Uncommitted changes aren’t part of the task. Finish the merge if it needs them.'),
				filesText(finding.files),
			);
		case 'nested':
			return told(
				finding.folders.length === 1
					? vscode.l10n.t('A nested repository has changes')
					: vscode.l10n.t('{0} nested repositories have changes', finding.folders.length),
				vscode.l10n.t('They’re not part of the task.'),
				filesText(finding.folders),
			);
		case 'unknown-agent':
			return warned(
				vscode.l10n.t('{0} has no agent “{1}”, so {2} is used', connection, shortName(finding.agent), names.agent),
				vscode.l10n.t('It’s specified by the setting “errand.tasks.agent”.'),
			);
		case 'worktree':
			return told(
				vscode.l10n.t('“{0}” is a worktree', repository),
				vscode.l10n.t('The task works on its branch. Other worktrees aren’t changed.'),
			);
		case 'submodule':
			return told(
				vscode.l10n.t('“{0}” is a submodule', repository),
				vscode.l10n.t('The task works only on the submodule, not on the repository that contains it.'),
			);
		case 'missing-files':
			return blocked(
				vscode.l10n.t('“{0}” is a partial clone without all files of branch “{1}”', repository, branch),
				finding.objects === 1
					? vscode.l10n.t(
							'A task needs all files, but 1 object is missing. Get it from {0}, or select another branch.',
							shortName(finding.remote),
						)
					: vscode.l10n.t(
							'A task needs all files, but {0} objects are missing. Get them from {1}, or select another branch.',
							finding.objects,
							shortName(finding.remote),
						),
			);
		case 'partial-clone':
			return told(
				vscode.l10n.t('“{0}” is a partial clone', repository),
				vscode.l10n.t('The task gets the files of the branch, but not its history.'),
			);
		case 'shallow-clone':
			return told(
				vscode.l10n.t('“{0}” is a shallow clone', repository),
				vscode.l10n.t('The task gets the files of the branch, and only the history that’s available here.'),
			);
		case 'sparse-checkout':
			return told(
				vscode.l10n.t('“{0}” has a sparse checkout', repository),
				vscode.l10n.t('The task works on all files of the branch, including those that aren’t checked out here.'),
			);
		case 'submodules':
			return submodulesText(finding.submodules);
		case 'credentials':
			return told(
				vscode.l10n.t('The remote’s address contains a user name or password'),
				vscode.l10n.t('It isn’t sent to {0}.', connection),
			);
		case 'empty-git-user':
			return warned(
				vscode.l10n.t('The last task ran without a source-hosting account'),
				vscode.l10n.t(
					'Link one in the dashboard of {0}. Otherwise, the result may not reach the repository.',
					connection,
				),
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
			: vscode.l10n.t('These aren’t checked out, so they’re empty for the agent: {0}.', filesText(empty));
	return told(
		submodules.length === 1
			? vscode.l10n.t('The branch has a submodule')
			: vscode.l10n.t('The branch has {0} submodules', submodules.length),
		`${seen} ${vscode.l10n.t('Changes in submodules aren’t included.')}`,
		filesText(submodules.map(({ name }) => name)),
	);
}

function serviceText(look: ServiceCheck, { connection, repository }: PreflightNames): FindingText {
	switch (look.kind) {
		case 'asking':
		case 'not-asked':
			return withIcon('sync~spin')(vscode.l10n.t('Checking whether {0} has access to “{1}”…', connection, repository));
		case 'known':
			return withIcon('check')(vscode.l10n.t('{0} has access to “{1}”', connection, repository));
		case 'unlisted':
			return warned(
				vscode.l10n.t('{0} doesn’t list “{1}”', connection, repository),
				vscode.l10n.t('It may not have access. Grant access, or start the task anyway.'),
			);
		case 'no-link':
			return warned(
				vscode.l10n.t('{0} isn’t linked to your source hosting', connection),
				vscode.l10n.t('Link it in the service’s dashboard. Until then, private repositories can’t be cloned.'),
			);
		case 'failed':
			return told(vscode.l10n.t('Couldn’t check whether {0} has access to “{1}”', connection, repository), look.reason);
	}
}

/** Describes the needs of a task of the local service. `connection` is the connection's label. */
function needsText(finding: NeedsFinding, connection: string): FindingText {
	switch (finding.kind) {
		case 'unusable-agents':
			return unusableText(finding.agents);
		case 'sandbox-required':
			return blocked(
				vscode.l10n.t('No sandbox is available, and agents aren’t allowed to run without one'),
				`${sandboxText(finding.sandbox)} ${vscode.l10n.t('See the setting “errand.local.sandbox”.')}`,
			);
		case 'unsandboxed':
			return warned(
				vscode.l10n.t('Runs without a sandbox and can read and change everything that you can'),
				finding.isAllowed
					? vscode.l10n.t('Allowed for this repository when this task starts.')
					: `${sandboxText(finding.sandbox)} ${vscode.l10n.t('Allow it for this repository, or set up the sandbox.')}`,
			);
		case 'installation':
			return dependenciesText(finding);
		case 'search':
			return told(
				finding.isAllowed
					? vscode.l10n.t('The task can search the web')
					: vscode.l10n.t('The task can’t search the web'),
				finding.isAllowed
					? vscode.l10n.t('“{0}” gets what the agent searches for, and nobody is asked.', shortName(finding.model))
					: vscode.l10n.t(
							'If you allow it for this repository, “{0}” gets what the agent searches for, and nobody is asked.',
							shortName(finding.model),
						),
			);
		case 'no-dependencies':
			return told(
				vscode.l10n.t('No installable dependencies found'),
				vscode.l10n.t(
					'The branch has no lockfile that {0} supports, and no package.json with dependencies.',
					connection,
				),
			);
		case 'shown-dependencies':
			return told(
				vscode.l10n.t('The task can use your installed dependencies: {0}', listed(finding.folders)),
				vscode.l10n.t('It can read these folders, but not change them.'),
			);
		case 'unmet-dependencies':
			return told(
				vscode.l10n.t('Your installed dependencies lack {0}', listed(finding.packages)),
				vscode.l10n.t(
					'So the task can’t use them. Install what package.json lists, or let the task install its dependencies.',
				),
			);
		case 'unpriced':
			return told(
				vscode.l10n.t(
					'“errand.tasks.maxCost” doesn’t limit this task because there’s no price for {0}',
					listed(finding.models),
				),
				vscode.l10n.t('Add prices to “errand.local.upstreams”.'),
			);
		case 'needs-unknown':
			return told(vscode.l10n.t('Couldn’t check what the task needs'), finding.reason);
	}
}

function unusableText(agents: readonly AgentStatus[]): FindingText {
	const name = ({ label, id }: AgentStatus) => shortName(label || id);
	const reason = ({ problem }: AgentStatus) => (problem === undefined ? '' : agentProblemText(problem));
	const help = vscode.l10n.t('Set it up, or select another agent.');
	const [first] = agents;
	return first && agents.length === 1
		? blocked(vscode.l10n.t('“{0}” can’t run', name(first)), `${reason(first)} ${help}`.trim())
		: blocked(
				vscode.l10n.t('{0} of the agents can’t run', agents.length),
				agents.map(agent => `${name(agent)}: ${reason(agent)}`).join(' '),
			);
}

/** Returns why there is no sandbox. */
export function sandboxText({ problem, detail = '' }: SandboxStatus): string {
	switch (problem) {
		case 'not-installed':
			return vscode.l10n.t('Bubblewrap isn’t installed.');
		case 'platform':
			return vscode.l10n.t('Errand has no sandbox for this system yet.');
		default: {
			const said = oneLine(detail, MAXIMUM_REASON);
			const reason = vscode.l10n.t('This system doesn’t allow the sandbox.');
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
			? vscode.l10n.t('No hosts are known yet.')
			: vscode.l10n.t('Hosts that are contacted: {0}.', listed(hosts)),
		vscode.l10n.t('Other hosts are blocked. If the installation fails, you’re asked about them next time.'),
		...(withLogin.length === 0
			? []
			: [vscode.l10n.t('Your sign-in to {0} isn’t used because agents don’t have access to it.', listed(withLogin))]),
	].join(' ');
	const description = listed(commands.map(({ lockfile }) => lockfile));
	switch (allowed) {
		case undefined:
			return warned(
				label,
				`${reached} ${vscode.l10n.t('Allow it for this repository, or continue without it.')}`,
				description,
			);
		case 'with-scripts':
			return told(label, `${reached} ${vscode.l10n.t('Install scripts run.')}`, description);
		case 'without-scripts':
			return told(label, `${reached} ${vscode.l10n.t('Install scripts don’t run.')}`, description);
	}
}

function listed(names: readonly string[], maximum = SHOWN_NEEDS): string {
	const shown = names.slice(0, maximum).map(shortName).join(', ');
	return names.length > maximum ? vscode.l10n.t('{0} and {1} more', shown, names.length - maximum) : shown;
}

const filesText = (files: readonly string[]): string => listed(files, SHOWN_FILES);

/** The label of the button for a choice. */
export function choiceText(choice: CommitChoice, kind: PreflightFinding['kind']): string {
	if (kind === 'changes') {
		return choice === 'leave' ? vscode.l10n.t('Start Without Them') : vscode.l10n.t('Include Them on a Scratch Branch');
	}
	return {
		push: vscode.l10n.t('Push'),
		leave: vscode.l10n.t('Start Without Them'),
		scratch: vscode.l10n.t('Use a Scratch Branch'),
	}[choice];
}

function commitsText(choice: CommitChoice, remoteName: string): string {
	const remote = shortName(remoteName);
	return {
		push: vscode.l10n.t('Will be pushed to {0} before the task starts.', remote),
		leave: vscode.l10n.t('The task starts from the commits on {0}.', remote),
		scratch: vscode.l10n.t('Included on a scratch branch on {0}, which is removed when the task ends.', remote),
	}[choice];
}

function unpushedText({ ahead, behind, remote }: PreflightFinding & { kind: 'unpushed' }): string {
	const name = shortName(remote);
	if (ahead === undefined || behind === undefined) {
		return vscode.l10n.t('The branch is at a different commit on {0}', name);
	}
	if (behind > 0) {
		return vscode.l10n.t('The branch has diverged: {0} commits only here, {1} only on {2}', ahead, behind, name);
	}
	return ahead === 1
		? vscode.l10n.t('1 commit isn’t on {0} yet', name)
		: vscode.l10n.t('{0} commits aren’t on {1} yet', ahead, name);
}

function changesText(count: number): string {
	return count === 1 ? vscode.l10n.t('1 uncommitted file') : vscode.l10n.t('{0} uncommitted files', count);
}

export function serversText(servers: readonly string[]): string {
	return servers.length === 1
		? vscode.l10n.t('with the MCP server {0}', listed(servers))
		: vscode.l10n.t('with the MCP servers {0}', listed(servers));
}

export function pushText(ahead: number | undefined): string {
	if (ahead === undefined) {
		return vscode.l10n.t('the branch (will be pushed)');
	}
	return ahead === 1
		? vscode.l10n.t('1 unpushed commit (will be pushed)')
		: vscode.l10n.t('{0} unpushed commits (will be pushed)', ahead);
}

export function scratchText(count: number): string {
	if (count === 0) {
		return vscode.l10n.t('on a scratch branch');
	}
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
