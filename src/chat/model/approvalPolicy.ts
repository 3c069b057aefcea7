// Decides which of the things that an agent asks for are asked of the user.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PermissionOption, PermissionRequest, ToolCall, ToolKind } from '../../agents/session/events.ts';
import { type DecisiveReason, decisiveReason } from '../../base/decisiveFiles.ts';
import { defined } from '../../base/defined.ts';
import { pathWithin } from '../../base/filePlace.ts';
import type { ApprovalLevel } from './agentWork.ts';
import { type CommandRule, isAllowedBy, isReading, ruleFor, ruleText } from './commandRules.ts';

export type Ruling =
	/** `allowances` are what an answer for the whole conversation allows; none where it could only hold once. */
	| { kind: 'ask'; allowances: readonly Allowance[]; decides?: DecisiveReason | undefined }
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
	| 'beside'
	/** It would change a file in a turn that only plans. */
	| 'plan';

/** A permission that the user gives for a whole conversation. */
export type Allowance =
	/** All changes of files but those that decide what runs. */
	| { kind: 'edits' }
	/** Changes of one file that decides what runs, by its path from the agent's folder. */
	| { kind: 'file'; path: string }
	/** Exactly this command, with everything that it is called with. */
	| { kind: 'command'; command: string }
	| { kind: 'rule'; rule: CommandRule }
	/** A tool of an MCP server, with any arguments. */
	| { kind: 'tool'; name: string };

export interface ApprovalRules {
	setting: ApprovalLevel;
	/** Nothing is to be changed. */
	isPlan?: boolean;
	isSandboxed: boolean;
	/** The agent's folder, as the agent names it. */
	folder: string;
	/** Whether a path in it, with slashes, lies where changes are kept. */
	isKept(path: string): boolean;
	/** Whether a file in it, with slashes, is executable now. */
	isExecutable(path: string): boolean;
	/** Where a path in it lies once links are followed, with slashes; undefined where they lead out of it or nowhere. */
	linkedPlace(path: string): string | undefined;
	/** What the user has allowed for the whole conversation. */
	allowed: readonly Allowance[];
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
	if (rules.isPlan && isEdit(call)) {
		return { kind: 'refuse', reason: 'plan' };
	}
	if (liesBeside(call, rules)) {
		return { kind: 'refuse', reason: 'beside' };
	}
	if (leadsOutside(call, rules)) {
		return { kind: 'ask', allowances: [] };
	}
	const changes = changesOf(call, rules);
	const allowances = allowancesOf(call, changes, rules);
	if (isAllowed(call, allowances, rules)) {
		return { kind: 'allow', because: 'before' };
	}
	const isReadOnly = call.command !== undefined && isUsual(call) && isReading(call.command, rules.folder);
	if (isReadOnly && rules.isSandboxed) {
		return { kind: 'allow', because: 'setting' };
	}
	const decides = changes.find(({ reason }) => reason !== undefined)?.reason;
	return decides === undefined && isAllowedBySetting(call, rules)
		? { kind: 'allow', because: 'setting' }
		: { kind: 'ask', allowances, decides };
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

/** Returns whether a call changes files, whatever kind the agent gives it. */
export function isEdit(call: ToolCall): boolean {
	return EDITS.has(kindOf(call));
}

/** Returns what an answer for the whole conversation would allow. */
function allowancesOf(call: ToolCall, changes: readonly FileEdit[], { folder }: ApprovalRules): Allowance[] {
	const { command, mcpTool } = call;
	if (mcpTool !== undefined) {
		return [{ kind: 'tool', name: mcpTool }];
	}
	if (isEdit(call)) {
		if (changes.some(({ reason }) => reason === 'git')) {
			return [];
		}
		const files = changes.flatMap(({ path, reason }) => (reason ? [{ kind: 'file' as const, path }] : []));
		const isUsualToo = changes.length === 0 || changes.some(({ reason }) => reason === undefined);
		return isUsualToo ? [{ kind: 'edits' }, ...files] : files;
	}
	if (kindOf(call) !== 'execute' || command === undefined) {
		// Another request that looks the same may mean something else.
		return [];
	}
	const rule = isUsual(call) ? ruleFor(command, folder) : undefined;
	return [rule ? { kind: 'rule', rule } : { kind: 'command', command: exactCommand(call) }];
}

function isAllowed(call: ToolCall, needed: readonly Allowance[], { allowed, folder }: ApprovalRules): boolean {
	const { command } = call;
	if (command !== undefined) {
		const exact = exactCommand(call);
		const known = allowed.flatMap(allowance => (allowance.kind === 'rule' ? [allowance.rule] : []));
		return (
			allowed.some(allowance => allowance.kind === 'command' && allowance.command === exact) ||
			(isUsual(call) && known.length > 0 && isAllowedBy(known, command, folder))
		);
	}
	return needed.length > 0 && needed.every(one => allowed.some(other => isDeepStrictEqual(one, other)));
}

/** The two are told apart, or a command could end with what looks like the other's input. */
const exactCommand = (call: ToolCall): string => {
	const further = furtherInput(call);
	return further === undefined ? (call.command ?? '') : JSON.stringify([call.command, further]);
};

/** Returns whether a command is called with nothing but its words, so that it runs where and as every other one. */
const isUsual = (call: ToolCall): boolean => furtherInput(call) === undefined;

/** The fields by which several agents limit a command's time and output. They change nothing of what the command does. */
const WAITING = /^(?:timeout(?:_?ms)?|timeoutMs|seconds|yield_time_ms|max_output_tokens)$/;

/** Returns how the rule among allowances is shown with the question that makes it, if there is one. */
export function shownRule(allowances: readonly Allowance[]): string | undefined {
	return allowances
		.flatMap(allowance =>
			allowance.kind === 'rule' ? [ruleText(allowance.rule)] : allowance.kind === 'tool' ? [allowance.name] : [],
		)
		.at(0);
}

/** Returns what a command is called with beside its words, such as a folder or an environment, as JSON. */
export function furtherInput({ command, input }: Pick<ToolCall, 'command' | 'input'>): string | undefined {
	if (command === undefined || input === undefined) {
		return undefined;
	}
	const { command: _, cmd: __, args: ___, description: ____, ...others } = JSON.parse(input) as Record<string, unknown>;
	const further = Object.entries(others).filter(([name, value]) => !(WAITING.test(name) && typeof value === 'number'));
	return further.length === 0 ? undefined : JSON.stringify(Object.fromEntries(further));
}

/** An agent may give a call a kind that says less than what it does. */
function kindOf({ kind, command, diffs }: ToolCall): ToolKind {
	if (command !== undefined) {
		return 'execute';
	}
	return diffs.length > 0 && !EDITS.has(kind) && kind !== 'execute' ? 'edit' : kind;
}

function isAllowedBySetting(call: ToolCall, { setting, isPlan, isSandboxed }: ApprovalRules): boolean {
	const kind = kindOf(call);
	if (isPlan && kind === 'execute') {
		// The sandbox lets it change nothing.
		return isSandboxed;
	}
	if (HARMLESS.has(kind)) {
		// Without a sandbox, an agent reads whatever the user can read.
		return isSandboxed;
	}
	if (setting === 'allow-in-sandbox') {
		return isSandboxed;
	}
	return setting === 'ask-for-commands' && EDITS.has(kind);
}

/** Returns whether a call would change something outside of the agent's folder, also by way of a link. */
function leadsOutside(call: ToolCall, { folder, linkedPlace }: ApprovalRules): boolean {
	return (
		!HARMLESS.has(kindOf(call)) &&
		pathsOf(call).some(named => {
			const within = placeIn(folder, named);
			return within === undefined || linkedPlace(within) === undefined;
		})
	);
}

/** A file that a call would change, with the reason why it decides what runs, if it does. */
interface FileEdit {
	path: string;
	reason?: DecisiveReason;
}

/** Returns the files that a call would change, each with the reason why it decides what runs, if it does. */
function changesOf(call: ToolCall, { folder, isExecutable, linkedPlace }: ApprovalRules): FileEdit[] {
	if (HARMLESS.has(kindOf(call))) {
		return [];
	}
	const texts = new Map(call.diffs.map(({ path: named, oldText, newText }) => [named, [oldText, newText] as const]));
	return [...new Set(pathsOf(call))].map(named => {
		const within = placeIn(folder, named) ?? named;
		const change = { texts: texts.get(named), isExecutable: isExecutable(within) };
		// What is written to a link is written to what it leads to.
		const reasons = [within, linkedPlace(within) ?? within].map(place => ({
			path: place,
			...defined({ reason: decisiveReason({ ...change, path: place }) }),
		}));
		return reasons.find(({ reason }) => reason !== undefined) ?? { path: within };
	});
}

/** Returns whether a call would change something in the agent's folder that nothing keeps. */
function liesBeside(call: ToolCall, { folder, isKept }: ApprovalRules): boolean {
	return (
		EDITS.has(kindOf(call)) &&
		pathsOf(call).some(named => {
			const within = placeIn(folder, named);
			return within && !isKept(within);
		})
	);
}

/** Returns a path that an agent names as one from its folder, with slashes; undefined where it lies elsewhere. */
function placeIn(folder: string, named: string): string | undefined {
	return pathWithin(folder, path.resolve(folder, named))?.split(path.sep).join('/');
}

const pathsOf = ({ locations, diffs }: ToolCall): string[] => [...locations, ...diffs].map(entry => entry.path);
