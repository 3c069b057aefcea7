// Decides which of the things that an agent asks for are asked of the user.
import path from 'node:path';
import type { PermissionOption, PermissionRequest, ToolCall, ToolKind } from '../../agents/session/events.ts';
import { isGitsOwn, pathWithin } from '../../base/filePlace.ts';

/** `errand.agents.approvals`: what is asked, beside what always is. */
export const APPROVAL_SETTINGS = ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const;
export type ApprovalSetting = (typeof APPROVAL_SETTINGS)[number];

export type Ruling =
	| { kind: 'ask'; isOnlyOnce: boolean }
	| { kind: 'allow'; because: 'setting' | 'before' }
	| { kind: 'refuse'; reason: RefusalReason };

/** Why a request is refused without a question. */
export type RefusalReason =
	/** It names more than can be read, so that nobody would know what they allow. */
	| 'unreadable'
	/** It says nothing of what it is for. */
	| 'nothing-said'
	/** The agent offers no answer that holds for this time alone. */
	| 'only-always'
	/** It would change what lies beside the repositories, where nothing is kept. */
	| 'beside';

export interface ApprovalRules {
	setting: ApprovalSetting;
	isSandboxed: boolean;
	/** The agent's folder, as the agent names it. */
	folder: string;
	/** Whether a path in it, with slashes, lies where changes are kept. */
	isKept(path: string): boolean;
	/** What the user has allowed for the whole conversation, as `allowanceOf` names it. */
	allowed: ReadonlySet<string>;
}

const EDITS: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** Tools that change nothing and reach nothing outside of the sandbox. */
const HARMLESS: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);

export function ruleOn({ call, options, complete }: PermissionRequest, rules: ApprovalRules): Ruling {
	if (!complete || call.isInputCut || call.diffs.some(({ isCut }) => isCut)) {
		return { kind: 'refuse', reason: 'unreadable' };
	}
	if (pathsOf(call).length === 0 && call.title === '' && call.command === undefined && call.input === undefined) {
		return { kind: 'refuse', reason: 'nothing-said' };
	}
	if (allowOnce(options) === undefined) {
		return { kind: 'refuse', reason: 'only-always' };
	}
	if (liesBeside(call, rules)) {
		return { kind: 'refuse', reason: 'beside' };
	}
	if (alwaysAsks(call, rules.folder)) {
		return { kind: 'ask', isOnlyOnce: true };
	}
	const allowance = allowanceOf(call);
	if (allowance !== undefined && rules.allowed.has(allowance)) {
		return { kind: 'allow', because: 'before' };
	}
	return isAllowedBySetting(call, rules)
		? { kind: 'allow', because: 'setting' }
		: { kind: 'ask', isOnlyOnce: allowance === undefined };
}

/** Returns the answer that allows a request this time, if the agent offers one. */
export function allowOnce(options: readonly PermissionOption[]): string | undefined {
	return options.find(({ kind }) => kind === 'allow_once')?.id;
}

/** Returns the answer that refuses a request, if the agent offers one, preferably for this time alone. */
export function refusal(options: readonly PermissionOption[]): string | undefined {
	return (options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always'))
		?.id;
}

/**
 * Names what an answer for the whole conversation allows: all edits, or exactly this command. Undefined where it could
 * only be allowed once, because another request that looks the same may mean something else.
 */
export function allowanceOf(call: ToolCall): string | undefined {
	const kind = kindOf(call);
	if (EDITS.has(kind)) {
		return 'edits';
	}
	return kind === 'execute' && call.command !== undefined
		? ['command', call.command, furtherInput(call) ?? []].flat().join(' ')
		: undefined;
}

/** Returns what a command is called with beside its words, such as a folder or an environment, as JSON. */
export function furtherInput({ command, input }: Pick<ToolCall, 'command' | 'input'>): string | undefined {
	if (command === undefined || input === undefined) {
		return undefined;
	}
	const { command: _, cmd: __, args: ___, description: ____, ...others } = JSON.parse(input) as Record<string, unknown>;
	return Object.keys(others).length === 0 ? undefined : JSON.stringify(others);
}

/** An agent may give a call a kind that says less than what it does. */
function kindOf({ kind, command, diffs }: ToolCall): ToolKind {
	if (command !== undefined) {
		return 'execute';
	}
	return diffs.length > 0 && !EDITS.has(kind) && kind !== 'execute' ? 'edit' : kind;
}

function isAllowedBySetting(call: ToolCall, { setting, isSandboxed }: ApprovalRules): boolean {
	const kind = kindOf(call);
	if (HARMLESS.has(kind)) {
		// Without a sandbox, an agent reads whatever the user can read.
		return isSandboxed;
	}
	if (setting === 'allow-in-sandbox') {
		return isSandboxed;
	}
	return setting === 'ask-for-commands' && EDITS.has(kind);
}

/** Returns whether a call would change what makes programs run, or something outside of the agent's folder. */
function alwaysAsks(call: ToolCall, folder: string): boolean {
	if (HARMLESS.has(kindOf(call))) {
		return false;
	}
	return pathsOf(call).some(named => {
		const relative = pathWithin(folder, path.resolve(folder, named));
		return relative === undefined || isDecisive(relative);
	});
}

/** Returns whether a call would change something in the agent's folder that nothing keeps. */
function liesBeside(call: ToolCall, { folder, isKept }: ApprovalRules): boolean {
	return (
		EDITS.has(kindOf(call)) &&
		pathsOf(call).some(named => {
			const relative = pathWithin(folder, path.resolve(folder, named));
			return relative && !isKept(relative.split(path.sep).join('/'));
		})
	);
}

const pathsOf = ({ locations, diffs }: ToolCall): string[] => [...locations, ...diffs].map(entry => entry.path);

/**
 * The names, in lower case, of files and folders that editors, shells and agents obey when they look into a folder. What
 * they say can run programs or end the questions, so the user is asked about each change of them. Git's own folder is
 * checked separately.
 */
const DECISIVE_NAMES: ReadonlySet<string> = new Set([
	'.claude',
	'.cursor',
	'.devcontainer',
	'.devcontainer.json',
	'.envrc',
	'.gitattributes',
	'.gitconfig',
	'.githooks',
	'.gitmodules',
	'.husky',
	'.idea',
	'.mcp.json',
	'.mise.toml',
	'.npmrc',
	'.opencode',
	'.pre-commit-config.yaml',
	'.vscode',
	'mise.toml',
	'opencode.json',
	'opencode.jsonc',
]);

/** The end of the name of a file with which the editor opens several folders, with tasks and settings of its own. */
const WORKSPACE_ENDING = '.code-workspace';

/** Some file systems ignore invisible characters and case, so that different names mean the same file there. */
const plainName = (name: string) =>
	name
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '')
		.toLowerCase();

/**
 * Returns whether a file is one of them, or lies in one of them. `file` is a path from the folder that an agent works in.
 */
function isDecisive(file: string): boolean {
	return (
		isGitsOwn(file) ||
		file
			.split(/[\\/]/)
			.map(plainName)
			.some(name => DECISIVE_NAMES.has(name) || name.endsWith(WORKSPACE_ENDING))
	);
}
